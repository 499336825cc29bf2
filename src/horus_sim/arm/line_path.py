"""The joint path of a straight line: found point by point, then made smooth."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np

from horus_sim._native import arc_tangent
from horus_sim.arm.spline import Spline
from horus_sim.errors import ArmError

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm.arm import Arm
    from horus_sim.tf import Transform

_STEP_M = 5e-3
_STEP_RAD = 0.02
_FEWEST_STEPS = 24
_MOST_STEPS = 100_000
_HALVINGS = 12
# A joint that moves more than this [rad], or this share of the reach, in a step: a smaller step.
_JUMP = 0.2
_TOLERANCE = 1e-9
# How far the smooth path may leave the line, of position [m] and rotation [rad].
_OFF_M = 2e-6
_WORST_M = 1e-5
_ROUNDS = 14
_MOST_KNOTS = 50_000


@dataclass(frozen=True)
class LinePath:
    """Joint positions as a smooth function of the share s of a line, from 0 to 1.

    Attributes:
        arm: The arm.
        T_start: Pose of the tool at s = 0.
        T_end: Pose of the tool at s = 1.
        is_pose: Whether the rotation counts.
        shares: Where the path was solved for, increasing from 0 to 1, shape (K,).
        knots: Joint positions there, shape (K, dof).
    """

    arm: Arm
    T_start: Transform
    T_end: Transform
    is_pose: bool
    shares: npt.NDArray[np.float64]
    knots: npt.NDArray[np.float64]
    _spline: Spline

    @property
    def distance(self) -> float:
        """Length of the line [m]."""
        return float(_length(self.T_end.translation - self.T_start.translation))

    @property
    def angle(self) -> float:
        """Angle that the tool turns [rad]; 0 where the rotation is free."""
        return _angle(self.T_start, self.T_end) if self.is_pose else 0.0

    def at(self, s: npt.NDArray[np.float64]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Joint positions and their first and second derivative by s, each (N, dof)."""
        return self._spline.at(s)

    def dense_shares(self) -> npt.NDArray[np.float64]:
        """The knots and four places between each two."""
        parts = np.linspace(0.0, 1.0, 5, endpoint=False)
        between = self.shares[:-1, np.newaxis] + np.diff(self.shares)[:, np.newaxis] * parts
        return np.append(between.ravel(), 1.0)

    def off_line(self, q: npt.NDArray[np.float64]) -> float:
        """Largest distance of the tool from the line [m] at configurations (N, dof)."""
        points = self.arm.fk_batch(q)[:, :3, 3] - self.T_start.translation
        if self.distance > 0.0:
            along = (self.T_end.translation - self.T_start.translation) / self.distance
            x, y, z = points.T
            share = x * along[0] + y * along[1] + z * along[2]
            points = points - np.outer(share, along)
        return float(_length(points).max())


def follow_line(
    arm: Arm, q: npt.NDArray[np.float64], T_start: Transform, T_end: Transform, *, is_pose: bool
) -> LinePath:
    """The joint path of the straight line from ``arm.fk(q)`` to `T_end`.

    The steps are small and do not depend on any speed; where joints move fast they are smaller. A
    cubic spline through the answers gets more knots until it keeps to the line.

    Args:
        arm: The arm.
        q: Where it stands, shape (dof,), within limits.
        T_start: Its tool.
        T_end: Where the tool goes.
        is_pose: Whether the rotation counts.

    Raises:
        ArmError: The line leaves the workspace, cannot be followed without a jump, or is too long.
    """
    distance = float(_length(T_end.translation - T_start.translation))
    angle = _angle(T_start, T_end) if is_pose else 0.0
    if distance > 2.0 * arm.reach + _length(T_start.translation):
        steps = _FEWEST_STEPS  # it leaves the workspace, in the first steps or later
    else:
        steps = max(_FEWEST_STEPS, ceil(distance / _STEP_M), ceil(angle / _STEP_RAD))
    if steps > _MOST_STEPS:
        raise ArmError(f"the line of {distance:g} m is too long; it would take {steps:,} steps")
    walker = _Walker(arm, T_start, T_end, is_pose)
    shares, knots = walker.walk(q, 1.0 / steps)
    return walker.smooth(shares, knots)


class _Walker:
    def __init__(self, arm: Arm, T_start: Transform, T_end: Transform, is_pose: bool) -> None:  # noqa: FBT001 - private
        self._arm, self._T_start, self._T_end, self._is_pose = arm, T_start, T_end, is_pose
        slides = np.array([joint.is_prismatic for joint in arm.description.joints])
        self._jump = np.where(slides, _JUMP * min(arm.reach, 1e3), _JUMP)

    def walk(self, q: np.ndarray, longest: float) -> tuple[np.ndarray, np.ndarray]:
        """From point to point, with smaller steps where a joint moves far."""
        arm = self._arm
        shares, knots, step = [0.0], [q], longest
        while shares[-1] < 1.0:
            share = min(1.0, shares[-1] + step)
            if 1.0 - share < 1e-9:
                share = 1.0
            answer = arm.ik(
                self._T_start.interpolate(self._T_end, share),
                knots[-1],
                "pose" if self._is_pose else "position",
                position_tolerance=_TOLERANCE,
                rotation_tolerance=_TOLERANCE,
            )
            move = np.abs(answer.q - knots[-1]) / self._jump
            if not answer.success or move.max() > 1.0:
                if step > longest * 0.5**_HALVINGS:
                    step *= 0.5
                    continue
                if not answer.success:
                    raise ArmError(
                        f"the line leaves the workspace of '{arm.name}' after {share:.0%}: "
                        f"{answer.reason}; choose another target or start"
                    )
                raise ArmError(
                    "the line cannot be followed without a jump of "
                    f"{arm.joint_names[int(move.argmax())]} after {share:.0%}; begin in another "
                    "configuration, or plan in joint space"
                )
            shares.append(share)
            knots.append(answer.q)
            step = min(longest, 2.0 * step)
        return np.array(shares), np.array(knots)

    def smooth(self, shares: np.ndarray, knots: np.ndarray) -> LinePath:
        """A spline through the knots, with more of them until it keeps to the line."""
        arm = self._arm
        rounds = 0
        while True:
            rounds += 1
            spline = Spline(shares, knots)
            middle = 0.5 * (shares[1:] + shares[:-1])
            q = np.clip(spline.at(middle)[0], arm.lower, arm.upper)
            T = self._poses(middle)
            off = _deviation(arm.fk_batch(q), T, is_pose=self._is_pose)
            far = off > _OFF_M
            if not far.any() or len(shares) > _MOST_KNOTS or rounds == _ROUNDS:
                break
            answers = arm.ik_batch(
                T[far],
                q[far],
                "pose" if self._is_pose else "position",
                position_tolerance=_TOLERANCE,
                rotation_tolerance=_TOLERANCE,
            )
            near = answers.success & (np.abs(answers.q - q[far]) <= self._jump).all(axis=1)
            if not near.any():
                break
            order = np.argsort(np.concatenate((shares, middle[far][near])), kind="stable")
            shares = np.concatenate((shares, middle[far][near]))[order]
            knots = np.concatenate((knots, answers.q[near]))[order]
        if off.max() > _WORST_M:
            raise ArmError(
                f"the line cannot be followed by '{arm.name}' after {middle[off.argmax()]:.0%}: "
                f"its joints would have to move too fast, and the tool would leave the line by "
                f"{off.max():.1e} m; begin in another configuration, or plan in joint space"
            )
        return LinePath(arm, self._T_start, self._T_end, self._is_pose, shares, knots, spline)

    def _poses(self, shares: np.ndarray) -> np.ndarray:
        return np.array(
            [self._T_start.interpolate(self._T_end, share).to_matrix() for share in shares.tolist()]
        )


def _deviation(found: np.ndarray, wanted: np.ndarray, *, is_pose: bool) -> np.ndarray:
    """Distances [m] between poses (N, 4, 4), or where it is more, angles [rad]."""
    away = _length((found - wanted)[:, :3, 3])
    if not is_pose:
        return away
    chord = _length((found - wanted)[:, :3, :3].reshape(-1, 9))
    return np.maximum(away, chord / np.sqrt(2.0))


def _length(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Lengths of vectors (..., n), added up in order, which BLAS does not."""
    total = np.zeros(vectors.shape[:-1])
    for k in range(vectors.shape[-1]):
        total = total + vectors[..., k] * vectors[..., k]
    return np.sqrt(total)


def _angle(a: Transform, b: Transform) -> float:
    x, y, z, w = (a.inverse() @ b).rotation.tolist()
    return 2.0 * arc_tangent(sqrt(x * x + y * y + z * z), abs(w))
