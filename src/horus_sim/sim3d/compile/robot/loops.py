"""Joints that close kinematic loops, as equalities between two frames."""

from __future__ import annotations

import numpy as np

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Joint, JointType
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.compile.mujoco_types import quat_wxyz
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.tf import Transform

_LEVER = 0.05


def add_loop(
    spec: mujoco.MjSpec,
    joint: Joint,
    prefix: str,
    bodies: dict[str, mujoco.MjsBody],
    physics: PhysicsConfig,
) -> None:
    """Holds two links together as a joint does that closes a loop.

    A hinge is two points on its axis that stay together, a ball one, and a fixed joint a weld.

    Raises:
        DescriptionError: The joint is of a kind that cannot close a loop.
    """
    parent, child = bodies[joint.parent], bodies[joint.child]
    T_child_joint = joint.T_joint_child.inverse()
    axis = np.asarray(joint.axis)
    match joint.kind:
        case JointType.FIXED:
            kind, offsets = mujoco.mjtEq.mjEQ_WELD, [np.zeros(3)]
        case JointType.BALL:
            kind, offsets = mujoco.mjtEq.mjEQ_CONNECT, [np.zeros(3)]
        case JointType.REVOLUTE | JointType.CONTINUOUS:
            kind, offsets = mujoco.mjtEq.mjEQ_CONNECT, [-_LEVER * axis, _LEVER * axis]
        case _:
            raise DescriptionError(
                f"joint '{joint.name}' of kind '{joint.kind}' closes a loop; only fixed, revolute, "
                "continuous and ball joints can: open the loop at another joint"
            )
    for i, offset in enumerate(offsets):
        T_offset = Transform(tuple(offset))
        names = [f"{prefix}{joint.name}#{side}{i}" for side in ("parent", "child")]
        frames = (joint.T_parent_joint @ T_offset, T_child_joint @ T_offset)
        for body, T_body_site, name in zip((parent, child), frames, names, strict=True):
            body.add_site(
                name=name,
                pos=T_body_site.translation,
                quat=quat_wxyz(T_body_site),
                size=[1e-3, 1e-3, 1e-3],
                group=5,
            )
        equality = spec.add_equality(
            name=f"{prefix}{joint.name}#{i}",
            type=kind,
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            name1=names[0],
            name2=names[1],
        )
        equality.solref = (max(physics.contact.time_constant, 2 * physics.timestep), 1.0)
