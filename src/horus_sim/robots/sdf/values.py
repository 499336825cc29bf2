"""Values of SDF elements: numbers, words, colours and poses."""

from __future__ import annotations

import math
from dataclasses import dataclass

from horus_sim.robots.description import IDENTITY
from horus_sim.robots.sdf.world import SdfValue
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import parse_bool, parse_floats, read_text, shown
from horus_sim.tf import Transform

Color = tuple[float, float, float, float]
_LARGEST_COORDINATE = 1e12


@dataclass(frozen=True, slots=True)
class Pose:
    """A ``<pose>`` as written, in the frame that `relative_to` names, '' being the usual one."""

    T: Transform = IDENTITY
    relative_to: str = ""


def child_text(element: Element, tag: str, default: str = "") -> str:
    """The text of a child without white space around it; the default if absent or blank."""
    child = element.find(tag)
    return (child.text.strip() if child is not None else "") or default


def child_floats(
    element: Element,
    tag: str,
    culprit: str,
    default: tuple[float, ...],
    *,
    finite: bool = True,
) -> tuple[float, ...]:
    """The numbers in a child, as many as the default has; the default if absent or blank."""
    child = element.find(tag)
    if child is None or not child.text.strip():
        return default
    return parse_floats(
        child.text,
        len(default),
        element=child,
        what=f"<{tag}>",
        culprit=culprit,
        finite=finite,
    )


def child_float(
    element: Element, tag: str, culprit: str, default: float, *, finite: bool = True
) -> float:
    """The number in a child; the default if absent or blank."""
    return child_floats(element, tag, culprit, (default,), finite=finite)[0]


def child_vector(
    element: Element, tag: str, culprit: str, default: tuple[float, float, float]
) -> tuple[float, float, float]:
    """Three numbers in a child; the default if absent or blank."""
    x, y, z = child_floats(element, tag, culprit, default)
    return x, y, z


def child_bool(element: Element, tag: str, culprit: str, *, default: bool) -> bool:
    """The truth value in a child; the default if absent or blank."""
    child = element.find(tag)
    if child is None or not child.text.strip():
        return default
    return parse_bool(child.text, element=child, what=f"<{tag}>", culprit=culprit)


def child_color(element: Element, tag: str, culprit: str, default: Color) -> Color:
    """Red, green, blue and perhaps alpha in a child, brought into 0 to 1."""
    child = element.find(tag)
    if child is None or not child.text.strip():
        return default
    numbers = parse_floats(child.text, (3, 4), element=child, what=f"<{tag}>", culprit=culprit)
    r, g, b, a = (min(max(number, 0.0), 1.0) for number in (*numbers, 1.0)[:4])
    return r, g, b, a


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


def pose_of(element: Element, culprit: str, version: tuple[int, int]) -> Pose:
    """The ``<pose>`` child, the identity if absent or blank.

    Raises:
        DescriptionError: The numbers are wrong, or their format is unknown.
    """
    child = element.find("pose")
    if child is None:
        return Pose()
    relative_to = (child.get("relative_to") or "").strip()
    if not relative_to and version < (1, 7):
        relative_to = (child.get("frame") or "").strip()
    if not child.text.strip():
        return Pose(IDENTITY, relative_to)
    return Pose(_transform(child, culprit), relative_to)


def _transform(child: Element, culprit: str) -> Transform:
    rotation_format = (child.get("rotation_format") or "euler_rpy").strip()
    in_degrees = parse_bool(
        child.get("degrees") or "false", element=child, what="<pose> degrees", culprit=culprit
    )
    if rotation_format == "quat_xyzw":
        if in_degrees:
            raise child.error(f"{culprit}: <pose> has a quaternion in degrees; remove 'degrees'")
        x, y, z, *quaternion = parse_floats(
            child.text, 7, element=child, what="<pose>", culprit=culprit
        )
        length = math.hypot(*quaternion)
        if not 1e-6 < length < 1e6:
            raise child.error(
                f"{culprit}: <pose> = {shown(child.text)}: the quaternion has length {length:g}; "
                "its length is to be 1"
            )
        rotation = [value / length for value in quaternion]
    elif rotation_format == "euler_rpy":
        x, y, z, *rpy = parse_floats(child.text, 6, element=child, what="<pose>", culprit=culprit)
        angles = [math.radians(value) for value in rpy] if in_degrees else rpy
        rotation = list(Transform.from_euler((0, 0, 0), angles).rotation)
    else:
        raise child.error(
            f"{culprit}: <pose> has the rotation_format {shown(rotation_format)}; known are "
            "'euler_rpy' and 'quat_xyzw'"
        )
    if max(abs(x), abs(y), abs(z)) > _LARGEST_COORDINATE:
        raise child.error(
            f"{culprit}: <pose> = {shown(child.text)} is farther away than "
            f"{_LARGEST_COORDINATE:g} m; check the numbers"
        )
    return Transform((x, y, z), rotation)


def plain_value(element: Element) -> SdfValue:
    """An element and all below it as plain values, for parameters that are kept but not read."""
    if not element.children and not element.attributes:
        return _plain_text(element.text.strip())
    values: dict[str, SdfValue] = {
        f"@{key}": _plain_text(value.strip()) for key, value in element.attributes.items()
    }
    for child in element.children:
        value = plain_value(child)
        if child.tag not in values:
            values[child.tag] = value
            continue
        earlier = values[child.tag]
        values[child.tag] = [*earlier, value] if isinstance(earlier, list) else [earlier, value]
    text = element.text.strip()
    if text:
        values["text"] = _plain_text(text)
    return values


def _plain_text(text: str) -> SdfValue:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        return text
    if len(numbers) != 1:
        return tuple(numbers) if numbers else ""
    digits = text.lstrip("+-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 16 else numbers[0]
