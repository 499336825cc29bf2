"""Which scenario: a button with its name, and a gallery of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.kit.controls import icon_button
from horus_sim.ui.kit.gallery import Gallery
from horus_sim.ui.kit.scenarios import Place
from horus_sim.ui.runner.model.run_address import Options

if TYPE_CHECKING:
    from horus_sim.ui.runner.model.runner_model import RunnerModel


def build_gallery(model: RunnerModel) -> None:
    """The button and what it opens."""
    runner = model.runner

    async def show() -> None:
        dialog.open()
        await gallery.fill()

    async def choose(place: Place) -> None:
        dialog.close()
        await model.open(place, Options(seed=runner.options.seed))

    with ui.dialog() as dialog, ui.card().style("max-width:960px;width:95vw"):
        with ui.row().classes("items-center full-width no-wrap"):
            ui.label("Scenarios").classes("text-h6")
            ui.space()
            icon_button("close", "Close the gallery", dialog.close, "")
        gallery = Gallery(runner.scenarios, "Open", choose)
    button = ui.button("", icon="collections", on_click=show)
    button.props('flat dense no-caps aria-label="Choose a scenario"').style("max-width:220px")

    def show_name() -> None:
        button.text = "" if runner.place is None else runner.place.folder.name

    model.on_open.append(show_name)
