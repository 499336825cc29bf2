"""Reinforcement learning: thousands of robots behind Gymnasium's interfaces.

Importing this package registers its environments: ``gymnasium.make_vec("HorusSim/Navigation-v0",
num_envs=1024)``. What is heavy is loaded when it is first used.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from horus_sim.errors import MissingExtraError

if find_spec("gymnasium") is None:
    raise MissingExtraError("gymnasium", "rl")

from horus_sim.rl.registration import register_tasks

if TYPE_CHECKING:
    from horus_sim.rl.backend import Backend, MujocoBackend
    from horus_sim.rl.catalogue import build_task, load_tasks, task_names
    from horus_sim.rl.config import TaskConfig
    from horus_sim.rl.making import make_single, make_vector
    from horus_sim.rl.random_streams import RandomStreams
    from horus_sim.rl.single_env import SingleEnv
    from horus_sim.rl.task import Task
    from horus_sim.rl.terms import ALL, Observation, Reward, Rows, Termination
    from horus_sim.rl.vector_env import VectorEnv

_HOMES = {
    "ALL": "terms",
    "Backend": "backend",
    "MujocoBackend": "backend",
    "Observation": "terms",
    "RandomStreams": "random_streams",
    "Reward": "terms",
    "Rows": "terms",
    "SingleEnv": "single_env",
    "Task": "task",
    "TaskConfig": "config",
    "Termination": "terms",
    "VectorEnv": "vector_env",
    "build_task": "catalogue",
    "load_tasks": "catalogue",
    "make_single": "making",
    "make_vector": "making",
    "task_names": "catalogue",
}

__all__ = [
    "ALL",
    "Backend",
    "MujocoBackend",
    "Observation",
    "RandomStreams",
    "Reward",
    "Rows",
    "SingleEnv",
    "Task",
    "TaskConfig",
    "Termination",
    "VectorEnv",
    "build_task",
    "load_tasks",
    "make_single",
    "make_vector",
    "task_names",
]

register_tasks()


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attributes
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(f"horus_sim.rl.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'horus_sim.rl' has no attribute '{name}'")
