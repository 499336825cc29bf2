"""Units of length by name."""

from __future__ import annotations

import math
from numbers import Real

from horus_sim.errors import ConventionError, UnknownConventionError
from horus_sim.files.names import did_you_mean

_SHORT = {
    "m": 1.0,
    "dm": 0.1,
    "cm": 0.01,
    "mm": 0.001,
    "um": 1e-6,
    "km": 1000.0,
    "inch": 0.0254,
    "ft": 0.3048,
    "yd": 0.9144,
}
METRES_PER_UNIT: dict[str, float] = {
    **_SHORT,
    **dict.fromkeys(("metre", "metres", "meter", "meters"), 1.0),
    **dict.fromkeys(("decimetre", "decimetres", "decimeter", "decimeters"), 0.1),
    **dict.fromkeys(("centimetre", "centimetres", "centimeter", "centimeters"), 0.01),
    **dict.fromkeys(("millimetre", "millimetres", "millimeter", "millimeters"), 0.001),
    **dict.fromkeys(("micrometre", "micrometres", "micrometer", "micrometers"), 1e-6),
    **dict.fromkeys(("kilometre", "kilometres", "kilometer", "kilometers"), 1000.0),
    **dict.fromkeys(("in", "inches"), 0.0254),
    **dict.fromkeys(("foot", "feet"), 0.3048),
    **dict.fromkeys(("yard", "yards"), 0.9144),
}
"""Length of each named unit [m]."""

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
        UnknownConventionError: The name is unknown.
        ConventionError: The number is not a sensible length.
    """
    if isinstance(unit, str):
        name = unit.strip()
        if name in METRES_PER_UNIT:
            return name
        try:
            unit = float(name)
        except ValueError:
            hint = did_you_mean(name.lower(), METRES_PER_UNIT, most=1)
            raise UnknownConventionError(
                f"unit='{name}' is unknown; {hint} A number means metres per unit."
            ) from None
    if isinstance(unit, bool) or not isinstance(unit, Real):
        raise ConventionError(
            f"unit={unit!r} is neither a name nor a number; write one of {', '.join(_SHORT)}, "
            "or metres per unit such as 0.001."
        )
    metres = float(unit)
    if not (math.isfinite(metres) and _SMALLEST <= metres <= _LARGEST):
        raise ConventionError(
            f"unit={unit!r} is not a usable length; give metres per unit as a number "
            f"from {_SMALLEST:g} to {_LARGEST:g}, such as 0.001 for millimetres."
        )
    return metres
