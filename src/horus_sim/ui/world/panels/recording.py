"""Buttons that record: everything the world says as MCAP, and the view as a video."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.kit.controls import mode_button

if TYPE_CHECKING:
    from horus_sim.ui.world.model.world_model import WorldModel


def build_recording(model: WorldModel) -> None:
    """Two buttons in a row."""
    with ui.element("div").classes("horus-group"):
        _mcap(model)
        _video(model)


def _mcap(model: WorldModel) -> None:
    page, recorder = model.page, model.session.recorder

    async def toggle() -> None:
        if recorder.is_recording:
            text = await page.obey(recorder.end)
            if text:
                ui.notify(text.capitalize(), type="positive", multi_line=True)
        else:
            await page.obey(recorder.begin, "recording to {}", in_thread=True)
        refresh()

    button = mode_button("fiber_manual_record", "", toggle, "Record everything as MCAP")

    def refresh() -> None:
        name = "Stop recording" if recorder.is_recording else "Record MCAP"
        color = "negative" if recorder.is_recording else "grey-7"
        icon = "stop_circle" if recorder.is_recording else "fiber_manual_record"
        button.props(f'icon={icon} color={color} aria-label="{name}"')

    refresh()
    page.every(0.5, refresh)


def _video(model: WorldModel) -> None:
    recording = False

    def toggle() -> None:
        nonlocal recording
        recording = not recording
        model.view.run_method("startVideo" if recording else "stopVideo")
        name = "Stop video" if recording else "Record video"
        button.props(f'aria-label="{name}" color={"negative" if recording else "grey-7"}')
        model.page.log.add("video: recording" if recording else "video: downloaded")

    button = mode_button("videocam", "Record video", toggle, "Record the view as a video")
