"""Satellite positioning: latitude, longitude and altitude on WGS84."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from horus_sim.hub.messages import NavSatFix
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.body.body_motion import velocity_at
from horus_sim.sim3d.sensors.body.geodesy import GeoOrigin
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld
from horus_sim.sim3d.sensors.noise import NoiseChannel, NoiseConfig
from horus_sim.sim3d.sensors.sensor import Rate, Sensor, SensorConfig


class GpsConfig(SensorConfig):
    """A receiver of satellite positioning.

    Attributes:
        origin: Where the world lies on the globe.
        position_noise: Of east, north and up [m].
        velocity_noise: Of east, north and up [m/s].
        has_velocity: Whether messages hold the velocity.
    """

    kind: Literal["gps"] = "gps"
    name: Name = "gps"
    rate_hz: Rate = 5.0
    origin: GeoOrigin = GeoOrigin()
    position_noise: NoiseConfig = NoiseConfig()
    velocity_noise: NoiseConfig = NoiseConfig()
    has_velocity: bool = True

    def build(self, world: MeasuredWorld) -> GpsSensor:
        """The sensor, in a world."""
        return GpsSensor(world, self)


class GpsSensor(Sensor[GpsConfig, NavSatFix]):
    """Tells where its antenna is on the globe.

    The world is the plane that touches the ellipsoid at its origin, so that a robot far from the
    origin at z = 0 has a greater altitude.
    """

    def measure(self) -> NavSatFix:
        """Position of the antenna, and its velocity [m/s] in the plane of the world's origin."""
        origin = self.config.origin
        latitude, longitude, altitude = origin.to_geodetic(self._pose()[0]).tolist()
        velocity = None
        if self.config.has_velocity:
            linear_w, _ = velocity_at(self.world, self.mount.body, self._p_body_sensor)
            velocity = origin.to_enu(linear_w)
        return NavSatFix(
            self.world.stamp_ns,
            self.frame,
            latitude,
            longitude,
            altitude,
            self._covariance(),
            velocity,
        )

    def _covariance(self) -> npt.NDArray[np.float64] | None:
        noise = self.config.position_noise
        variance = np.square(noise.std) + np.square(noise.bias_std)
        return np.diag(np.broadcast_to(variance, 3)) if np.any(variance) else None

    def _make_channels(self) -> Mapping[str, NoiseChannel]:
        return {
            "position": NoiseChannel(self.config.position_noise, (3,)),
            "velocity": NoiseChannel(self.config.velocity_noise, (3,)),
        }

    def _disturb(self, message: NavSatFix, dt: float) -> NavSatFix:
        changed: dict[str, Any] = {}
        position, velocity = self._channels["position"], self._channels["velocity"]
        if position.is_active:
            origin = self.config.origin
            point = (message.latitude_deg, message.longitude_deg, message.altitude)
            enu = position.apply(origin.to_enu(origin.to_world(point)), dt, self.rng)
            found = origin.to_geodetic(origin.from_enu(enu)).tolist()
            changed = dict(zip(("latitude_deg", "longitude_deg", "altitude"), found, strict=True))
        if velocity.is_active and message.velocity is not None:
            changed["velocity"] = velocity.apply(message.velocity, dt, self.rng)
        return replace(message, **changed) if changed else message
