"""What the panels of one 2D page share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nicegui import ui

    from horus_sim.ui.runner.model.runner import Runner
    from horus_sim.ui.runner.model.runs import Run, Runs
    from horus_sim.ui.shell.address import Address
    from horus_sim.ui.shell.page import Page
    from horus_sim.ui.views.view2d import View2d


@dataclass(slots=True)
class Context:
    """One page.

    Attributes:
        page: The page.
        view: The view.
        address: State of the page.
        runs: All runs.
        run: The one that this page shows.
        tabs: The tabs of the panels.
        selected: Id of the selected body, or ''.
        on_open: Each is called when another scenario is open.
        on_select: Each is called when another body is selected.
        on_dark: Each is called with light or dark, as the page begins.
        reveal: Shows a line of a controller.
        opened: Number of the scenario that this page shows, as `Runner.opened` counts them.
    """

    page: Page
    view: View2d
    address: Address
    runs: Runs
    run: Run
    tabs: ui.tabs | None = None
    selected: str = ""
    on_open: list[Callable[[], object]] = field(default_factory=list)
    on_select: list[Callable[[], object]] = field(default_factory=list)
    on_dark: list[Callable[[bool], object]] = field(default_factory=list)
    reveal: Callable[[str, int], None] = lambda _file, _line: None
    opened: int = 0

    @property
    def runner(self) -> Runner:
        """What simulates."""
        return self.run.runner

    def follow(self) -> None:
        """Shows the scenario that is open, whoever opened it, unless the page does so already."""
        if self.opened != self.runner.opened:
            self.opened = self.runner.opened
            for callback in self.on_open:
                callback()
            self.address.set(**self.run.address.query)

    def select(self, ident: str) -> None:
        """Selects a body; '' for none."""
        self.selected = ident
        self.view.set_selected(ident)
        self.runner.post("select", ident=ident)
        self.address.set(sel=ident)
        for callback in self.on_select:
            callback()
