"""The thread of a page: it lets a policy act at the pace of the clock, and sends what is drawn."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from horus_sim.errors import HorusError, UiError
from horus_sim.running.loop.orders import OrderThread
from horus_sim.running.loop.pacing import Pacer, checked_speed
from horus_sim.running.loop.status import Meter
from horus_sim.ui.shell.sessions import Sessions
from horus_sim.ui.training.model.picture2d import Picture2d
from horus_sim.ui.training.model.picture3d import Picture3d
from horus_sim.ui.training.model.policies import PolicyLibrary
from horus_sim.ui.training.model.rollout import Choice, Rollout
from horus_sim.ui.training.model.tally import Summary

if TYPE_CHECKING:
    from concurrent.futures import Future

    from horus_sim.running.loop.event_log import EventLog
    from horus_sim.ui.stream.streaming import Stream
    from horus_sim.ui.training.model.policies import FoundPolicy

_FRAME_S = 1.0 / 60.0
_LONGEST_BURST_S = 0.05
_SUMMARY_S = 0.25


@dataclass(frozen=True, slots=True)
class RolloutStatus:
    """What is shown, at one moment.

    Attributes:
        choice: What is shown, or None before the first.
        number: Counts up with everything else that is shown.
        is_planar: Whether the task is of the 2D simulator.
        head: Id of the robot of a 2D task, behind the number of its environment.
        is_running: Whether time goes on.
        speed: Wanted simulated seconds a second.
        real_time_factor: Simulated seconds a second, over the last second.
        time: Simulated time since the start [s].
        steps: Decisions of the policy since the start.
        dt: Simulated time between two of them [s].
        summary: Figures of the episodes that are over.
        returns: Sums of rewards of the running episodes.
        lengths: Their steps.
    """

    choice: Choice | None = None
    number: int = 0
    is_planar: bool = False
    head: str = ""
    is_running: bool = True
    speed: float = 1.0
    real_time_factor: float = 0.0
    time: float = 0.0
    steps: int = 0
    dt: float = 0.0
    summary: Summary = field(default_factory=Summary)
    returns: tuple[float, ...] = ()
    lengths: tuple[int, ...] = ()


class RolloutThread(OrderThread["RolloutThread"]):
    """Runs one rollout after another; only its thread touches them. The time bar steers it.

    Args:
        stream: Where frames go.
        log: Where errors go.
        channel: Channel of the stream; unique.

    Attributes:
        channel: Channel of the stream and of the geometry, for 3D tasks.
        plane: Channel of the stream for tasks of the 2D simulator.
    """

    address = None

    def __init__(self, stream: Stream, log: EventLog, channel: str) -> None:
        super().__init__("training", log)
        self.channel = channel
        self.plane = f"{channel}_plane"
        self._stream, self._log = stream, log
        self._rollout: Rollout | None = None
        self._is_running, self._speed = True, 1.0
        self._meter, self._pacer = Meter(), Pacer(1.0)
        self._summary, self._next_summary = Summary(), 0.0
        self._frame_is_due = False
        self._status = RolloutStatus()

    @property
    def status(self) -> RolloutStatus:
        """How it is doing; any thread may look."""
        return self._status

    def load(self, choice: Choice, found: FoundPolicy) -> Future[None]:
        """Shows something else; if it cannot be shown, what there is goes on."""

        def order(_: RolloutThread) -> None:
            rollout = Rollout(choice, found, self._status.number + 1)
            if self._rollout is not None:
                self._rollout.close()
            self._rollout = rollout
            self._restart()
            self._forget()
            if isinstance(rollout.picture, Picture2d):
                channel = f"{self.plane}_scene"
                text = json.dumps({"channel": channel, "scene": rollout.picture.scene()})
                self._stream.publish(channel, text)

        return self._orders.call(order)

    def play(self) -> Future[None]:
        """Lets time go on."""
        return self._orders.call(lambda _: self._go(running=True))

    def pause(self) -> Future[None]:
        """Holds time."""
        return self._orders.call(lambda _: self._go(running=False))

    def step(self) -> Future[None]:
        """Pauses, and lets the policy act once."""

        def order(_: RolloutThread) -> None:
            self._is_running = False
            self._present().step()
            self._next_summary = 0.0

        return self._orders.call(order)

    def reset(self) -> Future[None]:
        """Begins anew, with the same seed."""

        def order(_: RolloutThread) -> None:
            self._present().reset()
            self._restart()

        return self._orders.call(order)

    def set_speed(self, speed: float) -> Future[None]:
        """Sets the wanted simulated seconds a second, from 0.1 to 10.

        Raises:
            UiError: It is out of this range.
        """
        speed = checked_speed(speed)

        def order(_: RolloutThread) -> None:
            self._speed = speed
            self._restart()

        return self._orders.call(order)

    def export(self) -> Future[bytes]:
        """The geometry of now, as `view3d.js` reads it."""

        def order(_: RolloutThread) -> bytes:
            picture = self._present().picture
            return picture.export() if isinstance(picture, Picture3d) else b""

        return self._orders.call(order)

    def refresh(self) -> None:
        """Makes a frame, since somebody new looks."""
        self._orders.post("want", lambda _: None)

    def close(self) -> None:
        """Ends the environments."""
        super().close()
        self._forget()

    def _present(self) -> Rollout:
        if self._rollout is None:
            raise UiError("nothing is shown yet; choose a task")
        return self._rollout

    def _forget(self) -> None:
        for channel in (self.channel, self.plane, f"{self.plane}_scene"):
            self._stream.forget(channel)

    def _go(self, *, running: bool) -> None:
        self._is_running = running
        self._pacer.restart()
        self._meter.restart()

    def _restart(self) -> None:
        self._next_summary = 0.0
        self._meter.restart()
        if self._rollout is not None:
            self._pacer = Pacer(self._rollout.dt, self._speed)

    def _run(self) -> None:
        next_frame = 0.0
        while not self._orders.is_closed:
            if self._orders.obey(self, self._note):
                self._frame_is_due = True
            rollout = self._rollout
            if self._is_running and rollout is not None:
                self._advance(rollout)
            now = time.monotonic()
            if self._frame_is_due and now >= next_frame and rollout is not None:
                next_frame = now + _FRAME_S
                self._frame_is_due = False
                self._note()
                self._orders.guard(lambda thread: thread._publish(), self)
            self._orders.wait(self._idle(next_frame))
        if self._rollout is not None:
            self._rollout.close()

    def _idle(self, next_frame: float) -> float | None:
        """How long [s] there is nothing to do; None until an order comes."""
        if self._rollout is None:
            return None
        waits = [self._pacer.wait_time()] if self._is_running else []
        if self._frame_is_due:
            waits.append(max(0.0, next_frame - time.monotonic()))
        return min(waits, default=None)

    def _advance(self, rollout: Rollout) -> None:
        due, began, done = self._pacer.due(), time.perf_counter(), 0
        try:
            while done < due and time.perf_counter() - began < _LONGEST_BURST_S:
                rollout.step()
                done += 1
        except Exception as error:  # noqa: BLE001 - of a task of the user's; the page goes on
            self._is_running = False
            name = "" if isinstance(error, HorusError) else f"{type(error).__name__}: "
            self._log.add(f"paused: {name}{error}", "error")
        if due:
            self._frame_is_due = True
        self._meter.update(rollout.time)

    def _publish(self) -> None:
        rollout = self._present()
        channel = self.plane if rollout.is_planar else self.channel
        if self._stream.is_wanted(channel):
            self._stream.publish(channel, rollout.frame())

    def _note(self) -> None:
        rollout, now = self._rollout, time.monotonic()
        if rollout is None:
            return
        if now >= self._next_summary:
            self._summary = rollout.tally.summary()
            self._next_summary = now + _SUMMARY_S
        self._status = RolloutStatus(
            rollout.choice,
            rollout.number,
            rollout.is_planar,
            rollout.picture.head,
            self._is_running,
            self._speed,
            self._meter.real_time_factor if self._is_running else 0.0,
            rollout.time,
            rollout.steps,
            rollout.dt,
            self._summary,
            tuple(rollout.tally.returns.tolist()),
            tuple(rollout.tally.steps.tolist()),
        )


class RolloutThreads(Sessions[RolloutThread]):
    """The threads of all pages."""

    name = "training"

    @property
    def library(self) -> PolicyLibrary:
        """Policies to choose from."""
        return PolicyLibrary(self._site.folder, is_local=self._site.is_local)

    def open(self) -> RolloutThread:
        """A new one, with nothing to show yet."""
        site = self._site
        thread = self.add(lambda channel: RolloutThread(site.stream, site.log, channel))
        site.exports[thread.channel] = thread.export
        thread.start()
        return thread

    def leave(self, session: RolloutThread) -> None:
        """Closes one."""
        self._site.exports.pop(session.channel, None)
        super().leave(session)
