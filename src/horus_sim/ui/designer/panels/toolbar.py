"""Buttons over the view: tools, undo, copy, grid, zoom."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.errors import HorusError
from horus_sim.ui.designer.model import clipboard, names
from horus_sim.ui.designer.panels.board import SNAPS
from horus_sim.ui.designer.panels.tools import NEW_ROBOT, TOOLS, WORLD, Toolbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.ui.designer.panels.board import Board
    from horus_sim.ui.designer.panels.dragging import Pulls

_SHIFT_M = 0.05
_ZOOM = 1.3


class Actions:
    """What buttons and keys do.

    Args:
        board: The page.
    """

    def __init__(self, board: Board) -> None:
        self._board = board

    def undo(self) -> None:
        """Takes back the last edit."""
        self._travel(self._board.document.undo, "undone")

    def redo(self) -> None:
        """Does again what was undone."""
        self._travel(self._board.document.redo, "done again")

    def _travel(self, go: Callable[[], str], what: str) -> None:
        try:
            label = go()
        except HorusError as error:
            self._board.complain(str(error))
            return
        self._board.hint(f"{what}: {label}")

    def copy(self) -> bool:
        """Copies the selected thing."""
        board = self._board
        try:
            board.desk.clipboard = clipboard.copy(board.content, board.selected)
        except HorusError as error:
            board.complain(str(error))
            return False
        board.hint("copied")
        return True

    def cut(self) -> None:
        """Copies the selected thing and deletes it."""
        if self.copy():
            self.delete()

    def paste(self) -> None:
        """Pastes what was copied, a little aside."""
        board = self._board
        by = (_SHIFT_M, -_SHIFT_M)
        onto = board.selected
        board.add("paste", lambda c: clipboard.paste(c, board.desk.clipboard, by, onto))

    def delete(self) -> None:
        """Deletes the selected thing."""
        board = self._board
        place = board.selected
        if not place:
            board.complain("nothing is selected; click on something first")
            return
        if board.do("delete", lambda c: names.delete(c, place)) is None:
            board.select(())


def build_toolbar(board: Board, toolbox: Toolbox, pulls: Pulls, actions: Actions) -> None:
    """All buttons."""
    with ui.row().classes("items-center full-width gap-1 q-px-sm q-py-xs design-bar"):
        _tools(board, toolbox)
        _home(board, toolbox)
        _separator()
        _history(board, actions)
        _separator()
        for name, icon, action in (
            ("Copy", "content_copy", actions.copy),
            ("Paste", "content_paste", actions.paste),
            ("Delete", "delete", actions.delete),
        ):
            _button(name, icon, action)
        _separator()
        options = ui.button(icon="tune", color=None).props(
            'flat dense round size=sm aria-label="Grid and view"'
        )
        with options, ui.menu(), ui.column().classes("q-pa-md gap-2"):
            grid = ui.select(SNAPS, label="Grid", value=board.snap)
            grid.props('dense aria-label="Grid"').style("width:150px")
            grid.on_value_change(lambda event: board.set_snap(float(event.value)))
            whole = ui.switch("Move whole robots", value=True)
            whole.props('aria-label="Move whole robots"')
            whole.on_value_change(lambda event: setattr(pulls, "whole_robots", bool(event.value)))
        _button("Zoom in", "zoom_in", lambda: board.view.zoom(_ZOOM))
        _button("Zoom out", "zoom_out", lambda: board.view.zoom(1 / _ZOOM))
        _button("Show all", "fit_screen", board.view.fit)


def _button(name: str, icon: str, action: Callable[[], object]) -> ui.button:
    button = ui.button(icon=icon, on_click=action, color=None)
    return button.props(f'flat dense round size=sm aria-label="{name}"').tooltip(name)


def _separator() -> None:
    ui.separator().props("vertical").style("height:26px;align-self:center")


def _tools(board: Board, toolbox: Toolbox) -> None:
    buttons: dict[str, ui.button] = {}

    def take(name: str) -> None:
        toolbox.take(name)
        mark()

    def mark() -> None:
        for name, button in buttons.items():
            is_taken = name == toolbox.tool
            button.props["aria-pressed"] = "true" if is_taken else "false"
            if is_taken:
                button.props("unelevated color=primary", remove="flat")
            else:
                button.props("flat", remove="unelevated color")

    group = ""
    for name, tool in TOOLS.items():
        if tool.group != group:
            group = tool.group
            _separator()
        button = ui.button(icon=tool.icon, on_click=partial(take, name), color=None)
        button.props(f'dense size=sm padding="5px" aria-label="{tool.name}"').tooltip(tool.name)
        buttons[name] = button
    finish = ui.button("Finish", icon="check", on_click=toolbox.finish)
    finish.props('dense no-caps size=sm color=positive aria-label="Finish"')
    finish.bind_visibility_from(toolbox, "points", bool)
    board.page.every(0.3, lambda: None if _marked(buttons) == toolbox.tool else mark())
    mark()


def _marked(buttons: dict[str, ui.button]) -> str:
    return next((k for k, b in buttons.items() if b.props.get("aria-pressed") == "true"), "")


def _home(board: Board, toolbox: Toolbox) -> None:
    select = ui.select({}, label="New bodies belong to").style("width:150px")
    select.props('dense options-dense aria-label="New bodies belong to"')

    def show() -> None:
        robots = {str(k): board.content.ident(k) for k in range(len(board.content.robots))}
        options = {WORLD: "the world", **robots, NEW_ROBOT: "a new robot"}
        if select.options != options:
            home = toolbox.home if toolbox.home in options else WORLD
            select.set_options(options, value=home)

    def choose(home: str | None) -> None:
        toolbox.home = home or WORLD

    select.on_value_change(lambda event: choose(event.value))
    board.on_change.append(show)
    show()


def _history(board: Board, actions: Actions) -> None:
    undo = _button("Undo", "undo", actions.undo)
    redo = _button("Redo", "redo", actions.redo)

    def show() -> None:
        undo.set_enabled(bool(board.document.undo_label))
        redo.set_enabled(bool(board.document.redo_label))

    board.on_change.append(show)
    show()
