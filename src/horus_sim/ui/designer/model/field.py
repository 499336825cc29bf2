"""A field of a form: how a value is shown, and how what is typed becomes one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from horus_sim.errors import EditError
from horus_sim.ui.designer.model.content import Content, Place, get
from horus_sim.ui.designer.model.edits import set_value

Measure = Literal["", "length", "x", "y"]
Kind = Literal["number", "angle", "integer", "text", "long", "choice", "flag", "color"]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form.

    Attributes:
        label: Label with its unit; also its accessible name.
        place: Place of the value in the content; of `special` ones that of messages.
        kind: How it is typed.
        group: Heading that it stands under; '' for the first ones.
        choices: What a 'choice' offers.
        optional: Whether it may be empty.
        usual: What counts while it is empty, for the placeholder.
        special: Finds and sets the value where it is not a plain one at its place.
        measure: What its unit depends on: a 'length', or a coordinate along 'x' or 'y'.
        factor: What is shown of a value of one.
    """

    label: str
    place: Place
    kind: Kind = "number"
    group: str = ""
    choices: tuple[str, ...] = ()
    optional: bool = False
    usual: str = ""
    special: tuple[Callable[[Content], Any], Callable[[Content, Any], Content]] | None = None
    measure: Measure = ""
    factor: float = 1.0

    def value(self, content: Content) -> Any:  # noqa: ANN401
        """What is in the content now."""
        if self.special is not None:
            return self.special[0](content)
        if self.optional:
            parent = get(content, self.place[:-1])
            if isinstance(parent, dict):
                return parent.get(self.place[-1])
        return get(content, self.place)

    def put(self, content: Content, value: Any) -> Content:  # noqa: ANN401
        """The content with another value.

        Raises:
            EditError: It does not fit.
        """
        if self.special is not None:
            return self.special[1](content, value)
        return set_value(content, self.place, value)

    def shown(self, content: Content) -> Any:  # noqa: ANN401
        """The value as the field shows it."""
        value = self.value(content)
        if self.kind == "flag":
            return bool(value)
        if self.kind == "color":
            return "#{:02x}{:02x}{:02x}".format(*value)
        if value is None:
            return None if self.kind == "choice" else ""
        if self.kind == "angle":
            return number_text(math.degrees(value))
        if self.kind == "number":
            return number_text(value * self.factor)
        return number_text(value) if self.kind == "integer" else str(value)

    def read(self, typed: Any) -> Any:  # noqa: ANN401
        """The value that was typed.

        Raises:
            EditError: It is none.
        """
        if self.kind == "flag":
            return bool(typed)
        text = str("" if typed is None else typed).strip()
        if self.kind == "color":
            return _color(text, self.place)
        if self.kind in ("text", "long", "choice"):
            return (text or None) if self.optional else text
        if not text:
            if self.optional:
                return None
            raise EditError(self.place, "a number is needed")
        return _number(text, self)


def number_text(value: float) -> str:
    """A number as people write it, with up to nine digits."""
    return f"{value + 0.0:.9g}"


def _number(text: str, field: Field) -> float | int:
    try:
        number = int(text) if field.kind == "integer" else float(text)
    except ValueError:
        whole = "whole " if field.kind == "integer" else ""
        raise EditError(field.place, f"'{text[:20]}' is not a {whole}number") from None
    if not math.isfinite(number) or "_" in text:
        raise EditError(field.place, f"'{text[:20]}' is not a finite number")
    if field.kind == "number":
        return number / field.factor
    return math.radians(number) if field.kind == "angle" else number


def _color(text: str, place: Place) -> tuple[int, int, int]:
    digits = text.removeprefix("#")
    try:
        if len(digits) != 6:
            raise ValueError
        red, green, blue = bytes.fromhex(digits)
    except ValueError:
        raise EditError(place, f"'{text[:20]}' is not a colour; write it like #4682b4") from None
    return red, green, blue
