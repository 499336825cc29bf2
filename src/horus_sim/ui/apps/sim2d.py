"""The 2D runner: a scenario with its controllers, to look at, change and try again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nicegui import ui

from horus_sim.errors import HorusError
from horus_sim.ui.address import Address
from horus_sim.ui.panels.log import build_log
from horus_sim.ui.panels.orders import complain, obey
from horus_sim.ui.panels2d.banner import build_banner
from horus_sim.ui.panels2d.console import build_console
from horus_sim.ui.panels2d.context import Context
from horus_sim.ui.panels2d.editor import Editor
from horus_sim.ui.panels2d.gallery import open_place, set_address
from horus_sim.ui.panels2d.signals import build_signals
from horus_sim.ui.panels2d.state import build_devices, build_state
from horus_sim.ui.panels2d.time_travel import build_time_travel
from horus_sim.ui.panels2d.toolbar import build_toolbar
from horus_sim.ui.runner2d.runner import CHANNEL, Options, Runner
from horus_sim.ui.speed import FASTEST, SLOWEST
from horus_sim.ui.view2d import View2d

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.ui.session import Session
    from horus_sim.ui.shell import Page

PATH = "/sim2d"
FIRST = "line_follower"
_TABS = ("Code", "State", "Devices", "Signals", "Console", "Log")
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


def runner_of(session: Session) -> Runner:
    """The runner that all pages of a session share."""
    return session.share("sim2d", lambda shared: Runner(shared.stream, shared.folder))


def build(page: Page) -> None:
    """Fills the page."""
    ui.add_css(STYLE)
    runner = runner_of(page.session)
    address = Address(PATH)
    with ui.column().classes("horus-main gap-0 no-wrap"):
        bar = ui.element("div").classes("full-width")
        with ui.element("div").classes("h2d-page"):
            with ui.element("div").classes("h2d-main"):
                with (
                    ui.element("div").classes("col full-width").style("position:relative"),
                ):
                    view = View2d(CHANNEL, draggable=("body",))
                    notes = ui.element("div")
                below = ui.element("div").classes("full-width")
            side = ui.element("div").classes("h2d-side")
    context = Context(page, runner, view, address)
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
    ui.timer(0.0, lambda: _begin(context), once=True)
    ui.timer(0.0, lambda: _look_for_dark(context), once=True)


def _panels(context: Context) -> None:
    makers: dict[str, Callable[[], object]] = {
        "Code": lambda: Editor(context),
        "State": lambda: build_state(context),
        "Devices": lambda: build_devices(context),
        "Signals": lambda: build_signals(context),
        "Console": lambda: build_console(context),
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
    opened = 0

    def follow() -> None:
        """Another page may have opened another scenario."""
        nonlocal opened
        if context.has_begun and runner.opened != opened:
            opened = runner.opened
            for callback in context.on_open:
                callback()
            set_address(context)

    context.page.every(_FOLLOW_S, follow)


def _units(context: Context) -> None:
    context.page.on_units(lambda: context.view.set_units(context.page.units.system))


async def _begin(context: Context) -> None:
    """Opens what the address says; what is open already goes on."""
    if await _open_address(context):
        await _set_speed(context)


async def _open_address(context: Context) -> bool:
    runner, address = context.runner, context.address
    camera = [_number(part) for part in address.get("cam").split(",")]
    if len(camera) == 3 and all(math.isfinite(value) for value in camera):
        context.view.set_camera(*camera)
    context.view.set_follow(address.get("follow"))
    selected = address.get("sel")
    is_first = runner.place is None
    name = address.get("scenario") or (FIRST if runner.place is None else runner.place.name)
    seed = _seed(address.get("seed"))
    if seed is None and address.get("seed"):
        _ignore(context, "seed", "a whole number of at least 0")
    options = Options(
        seed=seed,
        top_down=address.get("side") != "1",
        ignore_terrain=address.get("empty") == "1",
    )
    try:
        place = runner.scenarios.find(name)
    except HorusError as error:
        complain(runner.log, str(error))
        if not is_first:
            context.has_begun = True
            return False
        place = runner.scenarios.find(FIRST)
    has_wishes = bool(address.get("scenario"))
    if runner.place is not None:
        # A simulation that hangs keeps no order; the page shows what is open all the same.
        context.has_begun = True
    is_other = (place, options) != (runner.place, runner.options)
    if is_first or (has_wishes and (is_other or runner.is_stale)):
        await open_place(context, place, options)
    if is_first:
        await obey(runner.log, lambda: runner.run(running=True))
    context.has_begun = True
    if selected:
        context.select(selected)
    return True


async def _set_speed(context: Context) -> None:
    runner, text = context.runner, context.address.get("speed")
    if not text:
        return
    speed = _number(text)
    if SLOWEST <= speed <= FASTEST:
        await obey(runner.log, lambda: runner.set_speed(speed))
    else:
        _ignore(context, "speed", f"a number from {SLOWEST:g} to {FASTEST:g}")


def _ignore(context: Context, key: str, wanted: str) -> None:
    """What is wrong in an address is said, and leaves it."""
    text = context.address.get(key)
    complain(context.runner.log, f"the address says {key}={text[:40]}, which is not {wanted}")
    context.address.set(**{key: ""})


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
