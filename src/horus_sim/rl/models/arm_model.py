"""The shipped six-axis arm as a model that steps fast: nothing of it touches unless told."""

from __future__ import annotations

import numpy as np

from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.models.robot_facts import RobotFacts
from horus_sim.rl.models.robot_spec import drive_by_position, paired_spec
from horus_sim.rl.models.scenery import add_scenery
from horus_sim.robots.description import JointType
from horus_sim.robots.engine import mujoco

ROBOT = "arm6"
_FACTS = RobotFacts(ROBOT)
# From the base to the tool.
JOINTS = tuple(name for name, j in _FACTS.joints.items() if j.kind is JointType.REVOLUTE)
FINGERS = tuple(name for name, j in _FACTS.joints.items() if j.kind is JointType.PRISMATIC)
# How far a finger opens [m].
OPEN = _FACTS.joints[FINGERS[0]].limit.upper or 0.0
# Elbow up, the gripper above the floor and pointing down [rad].
HOME = np.array([0.0, -np.pi / 2, np.pi / 2, -np.pi / 2, -np.pi / 2, 0.0])
SHOULDER_HEIGHT = _FACTS.length("shoulder_lift_joint")
# From the flange to the middle of the finger pads [m].
GRASP_LENGTH = _FACTS.length("grasp_joint")
GRASP_SITE, GOAL_SITE = "grasp", "goal"
# The frame of that site on the robot, and the one that is fixed to the floor.
GRASP_LINK, BASE_LINK = "grasp_frame", "base_link"
# Upper arm, forearm, and what the wrists add sideways, outwards and down [m].
_UPPER, _FORE = _FACTS.length("elbow_joint"), _FACTS.length("wrist_1_joint")
_ASIDE, _OUT = _FACTS.length("wrist_2_joint"), _FACTS.length("wrist_3_joint")
_DOWN = _FACTS.length("flange_joint") + GRASP_LENGTH


def arm_spec(*, with_fingers: bool, lean: bool = True) -> mujoco.MjSpec:
    """Arm, floor, a site between the finger pads and one for the goal.

    Args:
        with_fingers: Whether the fingers move, each for itself and without a drive; otherwise they
            stay closed.
        lean: For physics; otherwise for pictures, with what only looks and without the sites.
    """
    spec, built = paired_spec(ROBOT, "fixed", 2.0, lean=lean)
    fingers = [] if with_fingers else map(spec.joint, FINGERS)
    for part in (*spec.equalities, spec.actuator(FINGERS[0]), *fingers):
        spec.delete(part)
    for joint in JOINTS:
        drive_by_position(spec, built, joint)
    if lean:
        gripper = spec.body("gripper_link")
        gripper.add_site(name=GRASP_SITE, pos=(0, 0, GRASP_LENGTH), size=(0.005,) * 3)
        spec.worldbody.add_site(name=GOAL_SITE, pos=(0, 0, 1), size=(0.02,) * 3)
    else:
        add_scenery(spec, 0.9, 0.1, (0.0, 0.0, 0.3))
    return spec


def joints_tool_down(tool: Floats) -> Floats:
    """Angles of the joints [rad], elbow up and the gripper down, in closed form, shape (n, 6).

    With wrist 2 at -90 degrees and the three parallel axes together at -90 degrees, what is left is
    a plane arm of two links that the first joint turns; the last joint keeps the gripper's heading.
    Places out of reach give the pose with the arm stretched towards them.

    Args:
        tool: Where the middle of the finger pads is to be, world frame [m], shape (n, 3).
    """
    x, y, z = tool.T
    across = np.sqrt(np.maximum(x * x + y * y - _ASIDE**2, 0.0))
    # The angle from (-across, -aside), where the gripper is with the first joint at 0, to (x, y).
    pan = np.arctan2(x * _ASIDE - y * across, -(x * across + y * _ASIDE))
    out, up = across - _OUT, z + _DOWN - SHOULDER_HEIGHT
    cosine = (out**2 + up**2 - _UPPER**2 - _FORE**2) / (2 * _UPPER * _FORE)
    elbow = np.arccos(np.clip(cosine, -1.0, 1.0))
    raised = np.arctan2(up, out)
    raised += np.arctan2(_FORE * np.sin(elbow), _UPPER + _FORE * np.cos(elbow))
    joints = np.empty((len(tool), 6))
    joints[:, 0] = joints[:, 5] = pan
    joints[:, 1], joints[:, 2] = -raised, elbow
    joints[:, 3] = -np.pi / 2 + raised - elbow
    joints[:, 4] = HOME[4]
    return joints
