"""The server's end of the 2D runner: a process that simulates, and what is known of it."""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horus_sim.errors import SimulationStoppedError, UiError
from horus_sim.running.loop.event_log import EventLog
from horus_sim.ui.kit.scenarios import Place, Scenarios, signature
from horus_sim.ui.runner.model.drafts import Drafts
from horus_sim.ui.runner.model.history import History
from horus_sim.ui.runner.model.messages import Message
from horus_sim.ui.runner.model.worker_link import WorkerLink

if TYPE_CHECKING:
    from horus_sim.running.joining import Wishes
    from horus_sim.ui.stream.streaming import Stream

_STUCK_S = 1.0
_LEAVE_S = 3.0
_MOST_RESTARTS = 3
_CONSOLE = "<console>"


@dataclass(frozen=True, slots=True)
class Options:
    """How a scenario is run.

    Attributes:
        seed: Of all random numbers; None for the scenario's own.
        top_down: Seen from above: without gravity.
        ignore_terrain: Only robots, on an empty plane.
    """

    seed: int | None = None
    top_down: bool = True
    ignore_terrain: bool = False


@dataclass(frozen=True, slots=True)
class Stuck:
    """A call that does not return.

    Attributes:
        seconds: For how long.
        doing: What was going on.
        file: File of the controller in which it is, or ''.
        line: Line there, or 0.
    """

    seconds: float
    doing: str
    file: str = ""
    line: int = 0


class Runner:
    """Runs a scenario of the 2D simulator.

    Args:
        stream: Where scene, frames and plots go.
        scenarios: What can be opened.
        drafts: Texts of controllers that are not saved yet; none unless given.
        channel: Of the stream; those of scene, paths and plots begin with it.
        wishes: What the run is joined to: topics, a recording; nothing unless given.

    Attributes:
        channel: Of the stream.
        log: What happened, and what controllers print.
        history: Snapshots.
        scenarios: What can be opened.
        drafts: Texts of controllers that are not saved yet.
        status: How the simulation is doing, as `OpenScenario.status` tells it; {} before it began.
        columns: Names of all signals.
        heads: Id of the first body of each robot.
        kinds: Kind of each sensor.
        place: The scenario that is open, or None.
        options: How it is run.
        stuck: What does not return, or None.
        is_running: Whether time should go on.
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
    ) -> None:
        self._wishes = wishes
        self.channel = channel
        self.log = EventLog()
        self.history = History()
        self.scenarios = scenarios
        self.drafts = Drafts() if drafts is None else drafts
        self.status: dict[str, Any] = {}
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
        self.is_running = False
        self._speed = 1.0
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
            arguments: Of the order.

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

    def run(self, *, running: bool) -> Future[Any]:
        """Lets time go on, or stops it."""
        self.is_running = running
        return self.ask("run", running=running)

    def set_speed(self, speed: float) -> Future[Any]:
        """Simulated seconds a second, from 0.1 to 10."""
        self._speed = speed
        return self.ask("speed", speed=speed)

    def restore(self, time_s: float) -> Future[Any] | None:
        """Pauses, and goes back to the snapshot of the slider that is nearest to a time."""
        moment = self.history.at(time_s)
        if moment is None:
            return None
        self.run(running=False)
        return self.ask("restore", moment.data)

    def keep(self) -> Future[Any]:
        """Keeps a snapshot of now."""
        return self.ask("snapshot")

    def restore_kept(self, name: str) -> Future[Any]:
        """Goes back to a snapshot that was kept.

        Raises:
            UiError: There is none of that name.
        """
        for moment in self.history.kept:
            if moment.name == name:
                return self.ask("restore", moment.data)
        raise UiError(f"there is no snapshot '{name}' any more; choose another")

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
        for suffix in ("", "_scene", "_trace", "_plot"):
            self._stream.forget(self.channel + suffix)

    # ---- the process ----

    def _opening(self, place: Place, options: Options) -> dict[str, Any]:
        wishes = None if self._wishes is None else asdict(self._wishes)
        return {
            "folder": str(place.folder),
            "name": place.name,
            "wishes": wishes,
            **asdict(options),
        }

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
                again["watched"] = self.status.get("watched", [])
                self.ask("open", b"" if moment is None else moment.data, **again)
                self.ask("speed", speed=self._speed)
                self.ask("resume", running=self.is_running)
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
        kind = message["kind"]
        if kind == "frame":
            self.frames += 1
            self._stream.publish(self.channel, data)
        elif kind == "trace":
            self._stream.publish(f"{self.channel}_trace", data)
        elif kind == "plot":
            self._stream.publish(f"{self.channel}_plot", data.decode())
        elif kind == "status":
            self.status = message
            self._restarts = 0
            self._log_error(message["error"])
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
            self._take_scene(message, data)

    def _log_error(self, error: dict[str, Any] | None) -> None:
        """Notes why a controller holds the simulation up, once for each time."""
        text = "" if error is None else f"controller of '{error['robot']}': {error['text']}"
        if text and text != self._logged_error:
            self.log.add(text, "error")
        self._logged_error = text

    def _take_scene(self, message: Message, data: bytes) -> None:
        self.columns = message["columns"]
        self.heads = message["heads"]
        self.kinds = message["kinds"]
        if message["is_new"]:
            self.history.clear()
            self._logged_error = ""
        self._stream.publish(f"{self.channel}_scene", data.decode())

    def _take_beat(self, message: Message) -> None:
        for line in message["lines"]:
            self.log.add(line)
        if message["left_out"]:
            self.log.add(f"... {message['left_out']} more printed lines are left out", "warning")
        busy_s = message["busy_s"]
        place = message.get("place") or ("", 0)
        self.stuck = (
            Stuck(busy_s, message.get("doing", ""), str(place[0]), int(place[1]))
            if busy_s > _STUCK_S
            else None
        )
