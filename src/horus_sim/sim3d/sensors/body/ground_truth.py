"""Ground truth: pose and velocity as the simulator knows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from horus_sim.hub.messages import Odometry
from horus_sim.sim3d.scene.base import WORLD_FRAME, Name
from horus_sim.sim3d.sensors.body.body_motion import vector, velocity_at
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld
from horus_sim.sim3d.sensors.noise import NoiseChannel, NoiseConfig, NoiseWithoutDropout
from horus_sim.sim3d.sensors.rotations import from_rotation_vector
from horus_sim.sim3d.sensors.sensor import Rate, Sensor, SensorConfig
from horus_sim.tf import Transform


class GroundTruthConfig(SensorConfig):
    """The true pose and velocity, or those of a motion capture system with noise.

    Attributes:
        position_noise: [m], world frame.
        orientation_noise: Rotation vector [rad], sensor frame.
        linear_noise: Of the linear velocity [m/s], sensor frame.
        angular_noise: Of the angular velocity [rad/s], sensor frame.
    """

    kind: Literal["ground_truth"] = "ground_truth"
    name: Name = "ground_truth"
    rate_hz: Rate = 50.0
    position_noise: NoiseWithoutDropout = NoiseConfig()
    orientation_noise: NoiseWithoutDropout = NoiseConfig()
    linear_noise: NoiseConfig = NoiseConfig()
    angular_noise: NoiseConfig = NoiseConfig()

    def build(self, world: MeasuredWorld) -> GroundTruthSensor:
        """The sensor, in a world."""
        return GroundTruthSensor(world, self)


class GroundTruthSensor(Sensor[GroundTruthConfig, Odometry]):
    """Tells where it is in the world and how fast it moves."""

    def measure(self) -> Odometry:
        """T_world_sensor, and velocities in the sensor frame, now."""
        return true_motion(self)

    def _make_channels(self) -> Mapping[str, NoiseChannel]:
        config = self.config
        return {
            "position": NoiseChannel(config.position_noise, (3,)),
            "orientation": NoiseChannel(config.orientation_noise, (3,)),
            "linear": NoiseChannel(config.linear_noise, (3,)),
            "angular": NoiseChannel(config.angular_noise, (3,)),
        }

    def _disturb(self, message: Odometry, dt: float) -> Odometry:
        channels, rng = self._channels, self.rng
        changed: dict[str, Any] = {}
        if channels["position"].is_active or channels["orientation"].is_active:
            position = channels["position"].apply(message.pose.translation, dt, rng)
            turn = channels["orientation"].apply(np.zeros(3), dt, rng)
            rotation = message.pose @ Transform((0, 0, 0), from_rotation_vector(turn))
            changed["pose"] = Transform(position, rotation.rotation)
        for name in ("linear", "angular"):
            if channels[name].is_active:
                changed[name] = channels[name].apply(getattr(message, name), dt, rng)
        return replace(message, **changed) if changed else message


def true_motion(sensor: Sensor[Any, Odometry]) -> Odometry:
    """Pose of a sensor in the world and its velocities in its own frame."""
    linear_w, angular_w = velocity_at(sensor.world, sensor.mount.body, sensor._p_body_sensor)
    R_world_sensor = sensor._pose()[1]
    return Odometry(
        sensor.world.stamp_ns,
        WORLD_FRAME,
        sensor.frame,
        sensor.T_world_sensor,
        vector(linear_w @ R_world_sensor),
        vector(angular_w @ R_world_sensor),
    )
