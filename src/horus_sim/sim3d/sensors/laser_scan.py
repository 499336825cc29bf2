"""A laser scanner in one plane: configuration and sensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from horus_sim.hub.messages import LaserScan
from horus_sim.sim3d.scene.base import Finite, Name
from horus_sim.sim3d.sensors.lidar_pattern import grid_directions, poses_over_sweep, spread_angles
from horus_sim.sim3d.sensors.noise import NoiseChannel, NoiseConfig
from horus_sim.sim3d.sensors.ray_view import Ignore, RayView, Reflectivity
from horus_sim.sim3d.sensors.rays import RayHits
from horus_sim.sim3d.sensors.sensor import Rate, Sensor, SensorConfig

if TYPE_CHECKING:
    from horus_sim.sim3d.world import World

Floats = npt.NDArray[np.float64]
_NS = 1_000_000_000


class LaserScanConfig(SensorConfig):
    """A laser scanner in the x-y plane of the sensor.

    Attributes:
        rays: Of a scan.
        fov_deg: Field of view about the sensor's z axis [deg], from right to left.
        range_min: Shortest distance that is measured [m].
        range_max: Longest distance that is measured [m].
        ignore: What rays pass through: 'nothing', the 'link' or object that carries the sensor, or
            its whole 'robot'.
        intensities: Whether the message has the strength of the echoes.
        motion_distortion: Whether the sensor moves while it scans: the scan ends now and every ray
            starts where the sensor was at its time.
        noise: Of the distances [m].
    """

    kind: Literal["laser_scan"] = "laser_scan"
    name: Name = "scan"
    rate_hz: Rate = 10.0
    rays: Annotated[int, Field(ge=1, le=100_000)] = 720
    fov_deg: Annotated[Finite, Field(gt=0, le=360)] = 360.0
    range_min: Annotated[Finite, Field(ge=0)] = 0.1
    range_max: Annotated[Finite, Field(gt=0)] = 20.0
    ignore: Ignore = "link"
    intensities: bool = True
    motion_distortion: bool = False
    noise: NoiseConfig = NoiseConfig(std=0.01)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.range_min >= self.range_max:
            raise ValueError("'range_min' must be less than 'range_max'")
        return self

    def build(self, world: World) -> LaserScanner:
        """The sensor, in a world."""
        return LaserScanner(world, self)


class LaserScanner(Sensor[LaserScanConfig, LaserScan]):
    """A laser scanner in a world.

    Attributes:
        angles: Of each ray about z from x [rad], shape (rays,).
    """

    def __init__(self, world: World, config: LaserScanConfig) -> None:
        self.angles = spread_angles(config.rays, np.deg2rad(config.fov_deg))
        self._directions = grid_directions(self.angles, np.zeros(1))[0]
        period = float(config.motion_distortion) / config.rate_hz
        self._times: Floats = (np.arange(config.rays, dtype=np.float64) - (config.rays - 1)) * (
            period / config.rays
        )
        super().__init__(world, config)

    def _bind(self) -> None:
        pose = self._p_body_sensor, self._R_body_sensor
        self._view = RayView(self.world, self.mount, pose, self._directions, self.config.ignore)
        self._reflectivity = Reflectivity(self.world.model)

    def _make_channels(self) -> Mapping[str, NoiseChannel]:
        return {"ranges": NoiseChannel(self.config.noise)}

    def _disturb(self, message: LaserScan, dt: float) -> LaserScan:
        disturbed = super()._disturb(message, dt)
        if disturbed is message:
            return message
        ranges, config = disturbed.ranges, self.config
        inside = np.clip(ranges, config.range_min, config.range_max)
        return replace(disturbed, ranges=np.where(np.isinf(ranges), ranges, inside))

    def ranges(self) -> Floats:
        """Ideal distances now [m], in double precision, shape (rays,).

        They are infinite where nothing was met within range, and minus infinite where something is
        too near.
        """
        return self._clipped(self._cast())

    def measure(self) -> LaserScan:
        """An ideal scan now."""
        config = self.config
        hits = self._cast()
        ranges = self._clipped(hits)
        intensities = None
        if config.intensities:
            intensities = self._reflectivity.intensities(hits)
            intensities[np.isinf(ranges)] = 0.0
        step = float(self.angles[1] - self.angles[0]) if config.rays > 1 else 0.0
        pause = float(self._times[1] - self._times[0]) if config.rays > 1 else 0.0
        return LaserScan(
            # The stamp is that of the first ray; a world begins at 0.
            max(self.world.stamp_ns + round(float(self._times[0]) * _NS), 0),
            self.frame,
            float(self.angles[0]),
            step,
            config.range_min,
            config.range_max,
            ranges.astype(np.float32),
            None if intensities is None else intensities.astype(np.float32),
            pause,
        )

    def _cast(self) -> RayHits:
        position, R_world_sensor = self._pose()
        if self.config.motion_distortion:
            position, R_world_sensor = poses_over_sweep(
                self.world.model,
                self.world.forward(),
                self.mount.body,
                position,
                R_world_sensor,
                self._times,
            )
        return self._view.cast(position, R_world_sensor, self.config.range_max)

    def _clipped(self, hits: RayHits) -> Floats:
        return np.where(hits.distances < self.config.range_min, -np.inf, hits.distances)
