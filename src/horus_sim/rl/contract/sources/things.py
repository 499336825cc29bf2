"""A thing that is handled: where it is, how it moves, and whether it was lifted."""

from __future__ import annotations

from typing import Literal

import numpy as np

from horus_sim.hub.messages import Odometry, PoseStamped
from horus_sim.rl.contract.sources.joints import JOINT_NEED, joint_values
from horus_sim.rl.contract.sources.motion import GOAL_REMEDY, pose_in
from horus_sim.rl.contract.sources.places import TF_NEED
from horus_sim.rl.contract.sources.source import Inputs, Need, Source
from horus_sim.rl.engines.interface import Floats
from horus_sim.tf import Transform

_REMEDY = "start what sees the thing, and let it tell pose and velocity"


class _Thing(Source):
    topic: str = "object"
    base: str

    def needs(self) -> tuple[Need, ...]:
        """The thing, and transforms."""
        return Need(self.topic, Odometry, _REMEDY), TF_NEED

    def _pose(self, inputs: Inputs) -> Transform:
        """T_base_thing."""
        return pose_in(self.base, inputs.message(self.topic, Odometry), inputs)

    def _place(self, inputs: Inputs) -> Floats:
        return np.asarray(self._pose(inputs).translation, np.float64)


class ThingPlace(_Thing):
    """From a frame of the robot to the thing.

    Attributes:
        kind: 'thing_place'.
        topic: Topic of the thing's odometry.
        base: The frame in which it is told.
        link: The frame of the robot.
    """

    kind: Literal["thing_place"] = "thing_place"
    link: str

    def read(self, inputs: Inputs) -> Floats:
        """x, y, z [m]."""
        return self._place(inputs) - inputs.pose(self.link, self.base).translation


class ThingYaw(_Thing):
    """How far the thing is turned about z [rad]; see `ThingPlace`."""

    kind: Literal["thing_yaw"] = "thing_yaw"

    def read(self, inputs: Inputs) -> Floats:
        """The angle."""
        _, _, z, w = self._pose(inputs).rotation
        return np.array([2.0 * np.arctan2(z if w >= 0 else -z, abs(w))])


class ThingMotion(_Thing):
    """Velocity of the thing [m/s]; see `ThingPlace`."""

    kind: Literal["thing_motion"] = "thing_motion"

    def read(self, inputs: Inputs) -> Floats:
        """x, y, z in the base's frame."""
        velocity = inputs.message(self.topic, Odometry).linear
        return np.asarray(self._pose(inputs).transform_vector(velocity), np.float64)


class ThingGoal(_Thing):
    """From the thing to where it is to be; see `ThingPlace`.

    Attributes:
        goal_topic: Topic of the goal.
    """

    kind: Literal["thing_goal"] = "thing_goal"
    goal_topic: str = "goal_pose"

    def needs(self) -> tuple[Need, ...]:
        """The thing, transforms and the goal."""
        return (
            *super().needs(),
            Need(self.goal_topic, PoseStamped, GOAL_REMEDY, is_command=True),
        )

    def read(self, inputs: Inputs) -> Floats:
        """x, y, z [m]."""
        goal = pose_in(self.base, inputs.message(self.goal_topic, PoseStamped), inputs)
        return np.asarray(goal.translation, np.float64) - self._place(inputs)


class ThingLifted(_Thing):
    """1 from when the thing was lifted, held between the fingers; 0 before; see `ThingPlace`.

    Attributes:
        link: The frame between the fingers.
        fingers: Joints of the fingers, whose positions add up to the width between them.
        grip: Name of the part of the action that closes them.
        half_width: Of the thing, between the fingers [m].
        half_height: Of the thing [m].
        slack: Fingers are closed where they are to be nearer than the thing is wide, by this [m].
        rise: How high it is lifted [m].
    """

    kind: Literal["thing_lifted"] = "thing_lifted"
    link: str
    fingers: tuple[str, ...]
    grip: str
    half_width: float
    half_height: float
    slack: float
    rise: float

    def needs(self) -> tuple[Need, ...]:
        """The thing, transforms and the fingers."""
        return *super().needs(), JOINT_NEED

    def read(self, inputs: Inputs) -> Floats:
        """Whether it was lifted."""
        place = self._place(inputs)
        offset = np.abs(place - inputs.pose(self.link, self.base).translation)
        width = joint_values(inputs, JOINT_NEED.topic, self.fingers, "positions").sum()
        is_closed = inputs.held[self.grip].max() < self.half_width - self.slack
        is_around = offset[1] < self.half_width and offset[2] < self.half_height
        is_held = is_closed and is_around and width > 1.5 * self.half_width
        if is_held and place[2] > self.half_height + self.rise:
            inputs.memory[self.kind] = True
        return np.array([float(inputs.memory.get(self.kind, False))])
