"""A run of the 2D runner as the server knows it: a process that simulates, and who looks at it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horus_sim.errors import SimulationStoppedError, UiError
from horus_sim.running.loop.event_log import EventLog
from horus_sim.ui.kit.scenarios import Place, Scenarios, signature
from horus_sim.ui.runner.model.drafts import Drafts
from horus_sim.ui.runner.model.messages import Message
from horus_sim.ui.runner.model.run_address import Options, RunAddress
from horus_sim.ui.runner.model.run_status import RunStatus, Stuck
from horus_sim.ui.runner.model.timeline import Timeline
from horus_sim.ui.runner.model.worker_link import WorkerLink

if TYPE_CHECKING:
    from horus_sim.running.joining import Wishes
    from horus_sim.ui.stream.streaming import Stream

_STUCK_S = 1.0
_LEAVE_S = 3.0
_MOST_RESTARTS = 3
_CONSOLE = "<console>"
# Ends of the channels of what is published as it comes, and whether it is text.
_CHANNELS = {
    "frame": ("", False), "trace": ("_trace", False), "plot": ("_plot", True),
    "scene": ("_scene", True),
}  # fmt: skip


class Runner:
    """A scenario of the 2D simulator that runs in a process of its own; the time bar steers it.

    Args:
        stream: Where scene, frames and plots go.
        scenarios: What can be opened.
        drafts: Texts of controllers that are not saved yet; none unless given.
        channel: Channel of the stream; those of scene, paths and plots begin with it.
        wishes: What the run is joined to: topics, a recording; nothing unless given.
        address: What pages find it by.

    Attributes:
        channel: Channel of the stream.
        address: What is simulated, or about to be.
        log: What happened, and what controllers print.
        history: Snapshots.
        scenarios: What can be opened.
        drafts: Texts of controllers that are not saved yet.
        status: How the simulation is doing.
        columns: Names of all signals.
        heads: Id of the first body of each robot.
        kinds: Kind of each sensor.
        place: The scenario that is open, or None.
        options: How it is run.
        stuck: What does not return, or None.
        is_closed: Whether it was ended for good.
        opened: Counts up with every scenario that is opened.
        frames: How many frames the simulation has made.
        notes: What the run is joined to, one thing a line.
        summaries: What became of recordings, one a line; known after the end.
    """

    def __init__(
        self,
        stream: Stream,
        scenarios: Scenarios,
        drafts: Drafts | None = None,
        channel: str = "sim2d",
        wishes: Wishes | None = None,
        address: RunAddress | None = None,
    ) -> None:
        self._wishes = wishes
        self.channel = channel
        self.address = address or RunAddress(Place("", scenarios.folder, is_shipped=False))
        self.log = EventLog()
        self.history = Timeline()
        self.scenarios = scenarios
        self.drafts = Drafts() if drafts is None else drafts
        self.status = RunStatus()
        self.columns: list[str] = []
        self.heads: list[str] = []
        self.kinds: dict[str, str] = {}
        self.opened = 0
        self.frames = 0
        self.notes: list[str] = []
        self.summaries: list[str] = []
        self._stream = stream
        self.place: Place | None = None
        self._seen: tuple[tuple[str, int], ...] = ()
        self.options = Options()
        self.stuck: Stuck | None = None
        self._lock = threading.RLock()
        self.is_closed = False
        self._restarts = 0
        self._logged_error = ""
        self._is_wanted = False
        self._speed = 1.0
        self._pages: list[Callable[[], bool]] = []
        self._link = WorkerLink(channel, self._take, self._lose)
        self._link.start()

    @property
    def is_stale(self) -> bool:
        """Whether files of the scenario have changed since it was opened."""
        return self.place is not None and signature(self.place) != self._seen

    def ask(self, do: str, data: bytes = b"", **arguments: Any) -> Future[Any]:  # noqa: ANN401
        """Gives an order; see `SimulatingProcess`.

        Args:
            do: Name of the order.
            data: Bytes that go with it.
            arguments: Arguments of the order.

        Returns:
            Its result, or a UiError with what went wrong.
        """
        with self._lock:
            if self.is_closed:
                raise SimulationStoppedError
            return self._link.ask(do, data, **arguments)

    def post(self, do: str, **arguments: Any) -> None:  # noqa: ANN401
        """Gives an order and does not wait; an error goes to the log."""

        def done(future: Future[Any]) -> None:
            error = None if future.cancelled() else future.exception()
            if error is not None and self.place is not None:
                self.log.add(str(error), "error")

        if not self.is_closed:
            self.ask(do, **arguments).add_done_callback(done)

    def open(self, place: Place, options: Options) -> Future[Any]:
        """Opens a scenario; the present one goes on if this fails."""

        def done(future: Future[Any]) -> None:
            if not future.cancelled() and future.exception() is None:
                self.place, self.options, self._seen = place, options, seen
                self.opened += 1
                self.log.add(f"scenario '{place.name}' is open")

        seen = signature(place)
        future = self.ask("open", **self._opening(place, options))
        future.add_done_callback(done)
        return future

    def play(self) -> Future[Any]:
        """Lets time go on; a controller that failed is tried again."""
        self._is_wanted = True
        return self.ask("play")

    def pause(self) -> Future[Any]:
        """Holds time."""
        self._is_wanted = False
        return self.ask("pause")

    def step(self) -> Future[Any]:
        """Holds time, and makes one step."""
        self._is_wanted = False
        return self.ask("step")

    def reset(self) -> Future[Any]:
        """Goes back to the start."""
        return self.ask("reset")

    def set_speed(self, speed: float) -> Future[Any]:
        """Sets the wanted simulated seconds a second, from 0.1 to 10."""
        self._speed = speed
        return self.ask("speed", speed=speed)

    def restore(self, time_s: float) -> Future[Any]:
        """Pauses, and goes back to the snapshot of the slider that is nearest to a time.

        Raises:
            UiError: There is no snapshot.
        """
        moment = self.history.at(time_s)
        if moment is None:
            raise UiError("there is no snapshot yet; open a scenario")
        self.pause()
        return self.ask("restore", moment.data)

    def restore_kept(self, name: str) -> Future[Any]:
        """Goes back to a snapshot that was kept.

        Raises:
            UiError: There is none of that name.
        """
        for moment in self.history.kept:
            if moment.name == name:
                return self.ask("restore", moment.data)
        raise UiError(f"there is no snapshot '{name}' any more; choose another")

    # ---- pages ----

    def join(self, is_here: Callable[[], bool]) -> None:
        """A page looks at it for as long as `is_here` says."""
        self._pages.append(is_here)

    @property
    def pages(self) -> int:
        """How many pages look at it."""
        self._pages = [is_here for is_here in self._pages if is_here()]
        return len(self._pages)

    @property
    def is_idle(self) -> bool:
        """Whether nobody would miss it: there is no page, and no file is being written."""
        return self.pages == 0 and not self.status.log

    def refresh(self) -> None:
        """Sends a frame, since somebody new looks."""
        self.post("again")

    def stop_controller(self) -> None:
        """Ends the process, and goes on in a new one, without controllers until one is saved."""
        stuck = self.stuck
        file = Path(stuck.file).name if stuck else ""
        self.log.add("stopped by hand; the world is as it was just before", "warning")
        if file == _CONSOLE:
            self._begin_again("")
        else:
            where = f" ({file}, line {stuck.line})" if stuck and stuck.line else ""
            self._begin_again(f"it did not return and was stopped by hand{where}")

    def close(self) -> None:
        """Ends the process; a recording is ended first."""
        if self._wishes is not None and not self.is_closed:
            with contextlib.suppress(UiError, TimeoutError):
                self.summaries += self.ask("leave").result(_LEAVE_S)
        with self._lock:
            self.is_closed = True
        self._link.end()
        self.status = replace(self.status, is_running=False)
        for suffix, _ in _CHANNELS.values():
            self._stream.forget(self.channel + suffix)

    # ---- the process ----

    def _opening(self, place: Place, options: Options) -> dict[str, Any]:
        wishes = None if self._wishes is None else asdict(self._wishes)
        return {"folder": str(place.folder), "name": place.name, "wishes": wishes} | asdict(options)

    def _begin_again(self, why: str) -> None:
        """A new process in the state of the last snapshot, without controllers."""
        with self._lock:
            old, self._link = self._link, WorkerLink(self.channel, self._take, self._lose)
            self._link.start()
            self.stuck = None
            moment = self.history.newest
            if self.place is not None:
                again = self._opening(self.place, self.options)
                again |= {"controllers": not why, "why": why}
                again["watched"] = self.status.watched
                self.ask("open", b"" if moment is None else moment.data, **again)
                self.ask("speed", speed=self._speed)
                self.ask("resume", running=self._is_wanted)
        old.end()

    def _lose(self, link: WorkerLink, code: int) -> None:
        """A process has ended; where nobody meant it to, another one goes on."""
        with self._lock:
            is_lost = link is self._link and not self.is_closed
            self._restarts += is_lost
        if is_lost:
            self.log.add(f"the simulating process ended with code {code}", "error")
            if self._restarts <= _MOST_RESTARTS:
                self._begin_again(f"it ended the simulating process (code {code})")

    def _take(self, link: WorkerLink, message: Message, data: bytes) -> None:
        """Takes what the present process says."""
        if link is not self._link or self.is_closed:
            return
        kind = message.pop("kind")
        if kind in _CHANNELS:
            suffix, is_text = _CHANNELS[kind]
            self.frames += kind == "frame"
            self._stream.publish(self.channel + suffix, data.decode() if is_text else data)
        if kind == "status":
            self.status = RunStatus(**message)
            self._restarts = 0
            self._log_error(self.status.error)
        elif kind == "note":
            self.log.add(message["text"], "warning")
        elif kind == "snapshot":
            if message["why"]:
                self.log.add(f"kept snapshot {self.history.keep(message['time'], data).name}")
            else:
                self.history.add(message["time"], data)
        elif kind == "beat":
            self._take_beat(message)
        elif kind == "restart":
            self.history.restart()
        elif kind == "scene":
            self.columns, self.heads = message["columns"], message["heads"]
            self.kinds = message["kinds"]
            if message["is_new"]:
                self.history.clear()
                self._logged_error = ""

    def _log_error(self, error: dict[str, Any] | None) -> None:
        """Notes why a controller holds the simulation up, once for each time."""
        text = "" if error is None else f"controller of '{error['robot']}': {error['text']}"
        if text and text != self._logged_error:
            self.log.add(text, "error")
        self._logged_error = text

    def _take_beat(self, message: Message) -> None:
        for line in message["lines"]:
            self.log.add(line)
        if message["left_out"]:
            self.log.add(f"... {message['left_out']} more printed lines are left out", "warning")
        busy_s = message["busy_s"]
        file, line = message.get("place") or ("", 0)
        self.stuck = Stuck(busy_s, file, line) if busy_s > _STUCK_S else None
