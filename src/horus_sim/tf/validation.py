"""Is a set of frames one tree?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from horus_sim.tf.frame_info import FrameInfo

_MOST_LISTED = 6


@dataclass(frozen=True, slots=True)
class TreeFinding:
    """One problem of a tree.

    Attributes:
        kind: ``roots`` or ``orphan``; over topics also ``cycle``, ``refused``, ``publishers``,
            ``parents``, ``stale`` or ``clocks``.
        frames: The frames that it is about.
        detail: What was found.
        remedy: What to do.
    """

    kind: str
    frames: tuple[str, ...]
    detail: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}; {self.remedy}"


@dataclass(frozen=True, slots=True)
class TreeReport:
    """What `TFTree.validate` found. True when there is nothing to mend.

    Attributes:
        roots: Frames without a parent, and orphans.
        orphans: Frames whose parent was removed.
        findings: The problems.
    """

    roots: tuple[str, ...]
    orphans: tuple[str, ...]
    findings: tuple[TreeFinding, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """One sentence for each problem, with its remedy."""
        return tuple(f"{finding.detail}; {finding.remedy}." for finding in self.findings)

    @property
    def ok(self) -> bool:
        """Whether the frames form one tree."""
        return not self.findings

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "\n".join(self.problems) if self.problems else "one tree, no problems"


def validate(frames: Sequence[FrameInfo]) -> TreeReport:
    """Looks for orphans and several roots. Cycles cannot occur: they are refused on insertion."""
    orphans = tuple(info.name for info in frames if info.is_orphan)
    roots = tuple(info.name for info in frames if info.is_top)
    findings = [
        TreeFinding(
            "orphan",
            (info.name,),
            f"'{info.name}' hangs from '{info.parent}', which was removed",
            f"add '{info.parent}' again or remove '{info.name}'",
        )
        for info in frames
        if info.is_orphan
    ]
    if len(roots) > 1:
        findings.append(
            TreeFinding(
                "roots",
                roots,
                f"{len(roots)} trees with the roots {listed(roots)}, between which nothing can be "
                "transformed",
                f"add a transform that joins them, such as '{roots[0]}' -> '{roots[1]}'",
            )
        )
    return TreeReport(roots, orphans, tuple(findings))


def listed(names: Sequence[str]) -> str:
    """The first names, quoted, and how many more there are."""
    quoted = ", ".join(f"'{name}'" for name in names[:_MOST_LISTED])
    more = len(names) - _MOST_LISTED
    return f"{quoted} and {more} more" if more > 0 else quoted
