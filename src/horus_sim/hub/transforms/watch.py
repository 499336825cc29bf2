"""What arrives on the transform topics of a session, whatever the tree makes of it."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from horus_sim.errors import HubError, TFError
from horus_sim.hub import TFListener, sender
from horus_sim.hub.transforms.findings import find_problems
from horus_sim.tf import FrameInfo, TFBuffer

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.tf import StaticTransformStamped, TransformStamped
    from horus_sim.tf.validation import TreeFinding

# Enough for the rate of a frame at 1000 Hz over the monitor's window.
_ARRIVALS = 5000


@dataclass(slots=True)
class WatchedFrame:
    """What was received about one child frame.

    Attributes:
        name: The frame.
        parent: Its last parent.
        parents: All parents that it was given.
        is_static: Whether the last transform was static.
        received: Number of transforms that arrived and that the tree took.
        samples: Number of different stamps.
        oldest_ns: Oldest stamp [ns], or None.
        newest_ns: Newest stamp [ns], or None.
        arrivals_s: Times of the last arrivals [s], monotonic clock.
    """

    name: str
    parent: str
    parents: set[str] = field(default_factory=set)
    is_static: bool = False
    received: int = 0
    samples: int = 0
    oldest_ns: int | None = None
    newest_ns: int | None = None
    arrivals_s: deque[float] = field(default_factory=lambda: deque(maxlen=_ARRIVALS))


@dataclass(slots=True)
class Refusal:
    """A link that the tree refused.

    Attributes:
        parent: Parent frame.
        child: Child frame.
        error: Why; the last one.
        sources: Names of the connections that sent it.
        count: How often.
    """

    parent: str
    child: str
    error: TFError
    sources: set[str] = field(default_factory=set)
    count: int = 0


class WatchingBuffer(TFBuffer):
    """A buffer that also remembers what came and what was refused.

    The tree of a listener is emptied when the clock jumps back, which two clocks in one session
    make happen all the time; these records stay.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._frames: dict[str, WatchedFrame] = {}
        self._refusals: dict[tuple[str, str, type], Refusal] = {}

    def set_transform(self, message: TransformStamped) -> None:
        """Stores one stamped transform."""
        try:
            super().set_transform(message)
        except TFError as error:
            self._refuse(message, error)
            raise
        with self._lock:
            frame = self._arrived(message)
            frame.is_static = False
            self._stamp(frame, message.stamp_ns)

    def set_static_transform(self, message: StaticTransformStamped) -> None:
        """Stores one static transform."""
        try:
            super().set_static_transform(message)
        except TFError as error:
            self._refuse(message, error)
            raise
        with self._lock:
            self._arrived(message).is_static = True

    def watched(self) -> list[WatchedFrame]:
        """The child frames that were received, in the order of their first arrival."""
        with self._lock:
            return list(self._frames.values())

    def refusals(self) -> list[Refusal]:
        """The links that were refused."""
        with self._lock:
            return list(self._refusals.values())

    def frames(self) -> list[FrameInfo]:
        """All frames, parents that nobody published among them, as a tree would tell them."""
        infos: dict[str, FrameInfo] = {}
        watched = self.watched()
        children = {frame.name for frame in watched}
        for frame in watched:
            if frame.parent not in children:
                infos[frame.parent] = _info(WatchedFrame(frame.parent, ""), None)
            infos[frame.name] = _info(frame, frame.parent)
        return list(infos.values())

    def forget_moving(self) -> None:
        """Forgets what belongs to an earlier run of the simulation."""
        with self._lock:
            self._refusals.clear()
            for name in [name for name, frame in self._frames.items() if not frame.is_static]:
                del self._frames[name]

    def _arrived(self, message: TransformStamped | StaticTransformStamped) -> WatchedFrame:
        child = message.child_frame
        frame = self._frames.get(child)
        if frame is None:
            frame = self._frames[child] = WatchedFrame(child, message.parent_frame)
        frame.parent = message.parent_frame
        frame.parents.add(message.parent_frame)
        frame.received += 1
        frame.arrivals_s.append(time.monotonic())
        return frame

    def _stamp(self, frame: WatchedFrame, stamp_ns: int) -> None:
        history_ns = round(self.tree.buffer_duration * 1e9)
        if (
            frame.oldest_ns is None
            or frame.newest_ns is None
            or stamp_ns < frame.newest_ns - history_ns
        ):
            frame.oldest_ns = frame.newest_ns = stamp_ns
            frame.samples = 1
        elif not frame.oldest_ns <= stamp_ns <= frame.newest_ns:
            frame.oldest_ns = min(frame.oldest_ns, stamp_ns)
            frame.newest_ns = max(frame.newest_ns, stamp_ns)
            frame.samples += 1

    def _refuse(self, message: TransformStamped | StaticTransformStamped, error: TFError) -> None:
        parent, child = message.parent_frame, message.child_frame
        with self._lock:
            key = (parent, child, type(error))
            refusal = self._refusals.setdefault(key, Refusal(parent, child, error))
            refusal.error = error
            refusal.sources.add(sender())
            refusal.count += 1


def _info(frame: WatchedFrame, parent: str | None) -> FrameInfo:
    return FrameInfo(
        name=frame.name,
        parent=parent,
        is_orphan=False,
        is_static=frame.is_static,
        samples=frame.samples,
        oldest_ns=frame.oldest_ns,
        newest_ns=frame.newest_ns,
    )


class Watch:
    """A listener with its records.

    Args:
        hub: The connection to listen on.
    """

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.buffer = WatchingBuffer()
        hub.on_epoch(lambda _: self.buffer.forget_moving())
        self.listener = TFListener(hub, self.buffer)

    def publishers(self) -> dict[str, set[str]]:
        """For each child frame, the names of the connections that published it."""
        return {child: set(names) for child, names in tuple(self.listener.publishers.items())}

    def problems(self, stale_s: float = 1.0) -> list[TreeFinding]:
        """What is wrong with the transforms, also what the tree refused.

        Args:
            stale_s: Time [s] by which a frame may lag behind the newest one.
        """
        orphans = set(self.listener.tree.validate().orphans)
        frames = [replace(info, is_orphan=info.name in orphans) for info in self.buffer.frames()]
        parents = {frame.name: set(frame.parents) for frame in self.buffer.watched()}
        return find_problems(frames, self.buffer.refusals(), self.publishers(), parents, stale_s)

    def require_some(self, wait: float) -> None:
        """Refuses to go on when nothing arrived.

        Args:
            wait: How long was listened [s].

        Raises:
            HubError: No transform arrived.
        """
        if not self.buffer.watched() and not self.buffer.refusals():
            raise HubError(
                f"no transform arrived in session '{self.hub.session}' within {wait:g} s; start "
                "the program that broadcasts them, choose its --session or listen longer (--wait)"
            )
