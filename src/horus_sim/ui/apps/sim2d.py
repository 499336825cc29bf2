"""The 2D runner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.runner2d.runner import Options, Runner
from horus_sim.ui.view2d import View2d

if TYPE_CHECKING:
    from horus_sim.ui.shell import Page


def build(page: Page) -> None:
    runner = page.session.share("sim2d", lambda s: Runner(s.stream, s.folder))
    runner.open(runner.scenarios.find("sumo"), Options())
    runner.run(running=True)
    with ui.column().classes("horus-main gap-0 no-wrap"):
        view = View2d("sim2d", draggable=("body",))
        view.on_event("pick", lambda e: (print(e), view.set_selected(e["id"])))
        view.on_event(
            "drag",
            lambda e: runner.post("drag", ident=e["id"], pose=e["pose"], ends=e["phase"] == "end"),
        )
