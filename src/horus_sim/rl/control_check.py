"""Controls that no physics can use."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError


def unusable_controls(
    owner: str, ctrl: npt.NDArray[np.float64], envs: npt.NDArray[np.intp]
) -> TaskError:
    """The error for controls that physics would take as 0.

    Args:
        owner: Name of the task.
        ctrl: Controls of all environments, shape (num_envs, actuators).
        envs: Those at fault, at least one.
    """
    first = int(envs[0])
    return TaskError(
        f"{owner}: act() left ctrl {ctrl[first].tolist()} in environment {first} ({len(envs)} in "
        "all), which is not finite or too large for physics; write finite numbers into self.ctrl"
    )


def check_controls_are_numbers(owner: str, ctrl: npt.NDArray[np.float64]) -> None:
    """Refuses controls that are not a number, for engines that do not look themselves.

    Raises:
        TaskError: One is NaN.
    """
    numbers = ctrl == ctrl
    if b"\x00" in numbers.tobytes():
        raise unusable_controls(owner, ctrl, np.flatnonzero(~numbers.all(axis=1)))
