"""Saving, running, importing and exporting."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from nicegui import events, run, ui

from horus_sim.errors import HorusError
from horus_sim.ui.designer.model.document import files_of
from horus_sim.ui.designer.model.library import import_file, zipped
from horus_sim.ui.kit.controls import SMALL, text_button
from horus_sim.ui.kit.fields import TextField
from horus_sim.ui.kit.messages import message_label
from horus_sim.ui.kit.uploader import uploader

if TYPE_CHECKING:
    from horus_sim.ui.designer.model.designer_model import DesignerModel

_RUNNER = "/sim2d"


class Saving:
    """Saves, asking for a name where one is needed.

    Args:
        model: The page.
    """

    def __init__(self, model: DesignerModel) -> None:
        self._model = model
        with ui.dialog() as self._dialog, ui.card().style("min-width:320px"):
            ui.label("Save under a new name").classes("text-h6")
            self._name = TextField("Name").classes("full-width")
            self._name.props('autofocus aria-label="Name of the scenario"')
            self._name.on("keydown.enter", self._take)
            with ui.row().classes("full-width justify-end"):
                text_button("Cancel", self._dialog.close, look="flat")
                text_button("Save copy", self._take)

    async def save(self) -> bool:
        """Writes the document; False where it was not."""
        model = self._model
        if model.session.place.is_shipped:
            return await self.save_as()
        try:
            await run.io_bound(model.session.save)
        except HorusError as error:
            model.complain(str(error))
            return False
        ui.notify(f"Saved to {model.session.place.folder}", type="positive")
        return True

    async def save_as(self) -> bool:
        """Asks for a name and writes a copy; False where it was not."""
        model = self._model
        self._name.value = model.sessions.scenarios.free_name(model.session.place.name)
        self._name.error = None
        return bool(await self._dialog)

    def _take(self) -> None:
        model = self._model
        try:
            model.sessions.save_as(model.session, str(self._name.value or ""))
        except HorusError as error:
            self._name.error = str(error)
            return
        model.page.address.set(scenario=model.session.place.name)
        ui.notify(f"Saved to {model.session.place.folder}", type="positive")
        self._dialog.submit("saved")

    async def run(self) -> None:
        """Saves what is to be saved, and hands over to the runner."""
        model = self._model
        if model.document.is_changed and not await self.save():
            return
        query = urlencode({"scenario": model.session.place.name, "start": "1"})
        ui.navigate.to(f"{_RUNNER}?{query}")


def build_files(model: DesignerModel, saving: Saving) -> None:
    """Buttons for what is not needed all the time."""
    with ui.column().classes("full-width gap-2"):
        where = ui.label().classes("text-caption").style("word-break:break-all")
        with ui.row().classes("gap-1"):
            text_button("Save as", saving.save_as, "save_as", look=SMALL)
            revert = text_button("Revert", model.document.revert, "restore", look=SMALL)
            revert.tooltip("Back to what is saved; can be undone")
        ui.label("Export").classes("text-weight-medium")
        exports = ui.row().classes("gap-1")
        ui.label("Take in a world.json or robot.json").classes("text-weight-medium")
        problem = message_label("Problem of the file")
        uploader(
            "Choose a file",
            lambda event: _take_in(model, event, problem),
            problem.set_text,
            suffixes=(".json",),
            multiple=False,
        )

    shown: list[str] = []

    def show() -> None:
        where.text = f"{model.session.place.folder}" + (
            " (shipped: saving makes a copy)" if model.session.place.is_shipped else ""
        )
        scenario = model.content.scenario
        refs = dict.fromkeys(entry.ref for entry in scenario.robots)
        names = ["scenario.json", scenario.environment, *refs]
        if names == shown:
            return
        shown[:] = names
        exports.clear()
        with exports:
            for name in names:
                export = partial(_export, model, name)
                text_button(name, export, "download", look=SMALL, name=f"Export {name}")
            zip_all = partial(_export_all, model)
            text_button("All as ZIP", zip_all, "archive", look=SMALL, name="Export all")

    model.on_change.append(show)
    show()


def _export(model: DesignerModel, name: str) -> None:
    ui.download.content(files_of(model.content)[name], name.rsplit("/", 1)[-1], "application/json")


def _export_all(model: DesignerModel) -> None:
    ui.download.content(zipped(model.content), f"{model.session.place.folder.name}.zip")


async def _take_in(
    model: DesignerModel, event: events.UploadEventArguments, problem: ui.label
) -> None:
    data = await event.file.read()
    try:
        content, done = import_file(model.content, event.file.name, data)
    except HorusError as error:
        problem.text = str(error)
        return
    problem.text = ""
    if model.do(done, lambda _: content) is None:
        model.hint(done)
        model.view.fit()
