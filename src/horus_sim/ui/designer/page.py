"""The 2D designer: worlds and robots, drawn and described."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from horus_sim.errors import HorusError
from horus_sim.ui.designer.model.desk import Desk
from horus_sim.ui.designer.model.library import load
from horus_sim.ui.designer.model.scene import scene
from horus_sim.ui.designer.panels.board import Board
from horus_sim.ui.designer.panels.dragging import Pulls
from horus_sim.ui.designer.panels.files import Saving, build_files
from horus_sim.ui.designer.panels.form import Form
from horus_sim.ui.designer.panels.keys import build_keys
from horus_sim.ui.designer.panels.outline import build_outline
from horus_sim.ui.designer.panels.toolbar import Actions, build_toolbar
from horus_sim.ui.designer.panels.tools import Toolbox
from horus_sim.ui.kit.fields import TextField
from horus_sim.ui.kit.scenarios import Place, Scenarios
from horus_sim.ui.shell.address import Address
from horus_sim.ui.views.thumbnail2d import thumbnail
from horus_sim.ui.views.view2d import View2d

if TYPE_CHECKING:
    from horus_sim.ui.shell.page import Page
    from horus_sim.ui.shell.site import Site

PATH = "/design"
_TABS = ("Properties", "Outline", "Files")
STYLE = """
.design-page { display: flex; flex: 1 1 0; min-height: 0; width: 100%; }
.design-main { flex: 1 1 0; min-width: 0; min-height: 0; display: flex; flex-direction: column; }
.design-side { flex: 0 0 340px; min-height: 0; overflow: hidden; display: flex;
  flex-direction: column; border-left: 1px solid rgba(128,128,128,.3); }
.design-side .q-tab-panels, .design-side .q-tab-panel { height: 100%; }
.design-side .q-tab { min-height: 36px; }
.design-bar { border-bottom: 1px solid rgba(128,128,128,.25); }
.design-say { min-height: 26px; padding: 3px 12px; font-size: 13px; opacity: .85;
  border-top: 1px solid rgba(128,128,128,.25); }
.design-say.bad { color: #d32f2f; opacity: 1; font-weight: 500; }
.body--dark .design-say.bad { color: #ff8a80; }
@media (max-width: 600px) {
  .design-words .q-btn__content > span { font-size: 0; }
  .design-words .q-btn__content .q-icon { margin: 0; }
}
@media (max-width: 800px) {
  .design-page { flex-direction: column; }
  .design-side { flex: 0 0 42%; border-left: none; border-top: 1px solid rgba(128,128,128,.3); }
}
"""
_WARN = """
<script>
window.horusUnsaved = false;
window.addEventListener("beforeunload", (event) => {
  if (window.horusUnsaved) { event.preventDefault(); event.returnValue = ""; }
});
</script>
"""


def desk_of(site: Site) -> Desk:
    """The open documents of a site."""
    return site.share(Desk, lambda site: Desk(Scenarios.of(site)))


def build(page: Page) -> None:
    """Fills the page: the gallery, or the scenario that the address names."""
    ui.add_css(STYLE)
    address = Address(PATH)
    desk = desk_of(page.site)
    name = address.get("scenario")
    if not name:
        build_gallery(desk)
        return
    try:
        sheet = desk.open(name)
    except HorusError as error:
        build_gallery(desk, str(error))
        return
    ui.add_body_html(_WARN)
    with ui.column().classes("horus-main gap-0 no-wrap"):
        bar = ui.element("div").classes("full-width")
        with ui.element("div").classes("design-page"):
            with ui.element("div").classes("design-main"):
                with ui.element("div").classes("col full-width").style("min-height:0"):
                    view = View2d(
                        label="Drawing board",
                        draggable=("body", "device", "stroke", "fixed"),
                        echo=True,
                    )
                message = ui.label().classes("design-say full-width")
                message.props('role="status" aria-label="Message"')
            side = ui.element("div").classes("design-side")
    board = Board(page, desk, sheet, view, address)
    toolbox = Toolbox(board)
    pulls = Pulls(board, toolbox)
    actions = Actions(board)
    saving = Saving(board)
    _messages(board, message)
    with bar:
        build_toolbar(board, toolbox, pulls, actions)
    with side:
        _side(board, saving)
    _header(page, board, saving, side)
    build_keys(board, toolbox, actions, saving)
    _look(board, toolbox)
    for note in sheet.notes:
        ui.notify(note, type="warning", multi_line=True)
    ui.timer(0.0, lambda: _begin(board), once=True)


async def _begin(board: Board) -> None:
    await ui.context.client.connected()
    board.begin()
    camera = board.address.get("cam").split(",")
    if len(camera) == 3:
        try:
            board.view.run_method("lookAt", [float(part) for part in camera])
        except ValueError:
            board.complain("the address has no good 'cam'; everything is shown")


def _messages(board: Board, label: ui.label) -> None:
    def hint(text: str) -> None:
        label.text = text
        label.classes(remove="bad")

    def complain(text: str) -> None:
        label.text = text
        label.classes(add="bad")

    board.hint, board.complain = hint, complain


def _side(board: Board, saving: Saving) -> None:
    first = board.address.get("tab")
    first = first if first in _TABS else _TABS[0]
    with ui.tabs().props("dense no-caps align=left") as tabs:
        for name in _TABS:
            ui.tab(name).props(f'aria-label="{name}"')
    tabs.on_value_change(
        lambda event: board.address.set(tab="" if event.value == _TABS[0] else str(event.value))
    )
    panels = ui.tab_panels(tabs, value=first, animated=False, keep_alive=True)
    makers = {
        "Properties": lambda: Form(board),
        "Outline": lambda: build_outline(board),
        "Files": lambda: build_files(board, saving),
    }
    with panels.classes("full-width col"):
        for name in _TABS:
            with ui.tab_panel(name).style("padding:8px 12px;overflow:auto"):
                makers[name]()


def _header(page: Page, board: Board, saving: Saving, side: ui.element) -> None:
    is_shown = True

    def toggle() -> None:
        nonlocal is_shown
        is_shown = not is_shown
        side.style(replace="" if is_shown else "display:none")

    with page.actions:
        name = ui.button(icon="collections", on_click=lambda: ui.navigate.to(PATH))
        name.props('flat dense no-caps color=white aria-label="Gallery"').classes("gt-xs")
        name.style("max-width:220px")
        save = ui.button("Save", icon="save", on_click=saving.save)
        save.props('dense no-caps flat color=white aria-label="Save"').classes("design-words")
        ui.button("Run", icon="play_arrow", on_click=saving.run).props(
            'dense no-caps unelevated color=positive aria-label="Run it"'
        ).classes("design-words")
        ui.button(icon="menu_open", on_click=toggle).props(
            'flat round dense color=white aria-label="Panels"'
        )
    told: list[bool] = []

    def show() -> None:
        is_changed = board.document.is_changed
        name.text = board.sheet.place.folder.name + (" *" if is_changed else "")
        save.set_enabled(is_changed)
        if told[-1:] != [is_changed]:
            told[:] = [is_changed]
            board.view.client.run_javascript(f"window.horusUnsaved = {json.dumps(is_changed)}")

    board.on_change.append(show)
    show()


def _look(board: Board, toolbox: Toolbox) -> None:
    def look(event: dict[str, Any]) -> None:
        x, y, scale = (float(event.get(key) or 0.0) for key in ("x", "y", "scale"))
        toolbox.set_scale(scale)
        board.address.set(cam="" if event.get("fits") else f"{x:.3f},{y:.3f},{scale:.1f}")

    board.view.on_event("camera", look)
    board.page.on_units(lambda: board.view.set_units(board.page.units.system))


def build_gallery(desk: Desk, problem: str = "") -> None:
    """All scenarios as pictures, and a new one."""

    def create() -> None:
        try:
            sheet = desk.new(str(name.value or ""))
        except HorusError as error:
            name.error = str(error)
            return
        ui.navigate.to(f"{PATH}?scenario={sheet.place.name}")

    with ui.column().classes("horus-main q-pa-md gap-3 no-wrap").style("overflow:auto"):
        if problem:
            ui.label(problem).classes("text-negative").props('role="alert"')
        with ui.row().classes("items-start gap-2"):
            name = TextField("New scenario", value=desk.scenarios.free_name("robot"))
            name.props('dense outlined aria-label="Name of the new scenario"')
            name.on("keydown.enter", create)
            ui.button("Create", icon="add", on_click=create).props('no-caps aria-label="Create"')
        ui.label("or go on with one of these").classes("text-subtitle2")
        cards = (
            ui.element("div")
            .props('aria-label="Gallery"')
            .style("display:grid;grid-template-columns:repeat(auto-fill,220px);gap:16px;width:100%")
        )

    async def fill() -> None:
        found = await run.io_bound(_pictures, desk)
        with cards:
            for place, text, picture in found or ():
                _card(place, text, picture)

    ui.timer(0.0, fill, once=True)


def _card(place: Place, text: str, picture: str) -> None:
    def go() -> None:
        ui.navigate.to(f"{PATH}?scenario={place.name}")

    card = ui.card().tight().classes("cursor-pointer").style("width:220px")
    card.props["role"], card.props["tabindex"] = "button", "0"
    card.props["aria-label"] = f"Design {place.name}"
    card.on("click", go)
    card.on("keydown.enter", go)
    with card:
        ui.html(picture, sanitize=False).style("width:220px;height:140px")
        with ui.column().classes("q-pa-sm gap-0"):
            kind = "" if place.is_shipped else " (yours)"
            ui.label(f"{place.folder.name}{kind}").classes("text-weight-medium")
            ui.label(text).classes("text-caption")


def _pictures(desk: Desk) -> list[tuple[Place, str, str]]:
    found = []
    for place in desk.scenarios.places():
        try:
            content = load(place)[0]
            drawn = thumbnail(scene(content, place.name), 220, 140)
            found.append((place, content.scenario.description, drawn))
        except HorusError as error:
            found.append((place, f"cannot be opened: {error}", thumbnail(None, 220, 140)))
    return found
