"""Environments for RLlib: each of its runners steps a vector of them, not one after the other.

RLlib (Ray 2.50 and later) makes vectors by Gymnasium's vector entry point; `rllib_config` says so,
and registers the task with Ray, which takes it to the machines of a cluster.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import gymnasium
import numpy as np

from horus_sim.errors import MissingExtraError
from horus_sim.rl.envs.make import make_single, make_vector
from horus_sim.rl.envs.vector_env import VectorEnv
from horus_sim.rl.settings import whole_number
from horus_sim.rl.task_files.definitions import build_task

if find_spec("ray") is None:
    raise MissingExtraError("ray", "ray")

from ray.rllib.algorithms.algorithm_config import (  # pyright: ignore[reportMissingImports]
    AlgorithmConfig,
)
from ray.tune.registry import register_env  # pyright: ignore[reportMissingImports]

Step = tuple[Any, Any, Any, Any, dict[str, Any]]


class RllibVectorEnv(gymnasium.vector.VectorWrapper):
    """A vector of environments that tells RLlib only what it asks for.

    RLlib makes a list of dictionaries of the info at every step; of ours it gets `success` and
    `cause` of the episodes that ended, which its callbacks read.

    Args:
        envs: The environments, in autoreset mode 'NextStep'.
    """

    def __init__(self, envs: VectorEnv) -> None:
        super().__init__(envs)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401 - as Gymnasium's
        """Begins new episodes."""
        observations, _ = self.env.reset(seed=seed, options=options)
        return observations, {}

    def step(self, actions: Any) -> Step:  # noqa: ANN401 - as Gymnasium's
        """Advances every environment by a step."""
        observations, rewards, terminated, truncated, info = self.env.step(actions)
        done = terminated | truncated
        told: dict[str, Any] = {}
        if np.count_nonzero(done):
            told = {key: info[key] for key in ("success", "cause")}
            told |= {f"_{key}": done for key in ("success", "cause")}
        return observations, rewards, terminated, truncated, told


def make_rllib(context: Mapping[str, Any]) -> gymnasium.Env | gymnasium.vector.VectorEnv:
    """What Ray calls on a worker.

    Args:
        context: `task`, `num_envs` where a vector is wanted, `threads`, and settings of the task.
    """
    values = dict(context)
    task, count = values.pop("task"), values.pop("num_envs", None)
    threads = values.pop("threads", 1)
    if count is None:
        return make_single(task, **values)
    return RllibVectorEnv(make_vector(task, count, threads, **values))


def rllib_config(
    algorithm: AlgorithmConfig,
    task: str,
    *,
    runners: int = 2,
    num_envs: int = 64,
    threads: int = 1,
    **settings: Any,  # noqa: ANN401 - checked by the task's settings
) -> AlgorithmConfig:
    """A configuration of RLlib with the task's environments.

    Args:
        algorithm: Such as `PPOConfig()`; it is changed and returned.
        task: Name of a task.
        runners: Processes that step environments, on whichever machines Ray has.
        num_envs: Environments of each.
        threads: Threads for the physics of each; a runner asks Ray for as many processors.
        **settings: Settings of the task.

    Raises:
        TaskError: The task or a setting is unknown, or a number does not fit.
    """
    for what, number, least in (
        ("runners", runners, 0),
        ("num_envs", num_envs, 1),
        ("threads", threads, 1),
    ):
        whole_number(what, number, least)
    # Here rather than on a worker, where the error would be far from its cause.
    build_task(task, settings)
    name = f"HorusSim/{task}"
    register_env(name, make_rllib)
    return algorithm.environment(
        name, env_config={"task": task, "threads": threads, **settings}
    ).env_runners(
        num_env_runners=runners,
        num_envs_per_env_runner=num_envs,
        num_cpus_per_env_runner=threads,
        gym_env_vectorize_mode="vector_entry_point",
    )
