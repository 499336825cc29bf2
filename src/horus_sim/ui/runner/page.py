"""The 2D runner: a scenario with its controllers, to look at, change and try again."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from nicegui import ui

from horus_sim.errors import HorusError
from horus_sim.running.loop.pacing import FASTEST, SLOWEST
from horus_sim.ui.kit.controls import icon_button, text_button
from horus_sim.ui.kit.log import build_log
from horus_sim.ui.kit.topics import TopicsView, build_topics
from horus_sim.ui.runner.model.run_address import PATH, Options, RunAddress
from horus_sim.ui.runner.model.runner_model import RunnerModel
from horus_sim.ui.runner.model.runs import Runs
from horus_sim.ui.runner.panels.banner import build_banner
from horus_sim.ui.runner.panels.console import build_console
from horus_sim.ui.runner.panels.editor import Editor
from horus_sim.ui.runner.panels.runs import RunList
from horus_sim.ui.runner.panels.signals import build_signals
from horus_sim.ui.runner.panels.state import build_devices, build_state
from horus_sim.ui.runner.panels.time_travel import build_time_travel
from horus_sim.ui.runner.panels.toolbar import LARGEST_SEED, build_toolbar
from horus_sim.ui.views.view2d import View2d

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.ui.shell.address import Address
    from horus_sim.ui.shell.page import Page

__all__ = ["PATH", "build"]
FIRST = "line_follower"
_FOLLOW_S = 0.3
STYLE = """
.h2d-page { display: flex; flex: 1 1 0; min-height: 0; width: 100%; }
.h2d-main { flex: 1 1 0; min-width: 0; min-height: 0; display: flex; flex-direction: column; }
.h2d-side { flex: 0 0 460px; min-width: 0; min-height: 0; overflow: hidden; display: flex;
  flex-direction: column; border-left: 1px solid rgba(128,128,128,.3); }
.h2d-side .q-tab-panels, .h2d-side .q-tab-panel { height: 100%; }
.h2d-side .q-tab { min-height: 36px; padding: 0 10px; }
@media (max-width: 800px) {
  .h2d-page { flex-direction: column; }
  .h2d-side { flex: 0 0 48%; border-left: none; border-top: 1px solid rgba(128,128,128,.3); }
}
"""


def build(page: Page) -> None:
    """Fills the page with the run of its address."""
    ui.add_css(STYLE)
    runs = Runs.of(page.site)
    wanted, wrong = read_address(page.address, runs)
    try:
        runner = runs.open(wanted)
    except HorusError as error:
        _no_room(page, runs, str(error))
        return
    runner.join(_presence())
    page.log = runner.log
    with ui.column().classes("horus-main gap-0 no-wrap"):
        bar = ui.element("div").classes("full-width")
        with ui.element("div").classes("h2d-page"):
            with ui.element("div").classes("h2d-main"):
                with ui.element("div").classes("col full-width").style("position:relative"):
                    view = View2d(runner.channel, draggable=("body",))
                    notes = ui.element("div")
                below = ui.element("div").classes("full-width")
            side = ui.element("div").classes("h2d-side")
    with side:
        tabs = ui.tabs().props("dense no-caps align=left outside-arrows mobile-arrows")
    model = RunnerModel(page, view, runs, runner, tabs)
    with bar:
        build_toolbar(model)
    with notes:
        build_banner(model)
    with below:
        build_time_travel(model)
    with side:
        _panels(model)
    with page.actions:
        button = icon_button("menu_open", "Panels", props="color=white")
        button.on_click(lambda: side.set_visibility(not side.visible))
    _listen(model)
    page.on_units(lambda: view.set_units(page.units.system))
    ui.timer(0.0, lambda: _begin(model, wrong), once=True)


def _panels(model: RunnerModel) -> None:
    page, tabs = model.page, model.tabs
    makers: dict[str, Callable[[], object]] = {
        "Code": lambda: Editor(model),
        "State": lambda: build_state(model),
        "Devices": lambda: build_devices(model),
        "Signals": lambda: build_signals(model),
        "Console": lambda: build_console(model),
        "Topics": lambda: build_topics(page, lambda: run_topics(model)),
        "Log": lambda: build_log(page, height="100%"),
    }
    usual = next(iter(makers))
    first = page.address.get("tab", usual)
    first = first if first in makers else usual
    with tabs:
        for name in makers:
            ui.tab(name).props(f'aria-label="{name}"')
    tabs.set_value(first)
    tabs.on_value_change(
        lambda event: page.address.set(tab=str("" if event.value == usual else event.value))
    )
    panels = ui.tab_panels(tabs, value=first, animated=False, keep_alive=True)
    with panels.classes("full-width col"):
        for name, make in makers.items():
            with (
                ui.tab_panel(name).style(f"padding:{'0' if name == usual else '10px'}"),
                ui.column().classes("full-width full-height gap-1 no-wrap"),
            ):
                make()


def run_topics(model: RunnerModel) -> TopicsView:
    """The topics of the run that a page shows."""
    told = model.runner.status.topics
    return TopicsView(**told) if told else TopicsView(None, "it is starting", 0.0, {})


def _listen(model: RunnerModel) -> None:
    runner, view = model.runner, model.view

    def drag(event: dict[str, Any]) -> None:
        ident, pose = event.get("id"), event.get("pose")
        if isinstance(ident, str) and isinstance(pose, list) and len(pose) == 3:
            if event.get("phase") == "start":
                model.select(ident)
            runner.post("drag", ident=ident, pose=pose, ends=event.get("phase") == "end")

    def look(event: dict[str, Any]) -> None:
        x, y, scale = (float(event.get(key, 0.0)) for key in ("x", "y", "scale"))
        where = f"{x:.3f},{y:.3f},{scale:.1f}"
        model.page.address.set(cam="" if event.get("fits") else where)

    view.on_event("pick", lambda event: model.select(str(event.get("body", ""))))
    view.on_event("drag", drag)
    view.on_event("camera", look)
    # What is open is part of the page as it arrives; another page may open something else.
    model.follow()
    model.page.every(_FOLLOW_S, model.follow)


def read_address(address: Address, runs: Runs) -> tuple[RunAddress, dict[str, str]]:
    """What an address asks for; without a scenario, what was last looked at.

    Returns:
        It, and what is wrong with the address, by key.
    """
    wrong: dict[str, str] = {}
    text = address.get("seed")
    seed = _seed(text)
    if text and seed is None:
        wrong["seed"] = _not(text, "seed", "a whole number of at least 0")
    name = address.get("scenario")
    options = Options(
        seed=seed,
        top_down=address.get("side") != "1",
        ignore_terrain=address.get("empty") == "1",
    )
    try:
        if name:
            return RunAddress(runs.scenarios.find(name), options), wrong
    except HorusError as error:
        wrong["scenario"] = str(error)
    if (newest := runs.newest) is not None:
        return newest.address, wrong
    return RunAddress(runs.scenarios.find(FIRST), options), wrong


def _presence() -> Callable[[], bool]:
    """Whether this page is still open; what never connects is given up by NiceGUI."""
    client = ui.context.client
    was_here = False

    def connected() -> None:
        nonlocal was_here
        was_here = True

    client.on_connect(connected)
    return lambda: not client.is_deleted and (client.has_socket_connection or not was_here)


def _no_room(page: Page, runs: Runs, why: str) -> None:
    with (
        ui.column().classes("horus-main items-center justify-center q-pa-md"),
        ui.column().style("max-width:480px;width:100%"),
    ):
        ui.label(why[:1].upper() + why[1:] + ".").props('role="alert" aria-label="No room"')
        RunList(page, runs)
        text_button("Try again", ui.navigate.reload)


async def _begin(model: RunnerModel, wrong: dict[str, str]) -> None:
    """Opens what the address says; what is open already goes on."""
    page, runner, address = model.page, model.runner, model.page.address
    wanted, selected = runner.address, address.get("sel")
    speed = address.number("speed", math.nan)
    if address.get("speed") and not SLOWEST <= speed <= FASTEST:
        number = f"a number from {SLOWEST:g} to {FASTEST:g}"
        wrong["speed"] = _not(address.get("speed"), "speed", number)
    for key, text in wrong.items():
        page.complain(text)
        address.set(**{key: ""})
    with suppress(ValueError):
        x, y, scale = map(float, address.get("cam").split(","))
        if math.isfinite(x + y + scale):
            model.view.set_camera(x, y, scale)
    model.view.set_follow(address.get("follow"))
    starts = runner.place is None or address.get("start") == "1"
    address.set(start="")
    if starts or runner.is_stale:
        await model.open(wanted.place, wanted.options)
    if starts:
        await page.obey(runner.play)
    if selected:
        model.select(selected)
    if address.get("speed"):
        await page.obey(lambda: runner.set_speed(speed))


def _not(text: str, key: str, wanted: str) -> str:
    return f"the address says {key}={text[:40]}, which is not {wanted}"


def _seed(text: str) -> int | None:
    """A seed, or None for the scenario's own where the address has none that fits."""
    return int(text) if text.isdecimal() and int(text) <= LARGEST_SEED else None
