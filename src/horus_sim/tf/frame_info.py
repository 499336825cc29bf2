"""What a tree knows about one frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FrameInfo:
    """One frame and the link to its parent.

    Attributes:
        name: The frame.
        parent: Its newest parent; None for a root.
        is_orphan: Whether the parent has been removed from the tree.
        is_static: Whether the link to the parent is static.
        samples: Number of stamped samples in the history; 0 for a static frame or a root.
        oldest_ns: Stamp of the oldest sample [ns], or None.
        newest_ns: Stamp of the newest sample [ns], or None.
    """

    name: str
    parent: str | None
    is_orphan: bool
    is_static: bool
    samples: int
    oldest_ns: int | None
    newest_ns: int | None

    @property
    def is_top(self) -> bool:
        """Whether no frame of the tree is above it: a root or an orphan."""
        return self.parent is None or self.is_orphan

    @property
    def rate_hz(self) -> float | None:
        """Mean rate of the samples [Hz]; None with fewer than two."""
        if self.oldest_ns is None or self.newest_ns is None or self.samples < 2:
            return None
        return (self.samples - 1) * 1e9 / (self.newest_ns - self.oldest_ns)


def children_of(frames: Iterable[FrameInfo]) -> dict[str, list[FrameInfo]]:
    """The frames below each frame that has any, by name."""
    children: dict[str, list[FrameInfo]] = {}
    for info in frames:
        if info.parent is not None and not info.is_orphan:
            children.setdefault(info.parent, []).append(info)
    return children
