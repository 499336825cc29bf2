"""A lidar with several rings: configuration, scan and sensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from horus_sim.hub.messages import PointCloud
from horus_sim.sim3d.scene.base import Finite, Name
from horus_sim.sim3d.sensors.lidar_pattern import grid_directions, poses_over_sweep, spread_angles
from horus_sim.sim3d.sensors.noise import NoiseChannel, NoiseConfig
from horus_sim.sim3d.sensors.ray_view import Ignore, RayView, Reflectivity
from horus_sim.sim3d.sensors.sensor import Rate, Sensor, SensorConfig

if TYPE_CHECKING:
    from horus_sim.sim3d.world import World

Floats = npt.NDArray[np.float64]
_NS = 1_000_000_000
_TINY = 1e-12
_MOST_RAYS = 5_000_000


class LidarConfig(SensorConfig):
    """A spinning lidar.

    Attributes:
        rays_horizontal: Rays of a ring.
        rays_vertical: Rings, numbered from the lowest.
        fov_horizontal_deg: Field of view about the sensor's z axis [deg].
        fov_vertical_deg: Field of view across it [deg], half of it above.
        elevations_deg: Elevation of each ring [deg], where they are not evenly spread.
        range_min: Shortest distance that is measured [m].
        range_max: Longest distance that is measured [m].
        ignore: What rays pass through: 'nothing', the 'link' or object that carries the sensor, or
            its whole 'robot'.
        organized: Whether the message has a point for every ray, not a number where there was no
            echo; else it has only points of echoes.
        motion_distortion: Whether the sensor moves while it sweeps: the sweep ends now, began one
            period ago, and every ray starts where the sensor was at its time.
        noise: Of the distances [m].
    """

    kind: Literal["lidar"] = "lidar"
    name: Name = "lidar"
    rate_hz: Rate = 10.0
    rays_horizontal: Annotated[int, Field(ge=1, le=100_000)] = 720
    rays_vertical: Annotated[int, Field(ge=1, le=10_000)] = 16
    fov_horizontal_deg: Annotated[Finite, Field(gt=0, le=360)] = 360.0
    fov_vertical_deg: Annotated[Finite, Field(ge=0, le=180)] = 30.0
    elevations_deg: tuple[Annotated[Finite, Field(ge=-90, le=90)], ...] | None = None
    range_min: Annotated[Finite, Field(ge=0)] = 0.1
    range_max: Annotated[Finite, Field(gt=0)] = 20.0
    ignore: Ignore = "link"
    organized: bool = False
    motion_distortion: bool = False
    noise: NoiseConfig = NoiseConfig(std=0.01)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.range_min >= self.range_max:
            raise ValueError("'range_min' must be less than 'range_max'")
        if self.rays_horizontal * self.rays_vertical > _MOST_RAYS:
            raise ValueError(
                f"'rays_horizontal' times 'rays_vertical' are more than {_MOST_RAYS} rays"
            )
        if self.elevations_deg is not None and len(self.elevations_deg) != self.rays_vertical:
            raise ValueError(
                f"'elevations_deg' has {len(self.elevations_deg)} rings, but 'rays_vertical' is "
                f"{self.rays_vertical}"
            )
        return self

    def build(self, world: World) -> Lidar:
        """The sensor, in a world."""
        return Lidar(world, self)


@dataclass(frozen=True, slots=True)
class LidarScan:
    """One sweep in double precision, ring by ring from the lowest.

    Attributes:
        ranges: Distances [m], shape (rings, columns); infinite where nothing was met within range,
            minus infinite where something is too near.
        intensities: Strength of the echoes from 0 to 1, shape (rings, columns).
        geoms: What was met, as index in ``world.model``, -1 for nothing, shape (rings, columns).
        directions: Unit vectors, sensor frame, shape (rings, columns, 3).
        azimuths: Of each column [rad], shape (columns,).
        elevations: Of each ring [rad], shape (rings,).
        times_ns: Of each column from now [ns], shape (columns,).
    """

    ranges: Floats
    intensities: Floats
    geoms: npt.NDArray[np.int32]
    directions: Floats
    azimuths: Floats
    elevations: Floats
    times_ns: npt.NDArray[np.int64]

    @property
    def is_valid(self) -> npt.NDArray[np.bool_]:
        """Whether there was an echo, shape (rings, columns)."""
        return np.isfinite(self.ranges)

    def points(self) -> Floats:
        """Where rays ended [m], sensor frame, shape (rings, columns, 3); NaN without an echo."""
        ranges = np.where(self.is_valid, self.ranges, np.nan)
        return self.directions * ranges[..., None]

    def to_pointcloud(self) -> npt.NDArray[np.float32]:
        """The echoes [m], sensor frame, shape (n, 3)."""
        valid = self.is_valid
        return (self.directions[valid] * self.ranges[valid][:, None]).astype(np.float32)


class Lidar(Sensor[LidarConfig, PointCloud]):
    """A lidar in a world; its messages are point clouds in its own frame.

    Attributes:
        shape: Rings and columns.
        azimuths: Of each column [rad], shape (columns,).
        elevations: Of each ring [rad], shape (rings,).
    """

    def __init__(self, world: World, config: LidarConfig) -> None:
        self.shape = config.rays_vertical, config.rays_horizontal
        self.azimuths = spread_angles(config.rays_horizontal, np.deg2rad(config.fov_horizontal_deg))
        if config.elevations_deg is None:
            vertical = np.deg2rad(config.fov_vertical_deg)
            self.elevations = spread_angles(config.rays_vertical, vertical)
        else:
            self.elevations = np.deg2rad(config.elevations_deg)
        self._directions = grid_directions(self.azimuths, self.elevations)
        # The last column is measured now; a full turn ends one step before the next one's first.
        count = config.rays_horizontal
        steps = np.arange(count) - (count - 1)
        self._times = steps / (config.rate_hz * count) * float(config.motion_distortion)
        self._rings = np.repeat(np.arange(self.shape[0], dtype=np.uint16), self.shape[1])
        super().__init__(world, config)

    def _bind(self) -> None:
        pose = self._p_body_sensor, self._R_body_sensor
        directions = self._directions.reshape(-1, 3)
        self._view = RayView(self.world, self.mount, pose, directions, self.config.ignore)
        self._reflectivity = Reflectivity(self.world.model)

    def _make_channels(self) -> Mapping[str, NoiseChannel]:
        return {"ranges": NoiseChannel(self.config.noise)}

    def scan(self) -> LidarScan:
        """An ideal sweep now."""
        config = self.config
        position, R_world_sensor = self._pose()
        if config.motion_distortion:
            position, R_world_sensor = self._moving_poses(position, R_world_sensor)
        hits = self._view.cast(position, R_world_sensor, config.range_max)
        ranges = hits.distances
        ranges[ranges < config.range_min] = -np.inf
        intensities = self._reflectivity.intensities(hits)
        intensities[np.isinf(ranges)] = 0.0
        return LidarScan(
            ranges.reshape(self.shape),
            intensities.reshape(self.shape),
            hits.geoms.reshape(self.shape),
            self._directions,
            self.azimuths,
            self.elevations,
            np.rint(self._times * _NS).astype(np.int64),
        )

    def measure(self) -> PointCloud:
        """An ideal point cloud now."""
        scan = self.scan()
        stamp_ns = self.world.stamp_ns
        directions, ranges = self._view.directions, scan.ranges.ravel()
        intensities = scan.intensities.ravel()
        rings, times_ns = self._rings, None
        if self.config.motion_distortion:
            times_ns = stamp_ns + np.tile(scan.times_ns, self.shape[0])
        is_valid = np.isfinite(ranges)
        if self.config.organized:
            ranges = np.where(is_valid, ranges, np.nan)
        elif not is_valid.all():
            directions, ranges = directions[is_valid], ranges[is_valid]
            intensities, rings = intensities[is_valid], rings[is_valid]
            times_ns = None if times_ns is None else times_ns[is_valid]
        points = (directions * ranges[:, None]).astype(np.float32)
        return PointCloud(
            stamp_ns, self.frame, points, intensities.astype(np.float32), rings, times_ns
        )

    def _disturb(self, message: PointCloud, dt: float) -> PointCloud:
        channel = self._channels["ranges"]
        if not channel.is_active:
            return message
        points = message.points.astype(np.float64)
        ranges = np.sqrt(np.einsum("ij,ij->i", points, points))
        measured = channel.apply(ranges, dt, self.rng)
        measured = np.clip(measured, self.config.range_min, self.config.range_max)
        points *= (measured / np.maximum(ranges, _TINY))[:, None]
        if not self.config.organized and self.config.noise.dropout:
            kept = ~np.isnan(measured)
            return replace(
                message,
                points=points[kept].astype(np.float32),
                intensities=None if message.intensities is None else message.intensities[kept],
                rings=None if message.rings is None else message.rings[kept],
                times_ns=None if message.times_ns is None else message.times_ns[kept],
            )
        return replace(message, points=points.astype(np.float32))

    def _moving_poses(self, position: Floats, R_world_sensor: Floats) -> tuple[Floats, Floats]:
        """Poses at every ray of the sweep, shapes (n, 3) and (n, 3, 3)."""
        world = self.world
        positions, rotations = poses_over_sweep(
            world.model, world.forward(), self.mount.body, position, R_world_sensor, self._times
        )
        rings = self.shape[0]
        return np.tile(positions, (rings, 1)), np.tile(rotations, (rings, 1, 1))
