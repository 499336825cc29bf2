"""The tf2-like way to use a tree: messages in, waiting look-ups and transformed data out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.errors import (
    DisconnectedError,
    ExtrapolationError,
    TransformTimeoutError,
    UnknownFrameError,
)
from horus_sim.tf.tree import TFTree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import SupportsIndex

    import numpy as np
    import numpy.typing as npt

    from horus_sim.tf.messages import StaticTransformStamped, TFMessage, TransformStamped
    from horus_sim.tf.transform import Transform


class TFBuffer:
    """A tree that takes messages and waits for transforms.

    Times are integer nanoseconds and None is the latest common time; a timeout is in seconds of wall time.

    Args:
        tree: The tree to use; a new one when None.
        buffer_duration: History of a new tree [s].
    """

    def __init__(self, tree: TFTree | None = None, *, buffer_duration: float = 10.0) -> None:
        self.tree = TFTree(buffer_duration) if tree is None else tree

    def set_transform(self, message: TransformStamped) -> None:
        """Stores one stamped transform."""
        self.tree.add_transform(
            message.parent_frame, message.child_frame, message.transform, message.stamp_ns
        )

    def set_static_transform(self, message: StaticTransformStamped) -> None:
        """Stores one static transform."""
        self.tree.add_static_transform(
            message.parent_frame, message.child_frame, message.transform
        )

    def set_transforms(self, message: TFMessage) -> None:
        """Stores every transform of a message, in its order."""
        for transform in message:
            self.set_transform(transform)

    def lookup_transform(
        self,
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        timeout: float = 0.0,
        *,
        tolerance_ns: SupportsIndex = 0,
        predict: bool = False,
    ) -> Transform:
        """T_target_source; with a timeout, waits until it is known.

        Args:
            source: Frame that coordinates come from.
            target: Frame that they go to.
            time: Time [ns]; None is the latest common time.
            timeout: Longest wait [s].
            tolerance_ns: As in `TFTree.lookup_transform`.
            predict: As in `TFTree.lookup_transform`.
        """
        if timeout > 0:
            return self.wait_for_transform(source, target, time, timeout)
        return self.tree.lookup_transform(
            source, target, time, tolerance_ns=tolerance_ns, predict=predict
        )

    def lookup_full(
        self,
        source: str,
        source_time: SupportsIndex | None,
        target: str,
        target_time: SupportsIndex | None,
        fixed: str,
    ) -> Transform:
        """Time travel: where `source` was at `source_time`, seen from where `target` was at `target_time`.

        Args:
            source: Frame that coordinates come from.
            source_time: Time of the source [ns].
            target: Frame that they go to.
            target_time: Time of the target [ns].
            fixed: A frame that does not move between the two times, such as ``map``.

        Returns:
            T_target_source across the two times.
        """
        T_fixed_source = self.tree.lookup_transform(source, fixed, source_time)
        T_target_fixed = self.tree.lookup_transform(fixed, target, target_time)
        return T_target_fixed @ T_fixed_source

    def can_transform(
        self, source: str, target: str, time: SupportsIndex | None = None, timeout: float = 0.0
    ) -> bool:
        """Whether the transform is known, or becomes so within `timeout` seconds."""
        if self.tree.can_transform(source, target, time):
            return True
        if timeout <= 0:
            return False
        attempt = self._attempt(source, target, time)
        return self.tree.changes.wait(self.tree, attempt, timeout) is not None

    def wait_for_transform(
        self,
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        timeout: float | None = None,
    ) -> Transform:
        """Waits until the transform is known and returns it.

        Args:
            source: Frame that coordinates come from.
            target: Frame that they go to.
            time: Time [ns]; None is the latest common time.
            timeout: Longest wait [s]; None waits for ever.

        Raises:
            TransformTimeoutError: The time is up; its cause is the last look-up error.
        """
        found = self.tree.changes.wait(self.tree, self._attempt(source, target, time), timeout)
        return found if found is not None else self._give_up(source, target, time, timeout)

    async def wait_for_transform_async(
        self,
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        timeout: float | None = None,
    ) -> Transform:
        """`wait_for_transform` for a coroutine: the event loop goes on meanwhile."""
        attempt = self._attempt(source, target, time)
        found = await self.tree.changes.wait_async(self.tree, attempt, timeout)
        return found if found is not None else self._give_up(source, target, time, timeout)

    def transform_point(
        self,
        point: Sequence[float] | npt.NDArray[np.floating],
        source: str,
        target: str,
        time: SupportsIndex | None = None,
    ) -> npt.NDArray[np.float64]:
        """A point (3,) [m] of `source` in `target`."""
        return self.tree.lookup_transform(source, target, time).transform_point(point)

    def transform_vector(
        self,
        vector: Sequence[float] | npt.NDArray[np.floating],
        source: str,
        target: str,
        time: SupportsIndex | None = None,
    ) -> npt.NDArray[np.float64]:
        """A direction (3,) of `source` in `target`: rotated, not translated."""
        return self.tree.lookup_transform(source, target, time).transform_vector(vector)

    def transform_pose(
        self, T_source_object: Transform, source: str, target: str, time: SupportsIndex | None = None
    ) -> Transform:
        """A pose given in `source`, expressed in `target`."""
        return self.tree.lookup_transform(source, target, time) @ T_source_object

    def transform_points(
        self,
        points: npt.ArrayLike,
        source: str,
        target: str,
        time: SupportsIndex | Sequence[int] | npt.NDArray[np.integer] | None = None,
    ) -> npt.NDArray[np.floating]:
        """Points (N, 3) [m] of `source` in `target`, at one time or at a time for each point."""
        return self.tree.transform_points(points, source, target, time)

    def _attempt(
        self, source: str, target: str, time: SupportsIndex | None
    ) -> Callable[[], Transform | None]:
        def attempt() -> Transform | None:
            try:
                return self.tree.lookup_transform(source, target, time)
            except (UnknownFrameError, DisconnectedError, ExtrapolationError):
                return None

        return attempt

    def _give_up(
        self, source: str, target: str, time: SupportsIndex | None, timeout: float | None
    ) -> Transform:
        try:
            return self.tree.lookup_transform(source, target, time)
        except (UnknownFrameError, DisconnectedError, ExtrapolationError) as cause:
            raise TransformTimeoutError(
                f"no transform '{source}' -> '{target}' within {timeout} s: {cause}"
            ) from cause
