"""What all sources have in common, and what they read from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from horus_sim.errors import DeployError
from horus_sim.hub.message import Message
from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.settings import Config
from horus_sim.tf import Transform

M = TypeVar("M", bound=Message)


@dataclass(frozen=True, slots=True)
class Need:
    """A topic that is read.

    Attributes:
        topic: Its name, as the contract has it.
        kind: Type of its messages.
        remedy: What to do where nobody sends it.
        is_command: Whether somebody says it once, such as a goal; a sensor speaks all the time.
        is_stream: Of a command, whether it goes on, such as a velocity that changes; a new goal
            begins a new episode.
    """

    topic: str
    kind: type[Any]
    remedy: str
    is_command: bool = False
    is_stream: bool = False


@dataclass(slots=True)
class Inputs:
    """What is known when an observation is made.

    Attributes:
        messages: The newest message of each topic, by the names that the contract has.
        pose: Gives T_reference_frame, the pose of a frame in another one: `pose(frame, reference)`.
        action: The last action, as the policy gave it, shape (actions,); 0 at the beginning.
        held: What drives hold since the last command, by the name of the action's part.
        memory: What sources remember between two observations; empty at the beginning.
    """

    messages: Mapping[str, Any]
    pose: Callable[[str, str], Transform]
    action: Floats
    held: dict[str, Floats] = field(default_factory=dict)
    memory: dict[str, Any] = field(default_factory=dict)

    def message(self, topic: str, kind: type[M]) -> M:
        """The newest message of a topic.

        Raises:
            DeployError: There is none yet.
        """
        found = self.messages.get(topic)
        if not isinstance(found, kind):
            raise DeployError(
                f"no {kind.__name__} has come on topic '{topic}'; wait for one before observing"
            )
        return found


class Source(Config, ABC):
    """Where a part of an observation comes from."""

    @abstractmethod
    def needs(self) -> tuple[Need, ...]:
        """The topics that it reads."""

    @abstractmethod
    def read(self, inputs: Inputs) -> Floats:
        """The values of the part, shape (size,); called once for each observation.

        Raises:
            DeployError: A message does not hold what is wanted.
        """

    def distance_to_goal(self, inputs: Inputs) -> float | None:
        """How far the robot is from its goal [m]; None unless this source knows."""
        del inputs
        return None


def turned_back(vector: Floats, angle: float) -> Floats:
    """A vector, shape (3,), in a frame turned about z by an angle [rad]."""
    cos, sin = np.cos(angle), np.sin(angle)
    x, y, z = vector
    return np.array([cos * x + sin * y, cos * y - sin * x, z])
