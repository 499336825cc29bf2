"""Fields of forms in the units and axes that the user has chosen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from horus_sim.ui.designer.model.field import Field, number_text

if TYPE_CHECKING:
    from horus_sim.ui.shell.units import Units

_AXES = "xy"


def in_units(fields: Iterable[Field], units: Units) -> list[Field]:
    """The fields with lengths and coordinates in these units; of a point x comes first."""
    found = [_in_units(field, units) for field in fields]
    for k in range(1, len(found)):
        first, second = found[k - 1], found[k]
        # Axes that changed places: what was y is x now.
        axis = f"x [{units.system}]"
        name = second.label.removesuffix(axis)
        if second.label.endswith(axis) and first.label == f"{name}y [{units.system}]":
            found[k - 1], found[k] = second, first
    return found


def _in_units(field: Field, units: Units) -> Field:
    if not field.measure or units.system == "m":
        return field
    factor, label = units.per_metre, field.label
    if field.measure != "length":
        one = [0.0, 0.0, 0.0]
        one[_AXES.index(field.measure)] = 1.0
        shown = units.show(one)
        axis = max(range(2), key=lambda k: abs(shown[k]))
        factor = shown[axis]
        label = label.replace(f"{field.measure} [m]", f"{_AXES[axis]} [m]")
    label = label.replace("[m]", f"[{units.system}]")
    return replace(field, label=label, factor=factor, usual=_scaled(field.usual, factor))


def _scaled(usual: str, factor: float) -> str:
    try:
        return number_text(float(usual) * factor)
    except ValueError:
        return usual
