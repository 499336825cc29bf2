"""The row above the view: scenario, time, and what is shown."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from nicegui import ui

from horus_sim.running.loop.pacing import nearest_speed, slider_speed
from horus_sim.ui.kit.fields import NumberField, slid_to
from horus_sim.ui.kit.orders import obey
from horus_sim.ui.runner.panels.gallery import build_gallery, open_place
from horus_sim.ui.runner.panels.runs import build_runs

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from nicegui.events import GenericEventArguments

    from horus_sim.ui.runner.panels.context import Context
    from horus_sim.ui.views.view2d.view2d import Layer

_REFRESH_S = 0.15
_LARGEST_SEED = 2**53
_SPEED_STEP = 0.05
_DESIGNER = "/design"
_HANDS_OFF_S = 1.0
_LAYERS: tuple[tuple[Layer, str, str], ...] = (
    ("rays", "sensors", "Sensor rays"),
    ("devices", "memory", "Devices"),
    ("trace", "timeline", "Path"),
    ("grid", "grid_on", "Grid"),
)


def build_toolbar(context: Context) -> None:
    """Buttons in a row."""
    with ui.row().classes("items-center full-width gap-1 q-px-sm q-py-xs"):
        build_gallery(context)
        _designer(context)
        ui.separator().props("vertical")
        _time(context)
        ui.space()
        _layers(context)
        ui.separator().props("vertical").classes("gt-xs")
        _icon("center_focus_strong", "Follow the robot", lambda: _follow(context))
        _icon("fit_screen", "Fit to view", context.view.fit)
        _options(context)
        build_runs(context)


def _designer(context: Context) -> None:
    """A way to the designer."""

    def go() -> None:
        place = context.runner.place
        if place is not None:
            ui.navigate.to(f"{_DESIGNER}?{urlencode({'scenario': place.name})}")

    _icon("design_services", "Edit in the designer", go)


def _time(context: Context) -> None:
    runner, log = context.runner, context.runner.log

    touched = 0.0

    def is_moving() -> bool:
        return time.monotonic() - touched < _HANDS_OFF_S

    async def toggle() -> None:
        is_going = runner.is_running and not runner.status.get("error")
        await obey(log, lambda: runner.run(running=not is_going))

    async def step() -> None:
        await obey(log, lambda: runner.run(running=False))
        await obey(log, lambda: runner.ask("step"))

    async def reset() -> None:
        await obey(log, lambda: runner.ask("reset"), "back at the start")

    async def set_speed(event: GenericEventArguments) -> None:
        nonlocal touched
        touched = time.monotonic()
        speed = slider_speed(slid_to(event))
        await obey(log, lambda: runner.set_speed(speed))
        context.address.set(speed="" if speed == 1.0 else f"{speed:g}")

    play = _icon("play_arrow", "Play", toggle)
    _icon("skip_next", "Step", step)
    _icon("restart_alt", "Reset", reset)
    speed = nearest_speed(context.address.number("speed", 1.0))
    slider = ui.slider(min=-1.0, max=1.0, step=0.05, value=math.log10(speed)).classes("gt-xs")
    slider.style("width:90px").props('aria-label="Speed" dense')
    # Only the user's moves: the value also follows what other pages choose.
    slider.on("update:model-value", set_speed, throttle=0.1)
    factor = ui.label().classes("horus-number gt-xs").style("min-width:2.6em")
    factor.props('aria-label="Speed factor"')
    clock = ui.label().classes("horus-number text-weight-medium").style("min-width:5em")
    clock.props('aria-label="Time"')
    real = ui.label().classes("horus-number text-caption gt-sm").style("min-width:8em")
    real.props('aria-label="Real-time factor"')

    def refresh() -> None:
        status = runner.status
        has_error = bool(status.get("error"))
        is_going = runner.is_running and not has_error and not runner.is_closed
        play.props(
            f"icon={'pause' if is_going else 'play_arrow'} "
            f'aria-label="{"Pause" if is_going else "Play"}"'
        )
        speed = status.get("speed", 1.0)
        factor.text = f"{speed:g}x"
        if abs((slider.value or 0.0) - math.log10(speed)) > _SPEED_STEP and not is_moving():
            slider.value = math.log10(speed)
        clock.text = f"{status.get('time', 0.0):.2f} s"
        if runner.is_closed:
            real.text = "stopped"
        elif runner.stuck is not None:
            real.text = "does not return"
        elif has_error:
            real.text = "held by an error"
        else:
            going = f"real time x{status.get('real_time_factor', 0.0):.2f}"
            real.text = going if is_going else "paused"

    refresh()
    context.page.every(_REFRESH_S, refresh)


def _layers(context: Context) -> None:
    hidden = set(filter(None, context.address.get("hide").split(",")))
    for layer, icon, name in _LAYERS:
        _layer(context, layer, icon, name, hidden)


def _layer(context: Context, layer: Layer, icon: str, name: str, hidden: set[str]) -> None:
    def apply() -> None:
        shown = layer not in hidden
        context.view.set_shown(layer, shown=shown)
        pressed = "true" if shown else "false"
        button.props(f'aria-pressed="{pressed}" color={"primary" if shown else "grey"}')

    def toggle() -> None:
        hidden.symmetric_difference_update({layer})
        context.address.set(hide=",".join(sorted(hidden)))
        apply()

    button = _icon(icon, name, toggle)
    apply()


def _follow(context: Context) -> None:
    wanted = context.selected or next(iter(context.runner.heads), "")
    wanted = "" if context.view.follows else wanted
    context.view.set_follow(wanted)
    context.address.set(follow=wanted)


def _options(context: Context) -> None:
    runner = context.runner

    async def restart(**changes: Any) -> None:  # noqa: ANN401
        place = runner.place
        if place is not None:
            await open_place(context, place, replace(runner.options, **changes))

    def switch(**changes: Any) -> Awaitable[None] | None:  # noqa: ANN401
        # Switches also follow the options; nothing is to be done then.
        is_same = replace(runner.options, **changes) == runner.options
        return None if is_same else restart(**changes)

    async def set_seed() -> None:
        value = seed.number
        if value is not None:
            if value != int(value):
                seed.element.error = "a whole number"
                return
            await restart(seed=int(value))

    with (
        ui.button(icon="tune").props('flat round dense aria-label="Options"'),
        ui.menu(),
        ui.column().classes("q-pa-md gap-2").style("min-width:250px"),
    ):
        ui.label("How it is simulated").classes("text-weight-bold")
        top = ui.switch("Seen from above (no gravity)", value=runner.options.top_down)
        top.props('aria-label="Seen from above"')
        terrain = ui.switch("Terrain", value=not runner.options.ignore_terrain)
        terrain.props('aria-label="Terrain"')
        with ui.row().classes("items-center no-wrap full-width"):
            seed = NumberField("Seed", runner.options.seed or 0, low=0, high=_LARGEST_SEED)
            ui.button("Use", on_click=set_seed).props('dense flat no-caps aria-label="Use seed"')
        ui.label("A change starts the scenario anew.").classes("text-caption")
    top.on_value_change(lambda event: switch(top_down=bool(event.value)))
    terrain.on_value_change(lambda event: switch(ignore_terrain=not event.value))

    told = ""

    def show() -> None:
        nonlocal told
        top.value = runner.options.top_down
        terrain.value = not runner.options.ignore_terrain
        chosen = runner.options.seed
        text = str(runner.status.get("seed", 0) if chosen is None else chosen)
        if text != told:
            # What is being typed stays while another option changes.
            told = seed.element.value = text

    context.on_open.append(show)


def _icon(icon: str, name: str, action: object) -> ui.button:
    button = ui.button(icon=icon, on_click=action)  # pyright: ignore[reportArgumentType]
    return button.props(f'flat round dense aria-label="{name}"').tooltip(name)
