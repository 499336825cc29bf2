"""The robot's own motion, where its goal is, and what it did last."""

from __future__ import annotations

from typing import Literal

import numpy as np

from horus_sim.files.config import Positive
from horus_sim.hub.messages import Odometry, PoseStamped
from horus_sim.rl.contract.sources.source import Inputs, Need, Source
from horus_sim.rl.engines.interface import Floats
from horus_sim.tf import Transform

GOAL_REMEDY = "say where to go: horus-sim topic pub goal_pose PoseStamped, or RViz's '2D Goal Pose'"
_ODOMETRY_REMEDY = "start the robot's base, which tells its odometry"
Axis = Literal["linear.x", "linear.y", "linear.z", "angular.x", "angular.y", "angular.z"]


def heading_of(pose: Transform) -> tuple[float, float]:
    """Cosine and sine of the direction in which x points, seen from above."""
    x, y, z, w = pose.rotation
    cos, sin = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)
    size = float(np.hypot(cos, sin))
    return float(cos / size), float(sin / size)


def pose_in(frame: str, message: PoseStamped | Odometry, inputs: Inputs) -> Transform:
    """The pose that a message tells, in another frame."""
    if message.frame_id == frame:
        return message.pose
    return inputs.pose(message.frame_id, frame) @ message.pose


class BaseMotion(Source):
    """Velocities of the robot's base.

    Attributes:
        kind: 'base_motion'.
        topic: Topic of the odometry.
        axes: Which of them, in the base's frame.
        scales: Factor on each.
    """

    kind: Literal["base_motion"] = "base_motion"
    topic: str = "odom"
    axes: tuple[Axis, ...]
    scales: tuple[float, ...]

    def needs(self) -> tuple[Need, ...]:
        """The odometry."""
        return (Need(self.topic, Odometry, _ODOMETRY_REMEDY),)

    def read(self, inputs: Inputs) -> Floats:
        """The velocities."""
        odometry = inputs.message(self.topic, Odometry)
        every = {"linear": odometry.linear, "angular": odometry.angular}
        parts = [axis.split(".") for axis in self.axes]
        return np.array([every[kind]["xyz".index(axis)] for kind, axis in parts]) * self.scales


class GoalDirection(Source):
    """Unit vector from the robot to its goal, in its own frame, and the distance.

    Attributes:
        kind: 'goal_direction'.
        topic: Topic of the odometry.
        goal_topic: Topic of the goal, whose frame is that of the odometry or known to TF.
        scale: Factor on the distance [1/m].
    """

    kind: Literal["goal_direction"] = "goal_direction"
    topic: str = "odom"
    goal_topic: str = "goal_pose"
    scale: Positive

    def needs(self) -> tuple[Need, ...]:
        """Odometry and goal."""
        goal = Need(self.goal_topic, PoseStamped, GOAL_REMEDY, is_command=True)
        return Need(self.topic, Odometry, _ODOMETRY_REMEDY), goal

    def distance_to_goal(self, inputs: Inputs) -> float:
        """How far it is [m]."""
        return float(self.read(inputs)[2]) / self.scale

    def read(self, inputs: Inputs) -> Floats:
        """Direction, x and y, and distance."""
        odometry = inputs.message(self.topic, Odometry)
        goal = inputs.message(self.goal_topic, PoseStamped)
        place = pose_in(odometry.frame_id, goal, inputs).translation
        cos, sin = heading_of(odometry.pose)
        x, y = (np.asarray(place) - odometry.pose.translation)[:2]
        distance = float(np.hypot(x, y))
        inverse = 1.0 / max(distance, 1e-9)
        ahead, left = (cos * x + sin * y) * inverse, (cos * y - sin * x) * inverse
        return np.array([ahead, left, distance * self.scale])


class LastAction(Source):
    """What the policy gave last, from -1 to 1; 0 at the beginning."""

    kind: Literal["last_action"] = "last_action"

    def needs(self) -> tuple[Need, ...]:
        """Nothing: the node knows it."""
        return ()

    def read(self, inputs: Inputs) -> Floats:
        """The action."""
        return inputs.action
