"""Buttons over the view: tools, undo, copy, grid, zoom."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.designer.model.designer_model import SNAPS
from horus_sim.ui.designer.panels.tools import NEW_ROBOT, TOOLS, WORLD, Toolbox
from horus_sim.ui.kit.controls import icon_button, mode_button, set_pressed, text_button

if TYPE_CHECKING:
    from horus_sim.ui.designer.model.designer_model import DesignerModel
    from horus_sim.ui.designer.panels.dragging import Dragging

_ZOOM = 1.3
_GREY = "size=sm color=grey-7"


def build_toolbar(model: DesignerModel, toolbox: Toolbox, dragging: Dragging) -> None:
    """All buttons."""
    with ui.row().classes("items-center full-width gap-1 q-px-sm q-py-xs design-bar"):
        _tools(model, toolbox)
        _home(model, toolbox)
        _separator()
        undo = icon_button("undo", "Undo", model.undo, props=_GREY)
        redo = icon_button("redo", "Redo", model.redo, props=_GREY)
        _separator()
        icon_button("content_copy", "Copy", model.copy, props=_GREY)
        icon_button("content_paste", "Paste", model.paste, props=_GREY)
        icon_button("delete", "Delete", model.delete, props=_GREY)
        _separator()
        options = icon_button("tune", "Grid and view", tip="", props=_GREY)
        with options, ui.menu(), ui.column().classes("q-pa-md gap-2"):
            grid = ui.select(SNAPS, label="Grid", value=model.snap)
            grid.props('dense aria-label="Grid"').style("width:150px")
            grid.on_value_change(lambda event: model.set_snap(float(event.value)))
            whole = ui.switch("Move whole robots").bind_value(dragging, "whole_robots")
            whole.props('aria-label="Move whole robots"')
        icon_button("zoom_in", "Zoom in", lambda: model.view.zoom(_ZOOM), props=_GREY)
        icon_button("zoom_out", "Zoom out", lambda: model.view.zoom(1 / _ZOOM), props=_GREY)
        icon_button("fit_screen", "Show all", model.view.fit, props=_GREY)

    def show() -> None:
        undo.set_enabled(model.document.can_undo)
        redo.set_enabled(model.document.can_redo)

    model.on_change.append(show)
    show()


def _separator() -> None:
    ui.element("div").classes("horus-rule")


def _tools(model: DesignerModel, toolbox: Toolbox) -> None:
    buttons: dict[str, ui.button] = {}
    marked = ""

    def mark() -> None:
        nonlocal marked
        if marked != toolbox.tool:
            marked = toolbox.tool
            for name, button in buttons.items():
                set_pressed(button, pressed=name == marked)

    def take(name: str) -> None:
        toolbox.take(name)
        mark()

    group = ""
    for name, tool in TOOLS.items():
        if tool.group != group:
            group = tool.group
            _separator()
        buttons[name] = mode_button(tool.icon, tool.name, partial(take, name))
    finish = text_button("Finish", toolbox.finish, "check", look="dense size=sm color=positive")
    finish.bind_visibility_from(toolbox, "points", bool)
    # Keys change the tool, too.
    model.page.every(0.3, mark)
    mark()


def _home(model: DesignerModel, toolbox: Toolbox) -> None:
    select = ui.select({}, label="New bodies belong to").style("width:150px")
    select.props('dense options-dense aria-label="New bodies belong to"')

    def show() -> None:
        robots = {str(k): model.content.ident(k) for k in range(len(model.content.robots))}
        options = {WORLD: "the world", **robots, NEW_ROBOT: "a new robot"}
        if select.options != options:
            home = toolbox.home if toolbox.home in options else WORLD
            select.set_options(options, value=home)

    def choose(home: str | None) -> None:
        toolbox.home = home or WORLD

    select.on_value_change(lambda event: choose(event.value))
    model.on_change.append(show)
    show()
