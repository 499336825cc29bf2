"""Fields for numbers that say beside themselves what is wrong with what was typed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nicegui import ui
from nicegui.awaitable_response import NullResponse

if TYPE_CHECKING:
    from nicegui.awaitable_response import AwaitableResponse
    from nicegui.events import GenericEventArguments


def fixed(value: float, digits: int = 3) -> str:
    """A number with so many digits behind the point, and never a negative zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}"


def slid_to(event: GenericEventArguments) -> float | None:
    """Where a user has moved a slider; None where a browser sends nonsense.

    Not the slider's own value: by the time it is read that may follow something else again.
    """
    value = event.args
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


class TextField(ui.input):
    """An input that keeps what somebody types as soon as they see it.

    A value that is set while a page is built is part of the page. The base class also sends it
    once the page is connected, and by then it would replace what was typed meanwhile.
    """

    def run_method(self, name: str, *args: object, timeout: float = 1) -> AwaitableResponse:
        """Calls a method in the browser, unless it would only repeat what the page holds."""
        if name == "updateValue" and not self.client.has_socket_connection:
            return NullResponse()
        return super().run_method(name, *args, timeout=timeout)


class NumberField:
    """A field for one number.

    Args:
        label: What it is, with its unit.
        value: Number to begin with.
        low: Least that is taken.
        high: Most that is taken.
        above: It must be more than this.
        name: Its accessible name; the label unless given.
    """

    def __init__(
        self,
        label: str,
        value: float,
        low: float = -math.inf,
        high: float = math.inf,
        above: float = -math.inf,
        name: str = "",
    ) -> None:
        self._low, self._high, self._above = low, high, above
        self.element = TextField(label, value=f"{value:g}", validation=self._wrong)
        self.element.props(f'outlined dense aria-label="{name or label}"')
        self.element.classes("col horus-number").style("min-width:0")

    @property
    def number(self) -> float | None:
        """The number, or None if there is none; the field then says why."""
        return float(self.element.value or "nan") if self.element.validate() else None

    def rescale(self, label: str, factor: float) -> None:
        """Other units: the label, the limits and the number change together.

        Args:
            label: Label with the new unit.
            factor: New numbers for old ones.
        """
        try:
            value = float(self.element.value or "nan") * factor
        except ValueError:
            value = math.nan
        self._low, self._high = self._low * factor, self._high * factor
        self._above = self._above * factor
        self.element.props(f'label="{label}" aria-label="{label}"')
        if math.isfinite(value):
            self.element.value = f"{value:g}"

    def show(self, value: float, digits: int = 3) -> None:
        """Writes a number into the field."""
        self.element.value = fixed(value, digits)

    def _wrong(self, text: str | None) -> str | None:
        try:
            # Python also reads the digits of other scripts, and groups of digits.
            number = float(str(text).strip().encode("ascii").replace(b"_", b"?"))
        except ValueError:
            return "not a number"
        if not math.isfinite(number):
            return "not finite"
        if number <= self._above:
            return f"more than {self._above:g}"
        if number < self._low:
            return f"at least {self._low:g}"
        if number > self._high:
            return f"at most {self._high:g}"
        return None


def numbers(*fields: NumberField) -> list[float] | None:
    """The numbers of several fields, or None if one of them is wrong; all are checked."""
    found = [field.number for field in fields]
    good = [number for number in found if number is not None]
    return good if len(good) == len(found) else None
