"""A program's part that reads topics, does something at a rate, and writes topics."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from horus_sim.errors import HubError, NodeError
from horus_sim.hub.qos import QoS
from horus_sim.hub.ros.binding import binding_of
from horus_sim.hub.topic import topic_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from horus_sim.hub.subscription import Subscription
    from horus_sim.hub.transport import Hub, Publisher

    Topics = str | Sequence[str] | Mapping[str, type]


_FASTEST_HZ = 1e6


class Node:
    """A named part of a program, ticked by a `Scheduler` or by `run`.

    Args:
        name: Name of the node.
        subs: Topics that it reads: one name, several, or names with their message types. A topic
            without a type carries dicts.
        pubs: Topics that it writes; without a type, the first message sent decides.
        tick: Called with the node at its rate.
        rate: Ticks a second [Hz].
        init: Called with the node once, before the first tick.
        shutdown: Called with the node once, after the last tick.
        qos: How messages are kept and delivered.

    Attributes:
        logging: True logs start, stop and every message that the node sends or takes; False
            silences its log below warnings; None leaves it to the program. It holds from the next
            start on.
    """

    def __init__(
        self,
        name: str,
        subs: Topics = (),
        pubs: Topics = (),
        tick: Callable[[Node], object] | None = None,
        rate: float = 30.0,
        *,
        init: Callable[[Node], object] | None = None,
        shutdown: Callable[[Node], object] | None = None,
        qos: QoS | None = None,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise NodeError(f"a node must have a name, got {name!r}")
        if not (isinstance(rate, (int, float)) and 0 < rate <= _FASTEST_HZ):
            raise NodeError(
                f"the rate of node '{name}' must be from above 0 to {_FASTEST_HZ:g} Hz, "
                f"got {rate!r}"
            )
        self.name = name
        self.rate = float(rate)
        self.ticks = 0
        self._sub_kinds = _kinds(subs, default=dict)
        self._pub_kinds = _kinds(pubs, default=None)
        self._tick = tick
        self._init = init
        self._shutdown = shutdown
        self._qos = qos or QoS()
        self._hub: Hub | None = None
        self._subscriptions: dict[str, Subscription[Any]] = {}
        self._publishers: dict[str, Publisher[Any]] = {}
        self.logging: bool | None = None
        self._logger = logging.getLogger(f"horus_sim.node.{name}")
        self._end_log: Callable[[], None] | None = None
        self._disconnect_callbacks: list[Callable[[], object]] = []

    @property
    def hub(self) -> Hub:
        """The connection that the node uses while it runs."""
        if self._hub is None:
            raise NodeError(f"node '{self.name}' is not running; give it to run() or a Scheduler")
        return self._hub

    def has_msg(self, topic: str) -> bool:
        """Whether a message of the topic waits."""
        return self._subscription(topic).has_message()

    def get(self, topic: str) -> Any:  # noqa: ANN401 - any message
        """The oldest message of the topic that was not taken yet, or None."""
        return self._noted(topic, self._subscription(topic).take())

    def latest(self, topic: str) -> Any:  # noqa: ANN401 - any message
        """The newest message of the topic, or None; older ones are passed over."""
        return self._noted(topic, self._subscription(topic).latest())

    def send(self, topic: str, message: Any) -> None:  # noqa: ANN401 - any message
        """Sends a message on one of the node's topics."""
        name = topic_name(topic)
        publisher = self._publishers.get(name)
        if publisher is None:
            if name not in self._pub_kinds:
                raise NodeError(
                    f"node '{self.name}' does not publish '{name}'; add it to pubs "
                    f"({_listed(self._pub_kinds)})"
                )
            publisher = self.hub.publisher(name, type(message), self._qos)
            self._publishers[name] = publisher
        publisher.send(message)
        if self.logging:
            self.log(f"sent '{name}': {message}")

    def log(self, text: str, level: str = "info") -> None:
        """Logs a text under the node's name: ``debug``, ``info``, ``warning`` or ``error``."""
        number = logging.getLevelNamesMapping().get(level.upper())
        if number is None:
            raise NodeError(f"no log level {level!r}; use debug, info, warning or error")
        self._logger.log(number, "%s", text)

    def on_disconnect(self, callback: Callable[[], object]) -> None:
        """Calls a function once, when the node's topics are next disconnected.

        For what the node opened on its connection besides its topics: ``node.on_disconnect(
        listener.close)``.
        """
        self._disconnect_callbacks.append(callback)

    def start(self, hub: Hub) -> None:
        """Connects the topics and calls `init`; done by the scheduler."""
        self._hub = hub
        self._begin_log()
        for name, kind in self._sub_kinds.items():
            self._subscriptions[name] = hub.subscribe(name, kind, self._qos)
        for name, kind in self._pub_kinds.items():
            if kind is not None:
                self._publishers[name] = hub.publisher(name, kind, self._qos)
        if self._init is not None:
            self._init(self)

    def tick(self) -> None:
        """One tick; done by the scheduler. A subclass may override it."""
        self.ticks += 1
        if self._tick is not None:
            self._tick(self)

    def stop(self) -> None:
        """Calls `shutdown` and disconnects the topics; done by the scheduler."""
        try:
            if self._shutdown is not None:
                self._shutdown(self)
        finally:
            self.disconnect()

    def disconnect(self) -> None:
        """Disconnects the topics; done by the scheduler."""
        callbacks, self._disconnect_callbacks = self._disconnect_callbacks, []
        for callback in callbacks:
            callback()
        for end in (*self._subscriptions.values(), *self._publishers.values()):
            end.close()
        self._subscriptions.clear()
        self._publishers.clear()
        self._hub = None
        if self._end_log is not None:
            self._end_log()
            self._end_log = None

    def _begin_log(self) -> None:
        if self.logging is None:
            return
        level_before, handler = self._logger.level, None
        self._logger.setLevel(logging.INFO if self.logging else logging.WARNING)
        if self.logging and not self._logger.hasHandlers():
            # Who asks for lines sees them, also in a program that did not set up logging.
            handler = logging.StreamHandler()
            handler.setFormatter(logging.Formatter(f"[{self.name.replace('%', '%%')}] %(message)s"))
            self._logger.addHandler(handler)

        def end() -> None:
            if self.logging:
                self.log(f"stopped after {self.ticks} ticks")
            self._logger.setLevel(level_before)
            if handler is not None:
                self._logger.removeHandler(handler)

        self._end_log = end
        if self.logging:
            self.log(f"started at {self.rate:g} Hz")

    def _noted(self, topic: str, message: Any) -> Any:  # noqa: ANN401 - any message
        if self.logging and message is not None:
            self.log(f"took '{topic_name(topic)}': {message}")
        return message

    def _subscription(self, topic: str) -> Subscription[Any]:
        name = topic_name(topic)
        if name not in self._sub_kinds:
            raise NodeError(
                f"node '{self.name}' does not subscribe to '{name}'; add it to subs "
                f"({_listed(self._sub_kinds)})"
            )
        if self._hub is None:
            raise NodeError(f"node '{self.name}' is not running; give it to run() or a Scheduler")
        return self._subscriptions[name]

    def __repr__(self) -> str:
        return f"<Node '{self.name}' at {self.rate:g} Hz>"


def _kinds(topics: Topics, default: type | None) -> dict[str, Any]:
    if isinstance(topics, str):
        topics = (topics,)
    if not isinstance(topics, Iterable):
        raise HubError(f"topics must be a name, several, or names with types, got {topics!r}")
    entries = dict(topics) if isinstance(topics, Mapping) else dict.fromkeys(topics, default)
    for name, kind in entries.items():
        if not isinstance(name, str):
            raise HubError(f"a topic must be a name, got {name!r}")
        if kind is not None:
            binding_of(kind)
    return {topic_name(name): kind for name, kind in entries.items()}


def _listed(kinds: dict[str, Any]) -> str:
    return "now: " + ", ".join(f"'{name}'" for name in kinds) if kinds else "now there are none"
