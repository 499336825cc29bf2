"""A laser scan as nearness."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.errors import DeployError
from horus_sim.files.config import Positive
from horus_sim.hub.messages import LaserScan
from horus_sim.rl.contract.sources.source import Inputs, Need, Source
from horus_sim.rl.engines.interface import Floats

# Of the step between two rays of the scan: nearer than this, a ray is the wanted one.
_OFF = 0.51


class Scan(Source):
    """Rays of a laser scanner as `half / (half + range)`, 0 where nothing is seen.

    Attributes:
        kind: 'scan'.
        topic: Topic of the scanner.
        rays: How many are observed.
        first: Angle of the first one about the scanner's z, from its x [rad].
        step: From each ray to the next [rad].
        half: Distance that is observed as 0.5 [m].
        range: Farther away nothing is seen [m].
        place: Where the scanner is on the robot, x, y, z from its base [m].
    """

    kind: Literal["scan"] = "scan"
    topic: str = "scan"
    rays: Annotated[int, Field(ge=1, le=100_000)]
    first: float
    step: float
    half: Positive
    range: Positive
    place: tuple[float, float, float]

    def needs(self) -> tuple[Need, ...]:
        """The scan."""
        return (Need(self.topic, LaserScan, "start the laser scanner's driver"),)

    @property
    def angles(self) -> Floats:
        """Angles of the rays [rad], shape (rays,)."""
        return self.first + self.step * np.arange(self.rays, dtype=np.float64)

    def read(self, inputs: Inputs) -> Floats:
        """Nearness of each ray."""
        scan = inputs.message(self.topic, LaserScan)
        ranges = np.asarray(scan.ranges, np.float64)[self._columns(scan)]
        # REP 117: minus infinity is too near; other numbers below the least are no measurements.
        ranges = np.where(np.isneginf(ranges), scan.range_min, ranges)
        is_seen = (ranges >= scan.range_min) & (ranges <= self.range)
        return np.where(is_seen, self.half / (self.half + np.where(is_seen, ranges, 0.0)), 0.0)

    def _columns(self, scan: LaserScan) -> npt.NDArray[np.int64]:
        count, step = len(scan.ranges), scan.angle_increment
        if count < 2 or step == 0.0:
            raise DeployError(
                f"topic '{self.topic}' has scans of {count} rays; the policy observes {self.rays}"
            )
        place = (self.angles - scan.angle_min) / step
        turn = abs(2 * np.pi / step)
        # By whole turns to where the scan is, so that it may begin anywhere.
        place -= turn * np.floor((place + _OFF) / turn)
        columns = np.rint(place).astype(np.int64)
        # A full turn may be written with the first ray again at its end.
        columns[(columns == count) & (round(turn) == count)] = 0
        if (columns >= count).any() or (abs(step) > abs(self.step) * 1.001 and self.rays > 1):
            seen = np.degrees([scan.angle_min, scan.angle_min + (count - 1) * step])
            wanted = np.degrees(self.angles[[0, -1]])
            raise DeployError(
                f"topic '{self.topic}' has {count} rays from {seen[0]:.1f} to {seen[1]:.1f} "
                f"degrees; the policy observes {self.rays} from {wanted[0]:.1f} to "
                f"{wanted[1]:.1f} degrees: give a scan that covers these as finely"
            )
        return columns
