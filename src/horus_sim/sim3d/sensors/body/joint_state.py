"""Joint states: positions, velocities and efforts of a robot's joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from horus_sim.hub.messages import JointState
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld
from horus_sim.sim3d.sensors.mount import robot_of
from horus_sim.sim3d.sensors.noise import NoiseChannel, NoiseConfig
from horus_sim.sim3d.sensors.sensor import Rate, Sensor, SensorConfig


class JointStateConfig(SensorConfig):
    """The states of a robot's joints.

    Attributes:
        joints: Which joints, in this order; all unless given.
        position_noise: [rad] or [m].
        velocity_noise: [rad/s] or [m/s].
        effort_noise: [N m] or [N].
    """

    kind: Literal["joint_state"] = "joint_state"
    name: Name = "joint_states"
    rate_hz: Rate = 50.0
    joints: tuple[str, ...] = ()
    position_noise: NoiseConfig = NoiseConfig()
    velocity_noise: NoiseConfig = NoiseConfig()
    effort_noise: NoiseConfig = NoiseConfig()

    def build(self, world: MeasuredWorld) -> JointStateSensor:
        """The sensor, in a world."""
        return JointStateSensor(world, self)


class JointStateSensor(Sensor[JointStateConfig, JointState]):
    """Tells the states of joints; efforts are what the drives did in the last step.

    Attributes:
        joints: Names of the joints.
    """

    def _bind(self) -> None:
        self._robot = robot_of(self.mount, self.name)
        self.joints = self.config.joints or self._robot.joint_names
        self._places = np.array([self._robot.joint_index(name) for name in self.joints], dtype=int)

    def measure(self) -> JointState:
        """Positions, velocities and efforts now."""
        robot, places = self._robot, self._places
        return JointState(
            self.world.stamp_ns,
            self.joints,
            robot.joint_positions()[places],
            robot.joint_velocities()[places],
            robot.joint_efforts()[places],
        )

    def _make_channels(self) -> Mapping[str, NoiseChannel]:
        shape, config = (len(self.joints),), self.config
        return {
            "positions": NoiseChannel(config.position_noise, shape),
            "velocities": NoiseChannel(config.velocity_noise, shape),
            "efforts": NoiseChannel(config.effort_noise, shape),
        }
