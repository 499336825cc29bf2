"""Saving, running, importing and exporting."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from nicegui import events, run, ui

from horus_sim.errors import HorusError
from horus_sim.ui.designer.model.document import files_of
from horus_sim.ui.designer.model.library import LARGEST_FILE, import_file, zipped
from horus_sim.ui.kit.fields import TextField

if TYPE_CHECKING:
    from horus_sim.ui.designer.panels.board import Board

_RUNNER = "/sim2d"


class Saving:
    """Saves, asking for a name where one is needed.

    Args:
        board: The page.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        with ui.dialog() as self._dialog, ui.card().style("min-width:320px"):
            ui.label("Save under a new name").classes("text-h6")
            self._name = TextField("Name").classes("full-width")
            self._name.props('autofocus aria-label="Name of the scenario"')
            self._name.on("keydown.enter", self._take)
            with ui.row().classes("full-width justify-end"):
                ui.button("Cancel", on_click=self._dialog.close).props("flat no-caps")
                ui.button("Save copy", on_click=self._take).props('no-caps aria-label="Save copy"')

    async def save(self) -> bool:
        """Writes the document; False where it was not."""
        board = self._board
        if board.sheet.place.is_shipped:
            return await self.save_as()
        try:
            await run.io_bound(board.desk.save, board.sheet)
        except HorusError as error:
            board.complain(str(error))
            return False
        ui.notify(f"Saved to {board.sheet.place.folder}", type="positive")
        return True

    async def save_as(self) -> bool:
        """Asks for a name and writes a copy; False where it was not."""
        board = self._board
        self._name.value = board.desk.scenarios.free_name(board.sheet.place.name)
        self._name.error = None
        return bool(await self._dialog)

    def _take(self) -> None:
        board = self._board
        try:
            board.desk.save_as(board.sheet, str(self._name.value or ""))
        except HorusError as error:
            self._name.error = str(error)
            return
        board.address.set(scenario=board.sheet.place.name)
        ui.notify(f"Saved to {board.sheet.place.folder}", type="positive")
        self._dialog.submit("saved")

    async def run(self) -> None:
        """Saves what is to be saved, and hands over to the runner."""
        board = self._board
        if board.document.is_changed and not await self.save():
            return
        ui.navigate.to(f"{_RUNNER}?{urlencode({'scenario': board.sheet.place.name, 'start': '1'})}")


def build_files(board: Board, saving: Saving) -> None:
    """Buttons for what is not needed all the time."""
    with ui.column().classes("full-width gap-2"):
        where = ui.label().classes("text-caption").style("word-break:break-all")
        with ui.row().classes("gap-1"):
            ui.button("Save as", icon="save_as", on_click=saving.save_as).props(
                'outline dense no-caps size=sm aria-label="Save as"'
            )
            ui.button("Revert", icon="restore", on_click=board.document.revert).props(
                'outline dense no-caps size=sm aria-label="Revert"'
            ).tooltip("Back to what is saved; can be undone")
        ui.label("Export").classes("text-weight-medium")
        exports = ui.row().classes("gap-1")
        ui.label("Take in a world.json or robot.json").classes("text-weight-medium")
        upload = ui.upload(
            auto_upload=True,
            max_file_size=LARGEST_FILE,
            on_upload=lambda event: _take_in(board, event, problem),
            on_rejected=lambda: problem.set_text(f"more than {LARGEST_FILE // 1_000_000} MB"),
        )
        upload.props('flat bordered dense accept=".json" aria-label="Files"').classes("full-width")
        problem = ui.label().classes("text-negative text-caption").props('role="alert"')

    shown: list[str] = []

    def show() -> None:
        where.text = f"{board.sheet.place.folder}" + (
            " (shipped: saving makes a copy)" if board.sheet.place.is_shipped else ""
        )
        names = list(files_of_names(board))
        if names == shown:
            return
        shown[:] = names
        exports.clear()
        with exports:
            for name in names:
                ui.button(name, icon="download", on_click=partial(_export, board, name)).props(
                    f'outline dense no-caps size=sm aria-label="Export {name}"'
                )
            ui.button("All as ZIP", icon="archive", on_click=lambda: _export_all(board)).props(
                'outline dense no-caps size=sm aria-label="Export all"'
            )

    board.on_change.append(show)
    show()


def files_of_names(board: Board) -> list[str]:
    """Names of the files of the document."""
    scenario = board.content.scenario
    refs = dict.fromkeys(entry.ref for entry in scenario.robots)
    return ["scenario.json", scenario.environment, *refs]


def _export(board: Board, name: str) -> None:
    ui.download.content(files_of(board.content)[name], name.rsplit("/", 1)[-1], "application/json")


def _export_all(board: Board) -> None:
    ui.download.content(zipped(board.content), f"{board.sheet.place.folder.name}.zip")


async def _take_in(board: Board, event: events.UploadEventArguments, problem: ui.label) -> None:
    data = await event.file.read()
    try:
        content, done = import_file(board.content, event.file.name, data)
    except HorusError as error:
        problem.text = str(error)
        return
    problem.text = ""
    if board.do(done, lambda _: content) is None:
        board.hint(done)
        board.view.fit()
