"""What a tree knows about one frame."""

from __future__ import annotations

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
    def rate_hz(self) -> float | None:
        """Mean rate of the samples [Hz]; None with fewer than two."""
        if self.oldest_ns is None or self.newest_ns is None or self.samples < 2:
            return None
        return (self.samples - 1) * 1e9 / (self.newest_ns - self.oldest_ns)
