"""Inertial measurement unit: specific force, angular velocity and orientation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from horus_sim.hub.messages import Imu
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.body.body_motion import specific_force_at, vector
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld
from horus_sim.sim3d.sensors.noise import NoiseChannel, NoiseConfig, NoiseWithoutDropout
from horus_sim.sim3d.sensors.rotations import (
    from_rotation_vector,
    multiply,
)
from horus_sim.sim3d.sensors.sensor import Rate, Sensor, SensorConfig

Floats = npt.NDArray[np.float64]
GRAVITY = (0.0, 0.0, -9.81)


class ImuConfig(SensorConfig):
    """An inertial measurement unit.

    Attributes:
        gyroscope_noise: Of the angular velocity [rad/s].
        accelerometer_noise: Of the specific force [m/s^2].
        orientation_noise: Of the orientation, as a rotation vector in the sensor frame [rad].
        has_orientation: Whether messages hold the orientation.
    """

    kind: Literal["imu"] = "imu"
    name: Name = "imu"
    rate_hz: Rate = 100.0
    gyroscope_noise: NoiseConfig = NoiseConfig()
    accelerometer_noise: NoiseConfig = NoiseConfig()
    orientation_noise: NoiseWithoutDropout = NoiseConfig()
    has_orientation: bool = True

    def build(self, world: MeasuredWorld) -> ImuSensor:
        """The sensor, in a world."""
        return ImuSensor(world, self)


class ImuSensor(Sensor[ImuConfig, Imu]):
    """Feels acceleration minus gravity, so that it reads +9.81 upward at rest.

    The acceleration is the change of velocity in the last step; added up it gives the velocity. It
    includes tangential and centripetal acceleration of a sensor away from its body's origin. A
    body that is carried along a path counts as being at rest.
    """

    def measure(self) -> Imu:
        """Specific force [m/s^2] and angular velocity [rad/s] in the sensor frame, now."""
        force_w, angular_w = specific_force_at(self.world, self.mount.body, self._p_body_sensor)
        R_world_sensor = self._pose()[1]
        orientation = self.T_world_sensor.rotation if self.config.has_orientation else None
        return Imu(
            self.world.stamp_ns,
            self.frame,
            vector(angular_w @ R_world_sensor),
            vector(force_w @ R_world_sensor),
            orientation,
        )

    def _make_channels(self) -> Mapping[str, NoiseChannel]:
        config = self.config
        return {
            "angular_velocity": NoiseChannel(config.gyroscope_noise, (3,)),
            "linear_acceleration": NoiseChannel(config.accelerometer_noise, (3,)),
            "orientation": NoiseChannel(config.orientation_noise, (3,)),
        }

    def _disturb(self, message: Imu, dt: float) -> Imu:
        # The noise of an orientation is a small rotation, not a sum.
        orientation, channel = message.orientation, self._channels["orientation"]
        changed: dict[str, Any] = {}
        for name in ("angular_velocity", "linear_acceleration"):
            if self._channels[name].is_active:
                values = self._channels[name].apply(getattr(message, name), dt, self.rng)
                changed[name] = values
        if orientation is not None and channel.is_active:
            turn = channel.apply(np.zeros(3), dt, self.rng)
            changed["orientation"] = multiply(orientation, from_rotation_vector(turn))
        return replace(message, **changed) if changed else message
