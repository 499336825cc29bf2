"""Straight lines of the tool, as joint trajectories."""

from __future__ import annotations

import warnings
from math import ceil, inf
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.arm.checks import as_configuration
from horus_sim.arm.dexterity import singularity
from horus_sim.arm.trajectory import Trajectory
from horus_sim.errors import ArmError
from horus_sim.tf import Transform

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm.arm import Arm

_NS = 1_000_000_000
# A joint that turns more than this between two neighbouring points has changed branch.
_JUMP = 0.5


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

    The path parameter follows a quintic profile; where a joint would exceed its velocity limit,
    the whole move is slowed down. A point target leaves the rotation free, a transform is
    approached with the shortest rotation.

    Args:
        arm: The arm.
        start: Joint positions (dof,) at the beginning.
        target: A point (3,) or a `Transform`, world coordinates.
        speed: Largest speed of the tool [m/s].
        turn_speed: Largest turning speed of the tool [rad/s].
        dt: Time between points [s]; that of the arm's file by default.
        singular_below: A `SingularityWarning` is given where `singularity` falls below this.

    Raises:
        ArmError: A point of the line is not reachable without leaving the line; the text says
            where and why.
    """
    q = as_configuration(arm.description, start, "start")
    dt = arm.description.dt_s if dt is None else dt
    T_start = arm.fk(q)
    is_pose = isinstance(target, Transform)
    T_end = target if isinstance(target, Transform) else _moved(T_start, target)
    duration = _duration(T_start, T_end, speed, turn_speed if is_pose else inf)
    count = max(2, ceil(duration / dt - 1e-9) + 1)
    s = np.linspace(0.0, 1.0, count)
    shares = s**3 * (10 - 15 * s + 6 * s**2)
    path = _follow(arm, q, T_start, T_end, shares, is_pose=is_pose)
    _warn_of_singularity(arm, path, shares, singular_below, is_pose=is_pose)
    limits = np.array([joint.max_velocity or inf for joint in arm.description.joints])
    step = dt * max(1.0, float((np.abs(np.diff(path, axis=0)) / (limits * dt)).max()))
    stamps_ns = np.round(np.arange(count) * step * _NS).astype(np.int64)
    qd = np.gradient(path, step, axis=0)
    qd[0] = qd[-1] = 0.0
    return Trajectory(stamps_ns, path, qd, np.gradient(qd, step, axis=0), arm.joint_names)


def _moved(T: Transform, point: npt.ArrayLike) -> Transform:
    values = np.asarray(point, float)
    if values.shape != (3,) or not np.isfinite(values).all():
        raise ArmError(f"target must be a finite point (3,) or a Transform, got {point!r}")
    return Transform(values, T.rotation)


def _duration(a: Transform, b: Transform, speed: float, turn_speed: float) -> float:
    for value, what in ((speed, "speed"), (turn_speed, "turn_speed")):
        if not value > 0:
            raise ArmError(f"{what} is {value}; it must be positive")
    distance = float(np.linalg.norm(b.translation - a.translation))
    angle = 2.0 * np.arccos(min(1.0, abs(float(a.rotation @ b.rotation))))
    # 15/8 is the largest speed of the quintic profile.
    return 15.0 / 8.0 * max(distance / speed, angle / turn_speed)


def _follow(
    arm: Arm,
    q: np.ndarray,
    T_start: Transform,
    T_end: Transform,
    shares: npt.NDArray[np.float64],
    *,
    is_pose: bool,
) -> npt.NDArray[np.float64]:
    path = np.empty((len(shares), arm.dof))
    path[0] = q
    turns = np.array([not joint.is_prismatic for joint in arm.description.joints])
    for k, share in enumerate(shares[1:], start=1):
        T = T_start.interpolate(T_end, float(share))
        answer = arm.ik(T, path[k - 1], "pose" if is_pose else "position")
        if not answer.success:
            raise ArmError(
                f"the line leaves the workspace of '{arm.name}' after {share:.0%}: "
                f"{answer.reason}; choose another target or start"
            )
        if (np.abs(answer.q - path[k - 1])[turns] > _JUMP).any():
            joint = arm.joint_names[int(np.argmax(np.abs(answer.q - path[k - 1]) * turns))]
            raise ArmError(
                f"the line cannot be followed without a jump of {joint} after {share:.0%}; begin "
                "in another configuration, or plan in joint space"
            )
        path[k] = answer.q
    return path


def _warn_of_singularity(
    arm: Arm,
    path: npt.NDArray[np.float64],
    shares: npt.NDArray[np.float64],
    singular_below: float,
    *,
    is_pose: bool,
) -> None:
    values = np.atleast_1d(singularity(arm, path, mode="pose" if is_pose else "position"))
    worst = int(np.argmin(values))
    if values[worst] < singular_below:
        warnings.warn(
            f"the line passes near a singularity of '{arm.name}' after {shares[worst]:.0%} "
            f"(measure {values[worst]:.4f}, below {singular_below:g}); joints move fast there",
            SingularityWarning,
            stacklevel=3,
        )
