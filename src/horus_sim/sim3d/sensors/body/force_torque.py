"""Force and torque that a joint transmits."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from horus_sim.errors import SceneError
from horus_sim.files.config import Positive
from horus_sim.files.names import propose
from horus_sim.hub.messages import Wrench
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.body.body_motion import BodyMotion, vector
from horus_sim.sim3d.sensors.measured_world import shared
from horus_sim.sim3d.sensors.mount import joint_above, robot_of
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.sensor import Sensor, SensorConfig


class ForceTorqueConfig(SensorConfig):
    """A sensor between two links.

    Attributes:
        joint: The joint, also a fixed one; that above the mount's link unless given. On the root of
            a robot that the world holds: what holds it.
        direction: Which force is told: what the child does to the parent, so that a load that hangs
            from it pulls down, or the other way round.
        force_noise: Noise of the force [N].
        torque_noise: Noise of the torque [N m].
    """

    kind: Literal["force_torque"] = "force_torque"
    name: Name = "force_torque"
    rate_hz: Positive = 100.0
    joint: str | None = None
    direction: Literal["child_to_parent", "parent_to_child"] = "child_to_parent"
    force_noise: NoiseConfig = NoiseConfig()
    torque_noise: NoiseConfig = NoiseConfig()


class ForceTorqueSensor(Sensor[ForceTorqueConfig, Wrench], config=ForceTorqueConfig):
    """Tells the whole wrench between two links: weight, inertia, contacts and drives.

    The torque is about the origin of the sensor's frame, and both are expressed in that frame.
    """

    NOISE: ClassVar = {"force": "force_noise", "torque": "torque_noise"}
    _noise_shape = (3,)

    def _bind(self) -> None:
        robot = robot_of(self.mount, self.name)
        joint, link = self.config.joint, self.mount.link
        if joint is not None:
            known = {item.name: item.child for item in robot.description.joints}
            if joint not in known:
                raise SceneError(propose(joint, known, f"robot '{robot.name}'", "joint"))
            link = known[joint]
        elif link == robot.description.root and robot.is_floating:
            joint_above(self.mount, self.name)
        self._body = robot.body_id(link or robot.description.root)
        self._sign = -1.0 if self.config.direction == "child_to_parent" else 1.0

    def measure(self) -> Wrench:
        """Force [N] and torque [N m] in the sensor frame, during the last step."""
        model, data = self.world.model, shared(self.world, BodyMotion).joint_forces(self.world)
        # MuJoCo gives what the parent does to the child, about the centre of mass of the tree.
        torque, force = data.cfrc_int[self._body, :3], data.cfrc_int[self._body, 3:]
        reference = data.subtree_com[model.body_rootid[self._body]]
        position, R_world_sensor = self._pose(data)
        torque = torque + np.cross(reference - position, force)
        wrench = (vector(self._sign * each @ R_world_sensor) for each in (force, torque))
        return Wrench(self.world.stamp_ns, self.frame, *wrench)
