"""Which scenario: a button with its name, and a gallery of all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nicegui import run, ui

from horus_sim.errors import HorusError
from horus_sim.ui.kit.orders import obey
from horus_sim.ui.kit.scenarios import Place, Scenarios, description, read
from horus_sim.ui.runner.model.runner import Options
from horus_sim.ui.runner.model.runs import Wish
from horus_sim.ui.stream.scene2d import scene_of
from horus_sim.ui.views.thumbnail2d import thumbnail

if TYPE_CHECKING:
    from horus_sim.ui.runner.panels.context import Context


def build_gallery(context: Context) -> None:
    """The button and what it opens."""
    runner = context.runner

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
            await open_place(context, place, Options(seed=runner.options.seed))

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
            ui.button(icon="close", on_click=dialog.close).props(
                'flat round dense aria-label="Close the gallery"'
            )
        cards = (
            ui.element("div")
            .props('aria-label="Gallery"')
            .style(
                "display:grid;grid-template-columns:repeat(auto-fill,200px);gap:14px;width:100%;"
                "justify-content:center"
            )
        )
    button = ui.button("", icon="collections", on_click=show)
    button.props('flat dense no-caps aria-label="Choose a scenario"').style("max-width:220px")
    context.on_open.append(lambda: button.set_text(_name(context)))


def _name(context: Context) -> str:
    place = context.runner.place
    return "" if place is None else place.folder.name


def _pictures(scenarios: Scenarios) -> list[tuple[Place, str, str]]:
    found = []
    for place in scenarios.places():
        try:
            picture = thumbnail(scene_of(read(place)))
        except HorusError:
            picture = thumbnail(None)
        found.append((place, description(place), picture))
    return found


async def open_place(context: Context, place: Place, options: Options) -> bool:
    """Opens a scenario; what is wrong with it is shown, and the present one goes on.

    Where there is a run of it already, or another page looks at the present one, this page goes
    there and leaves the present one as it is.
    """
    run, runner, wish = context.run, context.runner, Wish(place, options)
    there = context.runs.find(wish)
    if there is not run and (there is not None or run.pages > 1):
        link = context.address.link_with(**wish.query, sel="")
        # What is typed and not saved is kept by the server.
        ui.run_javascript(f"window.onbeforeunload = null; location.assign({json.dumps(link)})")
        return True
    before, run.address = run.address, wish
    if await obey(runner.log, lambda: runner.open(place, options)) is None:
        run.address = before
        return False
    context.select("")
    # At once: what is typed from now on belongs to the files of this scenario.
    context.follow()
    return True
