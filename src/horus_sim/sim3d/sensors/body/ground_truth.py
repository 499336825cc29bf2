"""Ground truth: pose and velocity as the simulator knows them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from horus_sim.files.config import Positive
from horus_sim.hub.messages import Odometry
from horus_sim.sim3d.scene.base import WORLD_FRAME, Name
from horus_sim.sim3d.sensors.body.body_motion import vector, velocity_at
from horus_sim.sim3d.sensors.noise import NoiseConfig, NoiseWithoutDropout
from horus_sim.sim3d.sensors.rotations import from_rotation_vector
from horus_sim.sim3d.sensors.sensor import Sensor, SensorConfig
from horus_sim.tf import Transform


class GroundTruthConfig(SensorConfig):
    """The true pose and velocity, or those of a motion capture system with noise.

    Attributes:
        position_noise: Noise of the position [m], world frame.
        orientation_noise: Noise of the orientation, a rotation vector [rad], sensor frame.
        linear_noise: Noise of the linear velocity [m/s], sensor frame.
        angular_noise: Noise of the angular velocity [rad/s], sensor frame.
    """

    kind: Literal["ground_truth"] = "ground_truth"
    name: Name = "ground_truth"
    rate_hz: Positive = 50.0
    position_noise: NoiseWithoutDropout = NoiseConfig()
    orientation_noise: NoiseWithoutDropout = NoiseConfig()
    linear_noise: NoiseConfig = NoiseConfig()
    angular_noise: NoiseConfig = NoiseConfig()


class GroundTruthSensor(Sensor[GroundTruthConfig, Odometry], config=GroundTruthConfig):
    """Tells where it is in the world and how fast it moves."""

    NOISE: ClassVar = {
        "position": "position_noise",
        "orientation": "orientation_noise",
        "linear": "linear_noise",
        "angular": "angular_noise",
    }
    _noise_shape = (3,)

    def measure(self) -> Odometry:
        """T_world_sensor, and velocities in the sensor frame, now."""
        return true_motion(self)

    def _disturb(self, message: Odometry, dt: float) -> Odometry:
        if self._channels["position"].is_active or self._channels["orientation"].is_active:
            position = self._noisy("position", message.pose.translation, dt)
            turn = self._noisy("orientation", np.zeros(3), dt)
            turned = message.pose @ Transform((0, 0, 0), from_rotation_vector(turn))
            message = replace(message, pose=Transform(position, turned.rotation))
        return super()._disturb(message, dt)


def true_motion(sensor: Sensor[Any, Odometry]) -> Odometry:
    """Pose of a sensor in the world and its velocities in its own frame."""
    linear_w, angular_w = velocity_at(sensor.world, sensor.mount.body, sensor._p_body_sensor)
    R_world_sensor = sensor._pose()[1]
    linear, angular = vector(linear_w @ R_world_sensor), vector(angular_w @ R_world_sensor)
    stamp_ns, pose = sensor.world.stamp_ns, sensor.T_world_sensor
    return Odometry(stamp_ns, WORLD_FRAME, sensor.frame, pose, linear, angular)
