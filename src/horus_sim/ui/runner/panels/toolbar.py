"""The row above the view: scenario, time, and what is shown."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from nicegui import ui

from horus_sim.ui.kit.controls import icon_button, mode_button, set_pressed, text_button
from horus_sim.ui.kit.fields import NumberField
from horus_sim.ui.kit.time_bar import build_time_bar
from horus_sim.ui.runner.panels.gallery import build_gallery
from horus_sim.ui.runner.panels.runs import build_runs

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from horus_sim.ui.runner.model.runner_model import RunnerModel
    from horus_sim.ui.views.view2d.view2d import Layer

LARGEST_SEED = 2**53
_DESIGNER = "/design"
_LAYERS: tuple[tuple[Layer, str, str], ...] = (
    ("rays", "sensors", "Sensor rays"),
    ("devices", "memory", "Devices"),
    ("trace", "timeline", "Path"),
    ("grid", "grid_on", "Grid"),
)


def build_toolbar(model: RunnerModel) -> None:
    """Buttons in a row."""
    runner, address, view = model.runner, model.page.address, model.view

    def design() -> None:
        if runner.place is not None:
            ui.navigate.to(f"{_DESIGNER}?{urlencode({'scenario': runner.place.name})}")

    def note_speed() -> None:
        speed = runner.status.speed
        address.set(speed="" if speed == 1.0 else f"{speed:g}")

    def pace() -> str:
        if runner.is_closed:
            return "stopped"
        if runner.stuck is not None:
            return "does not return"
        return "held by an error" if runner.status.error else ""

    def follow() -> None:
        wanted = "" if view.follows else model.selected or next(iter(runner.heads), "")
        view.set_follow(wanted)
        address.set(follow=wanted)

    with ui.row().classes("items-center full-width gap-1 q-px-sm q-py-xs"):
        build_gallery(model)
        icon_button("design_services", "Edit in the designer", design)
        ui.separator().props("vertical")
        build_time_bar(
            model.page, runner, on_use=note_speed, pace=pace, reset_done="back at the start"
        )
        ui.space()
        _layers(model)
        ui.separator().props("vertical").classes("gt-xs")
        icon_button("center_focus_strong", "Follow the robot", follow)
        icon_button("fit_screen", "Fit to view", view.fit)
        _options(model)
        build_runs(model)


def _layers(model: RunnerModel) -> None:
    hidden = set(filter(None, model.page.address.get("hide").split(",")))

    def apply() -> None:
        for layer, button in buttons.items():
            model.view.set_shown(layer, shown=layer not in hidden)
            set_pressed(button, pressed=layer not in hidden)

    def toggle(layer: Layer) -> None:
        hidden.symmetric_difference_update({layer})
        model.page.address.set(hide=",".join(sorted(hidden)))
        apply()

    buttons: dict[Layer, ui.button] = {}
    for layer, icon, name in _LAYERS:
        buttons[layer] = mode_button(icon, name, partial(toggle, layer))
    apply()


def _options(model: RunnerModel) -> None:
    runner = model.runner

    def change(**changes: Any) -> Awaitable[None] | None:  # noqa: ANN401 - fields of Options
        # Switches also follow the options; nothing is to be done then.
        options = replace(runner.options, **changes)
        if runner.place is None or options == runner.options:
            return None
        return model.open(runner.place, options)

    def set_seed() -> Awaitable[None] | None:
        value = seed.number
        if value is not None and value != int(value):
            seed.element.error = "a whole number"
            return None
        return None if value is None else change(seed=int(value))

    with (
        icon_button("tune", "Options", tip=""),
        ui.menu(),
        ui.column().classes("q-pa-md gap-2").style("min-width:250px"),
    ):
        ui.label("How it is simulated").classes("text-weight-bold")
        top = ui.switch("Seen from above (no gravity)", value=runner.options.top_down)
        top.props('aria-label="Seen from above"')
        terrain = ui.switch("Terrain", value=not runner.options.ignore_terrain)
        terrain.props('aria-label="Terrain"')
        with ui.row().classes("items-center no-wrap full-width"):
            seed = NumberField("Seed", runner.options.seed or 0, low=0, high=LARGEST_SEED)
            text_button("Use", set_seed, look="dense flat").props('aria-label="Use seed"')
        ui.label("A change starts the scenario anew.").classes("text-caption")
    top.on_value_change(lambda event: change(top_down=bool(event.value)))
    terrain.on_value_change(lambda event: change(ignore_terrain=not event.value))
    told = ""

    def show() -> None:
        nonlocal told
        top.value = runner.options.top_down
        terrain.value = not runner.options.ignore_terrain
        chosen = runner.options.seed
        text = str(runner.status.seed if chosen is None else chosen)
        if text != told:
            # What is being typed stays while another option changes.
            told = seed.element.value = text

    model.on_open.append(show)
