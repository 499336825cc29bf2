"""Transforms: the tree of the running world or of any session, with ages, rates and problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.errors import HorusError
from horus_sim.ui.frame_stream import FrameStream
from horus_sim.ui.panels.fields import TextField
from horus_sim.ui.panels.orders import complain
from horus_sim.ui.panels.transforms import build_lookup, build_tree
from horus_sim.ui.tf_source import HubSource, TFSource, WorldSource
from horus_sim.ui.view3d import View3d

if TYPE_CHECKING:
    from horus_sim.ui.shell import Page

_SOURCES = {"world": "running world", "inproc://": "topics of this program", "zenoh://": "zenoh"}
_PUBLISH_S = 0.1


def build(page: Page) -> None:
    """Fills the page."""
    present: TFSource = WorldSource(page.session)
    number = id(page)
    frames = FrameStream(page.session.stream, f"hub{number}")

    def source() -> TFSource:
        return present

    def connect() -> None:
        nonlocal present
        try:
            new: TFSource = (
                WorldSource(page.session)
                if where.value == "world"
                else HubSource(where.value, (name.value or "").strip())
            )
        except HorusError as error:
            complain(page.session.log, str(error), name)
            return
        name.error = None
        close()
        present = new
        view.set_frames_from("tf" if where.value == "world" else f"hub{number}")

    def close() -> None:
        if isinstance(present, HubSource):
            present.close()

    def publish() -> None:
        if isinstance(present, HubSource):
            frames.publish(present.tree, 0.0)

    with ui.row().classes("horus-main gap-0 items-stretch"):
        with ui.column().classes("horus-side"):
            with ui.row().classes("items-start no-wrap full-width gap-2"):
                where = ui.select(_SOURCES, value="world", label="Transforms of")
                where.props('outlined dense aria-label="Transforms of"').classes("col")
                name = TextField("Session").props('outlined dense aria-label="Session"')
                name.classes("col").bind_visibility_from(
                    where, "value", backward=lambda value: value != "world"
                )
                ui.button("Connect", on_click=connect).props(
                    'unelevated no-caps aria-label="Connect"'
                ).style("height:40px")
            build_lookup(page, source)
            build_tree(page, source)
        with ui.element("div").style("flex:2 1 340px;min-height:300px"):
            view = View3d(is_world=False, quality=page.preferences.quality)
            view.set_mode("tf", shown=True)
    page.on_dark(lambda dark: view.set_dark(dark=dark))
    ui.context.client.on_delete(close)
    page.every(_PUBLISH_S, publish)
