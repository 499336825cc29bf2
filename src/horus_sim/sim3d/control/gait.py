"""What tells the joints of legs where to go; what knows gaits offers them here.

Gaits that were learned come from `horus_sim.rl`, which is above the simulator. It offers them when
it is imported; nothing is loaded before a robot is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from horus_sim.robots.description import RobotDescription

FloatArray = npt.NDArray[np.float64]
Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class LegMotion:
    """What a robot feels of itself.

    Attributes:
        angular_b: Rates of turning in the frame of the root [rad/s], shape (3,).
        up_b: Where up is in the frame of the root, shape (3,).
        command: Speed ahead and to the left [m/s], and rate of turning left [rad/s], shape (3,).
        positions: Of the gait's joints [rad], shape (joints,).
        velocities: Of the gait's joints [rad/s], shape (joints,).
        time: For how long it has walked [s].
        heights: Of the ground at the points of the gait's `scan`, against the root [m].
    """

    angular_b: FloatArray
    up_b: FloatArray
    command: FloatArray
    positions: FloatArray
    velocities: FloatArray
    time: float
    heights: FloatArray


class Gait(Protocol):
    """Joints that walk, and how.

    Attributes:
        joints: Names of the joints, in the order of all arrays.
        stiffness: Of the drives while it walks [N m/rad], shape (joints,).
        damping: Of the drives while it walks [N m s/rad], shape (joints,).
        period: Time between two decisions [s].
        ranges: Speeds that can be told: ahead, to the left [m/s], turning left [rad/s].
        scan: Where it wants to see the ground about the root, ahead and to the left along its
            heading [m], shape (n, 2); none where it only feels it.
    """

    joints: tuple[str, ...]
    stiffness: FloatArray
    damping: FloatArray
    period: float
    ranges: tuple[Range, Range, Range]
    scan: FloatArray

    def decide(self, motion: LegMotion, action: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Where joints are to go.

        Args:
            motion: What the robot feels.
            action: What was decided last; zeros at first.

        Returns:
            Targets of the joints [rad] and what was decided, shape (joints,) each.
        """
        ...


class GaitSource(Protocol):
    """What knows gaits."""

    def name_for(self, description: RobotDescription) -> str | None:
        """Name of the gait for a robot, or None."""
        ...

    def load(self, name: str) -> Gait:
        """The gait of that name, or of a file.

        Raises:
            HorusError: There is none, or it cannot be used.
        """
        ...


_offered: list[Callable[[], GaitSource]] = []


def offer_gaits(make_source: Callable[[], GaitSource]) -> None:
    """Lets robots on legs walk by the gaits of a source.

    Args:
        make_source: Gives the source; called when a robot is first looked at. The last one counts.
    """
    _offered[:] = [make_source]


def gait_source() -> GaitSource | None:
    """The source of gaits, or None where nothing offers any."""
    return _offered[0]() if _offered else None
