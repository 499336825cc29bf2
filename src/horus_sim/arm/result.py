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


_OUTCOMES = tuple(Outcome)


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
        joint_names: Names of the arm's joints.
        tolerances: Largest errors of position [m] and rotation [rad] that count as reached.
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
        return ik_result(
            self.q[index].copy(),
            int(self.outcome[index]),
            float(self.position_error[index]),
            float(self.rotation_error[index]),
            _named(self.joint_names, self.limits_active[index].tolist()),
            _named(self.joint_names, self.blocking[index].tolist()),
            int(self.iterations[index]),
            int(self.starts[index]),
            self.tolerances,
        )

    def __iter__(self) -> Iterator[IKResult]:
        return (self[index] for index in range(len(self)))


def _named(names: Sequence[str], marked: Sequence[bool]) -> tuple[str, ...]:
    return tuple(name for name, mark in zip(names, marked, strict=True) if mark)


def ik_result(
    q: npt.NDArray[np.float64],
    code: int,
    position_error: float,
    rotation_error: float,
    at_limits: tuple[str, ...],
    blocking: tuple[str, ...],
    iterations: int,
    starts: int,
    tolerances: tuple[float, float],
) -> IKResult:
    """An answer with its reason.

    Args:
        q: Joint positions [rad, m], shape (dof,).
        code: The value of its `Outcome`.
        position_error: [m].
        rotation_error: [rad].
        at_limits: Names of the joints that stand at a limit.
        blocking: Names of the joints whose limits are in the way.
        iterations: Number of steps taken.
        starts: Number of configurations that were started from.
        tolerances: Largest errors of position [m] and rotation [rad] that count as reached.
    """
    outcome = _OUTCOMES[code]
    reason = _reason(outcome, (position_error, rotation_error), tolerances, blocking, iterations)
    return IKResult(
        q,
        code == 0,
        reason,
        position_error,
        rotation_error,
        at_limits,
        iterations,
        starts,
        outcome,
    )


def _reason(
    outcome: Outcome,
    errors: tuple[float, float],
    tolerances: tuple[float, float],
    blocking: Sequence[str],
    iterations: int,
) -> str:
    """Why a search ended as it did, for people."""
    if outcome is Outcome.SOLVED:
        return "solved"
    missing = " and ".join(
        f"{_figure(error)} {unit}"
        for error, tolerance, unit in zip(errors, tolerances, ("m", "rad"), strict=True)
        if error > tolerance
    )
    if outcome is Outcome.OUT_OF_REACH:
        subject = "" if errors[0] > tolerances[0] else "orientation "
        return f"{subject}out of reach by {missing}"
    if outcome is Outcome.BLOCKED_BY_LIMITS:
        return f"blocked by limits of {', '.join(blocking)}: {missing} short"
    return f"not converged after {iterations} iterations: {missing} left"


def _figure(error: float) -> str:
    return f"{error:.3f}" if 5e-4 <= error < 1e6 else f"{error:.1e}"
