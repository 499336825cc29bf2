"""The limit of reinforcement learning environments, and other packages' ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any

import gymnasium
import numpy as np

import horus_sim.rl as rl

Step = Callable[[int], None]
"""Runs that many steps of all environments."""

SAME_AS_OURS: dict[str, dict[str, Any]] = {
    "Ant": {"include_cfrc_ext_in_observation": False, "contact_cost_weight": 0.0},
    "HalfCheetah": {},
}


def actions_for(num_envs: int, space: gymnasium.Space[Any]) -> list[np.ndarray]:
    """Random actions to go through again and again."""
    (size,) = space.shape or (1,)
    random = np.random.default_rng(0)
    return [random.uniform(-1, 1, (num_envs, size)).astype(np.float32) for _ in range(16)]


def ours(name: str, num_envs: int, **settings: Any) -> Step:  # noqa: ANN401 - of the task
    """Steps of our environments."""
    envs = rl.make_vector(name, num_envs, **settings)
    envs.reset(seed=0)
    actions = actions_for(num_envs, envs.single_action_space)

    def run(steps: int) -> None:
        for k in range(steps):
            envs.step(actions[k % 16])

    return run


def limit(name: str, num_envs: int, **settings: Any) -> Step:  # noqa: ANN401 - of the task
    """`mj_step` alone in a loop in C on all threads, with the same controls."""
    envs = rl.make_vector(name, num_envs, **settings)
    envs.reset(seed=0)
    batch = envs.task.sim.batch  # pyright: ignore[reportAttributeAccessIssue]
    repeat = envs.task.config.physics_steps
    wanted = np.stack(actions_for(num_envs, envs.single_action_space), axis=1)
    control = np.repeat(wanted, repeat, axis=1).astype(np.float64)

    def run(steps: int) -> None:
        count = steps * repeat
        batch.rollout(count, control[:, np.arange(count) % control.shape[1]], record=())

    return run


def sync(name: str, num_envs: int) -> Step:
    """Gymnasium's SyncVectorEnv of its own environments."""
    settings = SAME_AS_OURS[name]
    envs = gymnasium.make_vec(f"{name}-v5", num_envs, vectorization_mode="sync", **settings)
    envs.reset(seed=0)
    actions = actions_for(num_envs, envs.single_action_space)

    def run(steps: int) -> None:
        for k in range(steps):
            envs.step(actions[k % 16])

    return run


def envpool(name: str, num_envs: int) -> Step:
    """EnvPool's environments, on as many threads as there are processors."""
    import envpool  # pyright: ignore[reportMissingImports]

    envs = envpool.make_gymnasium(f"{name}-v4", num_envs=num_envs)
    envs.reset()
    actions = [rows.astype(np.float64) for rows in actions_for(num_envs, envs.action_space)]

    def run(steps: int) -> None:
        for k in range(steps):
            envs.step(actions[k % 16])

    return run


def sb3_adapter(num_envs: int) -> Step:
    """Our adapter to Stable-Baselines3 alone: what environments did is played back to it."""
    from horus_sim.rl.adapters.sb3 import make_sb3

    venv = make_sb3("Navigation", num_envs)
    venv.reset()
    actions = actions_for(num_envs, venv.action_space)
    # Long enough that episodes end in most steps.
    for k in range(200):
        venv.step(actions[k % 16])
    played = cycle([venv.envs.step(actions[k % 16]) for k in range(16)])
    venv.envs.step = lambda actions: next(played)  # noqa: ARG005 - the name is Gymnasium's

    def run(steps: int) -> None:
        for _ in range(steps):
            venv.step(actions[0])

    return run


class _Nothing(gymnasium.Env[np.ndarray, np.ndarray]):
    """An environment that does nothing, of the size of Navigation."""

    observation_space = gymnasium.spaces.Box(-1, 1, (31,), np.float32)
    action_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    _seen = np.zeros(31, np.float32)

    def reset(self, **_: Any) -> tuple[np.ndarray, dict[str, Any]]:  # noqa: ANN401 - unused
        return self._seen, {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        del action
        return self._seen, 0.0, False, False, {}


def sb3_dummy(num_envs: int) -> Step:
    """Stable-Baselines3's DummyVecEnv alone: its environments do nothing."""
    from stable_baselines3.common.vec_env import (  # pyright: ignore[reportMissingImports]
        DummyVecEnv,
    )

    venv = DummyVecEnv([_Nothing] * num_envs)
    venv.reset()
    (actions, *_) = actions_for(num_envs, venv.action_space)

    def run(steps: int) -> None:
        for _ in range(steps):
            venv.step(actions)

    return run
