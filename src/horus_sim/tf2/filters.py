"""Filters that pass messages on, as in message_filters: what they share, and the first one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from horus_sim.errors import MessageError
from horus_sim.tf2.connection import close_with, hub_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.hub import Hub, Node, QoS


class SimpleFilter:
    """The end of a filter from which messages come."""

    def __init__(self) -> None:
        self._callbacks: list[tuple[Callable[..., object], tuple[Any, ...]]] = []
        self._reset_callbacks: list[Callable[[], object]] = []

    def registerCallback(self, callback: Callable[..., object], *arguments: object) -> int:
        """Calls a function with all that comes out of this filter.

        Args:
            callback: The function.
            arguments: What it gets after the messages.

        Returns:
            The number of the registration.
        """
        if not callable(callback):
            raise MessageError(f"registerCallback takes a function to call, got {callback!r:.100}")
        self._callbacks.append((callback, arguments))
        return len(self._callbacks) - 1

    def signalMessage(self, *messages: object) -> None:
        """Hands messages to all that registered."""
        for callback, arguments in tuple(self._callbacks):
            callback(*messages, *arguments)

    def on_reset(self, callback: Callable[[], object]) -> None:
        """Calls a function when a new run of the simulation begins, after which time is earlier."""
        self._reset_callbacks.append(callback)

    def signal_reset(self) -> None:
        """Tells all that registered by `on_reset` that a new run began."""
        for callback in tuple(self._reset_callbacks):
            callback()


class Subscriber(SimpleFilter):
    """The messages of a topic, as the first filter of a chain.

    Args:
        node: A connection, or a node that runs; with the node it ends.
        msg_type: Type of the messages.
        topic: Name of the topic.
        qos_profile: How they are delivered.
    """

    def __init__(
        self, node: Hub | Node, msg_type: type, topic: str, qos_profile: QoS | None = None
    ) -> None:
        super().__init__()
        hub = hub_of(node)
        self._unregister = hub.on_epoch(lambda _: self.signal_reset())
        self._subscription = hub.subscribe(topic, msg_type, qos_profile, self.signalMessage)
        close_with(node, self.close)

    def getTopic(self) -> str:
        """Name of the topic."""
        return self._subscription.topic

    def close(self) -> None:
        """Ends the subscription."""
        self._unregister()
        self._subscription.close()


def header_of(message: Any, *fields: str) -> tuple[Any, ...]:  # noqa: ANN401 - any message
    """The fields that a filter needs of a message.

    Raises:
        MessageError: The message lacks one.
    """
    try:
        return tuple(getattr(message, field) for field in fields)
    except AttributeError as error:
        raise MessageError(
            f"a {type(message).__name__} cannot pass this filter, which needs messages with "
            f"{' and '.join(fields)}"
        ) from error
