"""Satellite positioning: latitude, longitude and altitude on WGS84."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from horus_sim.files.config import Positive
from horus_sim.hub.messages import NavSatFix
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.body.body_motion import velocity_at
from horus_sim.sim3d.sensors.body.geodesy import GeoOrigin
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.sensor import Sensor, SensorConfig


class GpsConfig(SensorConfig):
    """A receiver of satellite positioning.

    Attributes:
        origin: Where the world lies on the globe.
        position_noise: Noise of the position east, north and up [m].
        velocity_noise: Noise of the velocity east, north and up [m/s].
        has_velocity: Whether messages hold the velocity.
    """

    kind: Literal["gps"] = "gps"
    name: Name = "gps"
    rate_hz: Positive = 5.0
    origin: GeoOrigin = GeoOrigin()
    position_noise: NoiseConfig = NoiseConfig()
    velocity_noise: NoiseConfig = NoiseConfig()
    has_velocity: bool = True


class GpsSensor(Sensor[GpsConfig, NavSatFix], config=GpsConfig):
    """Tells where its antenna is on the globe.

    The world is the plane that touches the ellipsoid at its origin, so that a robot far from the
    origin at z = 0 has a greater altitude.
    """

    NOISE: ClassVar = {"position": "position_noise", "velocity": "velocity_noise"}
    _noise_shape = (3,)

    def measure(self) -> NavSatFix:
        """Position of the antenna, and its velocity [m/s] in the plane of the world's origin."""
        origin = self.config.origin
        latitude, longitude, altitude = origin.to_geodetic(self._pose()[0]).tolist()
        velocity = None
        if self.config.has_velocity:
            linear_w, _ = velocity_at(self.world, self.mount.body, self._p_body_sensor)
            velocity = origin.to_enu(linear_w)
        noise = self.config.position_noise
        variance = np.square(noise.std) + np.square(noise.bias_std)
        covariance = np.diag(np.broadcast_to(variance, 3)) if np.any(variance) else None
        stamp_ns, place = self.world.stamp_ns, (latitude, longitude, altitude)
        return NavSatFix(stamp_ns, self.frame, *place, covariance, velocity)

    def _disturb(self, message: NavSatFix, dt: float) -> NavSatFix:
        if self._channels["position"].is_active:
            origin = self.config.origin
            place = (message.latitude_deg, message.longitude_deg, message.altitude)
            enu = self._noisy("position", origin.to_enu(origin.to_world(place)), dt)
            latitude, longitude, altitude = origin.to_geodetic(origin.from_enu(enu)).tolist()
            message = replace(
                message, latitude_deg=latitude, longitude_deg=longitude, altitude=altitude
            )
        return super()._disturb(message, dt)
