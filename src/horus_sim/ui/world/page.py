"""The 3D simulator: a world to look at, drive in and build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.kit.log import build_log
from horus_sim.ui.kit.panel import panel, side_panel
from horus_sim.ui.kit.tf_source import TFSource
from horus_sim.ui.kit.time_bar import build_time_bar
from horus_sim.ui.kit.topics import TopicsView, build_topics
from horus_sim.ui.kit.transforms import build_lookup, build_tree
from horus_sim.ui.views.view3d import View3d
from horus_sim.ui.world.model.session import WorldSessions
from horus_sim.ui.world.model.world_model import WorldModel
from horus_sim.ui.world.panels.drive import build_drive
from horus_sim.ui.world.panels.performance import build_performance
from horus_sim.ui.world.panels.recording import build_recording
from horus_sim.ui.world.panels.robot import build_robot
from horus_sim.ui.world.panels.scenes import build_scenes
from horus_sim.ui.world.panels.selection import build_selection
from horus_sim.ui.world.panels.sensors import build_sensors
from horus_sim.ui.world.panels.spawn import build_spawn
from horus_sim.ui.world.panels.view_modes import build_view_modes

if TYPE_CHECKING:
    from horus_sim.ui.shell.page import Page

PATH = "/"


def build(page: Page) -> None:
    """Fills the page."""
    session = WorldSessions.of(page.site).present
    drawer = side_panel(page)
    with ui.column().classes("horus-main gap-0 no-wrap"):
        bar = ui.row().classes("horus-bar items-center")
        with ui.element("div").classes("col full-width").style("min-height:0"):
            view = View3d(session.channel, quality=page.preferences.quality)
    model = WorldModel(page, session, view)
    with bar:
        build_time_bar(page, session.simulation, reset_done="the world was reset")
        build_recording(model)
        ui.space().classes("gt-xs")
        build_view_modes(view)
    page.on_dark(lambda dark: view.set_dark(dark=dark))
    with drawer:
        panel("Drive", "sports_esports", lambda: build_drive(model), is_open=True)
        panel("Topics", "hub", lambda: build_topics(page, lambda: _topics(model)), is_open=True)
        panel("Robot", "smart_toy", lambda: build_robot(model), is_open=True)
        panel("Selection", "ads_click", lambda: build_selection(model))
        panel("Add", "add_box", lambda: build_spawn(model))
        panel("Scene", "landscape", lambda: build_scenes(model))
        panel("Sensors", "sensors", lambda: build_sensors(model))
        panel("Transforms", "account_tree", lambda: _transforms(model))
        panel("Performance", "speed", lambda: build_performance(model))
        panel("Log", "subject", lambda: build_log(page), is_open=True)


def _topics(model: WorldModel) -> TopicsView:
    session, status = model.session, model.session.simulation.status
    running = session.simulation.running
    return TopicsView(
        None if running.hub is None else running.hub.session,
        session.no_topics,
        status.messages_hz,
        status.drivers,
        running.exchange.naming.bare,
    )


def _transforms(model: WorldModel) -> None:
    source = TFSource(lambda: model.session.tf)
    build_lookup(model.page, lambda: source)
    build_tree(model.page, lambda: source)
