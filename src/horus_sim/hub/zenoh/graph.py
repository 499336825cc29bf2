"""Nodes, topics and services of all programs, from their tokens."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from horus_sim.hub.topic import TopicInfo
from horus_sim.hub.zenoh.attachment import halves
from horus_sim.hub.zenoh.keys import GRAPH, EndPoint, Node, gid_of, node_of

_MOST_GONE = 1_000


class Watcher(Protocol):
    """Called with each end that comes or goes."""

    def __call__(self, end: EndPoint, *, is_here: bool) -> object:
        """Takes an end, and whether it came."""


class Graph:
    """What is announced by this and all other programs.

    Asking for it is not enough: while links between processes are being made, an answer may lack
    what was there before (zenoh 1.10). Who listens from the start misses nothing.

    Args:
        zenoh: The module.
        session: The zenoh session.
        domain: The ROS domain.
    """

    def __init__(self, zenoh: Any, session: Any, domain: int) -> None:  # noqa: ANN401
        self._put = zenoh.SampleKind.PUT
        self._session = session
        self._domain = domain
        self._keys = f"{GRAPH}/{domain}/**"
        self._lock = threading.Lock()
        self._heard: set[str] = set()
        self._own: dict[str, Any] = {}
        self._senders: dict[bytes, tuple[EndPoint, int]] = {}
        self._gone: deque[str] = deque()
        self._watchers: tuple[Watcher, ...] = ()
        self._listener = session.liveliness().declare_subscriber(
            self._keys, self._hear, history=True
        )

    def announce(self, end: Node | EndPoint) -> str:
        """Makes an end known to all until it is taken back or the process dies; gives its key."""
        key = end.key(self._domain)
        token = self._session.liveliness().declare_token(key)
        with self._lock:
            self._own[key] = token
            self._know(key)
        self._tell(key, is_here=True)
        return key

    def retract(self, key: str) -> None:
        """Takes back what was announced."""
        with self._lock:
            token = self._own.pop(key, None)
        if token is not None:
            token.undeclare()
            self._tell(key, is_here=False)

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Calls `watcher` with each end of a topic or service, and whether it came or went.

        Returns:
            A function that ends it.
        """
        with self._lock:
            self._watchers = (*self._watchers, watcher)
            known = (*self._heard, *self._own)
        for key in known:
            end = EndPoint.parse(key)
            if end is not None:
                watcher(end, is_here=True)

        def stop() -> None:
            with self._lock:
                self._watchers = tuple(each for each in self._watchers if each is not watcher)

        return stop

    def sender(self, half: bytes) -> tuple[EndPoint, int] | None:
        """Who has a GID with this first half, and its second half; None when it is not known."""
        return self._senders.get(half)

    def ends(self) -> list[EndPoint]:
        """All ends of topics and services."""
        found = (EndPoint.parse(key) for key in self._known())
        return [end for end in found if end is not None]

    def heard(self) -> list[EndPoint]:
        """All ends that were heard of so far, without asking anybody."""
        with self._lock:
            known = (*self._heard, *self._own)
        found = (EndPoint.parse(key) for key in known)
        return [end for end in found if end is not None]

    def nodes(self) -> list[Node]:
        """All nodes, by name."""
        found = (node_of(key) for key in self._known())
        return sorted((node for node in found if node is not None), key=lambda node: node.full_name)

    def topics(self) -> list[TopicInfo]:
        """All topics, by name."""
        return topics_of(self.ends())

    def _known(self) -> set[str]:
        replies = self._session.liveliness().get(self._keys)
        found = {str(reply.ok.key_expr) for reply in replies if reply.ok is not None}
        with self._lock:
            return {key for key in found if not self._is_own(key)} | self._heard | self._own.keys()

    def _is_own(self, key: str) -> bool:
        return key.split("/")[2] == str(self._session.zid())

    def _know(self, key: str) -> None:
        end = EndPoint.parse(key)
        if end is not None:
            half, rest = halves(gid_of(key))
            self._senders[half] = (end, rest)

    def _hear(self, sample: Any) -> None:  # noqa: ANN401 - a zenoh sample
        key = str(sample.key_expr)
        if self._is_own(key):
            return
        is_here = sample.kind == self._put
        with self._lock:
            if is_here:
                self._heard.add(key)
                self._know(key)
            else:
                self._heard.discard(key)
                self._forget_later(key)
        self._tell(key, is_here=is_here)

    def _forget_later(self, key: str) -> None:
        # What it sent before may still be on its way.
        self._gone.append(key)
        if len(self._gone) > _MOST_GONE:
            self._senders.pop(halves(gid_of(self._gone.popleft()))[0], None)

    def _tell(self, key: str, *, is_here: bool) -> None:
        end = EndPoint.parse(key)
        if end is not None:
            for watcher in self._watchers:
                watcher(end, is_here=is_here)


def topics_of(ends: Iterable[EndPoint]) -> list[TopicInfo]:
    """The topics of ends, by name."""
    found: dict[str, tuple[list[str], dict[tuple[str, str], set[str]]]] = {}
    for end in ends:
        if end.kind in ("MP", "MS"):
            publishers, subscriptions = found.setdefault(end.name, ([], {}))
            if end.kind == "MP":
                publishers.append(end.ros_type)
            else:
                # One that understands several types has a token for each.
                types = subscriptions.setdefault((end.node.zid, end.eid), set())
                types.add(end.ros_type)
    return [
        TopicInfo(
            name,
            tuple(sorted({*publishers})),
            len(publishers),
            len(subscriptions),
            tuple(sorted(set().union(*subscriptions.values()))),
        )
        for name, (publishers, subscriptions) in sorted(found.items())
    ]
