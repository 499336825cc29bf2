"""Units of length by name."""

from __future__ import annotations

import difflib
import math
from numbers import Real

from horus_sim.errors import ConventionError

METRES_PER_UNIT: dict[str, float] = {
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), 1.0),
    **dict.fromkeys(("dm", "decimetre", "decimetres", "decimeter", "decimeters"), 0.1),
    **dict.fromkeys(("cm", "centimetre", "centimetres", "centimeter", "centimeters"), 0.01),
    **dict.fromkeys(("mm", "millimetre", "millimetres", "millimeter", "millimeters"), 0.001),
    **dict.fromkeys(("um", "micrometre", "micrometres", "micrometer", "micrometers"), 1e-6),
    **dict.fromkeys(("km", "kilometre", "kilometres", "kilometer", "kilometers"), 1000.0),
    **dict.fromkeys(("inch", "in", "inches"), 0.0254),
    **dict.fromkeys(("ft", "foot", "feet"), 0.3048),
    **dict.fromkeys(("yd", "yard", "yards"), 0.9144),
}
"""Length of each named unit [m]."""

_SHORT_NAMES = "m, dm, cm, mm, um, km, inch, ft, yd"
# Beyond these a ratio of two units could leave the range of a double.
_SMALLEST, _LARGEST = 1e-18, 1e18


def checked_unit(unit: object) -> str | float:
    """A unit as a user wrote it, in the form in which a convention keeps it.

    Args:
        unit: A name such as ``"mm"``, or metres per unit as a number. Text that reads as a number
            counts as one, because YAML takes ``1e-3`` for text.

    Returns:
        A key of `METRES_PER_UNIT`, or metres per unit.

    Raises:
        ConventionError: The name is unknown, or the number is no sensible length.
    """
    if isinstance(unit, str):
        name = unit.strip()
        if name in METRES_PER_UNIT:
            return name
        try:
            unit = float(name)
        except ValueError:
            raise ConventionError(_unknown_unit(name)) from None
    if isinstance(unit, bool) or not isinstance(unit, Real):
        raise ConventionError(
            f"unit={unit!r} is neither a name nor a number; write one of {_SHORT_NAMES}, "
            "or metres per unit such as 0.001."
        )
    metres = float(unit)
    if not (math.isfinite(metres) and _SMALLEST <= metres <= _LARGEST):
        raise ConventionError(
            f"unit={unit!r} is not a usable length; give metres per unit as a number "
            f"from {_SMALLEST:g} to {_LARGEST:g}, such as 0.001 for millimetres."
        )
    return metres


def _unknown_unit(name: str) -> str:
    close = difflib.get_close_matches(name.lower(), METRES_PER_UNIT, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"the names are {_SHORT_NAMES}."
    return f"unit='{name}' is unknown; {hint} A number means metres per unit."
