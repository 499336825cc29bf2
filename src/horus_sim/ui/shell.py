"""The frame around every app: title, tabs, light and dark, settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.preferences import QUALITIES, Preferences, remembering
from horus_sim.ui.style import COLORS, STYLE
from horus_sim.ui.units import NAMES, Units

if TYPE_CHECKING:
    from horus_sim.ui.session import Session

_ANSWER_S = 15.0


@dataclass(frozen=True, slots=True)
class App:
    """An app in the shell.

    Attributes:
        name: On its tab.
        path: Of its page.
        icon: Name of a Material icon.
        build: Fills its page.
    """

    name: str
    path: str
    icon: str
    build: Callable[[Page], None]


class Page:
    """One page in one browser.

    Attributes:
        session: What all pages share.
        preferences: As they were when it was opened.
        units: In which this one shows positions.
        dark: Light or dark.
        actions: Place for buttons of the app in the header.
    """

    actions: ui.row

    def __init__(self, session: Session, preferences: Preferences) -> None:
        self.session = session
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
        """Calls something again and again while the page is open."""
        ui.timer(seconds, callback)


def register_pages(session: Session) -> None:
    """Makes a page of every app."""
    from horus_sim.ui.apps import APPS

    for app in APPS:
        _register(app, APPS, session)


def _register(app: App, apps: tuple[App, ...], session: Session) -> None:
    @ui.page(app.path, title=f"Horus Sim: {app.name}")
    def show() -> None:
        ui.add_css(STYLE)
        ui.colors(**COLORS)
        page = Page(session, Preferences.of(ui.context.client.request.cookies))
        with ui.header().classes("horus-header items-center no-wrap"):
            ui.label("Horus Sim").classes("horus-brand gt-xs")
            with ui.row().classes("no-wrap gap-0").props('role="tablist" aria-label="Apps"'):
                for other in apps:
                    _tab(other, is_here=other is app)
            ui.space()
            page.actions = ui.row().classes("no-wrap gap-1")
            with page.actions:
                _icon_button("contrast", "Light or dark", lambda: _toggle(page))
                _settings(page)
        app.build(page)


def _tab(app: App, *, is_here: bool) -> None:
    state = "true" if is_here else "false"
    tab = ui.button(app.name, icon=app.icon, on_click=lambda: ui.navigate.to(app.path))
    tab.props(f'flat dense no-caps color=white role="tab" aria-selected="{state}"')
    tab.props(f'aria-label="{app.name}"').classes("horus-tab" + (" here" if is_here else ""))


def _icon_button(icon: str, name: str, action: Callable[[], object] | None = None) -> ui.button:
    button = ui.button(icon=icon, on_click=action)
    button.props(f'flat round dense color=white aria-label="{name}"').tooltip(name)
    return button


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
        _icon_button("settings", "Settings"),
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
