"""A view of a tree for one of several robots."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex, TypedDict

from horus_sim.errors import InvalidTransformError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    import numpy as np
    import numpy.typing as npt

    from horus_sim.tf.change_signal import ChangeSignal
    from horus_sim.tf.frame_info import FrameInfo
    from horus_sim.tf.transform import Transform
    from horus_sim.tf.tree import TFTree


class LookupOptions(TypedDict, total=False):
    """What a look-up does about times outside the history; see `TFTree.lookup_transform`.

    Attributes:
        tolerance_ns: How far outside its history [ns] a link is held still.
        predict: Whether links move on at constant velocity beyond their newest sample.
    """

    tolerance_ns: SupportsIndex
    predict: bool


class TFNamespace:
    """A tree in which names get a prefix.

    ``base_link`` means ``robot1/base_link`` and ``/map`` the global ``map``. Each method is that of
    `TFTree`, with names resolved; a `TFBuffer` can sit on a namespace too.

    Args:
        tree: The tree that holds the frames.
        prefix: The namespace, such as ``robot1``.
    """

    def __init__(self, tree: TFTree, prefix: str) -> None:
        self.tree = tree
        self.prefix = prefix.strip("/") if isinstance(prefix, str) else ""
        if not self.prefix:
            raise InvalidTransformError(
                f"a namespace must be a name such as 'robot1', got {prefix!r}"
            )

    @property
    def changes(self) -> ChangeSignal:
        """Wakes those who wait for a change of the tree."""
        return self.tree.changes

    def resolve(self, frame: str) -> str:
        """The global name of a frame of this namespace."""
        if not isinstance(frame, str):
            raise InvalidTransformError(f"a frame name must be text, got {frame!r}")
        if not frame.strip("/"):
            raise InvalidTransformError(f"a frame name is empty in namespace '{self.prefix}'")
        return frame.lstrip("/") if frame.startswith("/") else f"{self.prefix}/{frame}"

    def namespace(self, prefix: str) -> TFNamespace:
        """A namespace inside this one."""
        return TFNamespace(self.tree, f"{self.prefix}/{TFNamespace(self.tree, prefix).prefix}")

    def add_static_transform(self, parent: str, child: str, transform: Transform) -> None:
        """`TFTree.add_static_transform` in this namespace."""
        self.tree.add_static_transform(self.resolve(parent), self.resolve(child), transform)

    def add_transform(
        self, parent: str, child: str, transform: Transform, stamp_ns: SupportsIndex
    ) -> None:
        """`TFTree.add_transform` in this namespace."""
        self.tree.add_transform(self.resolve(parent), self.resolve(child), transform, stamp_ns)

    def add_transforms(
        self,
        parent: str,
        child: str,
        stamps_ns: Sequence[int] | npt.NDArray[np.integer],
        translations: npt.ArrayLike,
        rotations: npt.ArrayLike,
    ) -> None:
        """`TFTree.add_transforms` in this namespace."""
        self.tree.add_transforms(
            self.resolve(parent), self.resolve(child), stamps_ns, translations, rotations
        )

    def lookup_transform(
        self,
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        **options: Unpack[LookupOptions],
    ) -> Transform:
        """`TFTree.lookup_transform` in this namespace."""
        return self.tree.lookup_transform(
            self.resolve(source), self.resolve(target), time, **options
        )

    def frame_pose(
        self,
        frame: str,
        relative_to: str,
        time: SupportsIndex | None = None,
        **options: Unpack[LookupOptions],
    ) -> Transform:
        """`TFTree.frame_pose` in this namespace."""
        return self.lookup_transform(frame, relative_to, time, **options)

    def can_transform(
        self,
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        **options: Unpack[LookupOptions],
    ) -> bool:
        """`TFTree.can_transform` in this namespace."""
        if not source or not target:
            return False
        return self.tree.can_transform(self.resolve(source), self.resolve(target), time, **options)

    def lookup_transforms(
        self,
        source: str,
        target: str,
        times: Sequence[int] | npt.NDArray[np.integer],
        **options: Unpack[LookupOptions],
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """`TFTree.lookup_transforms` in this namespace, without its mask."""
        return self.tree.lookup_transforms(
            self.resolve(source), self.resolve(target), times, **options
        )

    def lookup_many(
        self,
        sources: Sequence[str],
        target: str,
        time: SupportsIndex | None = None,
        **options: Unpack[LookupOptions],
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """`TFTree.lookup_many` in this namespace, without its mask."""
        if isinstance(sources, str):
            raise InvalidTransformError(
                f"sources must be a sequence of frame names, got the text {sources!r:.100}"
            )
        return self.tree.lookup_many(
            [self.resolve(source) for source in sources], self.resolve(target), time, **options
        )

    def transform_points(
        self,
        points: npt.ArrayLike,
        source: str,
        target: str,
        time: SupportsIndex | Sequence[int] | npt.NDArray[np.integer] | None = None,
        **options: Unpack[LookupOptions],
    ) -> npt.NDArray[np.floating]:
        """`TFTree.transform_points` in this namespace."""
        return self.tree.transform_points(
            points, self.resolve(source), self.resolve(target), time, **options
        )

    def lookup_stamped(
        self, source: str, target: str, *, tolerance_ns: SupportsIndex = 0
    ) -> tuple[Transform, int | None]:
        """`TFTree.lookup_stamped` in this namespace."""
        return self.tree.lookup_stamped(
            self.resolve(source), self.resolve(target), tolerance_ns=tolerance_ns
        )

    def latest_common_time(self, source: str, target: str) -> int | None:
        """`TFTree.latest_common_time` in this namespace."""
        return self.tree.latest_common_time(self.resolve(source), self.resolve(target))

    def chain(self, source: str, target: str, time: SupportsIndex | None = None) -> list[str]:
        """`TFTree.chain` in this namespace; the names in the answer are global."""
        return self.tree.chain(self.resolve(source), self.resolve(target), time)

    def frame(self, name: str) -> FrameInfo:
        """`TFTree.frame` in this namespace; the names in the answer are global."""
        return self.tree.frame(self.resolve(name))

    def children(self, name: str) -> list[str]:
        """`TFTree.children` in this namespace; the names in the answer are global."""
        return self.tree.children(self.resolve(name))

    def has_frame(self, frame: str) -> bool:
        """Whether the frame is in the tree."""
        return frame != "" and self.tree.has_frame(self.resolve(frame))

    def get_all_frames(self) -> list[str]:
        """The frames of this namespace, without its prefix."""
        start = f"{self.prefix}/"
        return [
            name.removeprefix(start)
            for name in self.tree.get_all_frames()
            if name.startswith(start)
        ]

    def remove_frame(self, frame: str, *, subtree: bool = False) -> None:
        """`TFTree.remove_frame` in this namespace."""
        self.tree.remove_frame(self.resolve(frame), subtree=subtree)

    def __contains__(self, frame: str) -> bool:
        return self.has_frame(frame)

    def __repr__(self) -> str:
        return f"<TFNamespace '{self.prefix}': {len(self.get_all_frames())} frames>"
