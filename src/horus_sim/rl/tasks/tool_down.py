"""Joint angles of the six-axis arm whose gripper points down, in closed form.

With the gripper down, wrist 2 at -90 degrees and the three parallel axes together at -90 degrees,
what is left is a plane arm of two links that the first joint turns; the last joint keeps the
gripper's heading.
"""

from __future__ import annotations

import numpy as np

from horus_sim.rl.backend import Floats
from horus_sim.rl.tasks.arm_model import GRASP_LENGTH, HOME, SHOULDER_HEIGHT

# Upper arm, forearm, and what the wrists add sideways, outwards and down [m].
_UPPER, _FORE = 0.425, 0.3922
_ASIDE, _OUT, _DOWN = 0.1333, 0.0997, 0.0996 + GRASP_LENGTH


def joints_tool_down(tool: Floats) -> Floats:
    """Angles of the joints [rad], elbow up, shape (n, 6).

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
