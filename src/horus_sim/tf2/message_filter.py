"""Messages that wait until their transform is known."""

from __future__ import annotations

import enum
import logging
import threading
from collections import Counter, deque
from typing import TYPE_CHECKING, Any

from horus_sim.errors import MessageError, TFError
from horus_sim.tf import to_ns
from horus_sim.tf2.filters import SimpleFilter, header_of
from horus_sim.tf2.synchronizers import checked_queue_size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from horus_sim.tf2.buffer import Buffer

logger = logging.getLogger("horus_sim.tf2")


class FilterFailureReason(enum.Enum):
    """Why a `MessageFilter` dropped a message."""

    QUEUE_FULL = "newer messages filled the queue before its transform was known"
    OUT_THE_BACK = "it is older than the history of its transform"
    EMPTY_FRAME_ID = "it names no frame"


class MessageFilter(SimpleFilter):
    """Passes each message on when its frame can be transformed into all target frames at its time.

    A message comes out in the thread that brings the message itself or the transform that was
    missing; what a callback raises is logged. A new run of the simulation empties the queue, and so
    does `Buffer.clear`.

    Args:
        f: Where messages come from, often a `Subscriber`.
        buffer: Where transforms are looked up.
        target_frames: The frame, or the frames, into which messages will be transformed.
        queue_size: Messages that wait; beyond, the oldest is dropped. 0 is no limit.
        tolerance: The transform must also be known this long [s] after the message's stamp.

    Attributes:
        passed: Number of messages that were passed on.
        dropped: Number of messages that were dropped, by `FilterFailureReason`.
    """

    def __init__(
        self,
        f: SimpleFilter,
        buffer: Buffer,
        target_frames: str | Sequence[str],
        queue_size: int,
        tolerance: float = 0.0,
    ) -> None:
        super().__init__()
        self.passed = 0
        self.dropped: Counter[FilterFailureReason] = Counter()
        self._buffer = buffer
        self._target_frames: tuple[str, ...] = ()
        self._queue_size = checked_queue_size(queue_size, 0)
        self._tolerance_ns = to_ns(tolerance)
        self._failure_callbacks: list[Callable[[Any, FilterFailureReason], object]] = []
        self._waiting: deque[Any] = deque()
        self._lock = threading.Lock()
        self._stop_watching: Callable[[], None] | None = None
        self.setTargetFrames(target_frames)
        buffer.tree.on_reset(self.clear)
        f.registerCallback(self.add)
        f.on_reset(self._reset)

    def setTargetFrames(self, target_frames: str | Sequence[str]) -> None:
        """Sets the frame, or the frames, into which messages will be transformed."""
        frames = (target_frames,) if isinstance(target_frames, str) else tuple(target_frames)
        if not frames or not all(isinstance(frame, str) and frame for frame in frames):
            raise MessageError(f"target_frames must be names of frames, got {target_frames!r}")
        self._target_frames = frames

    def registerFailureCallback(
        self, callback: Callable[[Any, FilterFailureReason], object]
    ) -> None:
        """Calls a function with every message that is dropped, and the reason."""
        self._failure_callbacks.append(callback)

    def add(self, message: Any) -> None:  # noqa: ANN401 - any message with a header
        """Takes a message; the input calls this.

        Raises:
            MessageError: The message has no `frame_id` and `stamp_ns`.
        """
        frame, _ = header_of(message, "frame_id", "stamp_ns")
        if not frame:
            self._drop(message, FilterFailureReason.EMPTY_FRAME_ID)
            return
        overflow = None
        with self._lock:
            self._waiting.append(message)
            # Before the first look, so that no transform comes in between unseen.
            if self._stop_watching is None:
                self._stop_watching = self._buffer.tree.changes.on_change(self._look)
        self._look()
        with self._lock:
            if self._queue_size and len(self._waiting) > self._queue_size:
                overflow = self._waiting.popleft()
        if overflow is not None:
            self._drop(overflow, FilterFailureReason.QUEUE_FULL)

    def clear(self) -> None:
        """Forgets the messages that wait."""
        with self._lock:
            self._waiting.clear()
            self._rest()

    def _look(self) -> None:
        """Passes on what can be transformed now, and drops what never will be."""
        ready: list[Any] = []
        too_old: list[Any] = []
        with self._lock:
            kept = deque[Any]()
            for message in self._waiting:
                if self._is_ready(message):
                    ready.append(message)
                elif self._is_too_old(message):
                    too_old.append(message)
                else:
                    kept.append(message)
            self._waiting = kept
            if not kept:
                self._rest()
        # Outside the lock: what is called may send messages and transforms.
        for message in too_old:
            self._drop(message, FilterFailureReason.OUT_THE_BACK)
        for message in ready:
            self.passed += 1
            self._call(self.signalMessage, message)

    def _is_ready(self, message: Any) -> bool:  # noqa: ANN401
        stamps_ns = {message.stamp_ns, message.stamp_ns + self._tolerance_ns}
        try:
            return all(
                self._buffer.can_transform(target, message.frame_id, stamp_ns)
                for target in self._target_frames
                for stamp_ns in stamps_ns
            )
        except TFError:
            # A name or a stamp that no tree can hold: it waits until the queue is full.
            return False

    def _is_too_old(self, message: Any) -> bool:  # noqa: ANN401
        tree = self._buffer.tree
        history_ns = to_ns(tree.buffer_duration)
        for target in self._target_frames:
            try:
                latest_ns = tree.latest_common_time(message.frame_id, target)
            except TFError:
                continue
            if latest_ns is not None and message.stamp_ns + history_ns < latest_ns:
                return True
        return False

    def _drop(self, message: Any, reason: FilterFailureReason) -> None:  # noqa: ANN401
        self.dropped[reason] += 1
        for callback in tuple(self._failure_callbacks):
            self._call(callback, message, reason)

    def _call(self, callback: Callable[..., object], *arguments: object) -> None:
        try:
            callback(*arguments)
        except Exception:
            # Neither other messages nor who sent the transform must suffer for it.
            logger.exception("MessageFilter to %s: a callback failed", self._target_frames)

    def _rest(self) -> None:
        if self._stop_watching is not None:
            self._stop_watching()
            self._stop_watching = None

    def _reset(self) -> None:
        self.clear()
        self.signal_reset()
