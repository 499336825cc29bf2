"""The shipped six-axis arm as a model that steps fast: nothing of it touches unless told."""

from __future__ import annotations

import numpy as np

from horus_sim.rl.robot_spec import drive_by_position, robot_spec
from horus_sim.rl.tasks.scenery import add_grid, add_sky, add_sun
from horus_sim.robots.engine import mujoco

ROBOT = "arm6"
JOINTS = (
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "elbow_joint",
    "wrist_1_joint",
    "wrist_2_joint",
    "wrist_3_joint",
)
FINGERS = ("left_finger_joint", "right_finger_joint")
# Elbow up, the gripper above the floor and pointing down [rad].
HOME = np.array([0.0, -np.pi / 2, np.pi / 2, -np.pi / 2, -np.pi / 2, 0.0])
SHOULDER_HEIGHT = 0.1625
# From the flange to the middle of the finger pads [m].
GRASP_LENGTH = 0.14
GRASP_SITE, GOAL_SITE = "grasp", "goal"


def arm_spec(*, with_fingers: bool, lean: bool = True) -> mujoco.MjSpec:
    """Arm, floor, a site between the finger pads and one for the goal.

    Args:
        with_fingers: Whether the fingers move; otherwise they stay closed.
        lean: For physics; otherwise for pictures, with what only looks and without the sites.
    """
    spec, built = robot_spec(ROBOT, "fixed", lean=lean)
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    spec.option.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SPECULATIVE)
    for exclude in list(spec.excludes):
        spec.delete(exclude)
    if not with_fingers:
        for part in [*spec.equalities, spec.actuator(FINGERS[0]), *map(spec.joint, FINGERS)]:
            spec.delete(part)
    for joint in JOINTS:
        drive_by_position(spec, built, joint)
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=(2, 2, 1))
    if lean:
        gripper = spec.body("gripper_link")
        gripper.add_site(name=GRASP_SITE, pos=(0, 0, GRASP_LENGTH), size=(0.005,) * 3)
        spec.worldbody.add_site(name=GOAL_SITE, pos=(0, 0, 1), size=(0.02,) * 3)
    else:
        add_sky(spec, 0.9, (0.0, 0.0, 0.3))
        add_sun(spec)
        add_grid(spec, "floor", 0.1)
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0
    return spec
