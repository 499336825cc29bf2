"""What the parts of one import share: what SDF defines, the report, bounds and files."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from horus_sim.errors import DescriptionError
from horus_sim.robots.mending import mend_numbers
from horus_sim.robots.report import Note, NoteKind, Report, about_package
from horus_sim.robots.uris import UriResolver
from horus_sim.robots.xml import Element, read_xml
from horus_sim.robots.xml_values import shown

# A few files that include each other several times would otherwise grow without end.
MAX_MEMBERS = 200_000
MAX_INCLUDES = 5_000
MAX_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Known:
    """The children that SDF defines for an element: those that are read, and the others."""

    read: frozenset[str]
    unread: frozenset[str] = frozenset()


def _known(read: str, unread: str = "") -> Known:
    return Known(frozenset(read.split()), frozenset(unread.split()))


# Elements of SDF 1.4 to 1.12.
KNOWN = {
    "sdf": _known("world model light actor"),
    "world": _known(
        "include gravity magnetic_field physics scene light frame joint model plugin actor "
        "spherical_coordinates",
        "audio wind atmosphere gui road state population",
    ),
    "model": _known(
        "static self_collide frame pose link joint plugin include model",
        "allow_auto_disable gripper enable_wind",
    ),
    "include": _known("uri pose name static placement_frame plugin", "namespace"),
    "link": _known(
        "gravity pose inertial collision visual sensor light plugin",
        "enable_wind self_collide kinematic must_be_base_link velocity_decay projector audio_sink "
        "audio_source battery particle_emitter",
    ),
    "joint": _known(
        "parent child pose axis axis2 thread_pitch screw_thread_pitch gearbox_ratio "
        "gearbox_reference_body sensor plugin",
        "physics",
    ),
    "axis": _known("xyz limit dynamics mimic use_parent_model_frame initial_position"),
    "frame": _known("pose"),
    "inertial": _known("mass pose inertia density", "fluid_added_mass auto_inertia_params"),
    "visual": _known(
        "pose geometry material transparency plugin",
        "cast_shadows laser_retro visibility_flags meta",
    ),
    "collision": _known(
        "pose geometry surface density", "max_contacts laser_retro auto_inertia_params"
    ),
    "geometry": _known(
        "box sphere cylinder capsule cone ellipsoid plane mesh heightmap polyline image empty"
    ),
    "material": _known(
        "ambient diffuse specular emissive script pbr shininess render_order lighting double_sided",
        "shader",
    ),
    "surface": _known("friction bounce contact", "soft_contact"),
    "light": _known(
        "pose cast_shadows diffuse specular attenuation direction spot intensity",
        "visualize light_on plugin",
    ),
}
KNOWN["axis2"] = KNOWN["axis"]


@dataclass(slots=True)
class Loading:
    """One call of `load_sdf`.

    Attributes:
        path: The file that the user named.
        roots: Folders below which models are looked for.
        strict: Whether what would be a remark is an error.
        report: The remarks.
        resolvers: Resolvers of the files read so far.
        included: Files that a file's URIs were found to mean.
    """

    path: Path
    roots: tuple[Path, ...]
    strict: bool
    report: Report = field(default_factory=Report)
    resolvers: dict[Path, UriResolver] = field(default_factory=dict)
    included: dict[tuple[Path, str], Path] = field(default_factory=dict)
    _documents: dict[Path, Element] = field(default_factory=dict)
    _spent: Counter[str] = field(default_factory=Counter)
    _unread: dict[tuple[str, str], tuple[Element, int]] = field(default_factory=dict)
    _missing: dict[str, list[Note]] = field(default_factory=dict)

    def note(self, kind: NoteKind, element: Element, culprit: str, text: str) -> None:
        """Adds a remark about an element; one of an included file is named with its file."""
        self.report.add(kind, self._placed(element, culprit), text, element.line)

    def tell(self, kind: NoteKind, element: Element, culprit: str, text: str) -> None:
        """Adds a remark on one of Gazebo's tags, or refuses a warning if the import is strict.

        Raises:
            DescriptionError: It is a warning, and the import is strict.
        """
        if kind is NoteKind.WARNING and self.strict:
            raise element.error(f"{culprit}: {text}")
        self.note(kind, element, culprit, text)

    def _placed(self, element: Element, culprit: str) -> str:
        return culprit if element.source == str(self.path) else f"{element.source}: {culprit}"

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
            kind: Kind of the remark.

        Raises:
            DescriptionError: The import is strict.
        """
        if self.strict:
            raise element.error(f"{culprit}: {problem}; {remedy}")
        self.note(kind, element, culprit, f"{problem} ({done}); {remedy}")

    def spend(self, element: Element) -> None:
        """Counts an include, or a member of a model or world.

        Raises:
            DescriptionError: There are more than any real world has.
        """
        what, most = "links, joints, shapes and frames", MAX_MEMBERS
        if element.tag == "include":
            what, most = "includes", MAX_INCLUDES
        self._spent[what] += 1
        if self._spent[what] > most:
            raise element.error(
                f"the file and those that it includes hold more than {most} {what}, which is the "
                "limit; include fewer models"
            )

    def document(self, path: Path) -> Element:
        """The root element of a file, which is read once.

        Raises:
            DescriptionError: It cannot be read.
        """
        if path not in self._documents:
            document = read_xml(path)
            for note in mend_numbers(document):
                if self.strict:
                    raise DescriptionError(f"{path}, line {note.line}: {note.culprit}: {note.text}")
                place = "" if path == self.path else f"{path}: "
                self.report.add(note.kind, f"{place}{note.culprit}", note.text, note.line)
            self._documents[path] = document
        return self._documents[path]

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

    def note_missing(self, package: str, element: Element, culprit: str, text: str) -> None:
        """Keeps a remark on a file of a package that is not there for `summarize_missing`."""
        note = Note(NoteKind.WARNING, self._placed(element, culprit), text, element.line)
        self._missing.setdefault(package, []).append(note)

    def summarize_missing(self) -> None:
        """Adds one remark for each package or model that is not there."""
        for package, notes in self._missing.items():
            self.report.notes.append(about_package(package, notes))

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
        version: Version of the format, such as (1, 7): it decides what some elements mean.
        resolver: Finds what it refers to.
        loading: The import it belongs to.
        ancestors: The files that include it, outermost first.
    """

    path: Path
    version: tuple[int, int]
    resolver: UriResolver
    loading: Loading
    ancestors: tuple[Path, ...] = ()
