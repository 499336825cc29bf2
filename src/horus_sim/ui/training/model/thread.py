"""The thread that lets a show go on at the pace of the clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from horus_sim.errors import HorusError, UiError
from horus_sim.running.loop.orders import OrderThread
from horus_sim.running.loop.pacing import Pacer, checked_speed
from horus_sim.running.loop.status import Meter
from horus_sim.ui.training.model.show import Choice, Show
from horus_sim.ui.training.model.tally import Summary

if TYPE_CHECKING:
    from horus_sim.running.loop.event_log import EventLog
    from horus_sim.ui.training.model.policies import Chosen

_FRAME_S = 1.0 / 60.0
_LONGEST_BURST_S = 0.05
_SUMMARY_S = 0.25
_LONGEST_BACKLOG_S = 0.1


@dataclass(frozen=True, slots=True)
class ShowStatus:
    """A show at one moment.

    Attributes:
        choice: What is shown, or None before the first.
        number: Counts up with every other show.
        learned: Name of the task that the policy learned, '' for random actions.
        is_planar: Whether the task is of the 2D simulator.
        head: Of a 2D task, id of the robot behind the number of its environment.
        has_success: Whether the task can be solved.
        is_running: Whether time goes on.
        speed: Wanted simulated seconds a second.
        real_time_factor: Simulated seconds a second, over the last second.
        time: Simulated time since the start [s].
        steps: Decisions of the policy since the start.
        dt: Simulated time between two of them [s].
        summary: Of the episodes that are over.
        returns: Sums of rewards of the running episodes.
        lengths: Their steps.
    """

    choice: Choice | None = None
    number: int = 0
    learned: str = ""
    is_planar: bool = False
    head: str = ""
    has_success: bool = False
    is_running: bool = True
    speed: float = 1.0
    real_time_factor: float = 0.0
    time: float = 0.0
    steps: int = 0
    dt: float = 0.0
    summary: Summary = field(default_factory=Summary)
    returns: tuple[float, ...] = ()
    lengths: tuple[int, ...] = ()


class ShowThread(OrderThread["ShowThread"]):
    """Runs one show after another; only its thread touches them.

    Args:
        log: Where errors go.
        on_frame: Called in the thread with the show, 60 times a second at most.
        on_show: Called in the thread with a new show, before its first frame.
    """

    def __init__(
        self,
        log: EventLog,
        on_frame: Callable[[Show], None],
        on_show: Callable[[Show], None],
    ) -> None:
        super().__init__("training", log)
        self._log, self._on_frame, self._on_show = log, on_frame, on_show
        self._show: Show | None = None
        self._count = 0
        self._is_running = True
        self._speed = 1.0
        self._meter = Meter()
        self._pacer = Pacer(1.0)
        self._summary = Summary()
        self._next_summary = 0.0
        self._frame_is_due = False
        self._status = ShowStatus()

    @property
    def status(self) -> ShowStatus:
        """How it is doing; any thread may look."""
        return self._status

    def load(self, choice: Choice, chosen: Chosen) -> Future[None]:
        """Shows something else; if it cannot be shown, what there is goes on."""

        def order(_: ShowThread) -> None:
            show = Show(choice, chosen, self._count + 1)
            if self._show is not None:
                self._show.close()
            self._count += 1
            self._show = show
            self._restart()
            self._on_show(show)

        return self._orders.call(order)

    def play(self, *, running: bool) -> Future[None]:
        """Lets time go on, or stops it."""

        def order(_: ShowThread) -> None:
            self._is_running = running
            self._pacer.restart()
            self._meter.restart()

        return self._orders.call(order)

    def step(self) -> Future[None]:
        """Pauses, and lets the policy act once."""

        def order(_: ShowThread) -> None:
            self._is_running = False
            if self._show is not None:
                self._show.step()
                self._next_summary = 0.0

        return self._orders.call(order)

    def reset(self) -> Future[None]:
        """Begins anew, with the same seed."""

        def order(_: ShowThread) -> None:
            if self._show is not None:
                self._show.reset()
                self._restart()

        return self._orders.call(order)

    def set_speed(self, speed: float) -> Future[None]:
        """Sets the wanted simulated seconds a second, from 0.1 to 10.

        Raises:
            UiError: It is out of this range.
        """
        speed = checked_speed(speed)

        def order(_: ShowThread) -> None:
            self._speed = speed
            self._restart_pace()

        return self._orders.call(order)

    def call(self, order: Callable[[Show], bytes]) -> Future[bytes]:
        """Something of the show, in its thread."""

        def ask(_: ShowThread) -> bytes:
            if self._show is None:
                raise UiError("nothing is shown yet; choose a task")
            return order(self._show)

        return self._orders.call(ask)

    def refresh(self) -> None:
        """Makes a frame, since somebody new looks."""
        self._orders.post("want", lambda _: None)

    def _restart(self) -> None:
        self._next_summary = 0.0
        self._restart_pace()

    def _restart_pace(self) -> None:
        if self._show is not None:
            self._pacer = Pacer(self._show.dt, self._speed, longest_backlog=_LONGEST_BACKLOG_S)
        self._meter.restart()

    def _run(self) -> None:
        next_frame = 0.0
        while not self._orders.is_closed:
            if self._orders.obey(self, self._note):
                self._frame_is_due = True
            if self._is_running and self._show is not None:
                self._advance(self._show)
            now = time.monotonic()
            if self._frame_is_due and now >= next_frame and self._show is not None:
                next_frame = now + _FRAME_S
                self._frame_is_due = False
                self._note()
                self._orders.guard(lambda _: self._show and self._on_frame(self._show), self)
            self._orders.wait(self._idle(next_frame))
        if self._show is not None:
            self._show.close()

    def _idle(self, next_frame: float) -> float | None:
        if self._show is None:
            return None
        waits = [self._pacer.wait_time()] if self._is_running else []
        if self._frame_is_due:
            waits.append(max(0.0, next_frame - time.monotonic()))
        return min(waits) if waits else None

    def _advance(self, show: Show) -> None:
        due, began, done = self._pacer.due(), time.perf_counter(), 0
        try:
            while done < due and time.perf_counter() - began < _LONGEST_BURST_S:
                show.step()
                done += 1
        except HorusError as error:
            self._is_running = False
            self._log.add(f"paused: {error}", "error")
        except Exception as error:  # noqa: BLE001 - of a task of the user's; the page goes on
            self._is_running = False
            self._log.add(f"paused: {type(error).__name__}: {error}", "error")
        if due:
            self._frame_is_due = True
        self._meter.update(show.time)

    def _note(self) -> None:
        show, now = self._show, time.monotonic()
        if show is None:
            return
        if now >= self._next_summary:
            self._summary = show.summary
            self._next_summary = now + _SUMMARY_S
        self._status = ShowStatus(
            show.choice,
            show.number,
            show.chosen.learned,
            show.is_planar,
            show.picture.head,
            show.has_success,
            self._is_running,
            self._speed,
            self._meter.real_time_factor if self._is_running else 0.0,
            show.time,
            show.steps,
            show.dt,
            self._summary,
            tuple(show.tally.returns.tolist()),
            tuple(show.tally.steps.tolist()),
        )
