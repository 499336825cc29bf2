"""Time: play, pause, step, reset, speed, and how fast it really goes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.running.speed import slider_speed
from horus_sim.ui.panels.orders import obey

if TYPE_CHECKING:
    from horus_sim.ui.shell import Page

_REFRESH_S = 0.2


def build_controls(page: Page) -> None:
    """A row of buttons with the simulated time."""
    simulation, log = page.session.simulation, page.session.log

    async def play_or_pause() -> None:
        running = simulation.status.is_running
        await obey(log, simulation.pause if running else simulation.play)
        refresh()

    async def step() -> None:
        await obey(log, simulation.step)
        refresh()

    async def reset() -> None:
        await obey(log, simulation.reset, "the world was reset")
        refresh()

    async def set_speed(exponent: float | None) -> None:
        speed = slider_speed(exponent)
        if not math.isclose(speed, simulation.status.speed):
            await obey(log, lambda: simulation.set_speed(speed))

    with ui.element("div").classes("horus-group"):
        play = _button("pause", "Pause", play_or_pause)
        _button("skip_next", "Step", step).tooltip("Pause, and one step")
        _button("restart_alt", "Reset", reset).tooltip("Back to the start")
    with ui.element("div").classes("horus-group").style("gap:8px"):
        slider = ui.slider(
            min=-1.0, max=1.0, step=0.05, value=math.log10(simulation.status.speed)
        ).classes("gt-xs")
        slider.style("width:84px").props('aria-label="Speed" dense')
        slider.on_value_change(lambda event: set_speed(event.value))
        speed = ui.label().classes("horus-number text-weight-medium").style("min-width:2.6em")
        speed.props('aria-label="Speed factor"')
        clock = ui.label().classes("horus-number text-weight-medium")
        clock.style("min-width:4.6em;text-align:right").props('aria-label="Time"')
        factor = ui.label().classes("horus-fact gt-sm").style("min-width:8.2em")
        factor.props('aria-label="Real-time factor"')

    followed = simulation.status.speed

    def refresh() -> None:
        nonlocal followed
        status = simulation.status
        name = "Pause" if status.is_running else "Play"
        play.props(f'icon={"pause" if status.is_running else "play_arrow"} aria-label="{name}"')
        if status.speed != followed:
            # Somebody else has set it; a slider that is being moved must not be pulled back.
            followed = status.speed
            slider.value = math.log10(status.speed)
        speed.text = f"{status.speed:.2g}x"
        clock.text = f"{status.time:.2f} s"
        factor.text = f"real time x{status.real_time_factor:.2f}" if status.is_running else "paused"

    refresh()
    page.every(_REFRESH_S, refresh)


def _button(icon: str, name: str, action: object) -> ui.button:
    button = ui.button(icon=icon, on_click=action)  # pyright: ignore[reportArgumentType]
    return button.props(f'flat round dense aria-label="{name}"')
