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

from horus_sim.rl.task_files.registration import register_tasks, shipped_tasks

if TYPE_CHECKING:
    from horus_sim.rl.engines.interface import ALL, Backend, Rows
    from horus_sim.rl.engines.mujoco_batch import MujocoBackend
    from horus_sim.rl.envs.make import make_single, make_vector
    from horus_sim.rl.envs.single_env import SingleEnv
    from horus_sim.rl.envs.vector_env import VectorEnv
    from horus_sim.rl.randomization.random_streams import RandomStreams
    from horus_sim.rl.task_files.definitions import build_task, load_tasks, task_names
    from horus_sim.rl.tasks.task import Task
    from horus_sim.rl.tasks.task_config import TaskConfig
    from horus_sim.rl.terms.term import Observation, Reward, Termination

_HOMES = {
    "engines.interface": ("ALL", "Backend", "Rows"),
    "engines.mujoco_batch": ("MujocoBackend",),
    "envs.make": ("make_single", "make_vector"),
    "envs.single_env": ("SingleEnv",),
    "envs.vector_env": ("VectorEnv",),
    "randomization.random_streams": ("RandomStreams",),
    "task_files.definitions": ("build_task", "load_tasks", "task_names"),
    "tasks.task": ("Task",),
    "tasks.task_config": ("TaskConfig",),
    "terms.term": ("Observation", "Reward", "Termination"),
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

register_tasks(shipped_tasks().data)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attributes
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"horus_sim.rl.{home}"), name)
    raise AttributeError(f"module 'horus_sim.rl' has no attribute '{name}'")
