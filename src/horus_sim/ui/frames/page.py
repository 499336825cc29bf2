"""Transforms: the tree of the running world or of any session, with ages, rates and problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.errors import HorusError
from horus_sim.ui.kit.controls import select, text_button
from horus_sim.ui.kit.fields import TextField
from horus_sim.ui.kit.tf_source import HubSource, TFSource
from horus_sim.ui.kit.transforms import build_lookup, build_tree
from horus_sim.ui.stream.frame_stream import FrameStream
from horus_sim.ui.views.view3d import View3d

if TYPE_CHECKING:
    from horus_sim.ui.shell.page import Page

PATH = "/tf"
_SOURCES = {"world": "running world", "inproc://": "topics of this program", "zenoh://": "zenoh"}
_PUBLISH_S = 0.1


def build(page: Page) -> None:
    """Fills the page."""
    # Another world may come later.
    world = TFSource(lambda: page.site.tree())  # noqa: PLW0108
    present: TFSource = world
    channel = f"hub{id(page)}"
    frames = FrameStream(page.site.stream, channel)

    def connect() -> None:
        nonlocal present
        is_world = where.value == "world"
        try:
            new = world if is_world else HubSource(str(where.value), (name.value or "").strip())
        except HorusError as error:
            page.complain(str(error), name)
            return
        name.error = None
        present.close()
        present = new
        view.set_mode_options("tf", source="tf" if is_world else channel)

    def publish() -> None:
        if isinstance(present, HubSource):
            frames.publish(present.tree, 0.0)

    with ui.row().classes("horus-main gap-0 items-stretch"):
        with ui.column().classes("horus-side"):
            with ui.row().classes("items-start no-wrap full-width gap-2"):
                where = select("Transforms of", _SOURCES, "world")
                name = TextField("Session").props('outlined dense aria-label="Session"')
                name.classes("col").bind_visibility_from(
                    where, "value", backward=lambda value: value != "world"
                )
                text_button("Connect", connect).style("height:40px")
            build_lookup(page, lambda: present)
            build_tree(page, lambda: present)
        with ui.element("div").style("flex:2 1 340px;min-height:300px"):
            view = View3d(quality=page.preferences.quality)
            view.set_mode("tf", shown=True)
    page.on_dark(lambda dark: view.set_dark(dark=dark))
    ui.context.client.on_delete(lambda: present.close())  # noqa: PLW0108 - it changes
    page.every(_PUBLISH_S, publish)
