"""What all drives have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from horus_sim.hub.message import Message
from horus_sim.rl.contract.sources.source import Inputs, Need
from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.settings import Config

Commands = dict[str, Message]
"""Messages by the topic that they are sent on."""


class Drive(Config, ABC):
    """What parts of an action move."""

    @abstractmethod
    def parts(self) -> tuple[str, ...]:
        """Names of the parts that it obeys."""

    @abstractmethod
    def topics(self) -> dict[str, type[Message]]:
        """The topics that it sends on, and the types of the messages."""

    def needs(self) -> tuple[Need, ...]:
        """Topics that it must read; none unless told."""
        return ()

    def begin(self, inputs: Inputs) -> None:
        """Takes over from what the robot holds now."""

    @abstractmethod
    def commands(self, values: Mapping[str, Floats], period: float, inputs: Inputs) -> Commands:
        """The messages for an action; `inputs.held` is brought up to date.

        Args:
            values: What each part is to do, in its unit.
            period: Time to the next action [s].
            inputs: What is known, as the policy saw it.
        """

    @abstractmethod
    def stop(self, inputs: Inputs) -> Commands:
        """The messages that make the robot stand still."""
