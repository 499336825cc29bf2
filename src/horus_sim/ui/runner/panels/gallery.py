"""Which scenario: a button with its name, and a gallery of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import run, ui

from horus_sim.errors import HorusError
from horus_sim.ui.kit.controls import icon_button
from horus_sim.ui.kit.scenarios import Place, Scenarios, description, read
from horus_sim.ui.runner.model.run_address import Options
from horus_sim.ui.stream.scene2d import scene_of
from horus_sim.ui.views.thumbnail2d import thumbnail

if TYPE_CHECKING:
    from horus_sim.ui.runner.model.runner_model import RunnerModel


def build_gallery(model: RunnerModel) -> None:
    """The button and what it opens."""
    runner = model.runner

    async def show() -> None:
        cards.clear()
        dialog.open()
        found = await run.io_bound(_pictures, runner.scenarios)
        cards.clear()
        with cards:
            for place, text, picture in found or ():
                _card(place, text, picture)

    def _card(place: Place, text: str, picture: str) -> None:
        async def choose() -> None:
            dialog.close()
            await model.open(place, Options(seed=runner.options.seed))

        card = ui.card().tight().classes("cursor-pointer").style("width:200px")
        card.props(f'role="button" tabindex="0" aria-label="Open {place.name}"')
        card.on("click", choose)
        card.on("keydown.enter", choose)
        with card:
            ui.html(picture, sanitize=False).style("width:200px;height:130px")
            with ui.column().classes("q-pa-sm gap-0"):
                kind = "" if place.is_shipped else " (yours)"
                ui.label(f"{place.name}{kind}").classes("text-weight-medium")
                ui.label(text).classes("text-caption")

    with ui.dialog() as dialog, ui.card().style("max-width:960px;width:95vw"):
        with ui.row().classes("items-center full-width no-wrap"):
            ui.label("Scenarios").classes("text-h6")
            ui.space()
            icon_button("close", "Close the gallery", dialog.close, "")
        cards = ui.element("div").props('aria-label="Gallery"')
        cards.style(
            "display:grid;grid-template-columns:repeat(auto-fill,200px);gap:14px;width:100%;"
            "justify-content:center"
        )
    button = ui.button("", icon="collections", on_click=show)
    button.props('flat dense no-caps aria-label="Choose a scenario"').style("max-width:220px")

    def show_name() -> None:
        button.text = "" if runner.place is None else runner.place.folder.name

    model.on_open.append(show_name)


def _pictures(scenarios: Scenarios) -> list[tuple[Place, str, str]]:
    found = []
    for place in scenarios.places():
        try:
            picture = thumbnail(scene_of(read(place)))
        except HorusError:
            picture = thumbnail(None)
        found.append((place, description(place), picture))
    return found
