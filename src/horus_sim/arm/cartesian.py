"""Straight lines of the tool, as joint trajectories."""

from __future__ import annotations

import warnings
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.arm.checks import as_positive, as_target
from horus_sim.arm.dexterity import singularity
from horus_sim.arm.line_path import LinePath, follow_line
from horus_sim.arm.trajectory import (
    QUINTIC_SPEED,
    Trajectory,
    configuration_within,
    motion_limits,
    quintic,
    stamps_every,
    time_step,
)
from horus_sim.tf import Transform
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm.arm import Arm

# Between two points a controller moves the joints evenly; so far may the tool leave the line then.
_BETWEEN_M = 1e-3


class SingularityWarning(UserWarning):
    """A path comes close to a singular configuration, where joints must move very fast."""


def plan_line(
    arm: Arm,
    start: npt.ArrayLike,
    target: Transform | npt.ArrayLike,
    *,
    speed: float = 0.25,
    turn_speed: float = 1.0,
    dt: float | None = None,
    singular_below: float = 0.02,
) -> Trajectory:
    """Move the tool on a straight line from where it is to a target.

    The path parameter follows a quintic profile, as quick as the speeds and the velocity and
    acceleration limits of all joints allow. Every point lies within 10 micrometres of the line,
    and the tool within 1 mm between points where joints move evenly; at a speed that would break
    that, the move is slowed down. A point target leaves the rotation free, a pose is approached
    with the shortest rotation.

    Args:
        arm: The arm.
        start: Joint positions (dof,) at the beginning, within limits.
        target: A point (3,), a `Transform` or a matrix (4, 4), world coordinates.
        speed: Largest speed of the tool [m/s].
        turn_speed: Largest turning speed of the tool [rad/s], for a pose.
        dt: Time between points [s]; that of the arm's file by default.
        singular_below: A `SingularityWarning` is given where `singularity` falls below this.

    Raises:
        ArmError: The line cannot be followed; the text says where and why. Or an argument has a
            wrong shape or value.
    """
    q = configuration_within(arm, start, "start")
    speed = as_positive(speed, "speed", "m/s")
    turn_speed = as_positive(turn_speed, "turn_speed", "rad/s")
    dt = time_step(arm, dt)
    numbers, is_pose = as_target(target, None)
    T_start = arm.fk(q)
    if is_pose:
        T_end = target if isinstance(target, Transform) else Transform.from_matrix(_matrix(numbers))
    else:
        T_end = Transform(numbers, T_start.rotation)
    path = follow_line(arm, q, T_start, T_end, is_pose=is_pose)
    _warn_of_singularity(arm, path, singular_below)
    duration = max(
        QUINTIC_SPEED * path.distance / speed,
        QUINTIC_SPEED * path.angle / turn_speed,
        _joint_duration(arm, path),
    )
    line = _timed(arm, path, dt, duration)
    while (away := _between(path, line)) > _BETWEEN_M:
        slower = line.duration * max(1.1, 1.05 * sqrt(away / _BETWEEN_M))
        line = _timed(arm, path, dt, slower)
    return line


def _timed(arm: Arm, path: LinePath, dt: float, duration: float) -> Trajectory:
    stamps_ns = stamps_every(arm, dt, duration)
    total = float(stamps_ns[-1]) / NS_PER_S
    s, sd, sdd = quintic(stamps_ns / stamps_ns[-1])
    q, slope, curve = path.at(s)
    sd, sdd = sd[:, np.newaxis] / total, sdd[:, np.newaxis] / (total * total)
    return Trajectory(
        stamps_ns,
        np.clip(q, arm.lower, arm.upper),
        slope * sd,
        curve * (sd * sd) + slope * sdd,
        arm.joint_names,
    )


def _joint_duration(arm: Arm, path: LinePath) -> float:
    """The shortest duration [s] that keeps every joint within its limits."""
    velocity, acceleration = motion_limits(arm, 1.0)
    # Where knots are dense the joints are quick: those places count, and an even grid of times.
    u = np.union1d(np.linspace(0.0, 1.0, 2001), _times_of(path.dense_shares()))
    s, sd, sdd = quintic(u)
    _, slope, curve = path.at(s)
    sd, sdd = sd[:, np.newaxis], sdd[:, np.newaxis]
    fastest = np.abs(slope * sd) / velocity
    hardest = np.abs(curve * (sd * sd) + slope * sdd) / acceleration
    # Between the places that were looked at a limit could be passed by a hair.
    return 1.001 * max(float(fastest.max()), sqrt(float(hardest.max())))


def _times_of(shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Where the quintic profile, which rises, has these values."""
    u = np.linspace(0.0, 1.0, 20001)
    # As np.interp, which some processors round once less.
    values = quintic(u)[0]
    before = np.clip(np.searchsorted(values, shares) - 1, 0, len(u) - 2)
    along = (shares - values[before]) / (values[before + 1] - values[before])
    return u[before] + along * (u[before + 1] - u[before])


def _between(path: LinePath, line: Trajectory) -> float:
    """How far the tool leaves the line halfway between points, joints moving evenly [m]."""
    middle = 0.5 * (line.q[1:] + line.q[:-1])
    return path.off_line(middle)


def _matrix(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return numbers.reshape(4, 4)


def _warn_of_singularity(arm: Arm, path: LinePath, singular_below: float) -> None:
    mode = "pose" if path.is_pose else "position"
    values = np.atleast_1d(singularity(arm, path.knots, mode=mode))
    worst = int(np.argmin(values))
    if values[worst] < singular_below:
        warnings.warn(
            f"the line passes near a singularity of '{arm.name}' after {path.shares[worst]:.0%} "
            f"(measure {values[worst]:.4f}, below {singular_below:g}); joints move fast there",
            SingularityWarning,
            stacklevel=3,
        )
