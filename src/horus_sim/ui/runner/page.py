"""The 2D runner: a scenario with its controllers, to look at, change and try again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nicegui import ui

from horus_sim.errors import HorusError
from horus_sim.running.loop.pacing import FASTEST, SLOWEST
from horus_sim.ui.kit.log import build_log
from horus_sim.ui.kit.orders import complain, obey
from horus_sim.ui.kit.topics import TopicsView, build_topics
from horus_sim.ui.runner.model.runner import Options
from horus_sim.ui.runner.model.runs import PATH, Runs, Wish
from horus_sim.ui.runner.panels.banner import build_banner
from horus_sim.ui.runner.panels.console import build_console
from horus_sim.ui.runner.panels.context import Context
from horus_sim.ui.runner.panels.editor import Editor
from horus_sim.ui.runner.panels.gallery import open_place
from horus_sim.ui.runner.panels.runs import RunList
from horus_sim.ui.runner.panels.signals import build_signals
from horus_sim.ui.runner.panels.state import build_devices, build_state
from horus_sim.ui.runner.panels.time_travel import build_time_travel
from horus_sim.ui.runner.panels.toolbar import build_toolbar
from horus_sim.ui.shell.address import Address
from horus_sim.ui.views.view2d import View2d

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.ui.shell.page import Page

FIRST = "line_follower"
_TABS = ("Code", "State", "Devices", "Signals", "Console", "Topics", "Log")
_LARGEST_SEED = 2**53
_FOLLOW_S = 0.3
_CONNECT_S = 60.0
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
    address = Address(PATH)
    wish, wrong = read_wish(address, runs)
    try:
        run = runs.open(wish)
    except HorusError as error:
        _no_room(page, runs, str(error))
        return
    run.join(_presence())
    with ui.column().classes("horus-main gap-0 no-wrap"):
        bar = ui.element("div").classes("full-width")
        with ui.element("div").classes("h2d-page"):
            with ui.element("div").classes("h2d-main"):
                with (
                    ui.element("div").classes("col full-width").style("position:relative"),
                ):
                    view = View2d(run.channel, draggable=("body",))
                    notes = ui.element("div")
                below = ui.element("div").classes("full-width")
            side = ui.element("div").classes("h2d-side")
    context = Context(page, view, address, runs, run)
    with bar:
        build_toolbar(context)
    with notes:
        build_banner(context)
    with below:
        build_time_travel(context)
    with side:
        _panels(context)
    _side_button(page, side)
    _listen(context)
    _units(context)
    ui.timer(0.0, lambda: _begin(context, wrong), once=True)
    ui.timer(0.0, lambda: _look_for_dark(context), once=True)


def _panels(context: Context) -> None:
    makers: dict[str, Callable[[], object]] = {
        "Code": lambda: Editor(context),
        "State": lambda: build_state(context),
        "Devices": lambda: build_devices(context),
        "Signals": lambda: build_signals(context),
        "Console": lambda: build_console(context),
        "Topics": lambda: build_topics(context.page, lambda: run_topics(context)),
        "Log": lambda: build_log(context.page, context.runner.log, height="100%"),
    }
    first = context.address.get("tab", _TABS[0])
    first = first if first in _TABS else _TABS[0]
    with ui.tabs().props("dense no-caps align=left outside-arrows mobile-arrows") as tabs:
        for name in _TABS:
            ui.tab(name).props(f'aria-label="{name}"')
    tabs.set_value(first)
    tabs.on_value_change(
        lambda event: context.address.set(tab=str("" if event.value == _TABS[0] else event.value))
    )
    context.tabs = tabs
    with ui.tab_panels(tabs, value=first, animated=False, keep_alive=True).classes(
        "full-width col"
    ):
        for name in _TABS:
            padding = "0" if name == "Code" else "10px"
            with (
                ui.tab_panel(name).style(f"padding:{padding}"),
                ui.column().classes("full-width full-height gap-1 no-wrap"),
            ):
                makers[name]()


def run_topics(context: Context) -> TopicsView:
    """The topics of the run that a page shows."""
    told = context.runner.status.get("topics")
    return TopicsView(**told) if told else TopicsView(None, "it is starting", 0.0, {})


def _side_button(page: Page, side: ui.element) -> None:
    shown = True

    def toggle() -> None:
        nonlocal shown
        shown = not shown
        side.style(replace="" if shown else "display:none")

    with page.actions:
        ui.button(icon="menu_open", on_click=toggle).props(
            'flat round dense color=white aria-label="Panels"'
        )


def _listen(context: Context) -> None:
    runner, view = context.runner, context.view

    def drag(event: dict[str, Any]) -> None:
        ident, pose = event.get("id"), event.get("pose")
        if isinstance(ident, str) and isinstance(pose, list) and len(pose) == 3:
            if event.get("phase") == "start":
                context.select(ident)
            runner.post("drag", ident=ident, pose=pose, ends=event.get("phase") == "end")

    def look(event: dict[str, Any]) -> None:
        x, y, scale = (float(event.get(key, 0.0)) for key in ("x", "y", "scale"))
        where = f"{x:.3f},{y:.3f},{scale:.1f}"
        context.address.set(cam="" if event.get("fits") else where)

    view.on_event("pick", lambda event: context.select(str(event.get("body", ""))))
    view.on_event("drag", drag)
    view.on_event("camera", look)
    # What is open is part of the page as it arrives; another page may open something else.
    context.follow()
    context.page.every(_FOLLOW_S, context.follow)


def _units(context: Context) -> None:
    context.page.on_units(lambda: context.view.set_units(context.page.units.system))


def read_wish(address: Address, runs: Runs) -> tuple[Wish, dict[str, str]]:
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
            return Wish(runs.scenarios.find(name), options), wrong
    except HorusError as error:
        wrong["scenario"] = str(error)
    if (newest := runs.newest) is not None:
        return newest.address, wrong
    return Wish(runs.scenarios.find(FIRST), options), wrong


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
        ui.button("Try again", on_click=ui.navigate.reload).props('no-caps aria-label="Try again"')


async def _begin(context: Context, wrong: dict[str, str]) -> None:
    """Opens what the address says; what is open already goes on."""
    runner, address, wish = context.runner, context.address, context.run.address
    for key, text in wrong.items():
        complain(runner.log, text)
        address.set(**{key: ""})
    camera = [_number(part) for part in address.get("cam").split(",")]
    if len(camera) == 3 and all(math.isfinite(value) for value in camera):
        context.view.set_camera(*camera)
    context.view.set_follow(address.get("follow"))
    selected = address.get("sel")
    is_first = runner.place is None
    starts = is_first or address.get("start") == "1"
    address.set(start="")
    if starts or runner.is_stale:
        await open_place(context, wish.place, wish.options)
    if starts:
        await obey(runner.log, lambda: runner.run(running=True))
    if selected:
        context.select(selected)
    await _set_speed(context)


async def _set_speed(context: Context) -> None:
    runner, text = context.runner, context.address.get("speed")
    if not text:
        return
    speed = _number(text)
    if SLOWEST <= speed <= FASTEST:
        await obey(runner.log, lambda: runner.set_speed(speed))
    else:
        complain(runner.log, _not(text, "speed", f"a number from {SLOWEST:g} to {FASTEST:g}"))
        context.address.set(speed="")


def _not(text: str, key: str, wanted: str) -> str:
    return f"the address says {key}={text[:40]}, which is not {wanted}"


async def _look_for_dark(context: Context) -> None:
    """Tells the panels what the browser's user prefers."""
    await ui.context.client.connected(_CONNECT_S)
    dark = await ui.run_javascript("Quasar.Dark.isActive", timeout=_CONNECT_S)
    for callback in context.on_dark:
        callback(bool(dark))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _seed(text: str) -> int | None:
    """A seed, or None for the scenario's own where the address has none that fits."""
    return int(text) if text.isdecimal() and int(text) <= _LARGEST_SEED else None
