"""The tf2-like way to use a tree: messages in, waiting look-ups and transformed data out."""

from __future__ import annotations

import math
import threading
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING

from horus_sim.errors import (
    DisconnectedError,
    ExtrapolationError,
    InvalidTransformError,
    TransformTimeoutError,
    UnknownFrameError,
)
from horus_sim.tf.messages import StaticTransformStamped, TFMessage, TransformStamped
from horus_sim.tf.namespace import LookupOptions, TFNamespace
from horus_sim.tf.tree import TFTree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import SupportsIndex, Unpack

    import numpy as np
    import numpy.typing as npt

    from horus_sim.tf.transform import Transform


class TFBuffer:
    """A tree that takes messages and waits for transforms.

    Times are integer nanoseconds and None is the latest common time; a timeout is in seconds of
    wall time. `tolerance_ns` and `predict` mean what they mean in `TFTree.lookup_transform`.

    Args:
        tree: The tree, or the namespace of one, to use; a new tree when None.
        buffer_duration: History of a new tree [s].
    """

    def __init__(
        self, tree: TFTree | TFNamespace | None = None, *, buffer_duration: float = 10.0
    ) -> None:
        if tree is not None and not isinstance(tree, (TFTree, TFNamespace)):
            raise InvalidTransformError(
                f"a buffer sits on a TFTree or TFNamespace, got {tree!r:.100}"
            )
        self._view = TFTree(buffer_duration) if tree is None else tree

    @property
    def tree(self) -> TFTree:
        """The tree, also of a buffer on a namespace."""
        return self._view if isinstance(self._view, TFTree) else self._view.tree

    def set_transform(self, message: TransformStamped) -> None:
        """Stores one stamped transform."""
        _require(message, TransformStamped)
        self._view.add_transform(
            message.parent_frame, message.child_frame, message.transform, message.stamp_ns
        )

    def set_static_transform(self, message: StaticTransformStamped) -> None:
        """Stores one static transform."""
        _require(message, StaticTransformStamped)
        self._view.add_static_transform(
            message.parent_frame, message.child_frame, message.transform
        )

    def set_transforms(self, message: TFMessage) -> None:
        """Stores every transform of a message, in its order."""
        _require(message, TFMessage)
        for transform in message:
            self.set_transform(transform)

    def lookup_transform(
        self,
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        timeout: float = 0.0,
        **options: Unpack[LookupOptions],
    ) -> Transform:
        """T_target_source; with a timeout, waits until it is known.

        Args:
            source: Frame that coordinates come from.
            target: Frame that they go to.
            time: Time [ns]; None is the latest common time.
            timeout: Longest wait [s].
            options: `tolerance_ns` and `predict`, as in `TFTree.lookup_transform`.
        """
        if _checked(timeout) != 0:
            return self.wait_for_transform(source, target, time, timeout, **options)
        return self._view.lookup_transform(source, target, time, **options)

    def lookup_full(
        self,
        source: str,
        source_time: SupportsIndex | None,
        target: str,
        target_time: SupportsIndex | None,
        fixed: str,
    ) -> Transform:
        """Time travel: `source` at one time seen from `target` at another.

        Args:
            source: Frame that coordinates come from.
            source_time: Time of the source [ns].
            target: Frame that they go to.
            target_time: Time of the target [ns].
            fixed: A frame that does not move between the two times, such as ``map``.

        Returns:
            T_target_source across the two times.
        """
        T_fixed_source = self._view.lookup_transform(source, fixed, source_time)
        T_target_fixed = self._view.lookup_transform(fixed, target, target_time)
        return T_target_fixed @ T_fixed_source

    def can_transform(
        self,
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        timeout: float = 0.0,
        **options: Unpack[LookupOptions],
    ) -> bool:
        """Whether the transform is known, or becomes so within `timeout` seconds."""
        if self._view.can_transform(source, target, time, **options):
            return True
        if _checked(timeout) == 0:
            return False
        attempt = self._attempt(source, target, time, options)
        return self._view.changes.wait(attempt, _checked(timeout)) is not None

    def wait_for_transform(
        self,
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        timeout: float | None = None,
        **options: Unpack[LookupOptions],
    ) -> Transform:
        """Waits until the transform is known and returns it.

        Args:
            source: Frame that coordinates come from.
            target: Frame that they go to.
            time: Time [ns]; None is the latest common time.
            timeout: Longest wait [s]; None waits for ever.
            options: `tolerance_ns` and `predict`, as in `TFTree.lookup_transform`.

        Raises:
            TransformTimeoutError: The time is up; its cause is the last look-up error.
        """
        attempt = self._attempt(source, target, time, options)
        return attempt.checked(self._view.changes.wait(attempt, _checked(timeout)), timeout)

    async def wait_for_transform_async(
        self,
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        timeout: float | None = None,
        **options: Unpack[LookupOptions],
    ) -> Transform:
        """`wait_for_transform` for a coroutine: the event loop goes on meanwhile."""
        attempt = self._attempt(source, target, time, options)
        return attempt.checked(
            await self._view.changes.wait_async(attempt, _checked(timeout)), timeout
        )

    def transform_point(
        self,
        point: Sequence[float] | npt.NDArray[np.floating],
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        **options: Unpack[LookupOptions],
    ) -> npt.NDArray[np.float64]:
        """A point (3,) [m] of `source` in `target`."""
        T_target_source = self._view.lookup_transform(source, target, time, **options)
        return T_target_source.transform_point(point)

    def transform_vector(
        self,
        vector: Sequence[float] | npt.NDArray[np.floating],
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        **options: Unpack[LookupOptions],
    ) -> npt.NDArray[np.float64]:
        """A direction (3,) of `source` in `target`: rotated, not translated."""
        T_target_source = self._view.lookup_transform(source, target, time, **options)
        return T_target_source.transform_vector(vector)

    def transform_pose(
        self,
        T_source_object: Transform,
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        **options: Unpack[LookupOptions],
    ) -> Transform:
        """A pose given in `source`, expressed in `target`."""
        T_target_source = self._view.lookup_transform(source, target, time, **options)
        return T_target_source.compose(T_source_object)

    def transform_points(
        self,
        points: npt.ArrayLike,
        source: str,
        target: str,
        time: SupportsIndex | Sequence[int] | npt.NDArray[np.integer] | None = None,
        **options: Unpack[LookupOptions],
    ) -> npt.NDArray[np.floating]:
        """Points (N, 3) [m] of `source` in `target`, at one time or at a time for each point."""
        return self._view.transform_points(points, source, target, time, **options)

    def _attempt(
        self, source: str, target: str, time: SupportsIndex | None, options: LookupOptions
    ) -> _Attempt:
        look_up = partial(self._view.lookup_transform, source, target, time, **options)
        return _Attempt(look_up, f"'{source}' -> '{target}'")


class _Attempt:
    """A look-up that is repeated until it succeeds, and remembers why it did not."""

    def __init__(self, look_up: Callable[[], Transform], what: str) -> None:
        self._look_up = look_up
        self._what = what
        self._last_error: Exception | None = None

    def __call__(self) -> Transform | None:
        try:
            return self._look_up()
        except (UnknownFrameError, DisconnectedError, ExtrapolationError) as error:
            self._last_error = error
            return None

    def checked(self, found: Transform | None, timeout: float | None) -> Transform:
        if found is None:
            raise TransformTimeoutError(
                f"no transform {self._what} within {timeout} s: {self._last_error}"
            ) from self._last_error
        return found


def _checked(timeout: float | None) -> float | None:
    """A timeout [s] that threads can wait for; None waits for ever."""
    if timeout is None:
        return None
    if not isinstance(timeout, Real) or isinstance(timeout, bool) or math.isnan(timeout):
        raise InvalidTransformError(f"a timeout must be seconds or None, got {timeout!r:.100}")
    return min(max(0.0, float(timeout)), threading.TIMEOUT_MAX)


def _require(message: object, kind: type) -> None:
    if not isinstance(message, kind):
        raise InvalidTransformError(
            f"expected a {kind.__name__}, got {message!r}; set_transform, set_static_transform and "
            "set_transforms take a message type each"
        )
