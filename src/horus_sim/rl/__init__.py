"""Reinforcement learning: thousands of robots behind Gymnasium's interfaces.

Importing this package registers its environments: ``gymnasium.make_vec("HorusSim/Navigation-v0",
num_envs=1024)``. What is heavy is loaded when it is first used.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from horus_sim.errors import MissingExtraError

if find_spec("gymnasium") is None:
    raise MissingExtraError("gymnasium", "rl")

from horus_sim.lazy_names import lazy_names
from horus_sim.rl.task_files.registration import register_tasks, shipped_tasks

if TYPE_CHECKING:
    from horus_sim.rl.engines.interface import ALL, Backend, Rows
    from horus_sim.rl.engines.mujoco_batch import MujocoBackend
    from horus_sim.rl.envs.make import make_single, make_vector
    from horus_sim.rl.envs.single_env import SingleEnv
    from horus_sim.rl.envs.snapshot import EnvSnapshot
    from horus_sim.rl.envs.vector_env import VectorEnv
    from horus_sim.rl.randomization.random_streams import RandomStreams
    from horus_sim.rl.task_files.definitions import build_task, load_tasks, task_names
    from horus_sim.rl.tasks.task import Task
    from horus_sim.rl.tasks.task_config import TaskConfig
    from horus_sim.rl.terms.term import Observation, Reward, Termination

_HOMES = {
    "ALL": "engines.interface",
    "Backend": "engines.interface",
    "EnvSnapshot": "envs.snapshot",
    "MujocoBackend": "engines.mujoco_batch",
    "Observation": "terms.term",
    "RandomStreams": "randomization.random_streams",
    "Reward": "terms.term",
    "Rows": "engines.interface",
    "SingleEnv": "envs.single_env",
    "Task": "tasks.task",
    "TaskConfig": "tasks.task_config",
    "Termination": "terms.term",
    "VectorEnv": "envs.vector_env",
    "build_task": "task_files.definitions",
    "load_tasks": "task_files.definitions",
    "make_single": "envs.make",
    "make_vector": "envs.make",
    "task_names": "task_files.definitions",
}

__all__ = [
    "ALL",
    "Backend",
    "EnvSnapshot",
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

__getattr__ = lazy_names(__name__, _HOMES)
