"""tf2's buffer: target before source, stamped transforms out, and zero for the latest time."""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, overload

import yaml

from horus_sim.errors import InvalidTransformError, TFError
from horus_sim.tf import StaticTransformStamped, TFBuffer, TransformStamped
from horus_sim.tf2.do_transform import do_transform
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Mapping

    from horus_sim.tf import FrameInfo, TFTree

Time = SupportsIndex | None
# What tf2 divides by when all samples of a frame have one stamp [s].
_SHORTEST_S = 1e-4


class Buffer:
    """A `TFBuffer` with the names and the order of arguments of ``tf2_ros.Buffer``.

    Times are integer nanoseconds; 0 and None are the latest common time. Timeouts are seconds of
    wall time, and when one is up the error is that of the look-up, as in tf2.

    Args:
        cache_time: History kept for each moving frame [s].

    Attributes:
        tf_buffer: The `TFBuffer` beneath, with everything that tf2 does not have.
    """

    def __init__(self, cache_time: float = 10.0) -> None:
        self.tf_buffer = TFBuffer(buffer_duration=cache_time)
        self._authorities: dict[str, str] = {}
        self._publishers: list[Mapping[str, set[str]]] = []

    @property
    def tree(self) -> TFTree:
        """The tree beneath."""
        return self.tf_buffer.tree

    def set_transform(
        self, transform: TransformStamped, authority: str = "default_authority"
    ) -> None:
        """Stores where a moving frame was at one time.

        Args:
            transform: The transform.
            authority: Who says so; `all_frames_as_yaml` tells it.
        """
        self.tf_buffer.set_transform(transform)
        self._authorities[transform.child_frame] = authority

    def set_transform_static(
        self,
        transform: TransformStamped | StaticTransformStamped,
        authority: str = "default_authority",
    ) -> None:
        """Stores where a fixed frame is; the stamp does not matter.

        Args:
            transform: The transform.
            authority: Who says so; `all_frames_as_yaml` tells it.
        """
        self.tf_buffer.set_static_transform(as_static(transform))
        self._authorities[transform.child_frame] = authority

    def lookup_transform(
        self, target_frame: str, source_frame: str, time: Time, timeout: float = 0.0
    ) -> TransformStamped:
        """The transform that maps coordinates of the source into the target.

        Args:
            target_frame: Frame that coordinates go to; the parent of the result.
            source_frame: Frame that they come from; the child of the result.
            time: Time [ns]; 0 or None is the latest common time.
            timeout: Longest wait [s].

        Returns:
            T_target_source with the time for which it holds; that is 0 when the latest was asked
            for and no frame in between moves.

        Raises:
            UnknownFrameError: ``LookupException``: a frame is not known.
            DisconnectedError: ``ConnectivityException``: the frames are in two trees.
            ExtrapolationError: ``ExtrapolationException``: the time is outside the history.
        """
        if timeout != 0:
            self.can_transform(target_frame, source_frame, time, timeout)
        return self._look_up(target_frame, source_frame, time)

    def lookup_transform_full(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
        timeout: float = 0.0,
    ) -> TransformStamped:
        """Time travel: the source at one time, seen from the target at another.

        Args:
            target_frame: Frame that coordinates go to.
            target_time: Time of the target [ns]; 0 or None is the latest.
            source_frame: Frame that they come from.
            source_time: Time of the source [ns]; 0 or None is the latest.
            fixed_frame: A frame that does not move between the two times, such as ``map``.
            timeout: Longest wait [s].

        Returns:
            T_target_source across the two times, with the time of the target.
        """
        if timeout != 0:
            self.can_transform_full(
                target_frame, target_time, source_frame, source_time, fixed_frame, timeout
            )
        return self._look_up_full(target_frame, target_time, source_frame, source_time, fixed_frame)

    async def lookup_transform_async(
        self, target_frame: str, source_frame: str, time: Time
    ) -> TransformStamped:
        """`lookup_transform` for a coroutine, which waits as long as it takes."""
        await self.tf_buffer.wait_for_transform_async(source_frame, target_frame, _moment(time))
        return self._look_up(target_frame, source_frame, time)

    @overload
    def can_transform(
        self,
        target_frame: str,
        source_frame: str,
        time: Time,
        timeout: float = 0.0,
        *,
        return_debug_tuple: Literal[False] = False,
    ) -> bool: ...
    @overload
    def can_transform(
        self,
        target_frame: str,
        source_frame: str,
        time: Time,
        timeout: float = 0.0,
        *,
        return_debug_tuple: Literal[True],
    ) -> tuple[bool, str]: ...
    def can_transform(
        self,
        target_frame: str,
        source_frame: str,
        time: Time,
        timeout: float = 0.0,
        *,
        return_debug_tuple: bool = False,
    ) -> bool | tuple[bool, str]:
        """Whether `lookup_transform` would answer, or will within the timeout.

        Args:
            target_frame: Frame that coordinates go to.
            source_frame: Frame that they come from.
            time: Time [ns]; 0 or None is the latest common time.
            timeout: Longest wait [s].
            return_debug_tuple: Whether the reason is given too, as text that is empty when there
                is a transform.
        """
        can = self.tf_buffer.can_transform(source_frame, target_frame, _moment(time), timeout)
        if not return_debug_tuple:
            return can
        try:
            self._look_up(target_frame, source_frame, time)
        except TFError as error:
            return False, str(error)
        return True, ""

    @overload
    def can_transform_full(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
        timeout: float = 0.0,
        *,
        return_debug_tuple: Literal[False] = False,
    ) -> bool: ...
    @overload
    def can_transform_full(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
        timeout: float = 0.0,
        *,
        return_debug_tuple: Literal[True],
    ) -> tuple[bool, str]: ...
    def can_transform_full(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
        timeout: float = 0.0,
        *,
        return_debug_tuple: bool = False,
    ) -> bool | tuple[bool, str]:
        """Whether `lookup_transform_full` would answer, or will within the timeout.

        Args:
            target_frame: Frame that coordinates go to.
            target_time: Time of the target [ns]; 0 or None is the latest.
            source_frame: Frame that they come from.
            source_time: Time of the source [ns]; 0 or None is the latest.
            fixed_frame: A frame that does not move between the two times.
            timeout: Longest wait [s].
            return_debug_tuple: Whether the reason is given too, as text that is empty when there
                is a transform.
        """
        begin = clock.monotonic()
        can = self.can_transform(fixed_frame, source_frame, source_time, timeout)
        if can:
            left = max(0.0, timeout - (clock.monotonic() - begin))
            can = self.can_transform(target_frame, fixed_frame, target_time, left)
        if not return_debug_tuple:
            return can
        try:
            self._look_up_full(target_frame, target_time, source_frame, source_time, fixed_frame)
        except TFError as error:
            return False, str(error)
        return True, ""

    def transform(
        self,
        object_stamped: Any,  # noqa: ANN401 - what do_transform knows
        target_frame: str,
        timeout: float = 0.0,
    ) -> Any:  # noqa: ANN401
        """Data with a frame, expressed in another at its own time.

        Args:
            object_stamped: A message that `do_transform` knows: a `PointStamped`, `PoseStamped`,
                `Vector3Stamped` or `PointCloud`, or a type of your own.
            target_frame: Frame in which it is wanted.
            timeout: Longest wait [s].

        Returns:
            A new message of the same type.
        """
        frame, stamp_ns = _frame_and_stamp(object_stamped)
        found = self.lookup_transform(target_frame, frame, stamp_ns, timeout)
        return do_transform(object_stamped, found)

    def transform_full(
        self,
        object_stamped: Any,  # noqa: ANN401 - what do_transform knows
        target_frame: str,
        target_time: Time,
        fixed_frame: str,
        timeout: float = 0.0,
    ) -> Any:  # noqa: ANN401
        """Data with a frame, expressed in another frame at another time.

        Args:
            object_stamped: A message that `do_transform` knows.
            target_frame: Frame in which it is wanted.
            target_time: Time of that frame [ns]; 0 or None is the latest.
            fixed_frame: A frame that does not move between the two times.
            timeout: Longest wait [s].
        """
        frame, stamp_ns = _frame_and_stamp(object_stamped)
        found = self.lookup_transform_full(
            target_frame, target_time, frame, stamp_ns, fixed_frame, timeout
        )
        return do_transform(object_stamped, found)

    def get_latest_common_time(self, target_frame: str, source_frame: str) -> int:
        """The latest time [ns] that every moving frame in between knows; 0 when none moves."""
        return self.tree.latest_common_time(source_frame, target_frame) or 0

    def get_frame_strings(self) -> list[str]:
        """All frames, in the order in which they were first named."""
        return self.tree.get_all_frames()

    def all_frames_as_string(self) -> str:
        """A line for each frame that has a parent."""
        return "".join(
            f"Frame {info.name} exists with parent {info.parent}.\n" for info in self._children()
        )

    def all_frames_as_yaml(self) -> str:
        """A YAML document with tf2's keys for each frame that has a parent; times in seconds."""
        frames = {info.name: self._record(info) for info in self._children()}
        return yaml.safe_dump(frames, sort_keys=False, allow_unicode=True)

    def clear(self) -> None:
        """Forgets all moving frames, for a reset of the clock; static frames stay."""
        self.tree.clear()

    def note_publishers(self, publishers: Mapping[str, set[str]]) -> None:
        """Lets `all_frames_as_yaml` name who published frames; done by a `TransformListener`.

        Args:
            publishers: For each child frame the names, which may still grow.
        """
        self._publishers.append(publishers)

    def _look_up(self, target: str, source: str, time: Time) -> TransformStamped:
        moment = _moment(time)
        if moment is not None:
            T_target_source = self.tree.lookup_transform(source, target, moment)
            return TransformStamped(target, source, moment, T_target_source)
        T_target_source, stamp_ns = self.tree.lookup_stamped(source, target)
        if stamp_ns is None and source == target:
            stamp_ns = self.tree.frame(source).newest_ns
        return TransformStamped(target, source, stamp_ns or 0, T_target_source)

    def _look_up_full(
        self, target: str, target_time: Time, source: str, source_time: Time, fixed: str
    ) -> TransformStamped:
        fixed_source = self._look_up(fixed, source, source_time)
        target_fixed = self._look_up(target, fixed, target_time)
        T_target_source = target_fixed.transform @ fixed_source.transform
        return TransformStamped(target, source, target_fixed.stamp_ns, T_target_source)

    def _children(self) -> list[FrameInfo]:
        return [info for info in self.tree.frames() if info.parent is not None]

    def _record(self, info: FrameInfo) -> dict[str, Any]:
        newest_s = (info.newest_ns or 0) / NS_PER_S
        oldest_s = (info.oldest_ns or 0) / NS_PER_S
        heard = set().union(*(names.get(info.name, ()) for names in self._publishers))
        broadcaster = self._authorities.get(info.name, "default_authority")
        return {
            "parent": info.parent,
            "broadcaster": ", ".join(sorted(heard)) or broadcaster,
            "rate": round(max(1, info.samples) / max(newest_s - oldest_s, _SHORTEST_S), 3),
            "most_recent_transform": newest_s,
            "oldest_transform": oldest_s,
            "buffer_length": round(newest_s - oldest_s, 3),
        }


def as_static(transform: TransformStamped | StaticTransformStamped) -> StaticTransformStamped:
    """A transform that holds at all times, whatever its stamp.

    Raises:
        InvalidTransformError: It is not a transform.
    """
    if not isinstance(transform, TransformStamped | StaticTransformStamped):
        raise InvalidTransformError(f"expected a TransformStamped, got {transform!r:.100}")
    return StaticTransformStamped(
        transform.parent_frame, transform.child_frame, transform.transform
    )


def _moment(time: Time) -> SupportsIndex | None:
    """A time as the tree takes it, where None is the latest."""
    return None if time == 0 and not isinstance(time, bool | float) else time


def _frame_and_stamp(object_stamped: Any) -> tuple[str, int]:  # noqa: ANN401
    try:
        return object_stamped.frame_id, object_stamped.stamp_ns
    except AttributeError as error:
        raise InvalidTransformError(
            f"a {type(object_stamped).__name__} cannot be transformed: it has no frame_id and "
            "stamp_ns"
        ) from error
