"""Buttons that record: everything the world says as MCAP, and the view as a video."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.errors import HorusError
from horus_sim.ui.panels.orders import complain, obey

if TYPE_CHECKING:
    from horus_sim.ui.shell import Page
    from horus_sim.ui.view3d import View3d


def build_recording(page: Page, view: View3d) -> None:
    """Two buttons in a row."""
    with ui.element("div").classes("horus-group"):
        _mcap(page)
        _video(page, view)


def _mcap(page: Page) -> None:
    recorder, log = page.session.recorder, page.session.log

    async def toggle() -> None:
        if recorder.is_recording:
            text = await obey(log, recorder.end)
            if text:
                ui.notify(text.capitalize(), type="positive", multi_line=True)
            refresh()
            return
        try:
            order = await asyncio.to_thread(recorder.begin)
        except HorusError as error:
            complain(log, str(error))
            return
        await obey(log, lambda: order, "recording to {}")
        refresh()

    button = ui.button(icon="fiber_manual_record", on_click=toggle)
    button.props("flat dense").classes("horus-mode").tooltip("Record everything as MCAP")

    def refresh() -> None:
        name = "Stop recording" if recorder.is_recording else "Record MCAP"
        color = "negative" if recorder.is_recording else "grey-7"
        icon = "stop_circle" if recorder.is_recording else "fiber_manual_record"
        button.props(f'icon={icon} color={color} aria-label="{name}"')

    refresh()
    page.every(0.5, refresh)


def _video(page: Page, view: View3d) -> None:
    recording = False

    def toggle() -> None:
        nonlocal recording
        recording = not recording
        view.run_method("startVideo" if recording else "stopVideo")
        name = "Stop video" if recording else "Record video"
        button.props(f'aria-label="{name}" color={"negative" if recording else "grey-7"}')
        page.session.log.add("video: recording" if recording else "video: downloaded")

    button = ui.button(icon="videocam", on_click=toggle)
    button.props('flat dense color=grey-7 aria-label="Record video"')
    button.classes("horus-mode").tooltip("Record the view as a video")
