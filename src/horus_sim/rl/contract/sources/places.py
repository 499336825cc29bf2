"""Places of a robot's parts and of its goal, by transforms."""

from __future__ import annotations

from typing import Literal

import numpy as np

from horus_sim.hub.messages import PoseStamped
from horus_sim.rl.contract.sources.joints import JOINT_NEED, joint_values
from horus_sim.rl.contract.sources.motion import GOAL_REMEDY, pose_in
from horus_sim.rl.contract.sources.source import Inputs, Need, Source, turned_back
from horus_sim.rl.engines.interface import Floats
from horus_sim.tf import TFMessage

TF_NEED = Need("tf", TFMessage, "start robot_state_publisher, which tells where links are")


class FramePlace(Source):
    """Where a frame of the robot is.

    Attributes:
        kind: 'frame_place'.
        link: The frame.
        base: The frame in which it is told.
        turned_by: Joint about z with which the base's frame is turned first; None for none.
    """

    kind: Literal["frame_place"] = "frame_place"
    link: str
    base: str
    turned_by: str | None = None

    def needs(self) -> tuple[Need, ...]:
        """Transforms, and the joint's state."""
        return (TF_NEED,) if self.turned_by is None else (TF_NEED, JOINT_NEED)

    def read(self, inputs: Inputs) -> Floats:
        """x, y, z [m]."""
        place = np.asarray(inputs.pose(self.link, self.base).translation, np.float64)
        return _turned(place, self.turned_by, inputs)


class GoalPlace(Source):
    """From a frame of the robot to its goal.

    Attributes:
        kind: 'goal_place'.
        goal_topic: Topic of the goal.
        link: The frame.
        base: The frame in which the way is told.
        turned_by: As in `FramePlace`.
    """

    kind: Literal["goal_place"] = "goal_place"
    goal_topic: str = "goal_pose"
    link: str
    base: str
    turned_by: str | None = None

    def needs(self) -> tuple[Need, ...]:
        """Transforms, the goal and the joint's state."""
        goal = Need(self.goal_topic, PoseStamped, GOAL_REMEDY, is_command=True)
        return (TF_NEED, goal) if self.turned_by is None else (TF_NEED, JOINT_NEED, goal)

    def distance_to_goal(self, inputs: Inputs) -> float:
        """How far it is [m]."""
        return float(np.linalg.norm(self.read(inputs)))

    def read(self, inputs: Inputs) -> Floats:
        """x, y, z [m]."""
        goal = inputs.message(self.goal_topic, PoseStamped)
        place = np.asarray(pose_in(self.base, goal, inputs).translation)
        way = place - inputs.pose(self.link, self.base).translation
        return _turned(way, self.turned_by, inputs)


def _turned(vector: Floats, joint: str | None, inputs: Inputs) -> Floats:
    if joint is None:
        return vector
    angle = joint_values(inputs, JOINT_NEED.topic, (joint,), "positions")[0]
    return turned_back(vector, float(angle))
