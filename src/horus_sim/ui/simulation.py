"""A world that runs in a thread of its own, at the pace of the clock, and takes orders.

The thread never waits for anybody: browsers get the newest frame when they are ready for it, and
what others want of the world is queued and done between two steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from horus_sim.errors import HorusError
from horus_sim.sim3d import Pacer
from horus_sim.ui.event_log import EventLog
from horus_sim.ui.order_thread import OrderThread
from horus_sim.ui.speed import checked_speed
from horus_sim.ui.status import Meter, Status

if TYPE_CHECKING:
    from horus_sim.sim3d import World
    from horus_sim.sim3d.bridge import WorldBridge

FRAME_RATE_HZ = 60.0
_LONGEST_BACKLOG_S = 0.1
_LONGEST_BURST_S = 0.03
_IDLE_S = 0.05
_METER_S = 0.2
_Result = TypeVar("_Result")
Order = Callable[["World"], Any]
Hook = Callable[["World"], None]


class Simulation(OrderThread["World"]):
    """A world and the thread that steps it.

    Only that thread touches the world; everybody else uses `call`, `post` and `status`.

    Args:
        world: The world; it belongs to the simulation from now on.
        speed: Simulated seconds a second, from 0.1 to 10.
        running: Whether it runs from the start.
        log: Where events go.

    Attributes:
        log: What happened.
        before_steps: Each is called in the thread before steps, as long as it runs.
        on_frame: Each is called in the thread, 60 times a second at most.
        on_replace: Each is called in the thread when another world was put in place.
    """

    def __init__(
        self,
        world: World,
        *,
        speed: float = 1.0,
        running: bool = True,
        log: EventLog | None = None,
    ) -> None:
        self.log = log or EventLog()
        super().__init__("simulation", self.log)
        self.before_steps: list[Hook] = []
        self.on_frame: list[Hook] = []
        self.on_replace: list[Hook] = []
        self._world = world
        self._stepper: World | WorldBridge = world
        self._speed = checked_speed(speed)
        self._is_running = running
        self._frame_is_due = True
        self._meter = Meter()
        self._pacer = self._new_pacer()
        self._status = self._make_status()

    @property
    def status(self) -> Status:
        """How it is doing; a snapshot of the last frame."""
        return self._status

    def close(self) -> None:
        """Ends the thread, and waits for that: the world may be used again."""
        super().close()
        self.join()

    def call(self, order: Callable[[World], _Result]) -> Future[_Result]:
        """Does something with the world between two steps.

        Args:
            order: Called with the world, in the thread of the simulation.

        Returns:
            Its result or its exception.
        """
        return self._orders.call(order)

    def post(self, key: str, order: Order) -> None:
        """Does something soon; a later one under the same key takes the place of an earlier one.

        Errors go to the log.
        """
        self._orders.post(key, order)

    def play(self) -> Future[None]:
        """Lets time go on."""
        return self.call(lambda _: self._set_running(running=True))

    def pause(self) -> Future[None]:
        """Stops time."""
        return self.call(lambda _: self._set_running(running=False))

    def step(self, count: int = 1) -> Future[None]:
        """Pauses, and moves by so many steps."""

        def order(_: World) -> None:
            self._set_running(running=False)
            self._stepper.step(count)

        return self.call(order)

    def reset(self, seed: int | None = None) -> Future[None]:
        """Puts everything where it started."""

        def order(_: World) -> None:
            self._stepper.reset(seed)
            self._meter.restart()

        return self.call(order)

    def set_speed(self, speed: float) -> Future[None]:
        """Sets the wanted simulated seconds a second, from 0.1 to 10.

        Raises:
            UiError: It is out of this range.
        """
        speed = checked_speed(speed)

        def order(_: World) -> None:
            self._speed = speed
            self._pacer = self._new_pacer()
            self._meter.restart()

        return self.call(order)

    def replace(self, world: World) -> Future[None]:
        """Goes on with another world."""

        def order(_: World) -> None:
            self._world = self._stepper = world
            self._pacer = self._new_pacer()
            self._meter.restart()
            for hook in self.on_replace:
                hook(world)

        return self.call(order)

    def step_through(self, bridge: WorldBridge | None) -> None:
        """Steps by way of a bridge, or without one again; for orders in the thread.

        Args:
            bridge: Of the present world.
        """
        self._stepper = bridge or self._world

    def _set_running(self, *, running: bool) -> None:
        self._is_running = running
        self._pacer.restart()
        self._meter.restart()

    def _new_pacer(self) -> Pacer:
        return Pacer(self._world.timestep, self._speed, longest_backlog=_LONGEST_BACKLOG_S)

    def _run(self) -> None:
        next_frame = next_meter = time.monotonic()
        while not self._orders.is_closed:
            if self._orders.obey(self._world, self._note):
                self._frame_is_due = True
                self._note()
            if self._is_running:
                self._advance()
            now = time.monotonic()
            if now >= next_meter:
                self._meter.update(self._world.time)
                next_meter = now + _METER_S
            if now >= next_frame and (self._is_running or self._frame_is_due):
                # Frames keep to their raster, but those that were missed are not made up for.
                next_frame = max(next_frame + 1.0 / FRAME_RATE_HZ, now - 1.0 / FRAME_RATE_HZ)
                self._make_frame()
            self._sleep(next_frame)

    def _sleep(self, next_frame: float) -> None:
        wait_s = _IDLE_S
        if self._is_running:
            wait_s = min(wait_s, self._pacer.wait_time())
        if self._is_running or self._frame_is_due:
            wait_s = min(wait_s, max(0.0, next_frame - time.monotonic()))
        if wait_s > 0.0:
            self._orders.wait(wait_s)

    def _note(self) -> None:
        self._status = self._make_status()

    def _advance(self) -> None:
        for hook in self.before_steps:
            self._orders.guard(hook, self._world)
        due = self._pacer.due()
        if due == 0:
            return
        began = time.perf_counter()
        done = 0
        try:
            while done < due and time.perf_counter() - began < _LONGEST_BURST_S:
                self._stepper.step()
                done += 1
        except HorusError as error:
            self._set_running(running=False)
            self._frame_is_due = True
            self.log.add(f"paused: {error}", "error")
        # What a slow machine leaves undone is dropped, so that orders are heard in time.
        self._pacer.dropped += (due - done) * self._world.timestep / self._speed
        self._meter.stepped(max(done, 1), time.perf_counter() - began)

    def _make_frame(self) -> None:
        self._frame_is_due = False
        self._note()
        began = time.perf_counter()
        for hook in self.on_frame:
            self._orders.guard(hook, self._world)
        self._meter.framed(time.perf_counter() - began)

    def _make_status(self) -> Status:
        world, meter = self._world, self._meter
        return Status(
            world.scene.name,
            world.time,
            world.steps,
            self._is_running,
            self._speed,
            meter.real_time_factor if self._is_running else 0.0,
            meter.step_ms,
            meter.frame_ms,
            world.model.nbody - 1,
            int(world.data.ncon),
            self._pacer.dropped,
            world.generation,
        )
