"""Elements as plain values: parameters that are kept but not read."""

from __future__ import annotations

from horus_sim.robots.gazebo.parts import SdfValue
from horus_sim.robots.xml import Element


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
