"""Trajectories brought inside what joints can do."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.sim3d.control.result import Clamp
from horus_sim.sim3d.control.trajectory import JointTrajectory

FloatArray = npt.NDArray[np.float64]
_ROUNDING = 1e-9


def within_limits(
    trajectory: JointTrajectory, lower: FloatArray, upper: FloatArray, velocity: FloatArray
) -> tuple[JointTrajectory, tuple[Clamp, ...]]:
    """A trajectory that keeps to limits, and what was changed.

    Way-points outside a joint's range are moved to its end, and a motion that is too fast for a
    joint is slowed down as a whole. Between way-points a spline may still swing over the end of a
    range; that is noted, and whoever follows it clips it there.

    Args:
        trajectory: The trajectory.
        lower: Smallest positions [rad or m], shape (n,).
        upper: Largest positions [rad or m], shape (n,).
        velocity: Largest speeds [rad/s or m/s], shape (n,).
    """
    notes: list[Clamp] = []
    inside = np.clip(trajectory.positions, lower, upper)
    for row, column in zip(*np.nonzero(inside != trajectory.positions), strict=True):
        culprit = f"joint '{trajectory.names[column]}' at way-point {row}"
        asked, given = trajectory.positions[row, column], inside[row, column]
        notes.append(Clamp(culprit, "position", float(asked), float(given)))
    if notes:
        trajectory = JointTrajectory(trajectory.names, trajectory.times, inside, trajectory.method)
    excess = float((trajectory.peak_velocities() / velocity).max(initial=0.0))
    if excess > 1.0 + _ROUNDING:
        slower = trajectory.stretched(excess)
        notes.append(Clamp("trajectory", "duration", trajectory.duration, slower.duration))
        trajectory = slower
    lowest, highest = trajectory.peak_positions()
    for column, name in enumerate(trajectory.names):
        for reached, bound in ((lowest, lower), (highest, upper)):
            beyond = reached[column] - bound[column]
            if (-beyond if bound is lower else beyond) > _ROUNDING:
                asked, given = float(reached[column]), float(bound[column])
                notes.append(Clamp(f"joint '{name}'", "position", asked, given))
    return trajectory, tuple(notes)
