"""A row with a name, a slider and its value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.kit.fields import slid_to

if TYPE_CHECKING:
    from nicegui.events import GenericEventArguments

_SLIDER_S = 0.04


def slider_row(
    name: str,
    low: float,
    high: float,
    move: Callable[[float], object],
    *,
    label: str,
    unit: str,
    steps: int = 500,
) -> tuple[ui.slider, ui.label]:
    """The slider, and the label of its value.

    Args:
        name: What stands before the slider.
        low: Least value.
        high: Largest value.
        move: Called with the value while a user moves the slider.
        label: Accessible name.
        unit: What stands behind the value.
        steps: How many steps the slider has.
    """
    with ui.row().classes("items-center no-wrap full-width gap-3"):
        ui.label(name).classes("text-caption").style("width:2.6em")
        slider = ui.slider(min=low, max=high, step=(high - low) / steps, value=0.0)
        slider.props(f'dense aria-label="{label}"').classes("col")
        on_slide(slider, move)
        value = ui.label().classes("text-caption horus-number text-right").style("min-width:4em")
        ui.label(unit).classes("text-caption text-grey").style("width:1.8em")
    return slider, value


def on_slide(slider: ui.slider, move: Callable[[float], object]) -> None:
    """Calls back with the value while a user moves a slider."""

    def slid(event: GenericEventArguments) -> None:
        value = slid_to(event)
        if value is not None:
            move(value)

    slider.on("update:model-value", slid, throttle=_SLIDER_S)
