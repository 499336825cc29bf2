"""Bumpers and tactile skins: what touches a link, where and how hard."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from horus_sim.errors import SceneError
from horus_sim.files.config import NotNegative, Positive
from horus_sim.hub.messages import Contacts
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.sim3d.sensors.sensor import Sensor, SensorConfig


class ContactConfig(SensorConfig):
    """A sensor of touch.

    Attributes:
        links: Links of the robot that feel; the mount's link unless given, 'all' for all links.
        ignore: Names of robots, links ('robot/link') or objects that are not felt.
        min_force: A contact counts from this force on [N].
        force_noise: Noise of each force [N].
    """

    kind: Literal["contact"] = "contact"
    name: Name = "bumper"
    rate_hz: Positive = 50.0
    links: tuple[str, ...] | Literal["all"] = ()
    ignore: tuple[str, ...] = ()
    min_force: NotNegative = 0.0
    force_noise: NoiseConfig = NoiseConfig()


class ContactSensor(Sensor[ContactConfig, Contacts], config=ContactConfig):
    """Tells which bodies touch its links; contacts between its own links count, too."""

    NOISE: ClassVar = {"forces": "force_noise"}
    _noise_shape = (3,)

    def _bind(self) -> None:
        model, robot, links = self.world.model, self.mount.robot, self.config.links
        bodies = [self.mount.body]
        if links:
            if robot is None:
                raise SceneError(
                    f"sensor '{self.name}' names links, but its mount '{self.mount.frame}' is "
                    "not a robot; leave 'links' out or mount it on a robot"
                )
            names = robot.link_names if links == "all" else links
            bodies = [robot.body_id(link) for link in names]
        feels = np.zeros(model.nbody, dtype=bool)
        feels[bodies] = True
        self._feels = feels[model.geom_bodyid]
        self._bodies = [model.body(int(body)).name or "world" for body in model.geom_bodyid]

    def measure(self) -> Contacts:
        """What touched in the last step, in the sensor frame; before the first, what would."""
        world = self.world
        model, data = world.model, world.data if world.steps else world.forward()
        position, R_world_sensor = self._pose()
        found: list[tuple[str, str, np.ndarray]] = []
        wrench = np.zeros(6)
        for i in range(data.ncon):
            contact = data.contact[i]
            if contact.efc_address < 0:
                continue
            for own, other, sign in (
                (contact.geom1, contact.geom2, -1.0),
                (contact.geom2, contact.geom1, 1.0),
            ):
                if not self._feels[own] or self._is_ignored(self._bodies[other]):
                    continue
                mujoco.mj_contactForce(model, data, i, wrench)
                if np.linalg.norm(wrench[:3]) < self.config.min_force:
                    continue
                frame = contact.frame.reshape(3, 3)
                # MuJoCo's normal points from the first geom to the second, as the force does.
                rows = np.stack(
                    (contact.pos - position, sign * frame[0], sign * wrench[:3] @ frame)
                )
                found.append((self._bodies[own], self._bodies[other], rows @ R_world_sensor))
        links, others, vectors = zip(*found, strict=True) if found else ((), (), ())
        points, normals, forces = np.array(vectors).reshape(-1, 3, 3).swapaxes(0, 1)
        return Contacts(world.stamp_ns, self.frame, links, others, points, normals, forces)

    def _is_ignored(self, body: str) -> bool:
        return any(body == name or body.startswith(f"{name}/") for name in self.config.ignore)
