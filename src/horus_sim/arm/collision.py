"""Self-collision of an arm's links, through MuJoCo."""

# mujoco is a binary module without type stubs.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.arm.checks import as_configuration
from horus_sim.arm.export.mjcf import to_mjcf
from horus_sim.robots.engine import mujoco

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm.arm import Arm


class SelfCollision:
    """Which links of an arm touch each other; the arm is compiled once.

    Links are the capsules of the exported model, as thick as `link_radius` of the arm's file.
    Neighbours, and links that meet in a point as in a wrist, do not count.

    Args:
        arm: The arm.
    """

    def __init__(self, arm: Arm) -> None:
        self._description = arm.description
        self._model = mujoco.MjModel.from_xml_string(to_mjcf(arm))
        self._data = mujoco.MjData(self._model)

    def pairs(self, q: npt.ArrayLike) -> tuple[tuple[str, str], ...]:
        """The pairs of links that touch at joint positions `q`, shape (dof,), by name.

        Not for several threads at once.
        """
        model, data = self._model, self._data
        data.qpos[:] = as_configuration(self._description, q)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        bodies = model.geom_bodyid[data.contact.geom[: data.ncon]]
        names = {tuple(sorted((model.body(a).name, model.body(b).name))) for a, b in bodies}
        return tuple(sorted((one, other) for one, other in names))
