"""The row above the view: time and camera."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.running.loop.pacing import slider_speed
from horus_sim.ui.kit.fields import slid_to
from horus_sim.ui.kit.orders import obey
from horus_sim.ui.views.view3d.view3d import CameraMode

if TYPE_CHECKING:
    from collections.abc import Callable

    from nicegui.events import GenericEventArguments

    from horus_sim.ui.training.panels.stand import Stand

_CAMERAS: dict[CameraMode, str] = {"orbit": "Orbit", "follow": "Follow", "top": "Top"}
_PLANAR: dict[CameraMode, str] = {"orbit": "Still", "follow": "Follow"}
_REFRESH_S = 0.2
_HANDS_OFF_S = 1.0


def camera_mode(text: str) -> CameraMode:
    """The camera that a text names; else the one that stands still."""
    return "follow" if text == "follow" else "top" if text == "top" else "orbit"


def build_time(stand: Stand) -> None:
    """Play, step, start anew, speed, and how fast it really goes."""
    thread, log = stand.desk.thread, stand.page.log
    touched = 0.0

    async def play_or_pause() -> None:
        running = thread.status.is_running
        await obey(log, lambda: thread.play(running=not running))
        stand.write_address()
        refresh()

    async def step() -> None:
        await obey(log, thread.step)
        stand.write_address()
        refresh()

    async def reset() -> None:
        await obey(log, thread.reset)
        refresh()

    async def set_speed(event: GenericEventArguments) -> None:
        nonlocal touched
        touched = time.monotonic()
        speed = slider_speed(slid_to(event))
        await obey(log, lambda: thread.set_speed(speed))
        stand.write_address()
        refresh()

    with ui.element("div").classes("horus-group"):
        play = _button("pause", "Pause", play_or_pause)
        _button("skip_next", "Step", step).tooltip("Pause, and one decision of the policy")
        _button("restart_alt", "Reset", reset).tooltip("The same episodes from the start")
    with ui.element("div").classes("horus-group").style("gap:8px"):
        slider = ui.slider(min=-1.0, max=1.0, step=0.05, value=0.0).classes("gt-xs")
        slider.style("width:84px").props('aria-label="Speed" dense')
        slider.on("update:model-value", set_speed, throttle=0.1)
        factor = ui.label().classes("horus-number text-weight-medium").style("min-width:2.6em")
        factor.props('aria-label="Speed factor"')
        clock = ui.label().classes("horus-number text-weight-medium")
        clock.style("min-width:4.6em;text-align:right").props('aria-label="Time"')
        real = ui.label().classes("horus-fact gt-sm").style("min-width:8.2em")
        real.props('aria-label="Real-time factor"')

    def refresh() -> None:
        status = thread.status
        going = status.is_running
        name = "Pause" if going else "Play"
        play.props(f'icon={"pause" if going else "play_arrow"} aria-label="{name}"')
        if time.monotonic() - touched > _HANDS_OFF_S:
            slider.value = math.log10(status.speed)
        factor.text = f"{status.speed:.2g}x"
        clock.text = f"{status.time:.2f} s"
        real.text = f"real time x{status.real_time_factor:.2f}" if going else "paused"

    refresh()
    stand.page.every(_REFRESH_S, refresh)


def build_camera(stand: Stand, apply: Callable[[], object]) -> None:
    """How it is looked at."""

    def change(mode: CameraMode | None) -> None:
        stand.camera = mode or "orbit"
        if mode == "follow" and not stand.selected:
            stand.select(1)
        stand.write_address()
        apply()

    camera = ui.toggle(_CAMERAS, value=stand.camera).classes("horus-choice")
    camera.props('dense no-caps unelevated toggle-color=primary aria-label="Camera"')
    camera.on_value_change(lambda event: change(event.value))

    def offer() -> None:
        options = _PLANAR if stand.status.is_planar else _CAMERAS
        if camera.options != options:
            camera.set_options(options, value=stand.camera if stand.camera in options else "orbit")

    stand.on_show.append(offer)


def _button(icon: str, name: str, action: Callable[[], object]) -> ui.button:
    button = ui.button(icon=icon, on_click=action)
    return button.props(f'flat round dense aria-label="{name}"')
