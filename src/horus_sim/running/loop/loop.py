"""The one loop that runs a world: paced by the clock or as fast as it can, and taking orders.

It runs in the thread that calls `run`, or in one of its own. It never waits for anybody: browsers
get the newest frame when they are ready for it, and what others want of the world is queued and
done between two steps.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from horus_sim.errors import HorusError
from horus_sim.running.loop.event_log import EventLog
from horus_sim.running.loop.orders import OrderThread
from horus_sim.running.loop.pacing import Pacer, checked_speed
from horus_sim.running.loop.status import Meter, Status
from horus_sim.running.world.running_world import RunningWorld
from horus_sim.running.world.stepped_world import SteppedWorld

_log = logging.getLogger("horus_sim.hub")
FRAME_RATE_HZ = 60.0
_LONGEST_BACKLOG_S = 0.1
_LONGEST_BURST_S = 0.03
_IDLE_S = 0.05
_METER_S = 0.2
_Result = TypeVar("_Result")
_World = TypeVar("_World", bound=SteppedWorld)
Hook = Callable[[_World], Any]


class Loop(OrderThread[_World], Generic[_World]):
    """Runs a world until its time is over or it is closed.

    Only the thread of the loop touches the world; everybody else uses `call`, `post` and `status`.

    Args:
        world: The world, or one that runs already; it belongs to the loop from now on.
        speed: Simulated seconds a second, from 0.1 to 10; None is as fast as possible.
        running: Whether time goes on from the start.
        duration: Simulated time [s] after which the loop ends; None is without end.
        log: Where events go.

    Attributes:
        running: The running world, for orders in the thread.
        log: What happened.
        before_steps: Each is called in the thread before steps, as long as time goes on.
        on_frame: Each is called in the thread, 60 times a second at most.
        on_steps: Each is called in the thread with the number of steps just made.
        on_end: Each is called in the thread when the duration is over.
        on_held_up: Each is called in the thread when the world did not make a step by itself, as
            when a controller failed.
    """

    def __init__(
        self,
        world: _World | RunningWorld[_World],
        *,
        speed: float | None = 1.0,
        running: bool = True,
        duration: float | None = None,
        log: EventLog | None = None,
    ) -> None:
        self.log = log or EventLog()
        super().__init__("simulation", self.log)
        self.running: RunningWorld[_World] = (
            world if isinstance(world, RunningWorld) else RunningWorld(world)
        )
        if not running:
            self.running.is_paused = True
        self.running.on_arrival(self._orders.wake)
        self.before_steps: list[Hook[_World]] = []
        self.on_frame: list[Hook[_World]] = []
        self.on_steps: list[Callable[[int], object]] = []
        self.on_end: list[Callable[[], object]] = []
        self.on_held_up: list[Callable[[], object]] = []
        self._speed = None if speed is None else checked_speed(speed)
        timestep = self._world.timestep
        self._left = float("inf") if duration is None else round(duration / timestep)
        self._frame_is_due = True
        self._was_paused = self.running.is_paused
        self._meter = Meter()
        self._pacer = self._new_pacer()
        self._paced = (self._world, self._world.jumps)
        self._note()

    @property
    def status(self) -> Status:
        """How it is doing; a snapshot of the last frame."""
        return self._status

    @property
    def dropped_time(self) -> float:
        """Time [s] that the machine could not make up for."""
        return self._pacer.dropped

    def run(self) -> None:
        """Runs in this thread until the duration is over, or an exception such as Ctrl-C ends it.

        Raises:
            PhysicsError: The motion diverged.
        """
        self.running.start()
        self.running.on_quit = self.stop
        try:
            while self._left > 0 and not self._orders.is_closed:
                self._turn(is_own_thread=False)
        finally:
            self.running.on_quit = None

    def stop(self) -> None:
        """Ends `run` soon; any thread may call this."""
        super().close()

    def close(self) -> None:
        """Ends the thread, and waits for that: the world may be used again."""
        super().close()
        self.join()

    def call(self, order: Callable[[_World], _Result]) -> Future[_Result]:
        """Does something with the world between two steps.

        Args:
            order: Called with the world, in the thread of the loop.

        Returns:
            Its result or its exception.
        """
        return self._orders.call(order)

    def post(self, key: str, order: Hook[_World]) -> None:
        """Does something soon; a later one under the same key takes the place of an earlier one.

        Errors go to the log.
        """
        self._orders.post(key, order)

    def play(self) -> Future[None]:
        """Lets time go on."""
        return self.call(lambda _: self.running.resume())

    def pause(self) -> Future[None]:
        """Stops time."""
        return self.call(lambda _: self.running.pause())

    def step(self, count: int = 1) -> Future[None]:
        """Pauses, and moves by so many steps."""

        def order(_: _World) -> None:
            self.running.pause()
            self.running.allow_steps(count)
            self.running.step(count)

        return self.call(order)

    def reset(self, seed: int | None = None) -> Future[None]:
        """Puts everything where it started."""
        return self.call(lambda _: self.running.reset(seed))

    def set_speed(self, speed: float) -> Future[None]:
        """Sets the wanted simulated seconds a second, from 0.1 to 10.

        Raises:
            UiError: It is out of this range.
        """
        speed = checked_speed(speed)

        def order(_: _World) -> None:
            self._speed = speed
            self._pacer = self._new_pacer()
            self._meter.restart()

        return self.call(order)

    def replace(self, world: _World) -> Future[None]:
        """Goes on with another world, on the same topics and with the same outlets."""
        return self.call(lambda _: self.running.replace(world))

    @property
    def _world(self) -> _World:
        return self.running.world

    def _new_pacer(self) -> Pacer:
        speed = 1.0 if self._speed is None else self._speed
        return Pacer(self._world.timestep, speed, longest_backlog=_LONGEST_BACKLOG_S)

    def _run(self) -> None:
        self._orders.guard(lambda _: self.running.start(), self._world)
        while not self._orders.is_closed:
            self._turn(is_own_thread=True)
            if self._left <= 0:
                self._left = float("inf")
                self.running.pause()
                for hook in self.on_end:
                    hook()

    _next_frame = _next_meter = 0.0

    def _turn(self, *, is_own_thread: bool) -> None:
        """Once around: orders, requests, steps, a frame, and a rest."""
        running = self.running
        if self._orders.obey(self._world, self._note):
            self._frame_is_due = True
            self._note()
        if not running.can_step:
            running.poll()
        if running.is_paused != self._was_paused:
            self._was_paused = running.is_paused
            self._pacer.restart()
            self._meter.restart()
            self._frame_is_due = True
        if (self._world, self._world.jumps) != self._paced:
            # Another world, or another time of this one, whoever asked for it.
            self._paced = (self._world, self._world.jumps)
            self._pacer = self._new_pacer()
            self._meter.restart()
            self._frame_is_due = True
        if running.can_step:
            self._advance(is_own_thread=is_own_thread)
        now = time.monotonic()
        if now >= self._next_meter:
            self._meter.update(self._world.time, running.sent)
            self._figures = running.exchange.figures()
            self._next_meter = now + _METER_S
        if now >= self._next_frame and (running.can_step or self._frame_is_due):
            # Frames keep to their raster, but those that were missed are not made up for.
            period = 1.0 / FRAME_RATE_HZ
            self._next_frame = max(self._next_frame + period, now - period)
            self._make_frame()
        self._rest()

    def _rest(self) -> None:
        wait_s = _IDLE_S
        running = self.running
        if running.can_step:
            is_free = self._speed is None or running.is_paused
            wait_s = 0.0 if is_free else min(wait_s, self._pacer.wait_time())
        if self._frame_is_due or (running.can_step and self.on_frame):
            wait_s = min(wait_s, max(0.0, self._next_frame - time.monotonic()))
        if wait_s > 0.0:
            self._orders.wait(wait_s)

    def _note(self) -> None:
        self._figures = self.running.exchange.figures()
        self._status = self._make_status()

    def _advance(self, *, is_own_thread: bool) -> None:
        for hook in self.before_steps:
            self._orders.guard(hook, self._world)
        # Steps that somebody waits for do not wait for the clock.
        is_paced = self._speed is not None and not self.running.is_paused
        due = min(self._pacer.due(), self._left) if is_paced else self._left
        if due <= 0:
            return
        began = time.perf_counter()
        done = 0
        try:
            while done < due and time.perf_counter() - began < _LONGEST_BURST_S:
                if self.running.step() == 0:
                    self._tell_held_up()
                    break
                done += 1
        except HorusError as error:
            # Nodes that take part can reset the world; a run that is to end ends here.
            is_attended = self.running.hub is not None and self._left == float("inf")
            if not (is_own_thread or is_attended):
                raise
            self.running.pause()
            _log.warning("paused: %s", error)
            self._frame_is_due = True
            self.log.add(f"paused: {error}", "error")
        if is_paced:
            # What a slow machine leaves undone is dropped, so that orders are heard in time.
            self._pacer.dropped += (due - done) * self._pacer.timestep / self._pacer.speed
        self._left -= done
        # Also of the last step that somebody waited for.
        self._frame_is_due = True
        for hook in self.on_steps:
            hook(done)
        self._meter.stepped(max(done, 1), time.perf_counter() - began)

    def _tell_held_up(self) -> None:
        if self.running.can_step:
            for hook in self.on_held_up:
                hook()

    def _make_frame(self) -> None:
        self._frame_is_due = False
        self._status = self._make_status()
        began = time.perf_counter()
        for hook in self.on_frame:
            self._orders.guard(hook, self._world)
        self._meter.framed(time.perf_counter() - began)

    def _make_status(self) -> Status:
        world, meter, running = self._world, self._meter, self.running
        is_running = not running.is_paused
        return Status(
            running.exchange.name,
            world.time,
            world.steps,
            is_running,
            1.0 if self._speed is None else self._speed,
            meter.real_time_factor if is_running else 0.0,
            meter.step_ms,
            meter.frame_ms,
            self._pacer.dropped,
            self._figures,
            running.drivers(),
            meter.messages_hz,
        )
