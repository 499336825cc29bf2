"""The frame around every app: title, tabs, light and dark, settings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from nicegui import ui

from horus_sim.errors import HorusError
from horus_sim.ui.shell.address import Address
from horus_sim.ui.shell.buttons import icon_button
from horus_sim.ui.shell.preferences import QUALITIES, Preferences, remembering
from horus_sim.ui.shell.style import COLORS, STYLE
from horus_sim.ui.shell.units import NAMES, Units

if TYPE_CHECKING:
    from nicegui.elements.mixins.validation_element import ValidationElement

    from horus_sim.ui.shell.site import Site

_ANSWER_S = 15.0
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class App:
    """An app in the shell.

    Attributes:
        name: Name on its tab.
        path: Path of its page.
        icon: Name of a Material icon.
        build: Fills its page.
    """

    name: str
    path: str
    icon: str
    build: Callable[[Page], None]


class Page:
    """One page in one browser.

    Args:
        site: What all pages share.
        preferences: What the user chose before.
        path: Path of the page.

    Attributes:
        site: What all pages share.
        log: Log of what happens on this page; the log of the site, or of a session.
        address: State of the page in its address.
        preferences: Preferences as they were when the page was opened.
        units: Units in which this page shows positions.
        dark: Light or dark.
        actions: Place for buttons of the app in the header.
    """

    actions: ui.row

    def __init__(self, site: Site, preferences: Preferences, path: str) -> None:
        self.site = site
        self.log = site.log
        self.address = Address(path)
        self.preferences = preferences
        self.units = Units(preferences.units)
        self.dark = ui.dark_mode(value=preferences.dark)
        self._on_dark: list[Callable[[bool], None]] = []
        self._on_units: list[Callable[[], object]] = []

    def on_dark(self, callback: Callable[[bool], None]) -> None:
        """Calls back with light or dark: now if it was chosen, and when it is."""
        self._on_dark.append(callback)
        if self.dark.value is not None:
            callback(bool(self.dark.value))

    def on_units(self, callback: Callable[[], object]) -> None:
        """Calls back now, and when other units are chosen."""
        self._on_units.append(callback)
        callback()

    def set_dark(self, *, dark: bool) -> None:
        """Chooses light or dark."""
        self.dark.value = dark
        ui.run_javascript(remembering("dark", dark))
        for callback in self._on_dark:
            callback(dark)

    def set_units(self, system: str) -> None:
        """Chooses other units."""
        self.units.set(system)
        ui.run_javascript(remembering("units", system))
        for callback in self._on_units:
            callback()

    def every(self, seconds: float, callback: Callable[[], object]) -> None:
        """Calls something now, and again and again while the page is open."""
        ui.timer(seconds, callback)

    async def obey(
        self,
        order: Callable[[], Future[_Result]],
        done: str = "",
        field: ValidationElement | None = None,
        *,
        in_thread: bool = False,
    ) -> _Result | None:
        """Gives an order and waits for it; an error is shown on the page and in the log.

        Args:
            order: Gives the order.
            done: What is written to the log afterwards; ``{}`` stands for the result.
            field: Field that shows an error; a note on the page unless given.
            in_thread: Whether giving the order takes long, so that it must not hold up the pages.

        Returns:
            The result, or None after an error.
        """
        try:
            given = await asyncio.to_thread(order) if in_thread else order()
            result = await asyncio.wrap_future(given)
        except HorusError as error:
            self.complain(str(error), field)
            return None
        if field is not None:
            field.error = None
        if done:
            self.log.add(done.format(result))
        return result

    def complain(self, text: str, field: ValidationElement | None = None) -> None:
        """Shows an error beside a field, or as a note on the page; the log gets it too."""
        self.log.add(text, "error")
        if field is not None:
            field.error = text
        else:
            ui.notify(text, type="negative", multi_line=True)


def register_pages(site: Site) -> None:
    """Makes a page of every app."""
    for app in site.apps:
        _register(app, site)


def _register(app: App, site: Site) -> None:
    @ui.page(app.path, title=f"Horus Sim: {app.name}")
    def show() -> None:
        ui.add_css(STYLE)
        ui.colors(**COLORS)
        page = Page(site, Preferences.of(ui.context.client.request.cookies), app.path)
        with ui.header().classes("horus-header items-center no-wrap"):
            ui.label("Horus Sim").classes("horus-brand gt-xs")
            with ui.row().classes("no-wrap gap-0").props('role="tablist" aria-label="Apps"'):
                for other in site.apps:
                    _tab(other, is_here=other is app)
            ui.space()
            page.actions = ui.row().classes("no-wrap gap-1")
            with page.actions:
                icon_button("contrast", "Light or dark", lambda: _toggle(page), props="color=white")
                _settings(page)
        app.build(page)


def _tab(app: App, *, is_here: bool) -> None:
    state = "true" if is_here else "false"
    tab = ui.button(app.name, icon=app.icon, on_click=lambda: ui.navigate.to(app.path))
    tab.props(f'flat dense no-caps color=white role="tab" aria-selected="{state}"')
    tab.props(f'aria-label="{app.name}"').classes("horus-tab" + (" here" if is_here else ""))


async def _toggle(page: Page) -> None:
    if page.dark.value is None:
        seen = await ui.run_javascript("Quasar.Dark.isActive", timeout=_ANSWER_S)
        page.set_dark(dark=not seen)
    else:
        page.set_dark(dark=not page.dark.value)


def _settings(page: Page) -> None:
    def set_quality(quality: str) -> None:
        ui.run_javascript(f"{remembering('quality', quality)}; location.reload()")

    with (
        icon_button("settings", "Settings", props="color=white"),
        ui.menu(),
        ui.column().classes("q-pa-md gap-1"),
    ):
        ui.label("Units").classes("text-weight-medium")
        ui.radio(
            NAMES, value=page.units.system, on_change=lambda event: page.set_units(event.value)
        ).props('dense aria-label="Units"')
        ui.label("Quality of the 3D view").classes("text-weight-medium q-mt-sm")
        ui.radio(
            QUALITIES,
            value=page.preferences.quality,
            on_change=lambda event: set_quality(event.value),
        ).props('dense aria-label="Quality"')
