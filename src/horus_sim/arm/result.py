"""Answers of inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt


class Outcome(IntEnum):
    """How a search ended."""

    SOLVED = 0
    OUT_OF_REACH = 1
    BLOCKED_BY_LIMITS = 2
    NOT_CONVERGED = 3


@dataclass(frozen=True, slots=True)
class IKResult:
    """One answer of inverse kinematics.

    Attributes:
        q: Joint positions [rad, m], shape (dof,), always within limits: those that reach the
            target, or the closest found.
        success: Whether the tool reaches the target within the tolerances at `q`.
        reason: 'solved', or why not and by how much, such as 'out of reach by 0.724 m'.
        position_error: Distance from tool to target at `q` [m].
        rotation_error: Angle between them [rad]; 0 where only a position was asked for.
        limits_active: Names of the joints that stand at a limit.
        iterations: Steps taken, over all starts.
        starts: Configurations that were started from.
        outcome: The reason as a number.
    """

    q: npt.NDArray[np.float64]
    success: bool
    reason: str
    position_error: float
    rotation_error: float
    limits_active: tuple[str, ...]
    iterations: int
    starts: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class IKBatchResult:
    """Answers for N targets; ``result[i]`` is the `IKResult` of target i.

    Attributes:
        q: Joint positions [rad, m], shape (N, dof).
        success: Whether each target is reached, shape (N,).
        outcome: `Outcome` of each, shape (N,).
        position_error: [m], shape (N,).
        rotation_error: [rad], shape (N,).
        limits_active: Whether each joint stands at a limit, shape (N, dof).
        blocking: Whether the limit of each joint keeps the tool from coming closer, shape (N, dof).
        iterations: Shape (N,).
        starts: Shape (N,).
        joint_names: Of the arm.
        tolerances: Of position [m] and rotation [rad], as they were asked for.
    """

    q: npt.NDArray[np.float64]
    success: npt.NDArray[np.bool_]
    outcome: npt.NDArray[np.int32]
    position_error: npt.NDArray[np.float64]
    rotation_error: npt.NDArray[np.float64]
    limits_active: npt.NDArray[np.bool_]
    blocking: npt.NDArray[np.bool_]
    iterations: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]
    joint_names: tuple[str, ...]
    tolerances: tuple[float, float]

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, index: int) -> IKResult:
        outcome = Outcome(int(self.outcome[index]))
        position_error = float(self.position_error[index])
        rotation_error = float(self.rotation_error[index])
        blocking = _named(self.joint_names, self.blocking[index].tolist())
        iterations = int(self.iterations[index])
        return IKResult(
            q=self.q[index].copy(),
            success=outcome is Outcome.SOLVED,
            reason=explain(
                outcome, position_error, rotation_error, self.tolerances, blocking, iterations
            ),
            position_error=position_error,
            rotation_error=rotation_error,
            limits_active=_named(self.joint_names, self.limits_active[index].tolist()),
            iterations=iterations,
            starts=int(self.starts[index]),
            outcome=outcome,
        )

    def __iter__(self) -> Iterator[IKResult]:
        return (self[index] for index in range(len(self)))


def _named(names: Sequence[str], marked: Sequence[bool]) -> tuple[str, ...]:
    return tuple(name for name, mark in zip(names, marked, strict=True) if mark)


def explain(
    outcome: Outcome,
    position_error: float,
    rotation_error: float,
    tolerances: tuple[float, float],
    blocking: Sequence[str],
    iterations: int,
) -> str:
    """Why a search ended as it did, for people.

    Args:
        outcome: How it ended.
        position_error: [m].
        rotation_error: [rad].
        tolerances: Of position [m] and rotation [rad].
        blocking: Names of the joints whose limits are in the way.
        iterations: Steps taken.
    """
    if outcome is Outcome.SOLVED:
        return "solved"
    parts = []
    if position_error > tolerances[0]:
        parts.append(f"{_figure(position_error)} m")
    if rotation_error > tolerances[1]:
        parts.append(f"{_figure(rotation_error)} rad")
    missing = " and ".join(parts)
    if outcome is Outcome.OUT_OF_REACH:
        subject = "" if position_error > tolerances[0] else "orientation "
        return f"{subject}out of reach by {missing}"
    if outcome is Outcome.BLOCKED_BY_LIMITS:
        return f"blocked by limits of {', '.join(blocking)}: {missing} short"
    return f"not converged after {iterations} iterations: {missing} left"


def _figure(error: float) -> str:
    return f"{error:.3f}" if 5e-4 <= error < 1e6 else f"{error:.1e}"
