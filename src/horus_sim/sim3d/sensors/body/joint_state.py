"""Joint states: positions, velocities and efforts of a robot's joints."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from horus_sim.files.config import Positive
from horus_sim.hub.messages import JointState
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.mount import robot_of
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.sensor import Sensor, SensorConfig


class JointStateConfig(SensorConfig):
    """The states of a robot's joints.

    Attributes:
        joints: Which joints, in this order; all unless given.
        position_noise: Noise of the positions [rad] or [m].
        velocity_noise: Noise of the velocities [rad/s] or [m/s].
        effort_noise: Noise of the efforts [N m] or [N].
    """

    kind: Literal["joint_state"] = "joint_state"
    name: Name = "joint_states"
    rate_hz: Positive = 50.0
    joints: tuple[str, ...] = ()
    position_noise: NoiseConfig = NoiseConfig()
    velocity_noise: NoiseConfig = NoiseConfig()
    effort_noise: NoiseConfig = NoiseConfig()


class JointStateSensor(Sensor[JointStateConfig, JointState], config=JointStateConfig):
    """Tells the states of joints; efforts are what the drives did in the last step.

    Attributes:
        joints: Names of the joints.
    """

    NOISE: ClassVar = {
        "positions": "position_noise",
        "velocities": "velocity_noise",
        "efforts": "effort_noise",
    }

    def _bind(self) -> None:
        self._robot = robot_of(self.mount, self.name)
        self.joints = self.config.joints or self._robot.joint_names
        self._places = np.array([self._robot.joint_index(name) for name in self.joints], dtype=int)
        self._noise_shape = (len(self.joints),)

    def measure(self) -> JointState:
        """Positions, velocities and efforts now."""
        robot = self._robot
        states = robot.joint_positions(), robot.joint_velocities(), robot.joint_efforts()
        chosen = (state[self._places] for state in states)
        return JointState(self.world.stamp_ns, self.joints, *chosen)
