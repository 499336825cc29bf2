"""Who touches whom, where and how hard."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from horus_sim.robots.engine import mujoco


@dataclass(frozen=True, slots=True)
class Contact:
    """Two shapes that touch.

    Attributes:
        body_a: One body, an object's name or 'robot/link'.
        body_b: The other body.
        position: [m], world frame, shape (3,).
        normal: Unit vector from a to b, world frame, shape (3,).
        force: What a does to b [N], world frame, shape (3,).
        depth: How far they overlap [m]; negative for a gap.
    """

    body_a: str
    body_b: str
    position: tuple[float, float, float]
    normal: tuple[float, float, float]
    force: tuple[float, float, float]
    depth: float

    @property
    def normal_force(self) -> float:
        """Force along the normal [N], not negative."""
        return sum(a * b for a, b in zip(self.force, self.normal, strict=True))

    def involves(self, name: str) -> bool:
        """Whether a robot, link or object of that name is one of the two."""
        return any(body == name or body.startswith(f"{name}/") for body in self.bodies)

    @property
    def bodies(self) -> tuple[str, str]:
        """Both bodies."""
        return self.body_a, self.body_b


def read_contacts(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[Contact, ...]:
    """The contacts of the last evaluation of the dynamics in which forces could act.

    Args:
        model: The model.
        data: Its state, after a step or `mj_forward`.
    """
    found = []
    wrench = np.zeros(6)
    for i in range(data.ncon):
        contact = data.contact[i]
        if contact.efc_address < 0:
            continue
        mujoco.mj_contactForce(model, data, i, wrench)
        frame = contact.frame.reshape(3, 3)
        force = frame.T @ wrench[:3]
        names = (
            model.body(model.geom_bodyid[geom]).name for geom in (contact.geom1, contact.geom2)
        )
        first, second = names
        found.append(
            Contact(
                first,
                second,
                _vector(contact.pos),
                _vector(frame[0]),
                _vector(force),
                -float(contact.dist),
            )
        )
    return tuple(found)


def _vector(values: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
