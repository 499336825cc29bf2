"""What tasks need to know of a shipped robot, from its own file."""

from __future__ import annotations

import numpy as np

from horus_sim.robots import load_robot
from horus_sim.robots.description import Cylinder, Joint, JointType

# Sums of a file's decimals become what they add up to on paper.
_DIGITS = 9


class RobotFacts:
    """Joints, places and sizes of a robot.

    Args:
        name: Name of a shipped robot.

    Attributes:
        joints: The joints by name.
    """

    def __init__(self, name: str) -> None:
        robot = load_robot(name)
        self.joints: dict[str, Joint] = robot.joints
        self._links, self._tree = robot.links, robot.tf_tree()
        self._root = next(iter(robot.links))

    def names(self, kind: JointType) -> tuple[str, ...]:
        """Names of the joints of a kind, those in front first, then those on the left."""
        names = (name for name, joint in self.joints.items() if joint.kind is kind)
        return tuple(sorted(names, key=lambda name: [-x for x in self.place_of(name)[:2]]))

    def place_of(self, joint: str) -> tuple[float, float, float]:
        """Where a joint is with all joints at zero, in the root's frame [m]."""
        return self.place(self.joints[joint].child)

    def place(self, link: str) -> tuple[float, float, float]:
        """Where a link is with all joints at zero, in the root's frame [m]."""
        x, y, z = self._tree.frame_pose(link, self._root).translation
        return round(float(x), _DIGITS), round(float(y), _DIGITS), round(float(z), _DIGITS)

    def length(self, joint: str) -> float:
        """How far a joint is from the one before it, along an axis of that one [m]."""
        return float(np.abs(self.joints[joint].T_parent_joint.translation).max())

    def wheel_radius(self, joint: str) -> float:
        """Radius of the wheel that a joint turns [m].

        Raises:
            ValueError: What it turns is not a cylinder.
        """
        geometry = self._links[self.joints[joint].child].collisions[0].geometry
        if not isinstance(geometry, Cylinder):
            raise ValueError(f"joint '{joint}' turns no wheel; give one whose link is a cylinder")
        return geometry.radius
