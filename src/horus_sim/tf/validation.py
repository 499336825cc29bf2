"""Is a set of frames one tree?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from horus_sim.tf.frame_info import FrameInfo


@dataclass(frozen=True, slots=True)
class TreeReport:
    """What `TFTree.validate` found. True when there is nothing to mend.

    Attributes:
        roots: Frames without a parent, and orphans.
        orphans: Frames whose parent was removed.
        problems: One sentence for each problem, with its remedy.
    """

    roots: tuple[str, ...]
    orphans: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the frames form one tree."""
        return not self.problems

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "\n".join(self.problems) if self.problems else "one tree, no problems"


def validate(frames: Sequence[FrameInfo]) -> TreeReport:
    """Looks for orphans and several roots. Cycles cannot occur: they are refused on insertion."""
    orphans = tuple(info.name for info in frames if info.is_orphan)
    roots = tuple(info.name for info in frames if info.is_top)
    problems = [
        f"'{info.name}' is an orphan: its parent '{info.parent}' was removed; "
        f"add '{info.parent}' again or remove '{info.name}'."
        for info in frames
        if info.is_orphan
    ]
    if len(roots) > 1:
        names = ", ".join(f"'{name}'" for name in roots)
        problems.append(
            f"{len(roots)} roots: {names}; frames below different roots cannot be transformed into "
            "each other until a transform joins them."
        )
    return TreeReport(roots, orphans, tuple(problems))
