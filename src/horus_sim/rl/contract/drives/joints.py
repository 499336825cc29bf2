"""Robots whose joints are moved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from horus_sim.hub.message import Message
from horus_sim.hub.messages import JointTrajectory
from horus_sim.rl.contract.drives.drive import Commands, Drive
from horus_sim.rl.contract.sources.joints import JOINT_NEED, joint_values
from horus_sim.rl.contract.sources.source import Inputs, Need
from horus_sim.rl.engines.interface import Floats
from horus_sim.time import NS_PER_S

TOPIC = "joint_trajectory"


class _Joints(Drive):
    topic: str = TOPIC
    part: str
    joints: tuple[str, ...]

    def parts(self) -> tuple[str, ...]:
        """The one."""
        return (self.part,)

    def topics(self) -> dict[str, type[Message]]:
        """The way of the joints."""
        return {self.topic: JointTrajectory}

    def needs(self) -> tuple[Need, ...]:
        """Where the joints are."""
        return (JOINT_NEED,)

    def begin(self, inputs: Inputs) -> None:
        """Holds where the joints are."""
        inputs.held[self.part] = joint_values(inputs, JOINT_NEED.topic, self.joints, "positions")

    def stop(self, inputs: Inputs) -> Commands:
        """Stays at what is held, where anything was."""
        held = inputs.held.get(self.part)
        return {} if held is None else {self.topic: joint_way(self.joints, held, 0.1)}


class JointSteps(_Joints):
    """Joints whose wanted positions move on with every action.

    Attributes:
        kind: 'joint_steps'.
        topic: Topic of trajectories.
        part: Name of the part that is the speeds of the wanted positions [rad/s] or [m/s].
        joints: The joints.
        low: Least wanted position of each [rad] or [m].
        high: Largest wanted position of each [rad] or [m].
    """

    kind: Literal["joint_steps"] = "joint_steps"
    low: tuple[float, ...]
    high: tuple[float, ...]

    def commands(self, values: Mapping[str, Floats], period: float, inputs: Inputs) -> Commands:
        """The next wanted positions, to be reached when the next action comes."""
        before = inputs.held[self.part]
        held = np.clip(before + values[self.part] * period, self.low, self.high)
        inputs.held[self.part] = held
        return {self.topic: joint_way(self.joints, held, period, (held - before) / period)}


class JointTargets(_Joints):
    """Joints that go to positions, such as those of legs.

    Attributes:
        kind: 'joint_targets'.
        topic: Topic of trajectories.
        part: Name of the part that is the positions [rad] or [m].
        joints: The joints.
    """

    kind: Literal["joint_targets"] = "joint_targets"

    def commands(self, values: Mapping[str, Floats], period: float, inputs: Inputs) -> Commands:
        """The positions."""
        held = inputs.held[self.part] = np.array(values[self.part])
        return {self.topic: joint_way(self.joints, held, period)}


def joint_way(
    joints: tuple[str, ...], positions: Floats, duration: float, speeds: Floats | None = None
) -> JointTrajectory:
    """A trajectory of one point.

    Args:
        joints: The joints.
        positions: Where they go [rad] or [m], shape (joints,).
        duration: When they are to be there [s].
        speeds: How fast they are there [rad/s] or [m/s], shape (joints,); at rest unless given.
    """
    moving = None if speeds is None else np.array([speeds])
    times: Any = [round(duration * NS_PER_S)]
    return JointTrajectory(0, joints, times, np.array([positions]), moving)
