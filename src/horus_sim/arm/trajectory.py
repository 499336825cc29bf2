"""Trajectories in joint space: time-stamped positions, velocities and accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.arm.checks import as_count
from horus_sim.arm.timing import (
    MOST_POINTS,
    QUINTIC_ACCELERATION,
    QUINTIC_SPEED,
    check_duration,
    configuration_within,
    motion_limits,
    quintic,
    stamps_every,
)
from horus_sim.errors import ArmError
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm.arm import Arm


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Joint positions over time.

    Attributes:
        stamps_ns: Times from 0 [ns], strictly increasing, shape (N,).
        q: Positions [rad, m], shape (N, dof).
        qd: Velocities [rad/s, m/s], shape (N, dof).
        qdd: Accelerations [rad/s^2, m/s^2], shape (N, dof).
        joint_names: Names of the columns.
    """

    stamps_ns: npt.NDArray[np.int64]
    q: npt.NDArray[np.float64]
    qd: npt.NDArray[np.float64]
    qdd: npt.NDArray[np.float64]
    joint_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.q)

    @property
    def duration(self) -> float:
        """From the first point to the last [s]."""
        return float(self.stamps_ns[-1] - self.stamps_ns[0]) / NS_PER_S

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """Times [s], shape (N,)."""
        return self.stamps_ns / NS_PER_S

    def to_csv(self) -> str:
        """As text: a heading, then a line for each point with its stamp [ns] and positions."""
        lines = [",".join(("stamp_ns", *self.joint_names))]
        for stamp, row in zip(self.stamps_ns.tolist(), self.q.tolist(), strict=True):
            lines.append(",".join((str(stamp), *map(repr, row))))
        return "\n".join(lines) + "\n"


def build_range_trajectory(arm: Arm, steps: int = 200) -> Trajectory:
    """The full-range sweep: every joint from its lower to its upper limit, linearly.

    ``q_i(k) = lower_i + k / (S - 1) (upper_i - lower_i)``, a point every `dt_s` of the arm's file.
    A continuous joint sweeps one turn, -pi to pi.

    Args:
        arm: The arm.
        steps: Number of points S, from 2 to a million.
    """
    steps = as_count(steps, "steps", most=MOST_POINTS)
    if steps < 2:
        raise ArmError(f"steps is {steps}; a sweep needs at least 2 points")
    lower = np.where(np.isfinite(arm.lower), arm.lower, -np.pi)
    upper = np.where(np.isfinite(arm.upper), arm.upper, np.pi)
    share = np.arange(steps)[:, np.newaxis] / (steps - 1)
    q = np.clip(lower + share * (upper - lower), lower, upper)
    stamps_ns = np.round(np.arange(steps) * arm.description.dt_s * NS_PER_S).astype(np.int64)
    velocity = (upper - lower) / (stamps_ns[-1] / NS_PER_S)
    return Trajectory(
        stamps_ns, q, np.tile(velocity, (steps, 1)), np.zeros_like(q), arm.joint_names
    )


def plan_quintic(
    arm: Arm,
    start: npt.ArrayLike,
    end: npt.ArrayLike,
    *,
    duration: float | None = None,
    dt: float | None = None,
) -> Trajectory:
    """A joint-space move with a quintic profile: velocity and acceleration begin and end at zero.

    All joints start and stop together. Without a duration, the shortest within the velocity and
    acceleration limits is taken; with one that breaks them, an error says which limit.

    Args:
        arm: The arm.
        start: Joint positions (dof,) within limits.
        end: Joint positions (dof,) within limits.
        duration: [s].
        dt: Time between points [s]; that of the arm's file by default.
    """
    first, last = _ends(arm, start, end)
    travel = np.abs(last - first)
    velocity, acceleration = motion_limits(arm, duration)
    needed = np.maximum(
        QUINTIC_SPEED * travel / velocity, np.sqrt(QUINTIC_ACCELERATION * travel / acceleration)
    )
    stamps_ns = stamps_every(arm, dt, check_duration(arm, duration, needed))
    total = float(stamps_ns[-1]) / NS_PER_S
    s, sd, sdd = quintic((stamps_ns / stamps_ns[-1])[:, np.newaxis])
    return _assemble(arm, first, last, stamps_ns, s, sd / total, sdd / total**2)


def plan_trapezoid(
    arm: Arm,
    start: npt.ArrayLike,
    end: npt.ArrayLike,
    *,
    duration: float | None = None,
    dt: float | None = None,
) -> Trajectory:
    """A joint-space move with trapezoidal velocity: accelerate, cruise, brake.

    All joints share one profile, the quickest that keeps every joint within its velocity and
    acceleration limits; a short move never cruises. A `duration` longer than that slows it down.

    Args:
        arm: The arm.
        start: Joint positions (dof,) within limits.
        end: Joint positions (dof,) within limits.
        duration: [s].
        dt: Time between points [s]; that of the arm's file by default.
    """
    first, last = _ends(arm, start, end)
    travel = np.abs(last - first)
    velocity, acceleration = motion_limits(arm, duration)
    moving = travel > 0
    if not moving.any():
        total = check_duration(arm, duration, np.zeros(1))
        return _assemble(arm, first, last, stamps_every(arm, dt, total), 0, 0, 0)
    # Of the path from 0 to 1: the joint that is closest to its limit decides.
    v = float((velocity[moving] / travel[moving]).min())
    a = float((acceleration[moving] / travel[moving]).min())
    if v == inf and duration is not None:
        v = 1.5 / duration
    if a == inf:
        a = 2.0 * v**2  # a third of the time each for the ramps and the cruise
    ramp = min(v / a, sqrt(1.0 / a))
    shortest = ramp + 1.0 / (a * ramp)
    total = check_duration(arm, duration, np.array([shortest]))
    stretch = shortest / total
    a, ramp = a * stretch**2, ramp / stretch
    stamps_ns = stamps_every(arm, dt, total)
    total = stamps_ns[-1] / NS_PER_S
    # The grid may have rounded the end up: the same profile, that much slower.
    ratio = (ramp + 1.0 / (a * ramp)) / total
    a, ramp = a * ratio**2, ramp / ratio
    t = stamps_ns / NS_PER_S
    left = total - t
    s = np.where(
        t < ramp,
        0.5 * a * t**2,
        np.where(left < ramp, 1.0 - 0.5 * a * left**2, a * ramp * (t - 0.5 * ramp)),
    )
    sd = a * np.minimum(np.minimum(t, left), ramp)
    sdd = np.where(t < ramp, a, np.where(left < ramp, -a, 0.0))
    column = np.newaxis
    return _assemble(arm, first, last, stamps_ns, s[:, column], sd[:, column], sdd[:, column])


def _assemble(
    arm: Arm,
    first: np.ndarray,
    last: np.ndarray,
    stamps_ns: npt.NDArray[np.int64],
    s: np.ndarray | float,
    sd: np.ndarray | float,
    sdd: np.ndarray | float,
) -> Trajectory:
    """From the path parameter s in [0, 1] and its derivatives."""
    move = last - first
    shape = (len(stamps_ns), arm.dof)
    q = np.broadcast_to(first + s * move, shape).copy()
    q[0], q[-1] = first, last
    qd, qdd = (np.broadcast_to(x * move, shape).copy() for x in (sd, sdd))
    return Trajectory(stamps_ns, q, qd, qdd, arm.joint_names)


def _ends(arm: Arm, start: npt.ArrayLike, end: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    return configuration_within(arm, start, "start"), configuration_within(arm, end, "end")
