"""The 2D designer: worlds and robots, drawn and described."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from nicegui import ui

from horus_sim.errors import HorusError
from horus_sim.ui.designer.model.designer_model import DesignerModel
from horus_sim.ui.designer.model.sessions import DesignSessions
from horus_sim.ui.designer.panels.dragging import Dragging
from horus_sim.ui.designer.panels.files import Saving, build_files
from horus_sim.ui.designer.panels.form import Form
from horus_sim.ui.designer.panels.keys import build_keys
from horus_sim.ui.designer.panels.outline import build_outline
from horus_sim.ui.designer.panels.toolbar import build_toolbar
from horus_sim.ui.designer.panels.tools import Toolbox
from horus_sim.ui.kit.controls import icon_button, text_button
from horus_sim.ui.kit.fields import TextField
from horus_sim.ui.kit.gallery import Gallery
from horus_sim.ui.views.view2d import View2d

if TYPE_CHECKING:
    from horus_sim.ui.shell.page import Page

PATH = "/design"
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


def build(page: Page) -> None:
    """Fills the page: the gallery, or the scenario that the address names."""
    ui.add_css(STYLE)
    sessions = DesignSessions.of(page.site)
    name = page.address.get("scenario")
    try:
        session = sessions.open(name) if name else None
    except HorusError as error:
        build_gallery(sessions, str(error))
        return
    if session is None:
        build_gallery(sessions)
        return
    with ui.column().classes("horus-main gap-0 no-wrap"):
        bar = ui.element("div").classes("full-width")
        with ui.element("div").classes("design-page"):
            with ui.element("div").classes("design-main"):
                with ui.element("div").classes("col full-width").style("min-height:0"):
                    kinds = ("body", "device", "stroke", "fixed")
                    view = View2d(label="Drawing board", draggable=kinds, echo=True)
                message = ui.label().classes("design-say full-width")
                message.props('role="status" aria-label="Message"')
            side = ui.element("div").classes("design-side")
    model = DesignerModel(page, session, view, message)
    toolbox = Toolbox(model)
    dragging = Dragging(model, toolbox)
    saving = Saving(model)
    with bar:
        build_toolbar(model, toolbox, dragging)
    with side:
        _side(model, saving)
    _header(model, saving, side)
    build_keys(model, toolbox, saving)
    _look(model, toolbox)
    for note in session.notes:
        ui.notify(note, type="warning", multi_line=True)
    ui.timer(0.0, lambda: _begin(model), once=True)


async def _begin(model: DesignerModel) -> None:
    await ui.context.client.connected()
    model.begin()
    camera = model.page.address.get("cam").split(",")
    if len(camera) == 3:
        try:
            model.view.run_method("lookAt", [float(part) for part in camera])
        except ValueError:
            model.complain("the address has no good 'cam'; everything is shown")


def _side(model: DesignerModel, saving: Saving) -> None:
    makers = {
        "Properties": lambda: Form(model),
        "Outline": lambda: build_outline(model),
        "Files": lambda: build_files(model, saving),
    }
    usual, address = "Properties", model.page.address
    first = address.get("tab")
    with ui.tabs().props("dense no-caps align=left") as tabs:
        for name in makers:
            ui.tab(name).props(f'aria-label="{name}"')
    tabs.on_value_change(
        lambda event: address.set(tab="" if event.value == usual else str(event.value))
    )
    panels = ui.tab_panels(
        tabs, value=first if first in makers else usual, animated=False, keep_alive=True
    )
    with panels.classes("full-width col"):
        for name, make in makers.items():
            with ui.tab_panel(name).style("padding:8px 12px;overflow:auto"):
                make()


def _header(model: DesignerModel, saving: Saving, side: ui.element) -> None:
    white = "dense flat color=white"
    with model.page.actions:
        name = text_button("", lambda: ui.navigate.to(PATH), "collections", look=white)
        name.props('aria-label="Gallery"').classes("gt-xs").style("max-width:220px")
        save = text_button("Save", saving.save, "save", look=white).classes("design-words")
        look = "dense unelevated color=positive"
        run = text_button("Run", saving.run, "play_arrow", look=look, name="Run it")
        run.classes("design-words")
        panels = icon_button("menu_open", "Panels", props="color=white")
        panels.on_click(lambda: side.set_visibility(not side.visible))

    def show() -> None:
        is_changed = model.document.is_changed
        name.text = model.session.place.folder.name + (" *" if is_changed else "")
        save.set_enabled(is_changed)
        model.view.set_unsaved(unsaved=is_changed)

    model.on_change.append(show)
    show()


def _look(model: DesignerModel, toolbox: Toolbox) -> None:
    def look(event: dict[str, Any]) -> None:
        x, y, scale = (float(event.get(key) or 0.0) for key in ("x", "y", "scale"))
        toolbox.set_scale(scale)
        model.page.address.set(cam="" if event.get("fits") else f"{x:.3f},{y:.3f},{scale:.1f}")

    model.view.on_event("camera", look)
    model.page.on_units(lambda: model.view.set_units(model.page.units.system))


def build_gallery(sessions: DesignSessions, problem: str = "") -> None:
    """All scenarios as pictures, and a new one."""

    def design(name: str) -> None:
        ui.navigate.to(f"{PATH}?{urlencode({'scenario': name})}")

    def create() -> None:
        try:
            session = sessions.new(str(name.value or ""))
        except HorusError as error:
            name.error = str(error)
            return
        design(session.place.name)

    with ui.column().classes("horus-main q-pa-md gap-3 no-wrap").style("overflow:auto"):
        if problem:
            ui.label(problem).classes("text-negative").props('role="alert"')
        with ui.row().classes("items-start gap-2"):
            name = TextField("New scenario", value=sessions.scenarios.free_name("robot"))
            name.props('dense outlined aria-label="Name of the new scenario"')
            name.on("keydown.enter", create)
            text_button("Create", create, "add")
        ui.label("or go on with one of these").classes("text-subtitle2")
        gallery = Gallery(sessions.scenarios, "Design", lambda place: design(place.name))
    ui.timer(0.0, gallery.fill, once=True)
