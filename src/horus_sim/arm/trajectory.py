"""Trajectories in joint space: time-stamped positions, velocities and accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.arm.checks import as_configuration, as_count, as_positive
from horus_sim.arm.workspace import finite_limits
from horus_sim.errors import ArmError
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm.arm import Arm

MOST_POINTS = 1_000_000
# Largest speed and acceleration of the quintic over [0, 1].
QUINTIC_SPEED = 15.0 / 8.0
QUINTIC_ACCELERATION = 10.0 / sqrt(3.0)


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
    lower, upper = finite_limits(arm)
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
        duration: Duration of the move [s].
        dt: Time between points [s]; that of the arm's file by default.
    """
    first, last, travel, velocity, acceleration = _move(arm, start, end, duration)
    needed = np.maximum(
        QUINTIC_SPEED * travel / velocity, np.sqrt(QUINTIC_ACCELERATION * travel / acceleration)
    )
    stamps_ns = stamps_every(arm, dt, check_duration(arm, duration, needed))
    total = float(stamps_ns[-1]) / NS_PER_S
    s, sd, sdd = quintic((stamps_ns / stamps_ns[-1])[:, np.newaxis])
    return _assemble(arm, first, last, stamps_ns, s, sd / total, sdd / (total * total))


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
        duration: Duration of the move [s].
        dt: Time between points [s]; that of the arm's file by default.
    """
    first, last, travel, velocity, acceleration = _move(arm, start, end, duration)
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
        a = 2.0 * v * v  # a third of the time each for the ramps and the cruise
    ramp = min(v / a, sqrt(1.0 / a))
    shortest = ramp + 1.0 / (a * ramp)
    total = check_duration(arm, duration, np.array([shortest]))
    stretch = shortest / total
    a, ramp = a * stretch * stretch, ramp / stretch
    stamps_ns = stamps_every(arm, dt, total)
    total = stamps_ns[-1] / NS_PER_S
    # The grid may have rounded the end up: the same profile, that much slower.
    ratio = (ramp + 1.0 / (a * ramp)) / total
    a, ramp = a * ratio * ratio, ramp / ratio
    t = stamps_ns / NS_PER_S
    left = total - t
    s = np.where(
        t < ramp,
        0.5 * a * t * t,
        np.where(left < ramp, 1.0 - 0.5 * a * left * left, a * ramp * (t - 0.5 * ramp)),
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


def _move(
    arm: Arm, start: npt.ArrayLike, end: npt.ArrayLike, duration: float | None
) -> tuple[np.ndarray, ...]:
    """Both ends, the travel of each joint, and the limits of velocity and acceleration."""
    first, last = configuration_within(arm, start, "start"), configuration_within(arm, end, "end")
    return first, last, np.abs(last - first), *motion_limits(arm, duration)


def quintic(u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """10 u^3 - 15 u^4 + 6 u^5 over [0, 1], and its first and second derivative."""
    # Powers as products: those of NumPy differ between processors.
    square, left = u * u, 1 - u
    shape = square * u * (10 - 15 * u + 6 * square)
    return shape, 30 * square * (left * left), 60 * u * left * (1 - 2 * u)


def configuration_within(arm: Arm, q: npt.ArrayLike, what: str) -> npt.NDArray[np.float64]:
    """Joint positions of shape (dof,) within limits."""
    values = as_configuration(arm.description, q, what)
    for i, name in enumerate(arm.joint_names):
        if not arm.lower[i] <= values[i] <= arm.upper[i]:
            raise ArmError(
                f"{what} has {name} at {values[i]:g} {arm.description.joints[i].unit}, outside "
                f"{arm.lower[i]:g} to {arm.upper[i]:g}; move it inside"
            )
    return values


def motion_limits(arm: Arm, duration: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Largest velocities and accelerations, shape (dof,), infinite where there are none.

    Args:
        arm: The arm.
        duration: Duration of the move [s]; without one, every joint must have a velocity limit.
    """
    joints = arm.description.joints
    if duration is None:
        for joint in joints:
            if joint.max_velocity is None:
                unit = "m_s" if joint.is_prismatic else "deg_s"
                raise ArmError(
                    f"{joint.name} of '{arm.name}' has no velocity limit; give a duration, or add "
                    f"'max_velocity_{unit}' to its file"
                )
    else:
        as_positive(duration, "duration", "s")
    velocity = np.array([joint.max_velocity or inf for joint in joints])
    acceleration = np.array([joint.max_acceleration or inf for joint in joints])
    return velocity, acceleration


def check_duration(arm: Arm, duration: float | None, needed: np.ndarray) -> float:
    """The duration, or the shortest [s] without one.

    Args:
        arm: The arm.
        duration: Duration that was asked for [s].
        needed: Shortest time [s], for each joint or of all.
    """
    shortest = float(needed.max())
    if duration is None:
        return shortest
    duration = as_positive(duration, "duration", "s")
    if duration < shortest * (1 - 1e-9):
        who = f"{arm.joint_names[int(needed.argmax())]} of " if len(needed) == arm.dof else ""
        raise ArmError(
            f"{who}'{arm.name}' cannot make this move in {duration:g} s within its velocity and "
            f"acceleration limits; allow at least {shortest:.3f} s"
        )
    return duration


def stamps_every(arm: Arm, dt: float | None, duration: float) -> npt.NDArray[np.int64]:
    """Times every `dt` [s], the last at least at `duration` [s]: at least two [ns].

    Args:
        arm: The arm.
        dt: Time between points; that of the arm's file where it is None.
        duration: Duration of the move [s].
    """
    dt = time_step(arm, dt)
    points = duration / dt + 1
    if points > MOST_POINTS:
        raise ArmError(
            f"a move of {duration:g} s with a point every {dt:g} s has {points:.3g} points, more "
            f"than {MOST_POINTS:,}; move faster, or choose a longer dt"
        )
    count = max(1, ceil(duration / dt - 1e-9))
    return np.round(np.arange(count + 1) * dt * NS_PER_S).astype(np.int64)


def time_step(arm: Arm, dt: float | None) -> float:
    """The time between points [s], checked; that of the arm's file where it is None."""
    if dt is None:
        return arm.description.dt_s
    dt = as_positive(dt, "dt", "s")
    if not 1e-6 <= dt <= 1e6:
        raise ArmError(f"dt is {dt:g}; it must be from 1e-6 to 1e6 s")
    return dt
