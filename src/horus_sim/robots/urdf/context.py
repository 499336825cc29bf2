"""What the readers of one URDF file share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from horus_sim.errors import DescriptionError, MissingResourceError
from horus_sim.robots.description import Material
from horus_sim.robots.report import Note, NoteKind, Report, about_package
from horus_sim.robots.uris import UriResolver
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import read_floats
from horus_sim.tf import Transform

_ZERO = (0.0, 0.0, 0.0)


@dataclass(slots=True)
class UrdfContext:
    """The state of one import.

    Attributes:
        resolver: Finds the files that the description names.
        report: Gathers remarks.
        allow_missing: Whether a missing collision mesh is a warning instead of an error.
        materials: Named materials.
        materials_read: Those of elements that were read, by identity: each is remarked on once.
    """

    resolver: UriResolver
    report: Report
    allow_missing: bool = False
    materials: dict[str, Material] = field(default_factory=dict)
    materials_read: dict[int, Material] = field(default_factory=dict)
    _ignored: dict[str, tuple[int, int]] = field(default_factory=dict)
    _missing: dict[str, list[Note]] = field(default_factory=dict)

    def warn(self, culprit: str, text: str, element: Element | None = None) -> None:
        """Adds a warning."""
        line = element.line if element is not None else None
        self.report.add(NoteKind.WARNING, culprit, text, line)

    def substitute(self, culprit: str, text: str, element: Element | None = None) -> None:
        """Adds a remark on something that was taken for something else."""
        line = element.line if element is not None else None
        self.report.add(NoteKind.SUBSTITUTION, culprit, text, line)

    def tell(self, kind: NoteKind, element: Element, culprit: str, text: str) -> None:
        """Adds a remark on one of Gazebo's tags."""
        self.report.add(kind, culprit, text, element.line)

    def ignore(self, what: str, element: Element) -> None:
        """Counts something that is not used; `report_ignored` adds one remark for each kind."""
        count, first = self._ignored.get(what, (0, element.line))
        self._ignored[what] = (count + 1, first)

    def report_ignored(self) -> None:
        """Adds the remarks on what was ignored."""
        for what, (count, line) in self._ignored.items():
            text = "is not used" if count == 1 else f"is not used; {count} times, this is the first"
            self.report.add(NoteKind.IGNORED, what, text, line)
        self._ignored.clear()

    def warn_missing(
        self, culprit: str, text: str, element: Element, error: MissingResourceError
    ) -> None:
        """Warns of a file that is not there; those of a missing package are only counted.

        `report_missing` adds one warning for each missing package.
        """
        package = self.resolver.missing_package(error.uri)
        if package is None or ".." in error.uri:
            self.warn(culprit, text, element)
            return
        note = Note(NoteKind.WARNING, culprit, text, element.line)
        self._missing.setdefault(package, []).append(note)

    def report_missing(self) -> None:
        """Adds the warnings of packages that were not found."""
        for package, notes in self._missing.items():
            self.report.notes.append(about_package(package, notes))
        self._missing.clear()

    def find_file(self, uri: str, element: Element, culprit: str) -> Path:
        """The file that a URI names.

        Raises:
            MissingResourceError: It is absent or outside the roots; names file and line.
        """
        try:
            return self.resolver.resolve(uri, culprit)
        except MissingResourceError as error:
            text = str(element.error(str(error)))
            raise MissingResourceError(text, error.uri, error.tried) from error


def read_origin(parent: Element, culprit: str) -> Transform:
    """The pose in ``<origin xyz="..." rpy="..."/>``; the identity where there is none."""
    origin = parent.find("origin")
    if origin is None:
        return Transform.identity()
    xyz = read_floats(origin, "xyz", 3, culprit=culprit, default=_ZERO)
    rpy = read_floats(origin, "rpy", 3, culprit=culprit, default=_ZERO)
    try:
        return Transform.from_euler(xyz, rpy)
    except ValueError as error:
        raise origin.error(f"{culprit}: <origin> is not a pose: {error}") from error


def require_child(parent: Element, tag: str, culprit: str) -> Element:
    """The child element with that tag.

    Raises:
        DescriptionError: There is none.
    """
    child = parent.find(tag)
    if child is None:
        raise parent.error(f"{culprit}: <{parent.tag}> has no <{tag}>, which it needs")
    return child


def duplicate(element: Element, what: str, name: str, first: Element) -> DescriptionError:
    """The error that a name is taken, to be raised."""
    return element.error(
        f"the {what} name '{name}' is used twice, first in line {first.line}; rename one of the two"
    )
