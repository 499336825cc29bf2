"""The 3D simulator: a world to look at, drive in and build."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.panels.controls import build_controls
from horus_sim.ui.panels.drive import build_drive
from horus_sim.ui.panels.log import build_log
from horus_sim.ui.panels.performance import build_performance
from horus_sim.ui.panels.robot import build_robot
from horus_sim.ui.panels.scenes import build_scenes
from horus_sim.ui.panels.selection import build_selection
from horus_sim.ui.panels.sensors import build_sensors
from horus_sim.ui.panels.spawn import build_spawn
from horus_sim.ui.panels.transforms import build_lookup, build_tree
from horus_sim.ui.panels.view_modes import build_view_modes
from horus_sim.ui.tf_source import WorldSource
from horus_sim.ui.view3d import View3d

if TYPE_CHECKING:
    from horus_sim.ui.shell import Page

_DRAWER_PX = 340


def build(page: Page) -> None:
    """Fills the page."""
    source = WorldSource(page.session)
    drawer = ui.right_drawer(value=None, bordered=True).props(
        f'width={_DRAWER_PX} breakpoint=800 role="region" aria-label="Panels"'
    )
    drawer.classes("q-pa-none")
    with ui.column().classes("horus-main gap-0 no-wrap"):
        with ui.row().classes("items-center full-width gap-1 q-py-xs"):
            build_controls(page)
            bar = ui.row().classes("items-center gap-1 q-px-sm")
        with ui.element("div").classes("col full-width").style("min-height:0"):
            view = View3d()
    with page.actions:
        ui.button(icon="menu_open", on_click=drawer.toggle).props(
            'flat round dense color=white aria-label="Panels"'
        )
    with bar:
        build_view_modes(page, view)
    page.on_dark(lambda dark: view.set_dark(dark=dark))
    with drawer:
        _panel("Drive", lambda: build_drive(page, view), is_open=True)
        _panel("Robot", lambda: build_robot(page), is_open=True)
        _panel("Selection", lambda: build_selection(page, view))
        _panel("Add", lambda: build_spawn(page))
        _panel("Scene", lambda: build_scenes(page, view))
        _panel("Sensors", lambda: build_sensors(page, view))
        _panel("Transforms", lambda: _transforms(page, source))
        _panel("Performance", lambda: build_performance(page, view))
        _panel("Log", lambda: build_log(page), is_open=True)


def _transforms(page: Page, source: WorldSource) -> None:
    build_lookup(page, lambda: source)
    build_tree(page, lambda: source)


def _panel(name: str, build_content: Callable[[], None], *, is_open: bool = False) -> None:
    panel = ui.expansion(name, value=is_open).classes("full-width")
    panel.props(f'dense header-class="text-weight-medium" aria-label="{name}"')
    with panel, ui.column().classes("full-width gap-1"):
        build_content()
