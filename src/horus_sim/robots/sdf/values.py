"""What the readers of SDF get: an element with its file and owner, and the values inside it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import IDENTITY
from horus_sim.robots.gazebo.reading import GazeboTags
from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.context import SourceFile
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import Vector, parse_bool, parse_floats, read_text, shown
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    _Values = TypeVar("_Values", bound=DataclassInstance)

Color = tuple[float, float, float, float]
_LARGEST_COORDINATE = 1e12


@dataclass(frozen=True, slots=True)
class Pose:
    """A ``<pose>`` as written, in the frame that `relative_to` names, '' being the usual one."""

    T: Transform = IDENTITY
    relative_to: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """An element of a file.

    Methods that read the value of a child give the default where it is absent or blank, and raise
    a `DescriptionError` for a value of another kind.

    Attributes:
        element: The element.
        file: The file.
        culprit: What errors and remarks are about, such as "link 'a'".
    """

    element: Element
    file: SourceFile
    culprit: str

    def error(self, text: str) -> DescriptionError:
        """An error that names file, line and culprit, to be raised."""
        return self.element.error(f"{self.culprit}: {text}")

    def note(self, kind: NoteKind, text: str) -> None:
        """Adds a remark."""
        self.file.loading.note(kind, self.element, self.culprit, text)

    def tolerate(self, problem: str, remedy: str, *, done: str = "left out") -> None:
        """Adds a remark on something wrong, or refuses the file if the import is strict."""
        self.file.loading.tolerate(self.element, self.culprit, problem, remedy, done=done)

    def check(self) -> None:
        """Remarks on children that SDF does not define, or that have no counterpart here."""
        self.file.loading.check_children(self.element, self.culprit)

    def ignore_plugins(self) -> None:
        """Remarks on every plugin: code for another simulator, which is not run."""
        tags = GazeboTags(self.file.loading.tell)
        for plugin in self.find_all("plugin"):
            tags.remark(plugin.element, self.culprit)

    def find(self, tag: str) -> Place | None:
        """The first child with that tag, or None."""
        child = self.element.find(tag)
        return None if child is None else replace(self, element=child)

    def find_all(self, tag: str) -> list[Place]:
        """The children with that tag, in order."""
        return [replace(self, element=child) for child in self.element.find_all(tag)]

    def attribute(self, name: str) -> str:
        """An attribute without white space around it; '' where there is none."""
        return (self.element.get(name) or "").strip()

    def flag(self, name: str) -> bool:
        """The truth value of an attribute; False where there is none."""
        what = f"<{self.element.tag}> {name}"
        text = self.element.get(name) or "false"
        return parse_bool(text, element=self.element, what=what, culprit=self.culprit)

    def text(self, tag: str, default: str = "") -> str:
        """The text of a child without white space around it."""
        child = self.element.find(tag)
        return (child.text.strip() if child is not None else "") or default

    def required(self, tag: str) -> str:
        """The text of a child that must be there.

        Raises:
            DescriptionError: It is missing or blank.
        """
        text = self.text(tag)
        if not text:
            raise self.error(f"<{self.element.tag}> needs a <{tag}>, which is missing or blank")
        return text

    def floats(
        self, tag: str, default: tuple[float, ...], *, finite: bool = True
    ) -> tuple[float, ...]:
        """The numbers in a child, as many as the default has."""
        return self._numbers(tag, len(default), finite=finite) or default

    def float(self, tag: str, default: float, *, finite: bool = True) -> float:
        """The number in a child."""
        return self.floats(tag, (default,), finite=finite)[0]

    def vector(self, tag: str, default: Vector) -> Vector:
        """Three numbers in a child."""
        x, y, z = self.floats(tag, default)
        return x, y, z

    def share(self, tag: str, default: float) -> float:
        """The number in a child, brought into 0 to 1."""
        return min(max(self.float(tag, default), 0.0), 1.0)

    def color(self, tag: str, default: Color) -> Color:
        """Red, green, blue and perhaps alpha in a child, brought into 0 to 1."""
        numbers = self._numbers(tag, (3, 4)) or default
        r, g, b, a = (min(max(number, 0.0), 1.0) for number in (*numbers, 1.0)[:4])
        return r, g, b, a

    def bool(self, tag: str, *, default: bool) -> bool:
        """The truth value in a child."""
        child = self.element.find(tag)
        if child is None or not child.text.strip():
            return default
        return parse_bool(child.text, element=child, what=f"<{tag}>", culprit=self.culprit)

    def filled(self, usual: _Values) -> _Values:
        """A dataclass with the fields replaced for which there are children of the same name."""
        return replace(
            usual,
            **{
                field.name: self._like(field.name, getattr(usual, field.name))
                for field in fields(usual)
            },
        )

    def pose(self) -> Pose:
        """The ``<pose>`` child, the identity if absent or blank.

        Raises:
            DescriptionError: The numbers are wrong, or their format is unknown.
        """
        child = self.find("pose")
        if child is None:
            return Pose()
        relative_to = child.attribute("relative_to")
        if not relative_to and self.file.version < (1, 7):
            relative_to = child.attribute("frame")
        return Pose(_transform(child) if child.element.text.strip() else IDENTITY, relative_to)

    def _like(self, tag: str, default: Any) -> Any:  # noqa: ANN401 - the type of a field
        match default:
            case bool():
                return self.bool(tag, default=default)
            case float():
                return self.float(tag, default)
            case str():
                return self.text(tag, default)
            case (r, g, b, a):
                return self.color(tag, (r, g, b, a))
            case tuple():
                return self.floats(tag, default)
            case _:
                return default

    def _numbers(
        self, tag: str, count: int | tuple[int, ...], *, finite: bool = True
    ) -> tuple[float, ...]:
        child = self.element.find(tag)
        if child is None or not child.text.strip():
            return ()
        return parse_floats(
            child.text, count, element=child, what=f"<{tag}>", culprit=self.culprit, finite=finite
        )


def name_of(element: Element, culprit: str = "") -> str:
    """The required attribute 'name'.

    Raises:
        DescriptionError: It is missing, blank, reserved or has characters that do not print.
    """
    name = read_text(element, "name", culprit=culprit)
    if name == "world" and element.tag != "world":
        raise element.error(f"<{element.tag}> is called 'world', which is reserved; rename it")
    if len(name) > 4 and name.startswith("__") and name.endswith("__"):
        raise element.error(
            f"<{element.tag}> is called {shown(name)}; names between double underscores are "
            "reserved: rename it"
        )
    if not name.isprintable():
        raise element.error(
            f"<{element.tag}> is called {shown(name)}, which has characters that do not print; "
            "rename it"
        )
    return name


def _transform(pose: Place) -> Transform:
    rotation_format = pose.attribute("rotation_format") or "euler_rpy"
    in_degrees = pose.flag("degrees")
    child, written = pose.element, f"<pose> = {shown(pose.element.text)}"
    if rotation_format == "quat_xyzw":
        if in_degrees:
            raise pose.error("<pose> has a quaternion in degrees; remove 'degrees'")
        x, y, z, *quaternion = parse_floats(
            child.text, 7, element=child, what="<pose>", culprit=pose.culprit
        )
        length = math.hypot(*quaternion)
        if not 1e-6 < length < 1e6:
            raise pose.error(
                f"{written}: the quaternion has length {length:g}; its length is to be 1"
            )
        rotation = [value / length for value in quaternion]
    elif rotation_format == "euler_rpy":
        x, y, z, *rpy = parse_floats(
            child.text, 6, element=child, what="<pose>", culprit=pose.culprit
        )
        angles = [math.radians(value) for value in rpy] if in_degrees else rpy
        rotation = list(Transform.from_euler((0, 0, 0), angles).rotation)
    else:
        raise pose.error(
            f"<pose> has the rotation_format {shown(rotation_format)}; known are 'euler_rpy' and "
            "'quat_xyzw'"
        )
    if max(abs(x), abs(y), abs(z)) > _LARGEST_COORDINATE:
        raise pose.error(
            f"{written} is farther away than {_LARGEST_COORDINATE:g} m; check the numbers"
        )
    return Transform((x, y, z), rotation)
