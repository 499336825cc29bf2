"""The controller: an editor with save, hot reload, and the error at its line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import run, ui

from horus_sim.errors import HorusError
from horus_sim.ui.kit.controls import icon_button, text_button
from horus_sim.ui.kit.fields import TextField
from horus_sim.ui.kit.messages import complaining
from horus_sim.ui.kit.scenarios import controllers_of

if TYPE_CHECKING:
    from horus_sim.ui.runner.model.runner_model import RunnerModel

_REFRESH_S = 0.3
_CONNECT_S = 60.0
_NEW = """class Controller:
    def __init__(self, sim):
        self.drive = sim.drive

    def step(self, sensors, dt):
        self.drive.drive(0.1, 0.0)  # forward speed [m/s], turn [rad/s]
"""
STYLE = """
.horus-bad-line { background: rgba(229, 57, 53, .22); box-shadow: inset 3px 0 #e53935; }
.horus-code { border-top: 1px solid rgba(128,128,128,.25); font-size: 13px; }
.horus-code .cm-editor { height: 100%; }
"""


class Editor:
    """The editor of one page.

    Args:
        model: What the panels share.
    """

    def __init__(self, model: RunnerModel) -> None:
        self._model, self._page = model, model.page
        self._runner = model.runner
        self._files: dict[str, Path] = {}
        self._path: Path | None = None
        self._shown = ""
        self._marked: tuple[str, int, str] = ("", 0, "")
        self._was_unsaved = False
        ui.add_css(STYLE)
        with ui.column().classes("full-width full-height gap-0 no-wrap"):
            with ui.row().classes("items-center full-width no-wrap gap-1 q-px-sm q-py-xs"):
                self._robot = ui.select([], on_change=self._choose).props(
                    'dense options-dense borderless aria-label="Controller of"'
                )
                self._name = ui.label().classes("text-caption ellipsis")
                self._name.props('aria-label="File"')
                ui.space()
                self._state = ui.badge("saved").props('outline aria-label="State of the file"')
                self._revert = icon_button("undo", "Discard changes", self._ask_revert)
                self._save_button = text_button("Save", self._save, "save", look="unelevated dense")
                self._save_button.classes("q-px-sm").tooltip("Ctrl+S")
            self._problem = ui.label().classes(
                "full-width text-negative text-caption q-px-sm q-pb-xs cursor-pointer"
            )
            self._problem.style("white-space:pre-wrap;max-height:6em;overflow:auto")
            self._problem.props('role="alert" aria-label="Controller error"')
            self._problem.on("click", model.show_error)
            self._code = ui.codemirror(
                "",
                language="Python",
                theme="vscodeLight",
                on_change=lambda event: self._typed(event.value),
                keymap={"Mod-s": self._save},
            )
            self._code.classes("full-width col horus-code").style("min-height:0")
            self._code.props('aria-label="Controller"')
        # What is typed before the file is there would be lost.
        self._enable(has_file=False)
        self._make_dialogs()
        model.on_open.append(self.load)
        self._page.on_dark(self._set_dark)
        ui.timer(0.0, self._look_for_dark, once=True)
        self._page.every(_REFRESH_S, self._refresh)
        model.reveal = self.reveal

    def load(self) -> None:
        """Shows the controllers of the scenario that is open."""
        place, self._files = self._runner.place, {}
        with complaining(self._page):
            self._files = {} if place is None else controllers_of(place)
        self._robot.set_visibility(len(self._files) > 1)
        first = next(iter(self._files), None)
        self._robot.set_options(list(self._files), value=first)
        self._choose()

    def reveal(self, file: str, line: int) -> None:
        """Shows a line of a controller."""
        for robot, path in self._files.items():
            if path.name == Path(file).name:
                self._robot.value = robot
        if self._has(line):
            self._code.reveal_line(line)

    def _has(self, line: int) -> bool:
        return 1 <= line <= self._code.value.count("\n") + 1

    def _choose(self) -> None:
        self._path = self._files.get(self._robot.value or "")
        self._shown = ""
        self._enable(has_file=False)
        if self._path is None:
            self._code.value = ""
            self._name.text = "no robot, no controller"
            return
        self._name.text = self._path.name
        with complaining(self._page):
            self._shown = self._code.value = self._runner.drafts.text(self._path) or _NEW
            self._enable(has_file=True)
            self._mark()

    def _enable(self, *, has_file: bool) -> None:
        self._code.set_enabled(has_file)
        self._save_button.set_enabled(has_file)

    def _typed(self, text: str) -> None:
        self._shown = text
        if self._path is not None:
            with complaining(self._page):
                self._runner.drafts.set(self._path, text)
        self._refresh()

    async def _save(self) -> None:
        path, place = self._path, self._runner.place
        if path is None or place is None:
            return
        if place.is_shipped:
            self._copy_name.value = self._runner.scenarios.free_name(place.name)
            self._copy.open()
        elif self._runner.drafts.conflict(path):
            self._conflict.open()
        else:
            await self._write()

    async def _write(self) -> None:
        if self._path is None:
            return
        with complaining(self._page):
            self._runner.drafts.save(self._path, self._code.value)
            self._page.log.add(f"{self._path.name} is saved")
            self._refresh()
            await self._page.obey(lambda: self._runner.ask("reload"))

    async def _save_copy(self) -> None:
        runner, place, path = self._runner, self._runner.place, self._path
        if place is None or path is None or not self._copy_name.validate():
            return
        text, name = self._code.value, self._copy_name.value or ""
        with complaining(self._page, self._copy_name):
            copied = await run.io_bound(runner.scenarios.copy, place, name)
            if copied is None:  # the server is ending
                return
            runner.drafts.save(copied.folder / path.relative_to(place.folder), text)
            self._copy.close()
            runner.drafts.drop(path)
            self._page.log.add(f"the scenario was copied to {copied.folder}")
            await self._model.open(copied, runner.options)

    async def _overwrite(self) -> None:
        self._conflict.close()
        await self._write()

    def _take_file(self) -> None:
        if self._path is not None:
            self._runner.drafts.drop(self._path)
            self._choose()
        self._discard.close()
        self._conflict.close()

    def _make_dialogs(self) -> None:
        with ui.dialog() as self._copy, ui.card().style("min-width:340px"):
            ui.label("Make it yours").classes("text-h6")
            ui.label(
                "Shipped scenarios stay as they are. Your controller is saved into a copy of the "
                "scenario, in the folder in which the program was started."
            ).classes("text-body2")
            self._copy_name = TextField(
                "Name of the copy", validation=self._runner.scenarios.name_problem
            )
            self._copy_name.props('aria-label="Name of the copy"').classes("full-width")
            self._copy_name.on("keydown.enter", self._save_copy)
            with ui.row().classes("full-width justify-end"):
                text_button("Cancel", self._copy.close, look="flat")
                text_button("Save the copy", self._save_copy)
        with ui.dialog() as self._discard, ui.card():
            ui.label("Discard what was typed since the last save?")
            with ui.row().classes("full-width justify-end"):
                text_button("Keep it", self._discard.close, look="flat")
                text_button("Discard", self._take_file, look="unelevated color=negative")
        with ui.dialog() as self._conflict, ui.card():
            ui.label("The file was changed by another program since you began to type.")
            with ui.row().classes("full-width justify-end"):
                text_button("Cancel", self._conflict.close, look="flat")
                text_button("Take the file", self._take_file, look="flat")
                text_button("Overwrite it", self._overwrite)

    def _ask_revert(self) -> None:
        if self._path is not None and self._runner.drafts.is_unsaved(self._path):
            self._discard.open()

    def _refresh(self) -> None:
        path = self._path
        unsaved = path is not None and self._runner.drafts.is_unsaved(path)
        self._state.text = "not saved" if unsaved else "saved"
        self._state.set_visibility(path is not None)
        self._state.props(f"color={'orange' if unsaved else 'positive'}")
        self._revert.set_visibility(unsaved)
        if unsaved != self._was_unsaved:
            self._was_unsaved = unsaved
            # Drafts are kept by the server, but only as long as it runs.
            guard = "(event) => { event.preventDefault(); event.returnValue = ''; }"
            ui.run_javascript(f"window.onbeforeunload = {guard if unsaved else 'null'}")
        if path is not None and not unsaved:
            self._follow_file(path)
        self._mark()

    def _follow_file(self, path: Path) -> None:
        """Shows what another page or program saved."""
        try:
            text = self._runner.drafts.text(path)
        except HorusError:
            return
        if text and text != self._shown:
            self._shown = text
            self._code.value = text

    def _mark(self) -> None:
        """The error in words, and at its line."""
        error = self._runner.status.error or {}
        robot, text, line = error.get("robot", ""), error.get("text", ""), error.get("line", 0)
        if self._files.get(robot) != self._path:
            line = 0
        if (robot, line, text) == self._marked:
            return
        self._marked = (robot, line, text)
        self._problem.text = f"{robot}: {text}" if text else ""
        self._problem.set_visibility(bool(text))
        spec = {"kind": "line", "line": line, "class": "horus-bad-line"}
        self._code.decorations = [spec] if self._has(line) else []
        if self._has(line):
            self._code.reveal_line(line)

    async def _look_for_dark(self) -> None:
        """Follows what the browser's user prefers."""
        await ui.context.client.connected(_CONNECT_S)
        self._set_dark(await ui.run_javascript("Quasar.Dark.isActive", timeout=_CONNECT_S))

    def _set_dark(self, dark: bool) -> None:  # noqa: FBT001 - a callback
        self._code.theme = "vscodeDark" if dark else "vscodeLight"
