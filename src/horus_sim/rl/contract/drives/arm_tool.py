"""An arm whose gripper, which points down, is moved along x, y and z."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from horus_sim.hub.message import Message
from horus_sim.hub.messages import JointTrajectory
from horus_sim.rl.contract.drives.drive import Commands, Drive
from horus_sim.rl.contract.drives.joints import TOPIC, joint_way
from horus_sim.rl.contract.sources.joints import JOINT_NEED, joint_values
from horus_sim.rl.contract.sources.places import TF_NEED
from horus_sim.rl.contract.sources.source import Inputs, Need
from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.models.arm_model import joints_tool_down

Vector = tuple[float, float, float]


class ArmToolDrive(Drive):
    """The arm `arm6`, whose joints follow in closed form, and its fingers.

    Attributes:
        kind: 'arm_tool'.
        topic: Topic of trajectories.
        tool: Name of the part that is the speed of the gripper [m/s].
        grip: Name of the part that is the speed of the fingers, negative closes [m/s].
        joints: Joints of the arm.
        fingers: Joints of the fingers that are driven.
        link: The frame between the fingers.
        base: The frame of the arm's base.
        low: Least place of the gripper, x, y, z [m].
        high: Largest place [m].
        closed: Where closed fingers are to be [m].
        open: Where open fingers are [m].
    """

    kind: Literal["arm_tool"] = "arm_tool"
    topic: str = TOPIC
    tool: str = "tool"
    grip: str = "grip"
    joints: tuple[str, ...]
    fingers: tuple[str, ...]
    link: str
    base: str
    low: Vector
    high: Vector
    closed: float
    open: float

    def parts(self) -> tuple[str, ...]:
        """Both."""
        return self.tool, self.grip

    def topics(self) -> dict[str, type[Message]]:
        """The way of the joints."""
        return {self.topic: JointTrajectory}

    def needs(self) -> tuple[Need, ...]:
        """Where joints and gripper are."""
        return JOINT_NEED, TF_NEED

    def begin(self, inputs: Inputs) -> None:
        """Holds where gripper and fingers are."""
        place = inputs.pose(self.link, self.base).translation
        inputs.held[self.tool] = np.array(place, np.float64)
        fingers = joint_values(inputs, JOINT_NEED.topic, self.fingers, "positions")
        inputs.held[self.grip] = fingers[:1]

    def commands(self, values: Mapping[str, Floats], period: float, inputs: Inputs) -> Commands:
        """The joints for the next place of the gripper."""
        held, before = inputs.held, self._positions(inputs)
        place = held[self.tool] + values[self.tool] * period
        held[self.tool] = np.clip(place, self.low, self.high)
        grip = held[self.grip] + values[self.grip] * period
        held[self.grip] = np.clip(grip, self.closed, self.open)
        positions = self._positions(inputs)
        names, speeds = (*self.joints, *self.fingers), (positions - before) / period
        return {self.topic: joint_way(names, positions, period, speeds)}

    def stop(self, inputs: Inputs) -> Commands:
        """Stays at what is held, where anything was."""
        if self.tool not in inputs.held:
            return {}
        names = (*self.joints, *self.fingers)
        return {self.topic: joint_way(names, self._positions(inputs), 0.1)}

    def _positions(self, inputs: Inputs) -> Floats:
        """Of all joints, for what is held."""
        arm = joints_tool_down(inputs.held[self.tool][None])[0]
        return np.concatenate([arm, np.repeat(inputs.held[self.grip], len(self.fingers))])
