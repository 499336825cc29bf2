"""How an arm moves: along a trajectory, or after a goal that may change."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.arm import plan_quintic
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm import Arm, Trajectory

# For joints whose file gives no limit.
_SPEED_RAD_S, _SPEED_M_S = 1.5, 0.3
_QUINTIC_SPEED = 15.0 / 8.0
_QUINTIC_ACCELERATION = 10.0 / 3.0**0.5
# A chase closes in with this time constant, so that it does not stop with a jerk.
_CHASE_S = 0.06
_ARRIVED = 1e-5


def speeds_of(arm: Arm) -> npt.NDArray[np.float64]:
    """Largest speed of each joint [rad/s, m/s]; a moderate one where the file gives none."""
    return np.array(
        [
            joint.max_velocity or (_SPEED_M_S if joint.is_prismatic else _SPEED_RAD_S)
            for joint in arm.description.joints
        ]
    )


def plan_move(arm: Arm, start: npt.ArrayLike, end: npt.ArrayLike) -> Trajectory:
    """The quickest quintic move, also for arms whose joints have no velocity limit.

    Args:
        arm: The arm.
        start: Joint positions (dof,) within limits.
        end: Joint positions (dof,) within limits.
    """
    joints = arm.description.joints
    if all(joint.max_velocity is not None for joint in joints):
        return plan_quintic(arm, start, end)
    travel = np.abs(np.asarray(end, float) - np.asarray(start, float))
    accelerations = np.array([joint.max_acceleration or inf for joint in joints])
    needed = np.maximum(
        _QUINTIC_SPEED * travel / speeds_of(arm),
        np.sqrt(_QUINTIC_ACCELERATION * travel / accelerations),
    )
    return plan_quintic(arm, start, end, duration=max(float(needed.max()), arm.description.dt_s))


@dataclass(slots=True, eq=False)
class Along:
    """Plays a trajectory.

    Attributes:
        trajectory: What is played.
        speed: How many of its seconds pass in a second; may be changed.
        loop: Whether it begins anew at its end; may be changed.
        at_s: Time within the trajectory [s].
    """

    trajectory: Trajectory
    speed: float = 1.0
    loop: bool = False
    at_s: float = 0.0

    def advance(self, q: npt.NDArray[np.float64], passed_s: float) -> npt.NDArray[np.float64]:
        """Joint positions after `passed_s` more seconds."""
        del q
        self.at_s += self.speed * passed_s
        duration = self.trajectory.duration
        if self.at_s >= duration:
            self.at_s = self.at_s % duration if self.loop and duration > 0 else duration
        return sample(self.trajectory, self.at_s)

    @property
    def is_done(self) -> bool:
        """Whether it has come to its end."""
        return not self.loop and self.at_s >= self.trajectory.duration


class Chase:
    """Goes after a goal, each joint within its speed; made for goals that change all the time.

    Args:
        arm: The arm.
        goal: Joint positions (dof,) within limits.

    Attributes:
        is_done: Whether it is at the goal.
    """

    def __init__(self, arm: Arm, goal: npt.NDArray[np.float64]) -> None:
        self._speeds = speeds_of(arm)
        self._goal = goal
        self.is_done = False

    def advance(self, q: npt.NDArray[np.float64], passed_s: float) -> npt.NDArray[np.float64]:
        """Joint positions after `passed_s` more seconds."""
        left = self._goal - q
        if np.abs(left).max() < _ARRIVED:
            self.is_done = True
            return self._goal.copy()
        most = self._speeds * passed_s
        return q + np.clip(left * min(1.0, passed_s / _CHASE_S), -most, most)


Motion = Along | Chase


def sample(trajectory: Trajectory, at_s: float) -> npt.NDArray[np.float64]:
    """Joint positions at a time [s] of a trajectory, between its points linearly; exact at ends."""
    stamp = at_s * NS_PER_S
    return np.array([np.interp(stamp, trajectory.stamps_ns, column) for column in trajectory.q.T])
