"""Inertial measurement unit: specific force, angular velocity and orientation."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from horus_sim.files.config import Positive
from horus_sim.hub.messages import Imu
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.body.body_motion import specific_force_at, vector
from horus_sim.sim3d.sensors.noise import NoiseConfig, NoiseWithoutDropout
from horus_sim.sim3d.sensors.rotations import from_rotation_vector, multiply
from horus_sim.sim3d.sensors.sensor import Sensor, SensorConfig


class ImuConfig(SensorConfig):
    """An inertial measurement unit.

    Attributes:
        gyroscope_noise: Noise of the angular velocity [rad/s].
        accelerometer_noise: Noise of the specific force [m/s^2].
        orientation_noise: Noise of the orientation, a rotation vector in the sensor frame [rad].
        has_orientation: Whether messages hold the orientation.
    """

    kind: Literal["imu"] = "imu"
    name: Name = "imu"
    rate_hz: Positive = 100.0
    gyroscope_noise: NoiseConfig = NoiseConfig()
    accelerometer_noise: NoiseConfig = NoiseConfig()
    orientation_noise: NoiseWithoutDropout = NoiseConfig()
    has_orientation: bool = True


class ImuSensor(Sensor[ImuConfig, Imu], config=ImuConfig):
    """Feels acceleration minus gravity, so that it reads +9.81 upward at rest.

    The acceleration is the change of velocity in the last step; added up it gives the velocity. It
    includes tangential and centripetal acceleration of a sensor away from its body's origin. A
    body that is carried along a path counts as being at rest.
    """

    NOISE: ClassVar = {
        "angular_velocity": "gyroscope_noise",
        "linear_acceleration": "accelerometer_noise",
        "orientation": "orientation_noise",
    }
    _noise_shape = (3,)

    def measure(self) -> Imu:
        """Specific force [m/s^2] and angular velocity [rad/s] in the sensor frame, now."""
        force_w, angular_w = specific_force_at(self.world, self.mount.body, self._p_body_sensor)
        R_world_sensor = self._pose()[1]
        orientation = self.T_world_sensor.rotation if self.config.has_orientation else None
        angular, force = vector(angular_w @ R_world_sensor), vector(force_w @ R_world_sensor)
        return Imu(self.world.stamp_ns, self.frame, angular, force, orientation)

    def _noisy(self, channel: str, value: npt.ArrayLike, dt: float) -> npt.NDArray[np.float64]:
        if channel != "orientation":
            return super()._noisy(channel, value, dt)
        # The noise of an orientation is a small rotation, not a sum.
        return multiply(value, from_rotation_vector(super()._noisy(channel, np.zeros(3), dt)))
