"""One environment behind Gymnasium's plain interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from horus_sim.errors import ActionError, ResetError
from horus_sim.rl.envs.snapshot import EnvSnapshot
from horus_sim.rl.envs.vector_env import VectorEnv
from horus_sim.rl.tasks.task import Task

# What Gymnasium keeps in an environment.
_CARRIED = ("spec", "_np_random", "_np_random_seed")


class SingleEnv(gymnasium.Env[npt.NDArray[np.float32], npt.NDArray[np.float32]]):
    """A `VectorEnv` of one environment; the same seed gives the same episodes as environment 0.

    Args:
        task: The task.
        render_mode: None or 'rgb_array'.

    Attributes:
        vector: The environment behind it.
    """

    def __init__(self, task: Task[Any], render_mode: str | None = None) -> None:
        self._take(VectorEnv(task, 1, 1, AutoresetMode.DISABLED, render_mode=render_mode))

    def _take(self, vector: VectorEnv) -> None:
        self.vector = vector
        self.metadata = {
            "render_modes": ["rgb_array"],
            "render_fps": vector.metadata["render_fps"],
        }
        self.render_mode = vector.render_mode
        self.observation_space = vector.single_observation_space
        self.action_space = vector.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begins a new episode."""
        if options:
            raise ResetError(f"reset has no option '{next(iter(options))}'; leave options out")
        # First: its errors name the remedy.
        observations, info = self.vector.reset(seed=seed)
        super().reset(seed=seed)
        return observations[0], first_row(info)

    def step(
        self, action: npt.NDArray[np.float32]
    ) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Advances by a step.

        Raises:
            ActionError: The action has another shape, or is not finite. Nothing moved.
            ResetError: It was never reset or is closed, or the episode is over.
        """
        given = np.asarray(action)
        if self.vector.is_over:
            raise ResetError("the episode is over; call reset() before the next step")
        if given.shape != self.action_space.shape or given.dtype.kind not in "fiu":
            raise ActionError(
                f"the action has shape {given.shape} and type {given.dtype}; give numbers of shape "
                f"{self.action_space.shape}"
            )
        observations, rewards, terminated, truncated, info = self.vector.step(given[None])
        return (
            observations[0],
            float(rewards[0]),
            bool(terminated[0]),
            bool(truncated[0]),
            first_row(info),
        )

    def snapshot(self) -> EnvSnapshot:
        """All that decides how the environment goes on; `apply_snapshot` continues bit by bit.

        Raises:
            ResetError: It is closed.
            EnvSnapshotError: The task remembers something that cannot be kept.
        """
        return self.vector.snapshot()

    def apply_snapshot(self, snapshot: EnvSnapshot) -> npt.NDArray[np.float32]:
        """Goes back to a saved state, of this environment or of another one made alike.

        Args:
            snapshot: What `snapshot` gave.

        Returns:
            The observation as it was, shape (columns,).

        Raises:
            ResetError: It is closed.
            EnvSnapshotError: The snapshot is of another environment; this one stays as it was.
        """
        return self.vector.apply_snapshot(snapshot)[0]

    def __reduce__(self) -> tuple[Callable[..., SingleEnv], tuple[VectorEnv, dict[str, Any]]]:
        own = {name: value for name, value in vars(self).items() if name in _CARRIED}
        return _around, (self.vector, own)

    def render(self) -> npt.NDArray[np.uint8] | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A picture, uint8, shape (height, width, 3)."""
        return None if self.render_mode is None else self.vector.picture(0)

    def close(self) -> None:
        """Frees the renderer."""
        self.vector.close()


def _around(vector: VectorEnv, own: dict[str, Any]) -> SingleEnv:
    env = SingleEnv.__new__(SingleEnv)
    env._take(vector)
    vars(env).update(own)
    return env


def first_row(info: dict[str, Any]) -> dict[str, Any]:
    """Environment 0's part of a vector environment's info, without the masks."""
    return {
        key: first_row(value) if isinstance(value, dict) else value[0]
        for key, value in info.items()
        if not key.startswith("_")
    }
