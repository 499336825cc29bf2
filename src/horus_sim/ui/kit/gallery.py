"""Scenarios as cards with pictures, to choose one of."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import run, ui

from horus_sim.errors import HorusError
from horus_sim.ui.kit.scenarios import Place, Scenarios, read
from horus_sim.ui.stream.scene2d import scene_of
from horus_sim.ui.views.thumbnail2d import thumbnail

_WIDTH, _HEIGHT = 210, 136


class Gallery:
    """A grid of cards, empty until it is filled.

    Args:
        scenarios: What can be chosen.
        verb: What choosing does, for accessible names: 'Open', 'Design'.
        choose: Called with what is chosen.
    """

    def __init__(self, scenarios: Scenarios, verb: str, choose: Callable[[Place], object]) -> None:
        self._scenarios, self._verb, self._choose = scenarios, verb, choose
        self._grid = ui.element("div").props('aria-label="Gallery"').classes("full-width")
        columns = f"grid-template-columns:repeat(auto-fill,{_WIDTH}px)"
        self._grid.style(f"display:grid;{columns};gap:14px")

    async def fill(self) -> None:
        """Shows the scenarios of now."""
        self._grid.clear()
        found = await run.io_bound(_pictures, self._scenarios)
        self._grid.clear()
        with self._grid:
            for place, text, picture in found or ():
                self._card(place, text, picture)

    def _card(self, place: Place, text: str, picture: str) -> None:
        card = ui.card().tight().classes("cursor-pointer").style(f"width:{_WIDTH}px")
        label = f"{self._verb} {place.name}"
        card.props.update({"role": "button", "tabindex": "0", "aria-label": label})
        for event in ("click", "keydown.enter"):
            card.on(event, lambda: self._choose(place))
        with card:
            ui.html(picture, sanitize=False).style(f"width:{_WIDTH}px;height:{_HEIGHT}px")
            with ui.column().classes("q-pa-sm gap-0"):
                kind = "" if place.is_shipped else " (yours)"
                ui.label(f"{place.folder.name}{kind}").classes("text-weight-medium")
                ui.label(text).classes("text-caption")


def _pictures(scenarios: Scenarios) -> list[tuple[Place, str, str]]:
    """Each scenario with what it is about, or what is wrong with it, and its picture."""
    found = []
    for place in scenarios.places():
        try:
            scenario = read(place)
            text, scene = scenario.config.description, scene_of(scenario)
        except HorusError as error:
            text, scene = f"cannot be opened: {error}", None
        found.append((place, text, thumbnail(scene, _WIDTH, _HEIGHT)))
    return found
