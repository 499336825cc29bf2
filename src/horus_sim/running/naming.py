"""What the topics and frames of a running world are called."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, cast

from horus_sim.tf import StaticTransformStamped, TransformStamped

# ROS allows letters, digits and underscores, and no digit first.
_UNFIT = re.compile(r"[^A-Za-z0-9_/]+|(?<![^/])(?=[0-9])")
_WORLD = "world"
_FRAME_FIELDS = ("frame_id", "child_frame_id")


def topic_part(name: str) -> str:
    """A name as part of a topic: what a topic of ROS cannot hold becomes an underscore."""
    return _UNFIT.sub("_", name.removeprefix("/"))


@dataclass(frozen=True, slots=True)
class Naming:
    """Names of topics and frames, which begin with the name of their robot.

    Attributes:
        bare: The robot whose topics and frames are called without its name, as those of a ROS
            robot that is alone; empty for none.
    """

    bare: str = ""

    def robot_topic(self, robot: str, what: str) -> str:
        """The topic of a robot, such as ``burger/cmd_vel``.

        Args:
            robot: Its name.
            what: The topic below its name.
        """
        return what if robot == self.bare else f"{topic_part(robot)}/{what}"

    def topic(self, topic: str) -> str:
        """A topic as it was written, without unfit characters and without the bare robot's name."""
        topic = topic_part(topic)
        return topic.removeprefix(f"{topic_part(self.bare)}/") if self.bare else topic

    def frame(self, frame: str) -> str:
        """A frame without the name of the bare robot.

        A link of the robot that is itself called 'world', as the root of many arms, keeps the name.
        """
        bare = frame.removeprefix(f"{self.bare}/") if self.bare else frame
        return frame if bare == _WORLD else bare

    def message(self, message: Any) -> Any:  # noqa: ANN401 - any message
        """A message whose frames are called as here."""
        if not self.bare or isinstance(message, dict):
            return message
        changed = {
            name: self.frame(getattr(message, name))
            for name in _FRAME_FIELDS
            if hasattr(message, name)
        }
        return replace(cast("Any", message), **changed) if changed else message

    def moving(self, transform: TransformStamped) -> TransformStamped:
        """A transform between frames that are called as here."""
        if not self.bare:
            return transform
        parent, child = self.frame(transform.parent_frame), self.frame(transform.child_frame)
        return TransformStamped(parent, child, transform.stamp_ns, transform.transform)

    def fixed(self, transform: StaticTransformStamped) -> StaticTransformStamped:
        """A fixed transform between frames that are called as here."""
        if not self.bare:
            return transform
        parent, child = self.frame(transform.parent_frame), self.frame(transform.child_frame)
        return StaticTransformStamped(parent, child, transform.transform)
