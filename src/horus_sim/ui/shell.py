"""The frame around every app: title, tabs, light and dark, settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.units import NAMES, Units

if TYPE_CHECKING:
    from horus_sim.ui.session import Session

STYLE = """
.horus-view { position: relative; width: 100%; height: 100%; overflow: hidden; }
.horus-view canvas { width: 100%; height: 100%; display: block; outline: none; touch-action: none; }
.horus-labels { position: absolute; inset: 0; pointer-events: none; }
.horus-frame-label { font: 11px monospace; color: #fff; background: rgba(0,0,0,.55);
  padding: 0 4px; border-radius: 3px; transform: translateY(-12px); }
.horus-pad { position: absolute; left: 16px; bottom: 16px; width: 112px; height: 112px;
  border-radius: 50%; background: rgba(120,130,145,.35); border: 2px solid rgba(255,255,255,.5);
  touch-action: none; display: flex; align-items: center; justify-content: center; }
.horus-knob { width: 44px; height: 44px; border-radius: 50%; background: rgba(255,255,255,.8);
  pointer-events: none; }
.horus-lost { position: absolute; top: 12px; left: 50%; transform: translateX(-50%);
  background: #c62828; color: #fff; padding: 4px 12px; border-radius: 4px; }
.horus-main { height: calc(100dvh - 48px); width: 100%; }
.nicegui-content { padding: 0; gap: 0; }
.horus-tree .bad { color: #e53935; font-weight: 600; }
.q-drawer .q-expansion-item__content { padding: 0 12px 8px; }
.q-drawer .q-expansion-item__content > div { padding: 0; }
.horus-number { font-variant-numeric: tabular-nums; }
"""


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
        units: In which this one shows positions.
        dark: Light or dark.
        actions: Place for buttons of the app in the header.
    """

    actions: ui.row

    def __init__(self, session: Session) -> None:
        self.session = session
        self.units = Units()
        self.dark = ui.dark_mode(value=None)
        self._on_dark: list[Callable[[bool], None]] = []

    def on_dark(self, callback: Callable[[bool], None]) -> None:
        """Calls back when light or dark is chosen."""
        self._on_dark.append(callback)

    def set_dark(self, *, dark: bool) -> None:
        """Chooses light or dark."""
        self.dark.value = dark
        for callback in self._on_dark:
            callback(dark)

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
        page = Page(session)
        with ui.header().classes("items-center no-wrap q-pa-none q-px-sm").style("height:48px"):
            ui.label("Horus Sim").classes("text-weight-bold q-mr-sm gt-xs")
            with ui.row().classes("no-wrap gap-0").props('role="tablist" aria-label="Apps"'):
                for other in apps:
                    _tab(other, is_here=other is app)
            ui.space()
            page.actions = ui.row().classes("no-wrap")
            ui.button(icon="contrast", on_click=lambda: _toggle(page)).props(
                'flat round dense color=white aria-label="Light or dark"'
            )
            _settings(page)
        app.build(page)


def _tab(app: App, *, is_here: bool) -> None:
    state = "true" if is_here else "false"
    tab = ui.button(app.name, icon=app.icon, on_click=lambda: ui.navigate.to(app.path))
    tab.props(f'flat dense no-caps color=white role="tab" aria-selected="{state}"')
    tab.props(f'aria-label="{app.name}"')
    tab.style("border-radius:0" + (";border-bottom:3px solid white" if is_here else ";opacity:.75"))


async def _toggle(page: Page) -> None:
    if page.dark.value is None:
        seen = await ui.run_javascript("Quasar.Dark.isActive")
        page.set_dark(dark=not seen)
    else:
        page.set_dark(dark=not page.dark.value)


def _settings(page: Page) -> None:
    with (
        ui.button(icon="settings").props('flat round dense color=white aria-label="Settings"'),
        ui.menu(),
        ui.column().classes("q-pa-md"),
    ):
        ui.label("Units").classes("text-weight-bold")
        ui.radio(NAMES, value="m", on_change=lambda event: page.units.set(event.value)).props(
            'aria-label="Units"'
        )
