"""One environment behind Gymnasium's plain interface."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from horus_sim.errors import ActionError, ResetError
from horus_sim.rl.envs.vector_env import VectorEnv
from horus_sim.rl.tasks.task import Task


class SingleEnv(gymnasium.Env[npt.NDArray[np.float32], npt.NDArray[np.float32]]):
    """A `VectorEnv` of one environment; the same seed gives the same episodes as environment 0.

    Args:
        task: The task.
        render_mode: None or 'rgb_array'.

    Attributes:
        vector: The environment behind it.
    """

    def __init__(self, task: Task[Any], render_mode: str | None = None) -> None:
        self.vector = VectorEnv(task, 1, 1, AutoresetMode.DISABLED, render_mode=render_mode)
        self.metadata = {
            "render_modes": ["rgb_array"],
            "render_fps": self.vector.metadata["render_fps"],
        }
        self.render_mode = render_mode
        self.observation_space = self.vector.single_observation_space
        self.action_space = self.vector.single_action_space
        self._is_over = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begins a new episode."""
        if options:
            raise ResetError(f"reset has no option '{next(iter(options))}'; leave options out")
        # First: its errors name the remedy.
        observations, info = self.vector.reset(seed=seed)
        super().reset(seed=seed)
        self._is_over = False
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
        if self._is_over and not self.vector.closed:
            raise ResetError("the episode is over; call reset() before the next step")
        if given.shape != self.action_space.shape or given.dtype.kind not in "fiu":
            raise ActionError(
                f"the action has shape {given.shape} and type {given.dtype}; give numbers of shape "
                f"{self.action_space.shape}"
            )
        observations, rewards, terminated, truncated, info = self.vector.step(given[None])
        self._is_over = bool(terminated[0] or truncated[0])
        return (
            observations[0],
            float(rewards[0]),
            bool(terminated[0]),
            bool(truncated[0]),
            first_row(info),
        )

    def render(self) -> npt.NDArray[np.uint8] | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A picture, uint8, shape (height, width, 3)."""
        return None if self.render_mode is None else self.vector.picture(0)

    def close(self) -> None:
        """Frees the renderer."""
        self.vector.close()


def first_row(info: dict[str, Any]) -> dict[str, Any]:
    """Environment 0's part of a vector environment's info, without the masks."""
    return {
        key: first_row(value) if isinstance(value, dict) else value[0]
        for key, value in info.items()
        if not key.startswith("_")
    }
