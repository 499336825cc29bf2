"""Positions and speeds of joints, and what drives hold."""

from __future__ import annotations

from typing import Literal

import numpy as np

from horus_sim.errors import DeployError
from horus_sim.files.names import did_you_mean
from horus_sim.hub.messages import JointState
from horus_sim.rl.contract.sources.source import Inputs, Need, Source
from horus_sim.rl.engines.interface import Floats

_REMEDY = "start the robot's driver or its joint_state_broadcaster"
JOINT_NEED = Need("joint_states", JointState, _REMEDY)


def joint_values(
    inputs: Inputs, topic: str, joints: tuple[str, ...], what: Literal["positions", "velocities"]
) -> Floats:
    """Positions or velocities of joints, shape (joints,).

    Raises:
        DeployError: A joint is not in the message, or it has no velocities.
    """
    state = inputs.message(topic, JointState)
    values = getattr(state, what)
    if values is None:
        raise DeployError(
            f"topic '{topic}' tells no {what}, which the policy observes; let the robot's driver "
            "fill them in"
        )
    places = {name: place for place, name in enumerate(state.names)}
    for joint in joints:
        if joint not in places:
            raise DeployError(
                f"topic '{topic}' has no joint '{joint}', which the policy observes; "
                f"{did_you_mean(joint, list(places))}"
            )
    return np.asarray(values, np.float64)[[places[joint] for joint in joints]]


class _Joints(Source):
    topic: str = "joint_states"
    joints: tuple[str, ...]
    scale: float = 1.0

    def needs(self) -> tuple[Need, ...]:
        """The states of joints."""
        return (Need(self.topic, JointState, _REMEDY),)


class JointPositions(_Joints):
    """Positions of joints.

    Attributes:
        kind: 'joint_positions'.
        topic: Topic of the joints' states.
        joints: Their names.
        scale: Factor on positions less offsets [1/rad] or [1/m].
        offsets: Position that is observed as 0, of each [rad] or [m]; 0 unless given.
    """

    kind: Literal["joint_positions"] = "joint_positions"
    offsets: tuple[float, ...] = ()

    def read(self, inputs: Inputs) -> Floats:
        """The positions."""
        values = joint_values(inputs, self.topic, self.joints, "positions")
        return (values - (np.array(self.offsets) if self.offsets else 0.0)) * self.scale


class JointSpeeds(_Joints):
    """Speeds of joints.

    Attributes:
        kind: 'joint_speeds'.
        topic: Topic of the joints' states.
        joints: Their names.
        scale: Factor on speeds [s/rad] or [s/m].
    """

    kind: Literal["joint_speeds"] = "joint_speeds"

    def read(self, inputs: Inputs) -> Floats:
        """The speeds."""
        return joint_values(inputs, self.topic, self.joints, "velocities") * self.scale


class Held(Source):
    """What a drive holds since the last command.

    Attributes:
        kind: 'held'.
        part: Name of the part of the action that moves it.
        scale: Factor.
    """

    kind: Literal["held"] = "held"
    part: str
    scale: float = 1.0

    def needs(self) -> tuple[Need, ...]:
        """Nothing: the node knows it."""
        return ()

    def read(self, inputs: Inputs) -> Floats:
        """What is held."""
        return inputs.held[self.part] * self.scale
