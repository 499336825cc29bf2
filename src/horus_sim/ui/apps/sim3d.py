"""The 3D simulator: a world to look at, drive in and build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.panels.controls import build_controls
from horus_sim.ui.panels.drive import build_drive
from horus_sim.ui.panels.frame import panel, side_panel
from horus_sim.ui.panels.log import build_log
from horus_sim.ui.panels.performance import build_performance
from horus_sim.ui.panels.recording import build_recording
from horus_sim.ui.panels.robot import build_robot
from horus_sim.ui.panels.scenes import build_scenes
from horus_sim.ui.panels.selection import build_selection
from horus_sim.ui.panels.sensors import build_sensors
from horus_sim.ui.panels.spawn import build_spawn
from horus_sim.ui.panels.topics import build_topics, world_topics
from horus_sim.ui.panels.transforms import build_lookup, build_tree
from horus_sim.ui.panels.view_modes import build_view_modes
from horus_sim.ui.tf_source import WorldSource
from horus_sim.ui.view3d import View3d

if TYPE_CHECKING:
    from horus_sim.ui.shell import Page


def build(page: Page) -> None:
    """Fills the page."""
    source = WorldSource(page.session)
    drawer = side_panel(page)
    with ui.column().classes("horus-main gap-0 no-wrap"):
        bar = ui.row().classes("horus-bar items-center")
        with ui.element("div").classes("col full-width").style("min-height:0"):
            view = View3d(quality=page.preferences.quality)
    with bar:
        build_controls(page)
        build_recording(page, view)
        ui.space().classes("gt-xs")
        build_view_modes(view)
    page.on_dark(lambda dark: view.set_dark(dark=dark))
    with drawer:
        panel("Drive", "sports_esports", lambda: build_drive(page, view), is_open=True)
        panel("Topics", "hub", lambda: build_topics(page, lambda: world_topics(page)), is_open=True)
        panel("Robot", "smart_toy", lambda: build_robot(page), is_open=True)
        panel("Selection", "ads_click", lambda: build_selection(page, view))
        panel("Add", "add_box", lambda: build_spawn(page))
        panel("Scene", "landscape", lambda: build_scenes(page, view))
        panel("Sensors", "sensors", lambda: build_sensors(page, view))
        panel("Transforms", "account_tree", lambda: _transforms(page, source))
        panel("Performance", "speed", lambda: build_performance(page, view))
        panel("Log", "subject", lambda: build_log(page), is_open=True)


def _transforms(page: Page, source: WorldSource) -> None:
    build_lookup(page, lambda: source)
    build_tree(page, lambda: source)
