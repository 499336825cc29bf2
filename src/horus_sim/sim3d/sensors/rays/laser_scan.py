"""A laser scanner in one plane: configuration and sensor."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.hub.messages import LaserScan
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.rays.lidar import LIDAR_NOISE
from horus_sim.sim3d.sensors.rays.ray_sensor import Scanner, ScannerConfig
from horus_sim.time import NS_PER_S


class LaserScanConfig(ScannerConfig):
    """A laser scanner in the x-y plane of the sensor.

    Attributes:
        rays: Rays of a scan.
        intensities: Whether the message has the strength of the echoes.
    """

    kind: Literal["laser_scan"] = "laser_scan"
    name: Name = "scan"
    rays: Annotated[int, Field(ge=1, le=100_000)] = 720
    intensities: bool = True
    noise: NoiseConfig = LIDAR_NOISE


class LaserScanner(Scanner[LaserScanConfig, LaserScan], config=LaserScanConfig):
    """A laser scanner in a world."""

    def __init__(self, world: MeasuredWorld, config: LaserScanConfig) -> None:
        super().__init__(world, config, config.rays, np.zeros(1))

    def ranges(self) -> npt.NDArray[np.float64]:
        """Ideal distances now [m], in double precision, shape (rays,).

        They are infinite where nothing was met within range, and minus infinite where something is
        too near.
        """
        return self._cast().distances

    def measure(self) -> LaserScan:
        """An ideal scan now."""
        config = self.config
        hits = self._cast()
        several = config.rays > 1
        return LaserScan(
            # The stamp is that of the first ray; a world begins at 0.
            max(self.world.stamp_ns + round(float(self._times[0]) * NS_PER_S), 0),
            self.frame,
            float(self.azimuths[0]),
            float(self.azimuths[1] - self.azimuths[0]) if several else 0.0,
            config.range_min,
            config.range_max,
            hits.distances.astype(np.float32),
            self._intensities(hits).astype(np.float32) if config.intensities else None,
            float(self._times[1] - self._times[0]) if several else 0.0,
        )
