"""A lidar with several rings: configuration, scan and sensor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from horus_sim.hub.messages import PointCloud
from horus_sim.sim3d.scene.base import Finite, Name
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.rays.patterns import PATTERNS, ScanCurve, pattern_name
from horus_sim.sim3d.sensors.rays.ray_sensor import (
    Scanner,
    ScannerConfig,
    directions_of,
    spread_angles,
)
from horus_sim.time import NS_PER_S

Floats = npt.NDArray[np.float64]
_TINY = 1e-12
_MOST_RAYS = 5_000_000


LIDAR_NOISE = NoiseConfig(std=0.01)
"""Noise of the distances [m] of lidars and laser scanners unless a scene says otherwise."""


class LidarConfig(ScannerConfig):
    """A spinning lidar, or one whose beam draws a curve.

    Attributes:
        pattern: Lidar on the market whose rings, rays, reach and rate it has, such as 'vlp16',
            'os1_64' or 'mid360'; each of these may still be given beside it.
        rays_horizontal: Rays of a ring; of a curve those of a sweep.
        rays_vertical: Rings, numbered from the lowest.
        fov_vertical_deg: Field of view across the sensor's z axis [deg], half of it above.
        elevations_deg: Elevation of each ring [deg], where they are not evenly spread.
        organized: Whether the message has a point for every ray, not a number where there was no
            echo; else it has only points of echoes.
    """

    kind: Literal["lidar"] = "lidar"
    name: Name = "lidar"
    pattern: str | None = None
    rays_horizontal: Annotated[int, Field(ge=1, le=100_000)] = 720
    rays_vertical: Annotated[int, Field(ge=1, le=10_000)] = 16
    fov_vertical_deg: Annotated[Finite, Field(ge=0, le=180)] = 30.0
    elevations_deg: tuple[Annotated[Finite, Field(ge=-90, le=90)], ...] | None = None
    organized: bool = False
    noise: NoiseConfig = LIDAR_NOISE

    @model_validator(mode="before")
    @classmethod
    def _known_pattern(cls, data: Any) -> Any:  # noqa: ANN401 - what pydantic gives and gets
        if not isinstance(data, dict) or data.get("pattern") is None:
            return data
        name, rate = pattern_name(data["pattern"]), data.get("rate_hz")
        given = float(rate) if isinstance(rate, int | float) and rate > 0 else None
        usual = PATTERNS[name].fields(given)
        if "fov_vertical_deg" in data:
            usual.pop("elevations_deg", None)
        return usual | data | {"pattern": name}

    @property
    def curve(self) -> ScanCurve | None:
        """The curve that its beam draws instead of rings, or None."""
        return None if self.pattern is None else PATTERNS[self.pattern].curve

    @model_validator(mode="after")
    def _consistent(self) -> Self:
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


@dataclass(frozen=True, slots=True)
class LidarScan:
    """One sweep in double precision, ring by ring from the lowest; a curve is one ring.

    Attributes:
        ranges: Distances [m], shape (rings, columns); infinite where nothing was met within range,
            minus infinite where something is too near.
        intensities: Strength of the echoes from 0 to 1, shape (rings, columns).
        geoms: What was met, as index in ``world.model``, -1 for nothing, shape (rings, columns).
        directions: Unit vectors, sensor frame, shape (rings, columns, 3).
        azimuths: Azimuth of each column [rad], shape (columns,).
        elevations: Elevation of each ring [rad], shape (rings,); of a curve that of each column.
        times_ns: Time of each column from now [ns], shape (columns,).
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


class Lidar(Scanner[LidarConfig, PointCloud], config=LidarConfig):
    """A lidar in a world; its messages are point clouds in its own frame.

    Attributes:
        shape: Rings and columns.
    """

    def __init__(self, world: MeasuredWorld, config: LidarConfig) -> None:
        self.shape = config.rays_vertical, config.rays_horizontal
        self._rings = np.repeat(np.arange(self.shape[0], dtype=np.uint16), self.shape[1])
        self._aimed_ns = -1
        if config.elevations_deg is None:
            elevations = spread_angles(config.rays_vertical, np.deg2rad(config.fov_vertical_deg))
        else:
            elevations = np.deg2rad(config.elevations_deg)
        super().__init__(world, config, config.rays_horizontal, elevations)

    def scan(self) -> LidarScan:
        """An ideal sweep now."""
        if self.config.curve is not None:
            self._follow(self.config.curve)
        hits = self._cast()
        return LidarScan(
            hits.distances.reshape(self.shape),
            self._intensities(hits).reshape(self.shape),
            hits.geoms.reshape(self.shape),
            self._directions.reshape(*self.shape, 3),
            self.azimuths,
            self.elevations,
            np.rint(self._times * NS_PER_S).astype(np.int64),
        )

    def measure(self) -> PointCloud:
        """An ideal point cloud now."""
        scan = self.scan()
        stamp_ns, directions, rings = self.world.stamp_ns, self._directions, self._rings
        intensities = scan.intensities.ravel().astype(np.float32)
        ranges, times_ns = scan.ranges.ravel(), None
        if self.config.motion_distortion:
            times_ns = stamp_ns + np.tile(scan.times_ns, self.shape[0])
        is_valid = np.isfinite(ranges)
        if self.config.organized:
            ranges = np.where(is_valid, ranges, np.nan)
        elif not is_valid.all():
            directions, ranges = directions[is_valid], ranges[is_valid]
            intensities, rings, times_ns = _chosen(is_valid, intensities, rings, times_ns)
        points = (directions * ranges[:, None]).astype(np.float32)
        return PointCloud(stamp_ns, self.frame, points, intensities, rings, times_ns)

    def _follow(self, curve: ScanCurve) -> None:
        """Points the rays along the curve of the sweep that ends now."""
        stamp_ns = self.world.stamp_ns
        if stamp_ns == self._aimed_ns:
            return
        count = self.shape[1]
        ages = np.arange(count - 1, -1, -1, dtype=np.float64) / (self.config.rate_hz * count)
        self.azimuths, self.elevations = curve.angles(stamp_ns / NS_PER_S - ages)
        self._directions = directions_of(self.azimuths, self.elevations)
        self._view.aim(self._directions)
        self._aimed_ns = stamp_ns

    def _bind(self) -> None:
        super()._bind()
        self._aimed_ns = -1

    def _disturb(self, message: PointCloud, dt: float) -> PointCloud:
        if not self._channels["ranges"].is_active:
            return message
        points = message.points.astype(np.float64)
        ranges = np.sqrt(np.einsum("ij,ij->i", points, points))
        measured = self._noisy("ranges", ranges, dt)
        points *= (measured / np.maximum(ranges, _TINY))[:, None]
        if not self.config.organized and self.config.noise.dropout:
            columns = points, message.intensities, message.rings, message.times_ns
            chosen = _chosen(~np.isnan(measured), *columns)
            return PointCloud(message.stamp_ns, message.frame_id, *chosen)
        return replace(message, points=points)


def _chosen(rays: npt.NDArray[np.bool_], *columns: npt.NDArray[Any] | None) -> list[Any]:
    """Columns with some of the rays; what is None stays so."""
    return [None if column is None else column[rays] for column in columns]
