"""The one time bar: play, pause, step, reset, speed, and how fast it really goes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Protocol

from nicegui import ui

from horus_sim.running.loop.pacing import slider_speed
from horus_sim.ui.kit.controls import icon_button, slider

if TYPE_CHECKING:
    from horus_sim.ui.shell.page import Page

_REFRESH_S = 0.2
_HANDS_OFF_S = 1.0


class TimeStatus(Protocol):
    """How time goes.

    Attributes:
        is_running: Whether time goes on.
        speed: Simulated seconds a second that are wanted.
        time: Simulated time [s].
        real_time_factor: Simulated seconds a second that are reached.
    """

    @property
    def is_running(self) -> bool: ...  # noqa: D102
    @property
    def speed(self) -> float: ...  # noqa: D102
    @property
    def time(self) -> float: ...  # noqa: D102
    @property
    def real_time_factor(self) -> float: ...  # noqa: D102


class Timed(Protocol):
    """What a time bar works with; `running.Loop` is one."""

    @property
    def status(self) -> TimeStatus:
        """How time goes now."""
        ...

    def play(self) -> Future[Any]:
        """Lets time go on."""
        ...

    def pause(self) -> Future[Any]:
        """Holds time."""
        ...

    def step(self) -> Future[Any]:
        """Holds time, and makes one step."""
        ...

    def reset(self) -> Future[Any]:
        """Goes back to the start."""
        ...

    def set_speed(self, speed: float) -> Future[Any]:
        """Chooses the speed, from 0.1 to 10."""
        ...


def build_time_bar(
    page: Page,
    timed: Timed,
    *,
    on_use: Callable[[], object] = lambda: None,
    pace: Callable[[], str] = lambda: "",
    reset_done: str = "",
    step_tip: str = "Pause, and one step",
    reset_tip: str = "Back to the start",
) -> None:
    """A row of buttons, a slider for the speed, and the time.

    Args:
        page: The page that has the bar.
        timed: What it works with.
        on_use: Called after each use, such as to write the address.
        pace: What stands in place of the pace; '' for the pace itself.
        reset_done: What is written to the log after a reset.
        step_tip: What the button for a step says.
        reset_tip: What the button for a reset says.
    """
    touched = 0.0

    async def use(order: Callable[[], Future[Any]], done: str = "") -> None:
        await page.obey(order, done)
        on_use()
        refresh()

    async def set_speed(exponent: float) -> None:
        nonlocal touched
        touched = time.monotonic()
        await use(lambda: timed.set_speed(slider_speed(exponent)))

    def play_or_pause() -> Future[Any]:
        return timed.pause() if timed.status.is_running else timed.play()

    with ui.element("div").classes("horus-group"):
        play = icon_button("pause", "Pause", lambda: use(play_or_pause), "")
        icon_button("skip_next", "Step", lambda: use(timed.step), step_tip)
        icon_button("restart_alt", "Reset", lambda: use(timed.reset, reset_done), reset_tip)
    with ui.element("div").classes("horus-group").style("gap:8px"):
        exponent = slider("Speed", -1.0, 1.0, 0.05, math.log10(timed.status.speed), set_speed)
        exponent.classes("gt-xs").style("width:84px")
        factor = ui.label().classes("horus-number text-weight-medium gt-xs")
        factor.style("min-width:2.6em").props('aria-label="Speed factor"')
        clock = ui.label().classes("horus-number text-weight-medium")
        clock.style("min-width:4.6em;text-align:right").props('aria-label="Time"')
        real = ui.label().classes("horus-fact gt-sm").style("min-width:8.2em")
        real.props('aria-label="Real-time factor"')

    def refresh() -> None:
        status = timed.status
        icon, name = ("pause", "Pause") if status.is_running else ("play_arrow", "Play")
        play.props(f'icon={icon} aria-label="{name}"')
        if time.monotonic() - touched > _HANDS_OFF_S:
            exponent.value = math.log10(status.speed)
        factor.text = f"{status.speed:.2g}x"
        clock.text = f"{status.time:.2f} s"
        going = f"real time x{status.real_time_factor:.2f}" if status.is_running else "paused"
        real.text = pace() or going

    refresh()
    page.every(_REFRESH_S, refresh)
