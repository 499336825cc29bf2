"""What the panels of one 2D page share."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.runner.model.run_address import Options, RunAddress

if TYPE_CHECKING:
    from horus_sim.ui.kit.scenarios import Place
    from horus_sim.ui.runner.model.runner import Runner
    from horus_sim.ui.runner.model.runs import Runs
    from horus_sim.ui.shell.page import Page
    from horus_sim.ui.views.view2d import View2d


@dataclass(slots=True)
class RunnerModel:
    """One page.

    Attributes:
        page: The page, which writes to the log of the run.
        view: What draws the run.
        runs: All runs.
        runner: The run that this page shows.
        tabs: The tabs of the panels.
        selected: Id of the selected body, or ''.
        on_open: Each is called when another scenario is open.
        reveal: Shows a line of a controller.
        opened: Number of the scenario that this page shows, as `Runner.opened` counts them.
    """

    page: Page
    view: View2d
    runs: Runs
    runner: Runner
    tabs: ui.tabs
    selected: str = ""
    on_open: list[Callable[[], object]] = field(default_factory=list)
    reveal: Callable[[str, int], None] = lambda _file, _line: None
    opened: int = 0

    async def open(self, place: Place, options: Options) -> None:
        """Opens a scenario; what is wrong with it is shown, and the present one goes on.

        Where there is a run of it already, or another page looks at the present one, this page
        goes there and leaves the present one as it is.
        """
        runner, address = self.runner, RunAddress(place, options)
        there = self.runs.find(address)
        if there is not runner and (there is not None or runner.pages > 1):
            link = self.page.address.link_with(**address.query, sel="")
            # What is typed and not saved is kept by the server.
            ui.run_javascript(f"window.onbeforeunload = null; location.assign({json.dumps(link)})")
            return
        before, runner.address = runner.address, address
        if await self.page.obey(lambda: runner.open(place, options)) is None:
            runner.address = before
            return
        self.select("")
        # At once: what is typed from now on belongs to the files of this scenario.
        self.follow()

    def follow(self) -> None:
        """Shows the scenario that is open, whoever opened it, unless the page does so already."""
        if self.opened != self.runner.opened:
            self.opened = self.runner.opened
            for callback in self.on_open:
                callback()
            self.page.address.set(**self.runner.address.query)

    def show_error(self) -> None:
        """Shows the line of a controller that holds the run up."""
        error = self.runner.status.error or {}
        self.tabs.set_value("Code")
        if error.get("line"):
            self.reveal(error["file"], error["line"])

    def select(self, ident: str) -> None:
        """Selects a body; '' for none."""
        self.selected = ident
        self.view.set_selected(ident)
        self.runner.post("select", ident=ident)
        self.page.address.set(sel=ident)
