"""What the parts of one import share: the report, the bounds, and the file that is being read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from horus_sim.robots.report import NoteKind, Report
from horus_sim.robots.sdf.elements import KNOWN
from horus_sim.robots.uris import UriResolver
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import shown

# A few files that include each other several times would otherwise grow without end.
MAX_MEMBERS = 200_000
MAX_INCLUDES = 5_000
MAX_DEPTH = 50


@dataclass(slots=True)
class Loading:
    """One call of `load_sdf`.

    Attributes:
        path: The file that the user named.
        roots: Folders below which models are looked for.
        strict: Whether what would be a remark is an error.
        report: The remarks.
        documents: Root elements of the files read so far.
        resolvers: Resolvers of these files.
        included: Files that a file's URIs were found to mean.
    """

    path: Path
    roots: tuple[Path, ...]
    strict: bool
    report: Report = field(default_factory=Report)
    documents: dict[Path, Element] = field(default_factory=dict)
    resolvers: dict[Path, UriResolver] = field(default_factory=dict)
    included: dict[tuple[Path, str], Path] = field(default_factory=dict)
    _includes: int = 0
    _members: int = 0
    _unread: dict[tuple[str, str], tuple[Element, int]] = field(default_factory=dict)

    def note(self, kind: NoteKind, element: Element, culprit: str, text: str) -> None:
        """Adds a remark about an element; one of an included file is named with its file."""
        place = "" if element.source == str(self.path) else f"{element.source}: "
        self.report.add(kind, f"{place}{culprit}", text, element.line)

    def tolerate(
        self,
        element: Element,
        culprit: str,
        problem: str,
        remedy: str,
        *,
        done: str = "left out",
        kind: NoteKind = NoteKind.WARNING,
    ) -> None:
        """Adds a remark on something wrong, or refuses the file if the import is strict.

        Args:
            element: Where it stands.
            culprit: Whose it is, such as "link 'a'".
            problem: What is wrong.
            remedy: What the user can do.
            done: What is done about it unless the import is strict.
            kind: Of the remark.

        Raises:
            DescriptionError: The import is strict.
        """
        if self.strict:
            raise element.error(f"{culprit}: {problem}; {remedy}")
        self.note(kind, element, culprit, f"{problem} ({done}); {remedy}")

    def spend(self, element: Element) -> None:
        """Counts a member of a model or world.

        Raises:
            DescriptionError: There are more than any real world has.
        """
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise element.error(
                f"the files that are included hold more than {MAX_MEMBERS} links, joints, shapes "
                "and frames, which is the limit; include fewer models"
            )

    def spend_include(self, element: Element) -> None:
        """Counts an include.

        Raises:
            DescriptionError: There are more than any real world has.
        """
        self._includes += 1
        if self._includes > MAX_INCLUDES:
            raise element.error(
                f"there are more than {MAX_INCLUDES} includes, which is the limit; include fewer "
                "models"
            )

    def check_children(self, element: Element, culprit: str) -> None:
        """Remarks on children that SDF does not define, or that have no counterpart here.

        Raises:
            DescriptionError: The import is strict, and SDF does not define a child.
        """
        known = KNOWN[element.tag]
        for child in element.children:
            if ":" in child.tag or child.tag in known.read:
                if child.tag.startswith("xacro:"):
                    self.tolerate(
                        child,
                        culprit,
                        f"<{child.tag}> is a macro that was not expanded",
                        "run xacro on the file first",
                    )
                continue
            if child.tag in known.unread:
                key = (element.tag, child.tag)
                first, count = self._unread.get(key, (child, 0))
                self._unread[key] = (first, count + 1)
                continue
            self.tolerate(
                child,
                culprit,
                f"element <{shown(child.tag)[1:-1]}>, child of <{element.tag}>, is not defined in "
                "SDF",
                "remove it or give it a prefix of your own",
                done="ignored",
                kind=NoteKind.IGNORED,
            )

    def summarize_unread(self) -> None:
        """Adds one remark for each kind of element that has no counterpart here."""
        for (parent, tag), (first, count) in self._unread.items():
            times = "once" if count == 1 else f"{count} times"
            self.note(
                NoteKind.IGNORED,
                first,
                f"<{tag}> in <{parent}>",
                f"has no counterpart here and is ignored ({times})",
            )


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the import.

    Attributes:
        path: Where it lies.
        version: Of the format, such as (1, 7): it decides what some elements mean.
        resolver: Finds what it refers to.
        loading: The import it belongs to.
        ancestors: The files that include it, outermost first.
    """

    path: Path
    version: tuple[int, int]
    resolver: UriResolver
    loading: Loading
    ancestors: tuple[Path, ...] = ()
