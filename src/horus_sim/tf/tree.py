"""Named frames, the transforms between them and their history."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Literal, SupportsIndex, Unpack

from horus_sim._native import Transform, Tree
from horus_sim.errors import InvalidTransformError
from horus_sim.tf.change_signal import ChangeSignal
from horus_sim.tf.dump import dump
from horus_sim.tf.frame_info import FrameInfo
from horus_sim.tf.namespace import LookupOptions, TFNamespace
from horus_sim.tf.validation import TreeReport, validate
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST_S = 9_000_000_000.0
_FOREVER_NS = 2**63 - 1


class TFTree(Tree):
    """Transforms between named frames, with the last seconds of each.

    Look-ups, insertions and batches are native, thread-safe and lock-free for readers;
    `lookup_transform(source, target)` maps source coordinates into target coordinates.

    Args:
        buffer_duration: History kept for each moving frame [s], counted back from its own newest
            sample.

    Attributes:
        changes: Wakes those who wait for a change; `TFBuffer` waits with it.
        epoch: Number of times that `clear` was called.
    """

    def __init__(self, buffer_duration: float = 10.0) -> None:
        super().__init__(_duration_ns(buffer_duration, "buffer_duration"))
        self.buffer_duration = float(buffer_duration)
        self.epoch = 0
        self.changes = ChangeSignal(self)
        self._reset_callbacks: list[list[Callable[[], object]]] = []

    def frame_pose(
        self,
        frame: str,
        relative_to: str,
        time: SupportsIndex | None = None,
        **options: Unpack[LookupOptions],
    ) -> Transform:
        """The pose of a frame in another: T_relative_to_frame.

        Args:
            frame: The frame whose pose is asked for.
            relative_to: The frame in which the pose is expressed.
            time: Time [ns]; None is the latest common time.
            options: `tolerance_ns` and `predict`, as in `lookup_transform`.
        """
        return self.lookup_transform(frame, relative_to, time, **options)

    def frame(self, name: str) -> FrameInfo:
        """What the tree knows about one frame."""
        return _frame_info(self._frame_record(name))

    def frames(self) -> list[FrameInfo]:
        """What the tree knows about every frame, in the order in which they were first named."""
        return [_frame_info(record) for record in self._frame_records()]

    def children(self, name: str) -> list[str]:
        """Frames whose newest parent is `name`."""
        parent = self.frame(name).name
        return [info.name for info in self.frames() if info.parent == parent]

    def validate(self) -> TreeReport:
        """Orphans, several roots and frames without a way to the others; see `TreeReport`."""
        return validate(self.frames())

    def clear(self) -> None:
        """Drops all moving frames, for a reset of the clock; static frames stay.

        Bumps `epoch` and calls what `on_reset` registered.
        """
        self._clear()
        self.epoch += 1
        for (callback,) in tuple(self._reset_callbacks):
            callback()

    def on_reset(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Calls `callback` after every `clear`.

        Returns:
            A function that ends the registration.
        """
        if not callable(callback):
            raise InvalidTransformError(f"on_reset takes a function to call, got {callback!r:.100}")
        # By identity of the registration: the same function may be registered twice.
        entry = [callback]
        self._reset_callbacks.append(entry)

        def unregister() -> None:
            self._reset_callbacks = [kept for kept in self._reset_callbacks if kept is not entry]

        return unregister

    def namespace(self, prefix: str) -> TFNamespace:
        """A view in which ``base_link`` means ``<prefix>/base_link`` and ``/map`` means ``map``."""
        return TFNamespace(self, prefix)

    def snapshot(self, history: float | None = None) -> TFTree:
        """A read-only copy at this moment, in which a control step sees one consistent state.

        Args:
            history: Seconds of history to copy, counted back from each frame's newest sample; None
                copies all of it. Less history is a cheaper copy.
        """
        history_ns = _FOREVER_NS if history is None else _duration_ns(history, "history")
        copy = TFTree(self.buffer_duration)
        self._copy_to(copy, history_ns)
        copy.epoch = self.epoch
        return copy

    def dump(self, format: Literal["text", "dot", "yaml", "json"] = "text") -> str:  # noqa: A002 - what users expect
        """The tree as text: a drawing with branches, Graphviz DOT, YAML or JSON."""
        return dump(self.frames(), format)

    def __contains__(self, frame: str) -> bool:
        return self.has_frame(frame)

    def __len__(self) -> int:
        return len(self.get_all_frames())

    def __bool__(self) -> bool:
        # An empty tree is still a tree: `tree or TFTree()` must not replace it.
        return True

    def __repr__(self) -> str:
        kind = "TFTree snapshot" if self.is_read_only else "TFTree"
        return f"<{kind}: {len(self)} frames, {self.buffer_duration:g} s of history>"


def _frame_info(
    record: tuple[str, str | None, bool, bool, int, int | None, int | None],
) -> FrameInfo:
    name, parent, parent_is_present, is_static, samples, oldest_ns, newest_ns = record
    return FrameInfo(name, parent, not parent_is_present, is_static, samples, oldest_ns, newest_ns)


def _duration_ns(duration: float, what: str) -> int:
    if not isinstance(duration, Real) or isinstance(duration, bool):
        raise InvalidTransformError(f"{what} must be seconds as a number, got {duration!r:.100}")
    if not 0 < duration <= _LONGEST_S:
        raise InvalidTransformError(
            f"{what} must be more than 0 and at most {_LONGEST_S:g} seconds, got {duration!r:.100}"
        )
    return max(1, round(duration * NS_PER_S))
