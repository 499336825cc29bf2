"""What the planners share: limits of motion, durations, and times of points."""

from __future__ import annotations

from math import ceil, inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.arm.checks import as_configuration, as_positive
from horus_sim.errors import ArmError
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm.arm import Arm

MOST_POINTS = 1_000_000
# Largest speed and acceleration of the quintic over [0, 1].
QUINTIC_SPEED = 15.0 / 8.0
QUINTIC_ACCELERATION = 10.0 / sqrt(3.0)


def quintic(u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """10 u^3 - 15 u^4 + 6 u^5 over [0, 1], and its first and second derivative."""
    shape = u**3 * (10 - 15 * u + 6 * u**2)
    return shape, 30 * u**2 * (1 - u) ** 2, 60 * u * (1 - u) * (1 - 2 * u)


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
        duration: Of the move [s]; without one, every joint must have a velocity limit.
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
        duration: As asked for [s].
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
        duration: Of the move.
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
