"""Elements of XML that are written: numbers are exact, and poses are those of SDF."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from horus_sim.tf import Transform


def add(parent: ET.Element, tag: str, value: object = None, **attributes: str) -> ET.Element:
    """Adds an element with a number, numbers, a truth value or a text, each exact."""
    child = ET.SubElement(parent, tag, attributes)
    if value is not None:
        child.text = text_of(value)
    return child


def text_of(value: object) -> str:
    """A value as text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str | int):
        return str(value)
    numbers: Iterable[float] = value  # type: ignore[assignment]
    return " ".join(repr(float(number)) for number in numbers)


def add_pose(parent: ET.Element, T: Transform, relative_to: str = "") -> None:
    """Adds a ``<pose>``, unless it says nothing."""
    is_identity = not any(T.translation) and abs(float(T.rotation[3])) == 1.0
    if is_identity and not relative_to:
        return
    attributes = {"relative_to": relative_to} if relative_to else {}
    add(parent, "pose", (*T.translation, *T.to_euler()), **attributes)
