"""What the simulating process does: obey, step at the pace of the clock, tell."""

from __future__ import annotations

import json
import queue
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horus_sim.errors import HorusError, UiError
from horus_sim.running.joining import Joined, Wishes, join
from horus_sim.running.speed import checked_speed
from horus_sim.running.status import Meter
from horus_sim.ui.frames2d import frame_2d
from horus_sim.ui.runner2d.messages import Message, Sender
from horus_sim.ui.runner2d.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.running import RunningWorld

FRAME_S = 1.0 / 30.0
_STATUS_S = 0.1
_TRACE_S = 0.2
_PLOT_S = 0.1
_BURST_S = 0.02
_BACKLOG_S = 0.1
_IDLE_S = 0.02
_RELOAD_S = 0.3
_SNAPSHOT_SIM_S = 0.1
_SNAPSHOT_WALL_S = 0.1

Inbox = queue.SimpleQueue[tuple[Message, bytes]]


class Loop:
    """Simulates a scenario and tells about it.

    Args:
        sender: Where messages go.
        inbox: Where orders come from.
        channel: Of the stream, which texts for it name.

    Attributes:
        alive_at: When it last went around [s], monotonic.
        doing: What it does, for people.
        wake: Set when something has arrived.
    """

    def __init__(self, sender: Sender, inbox: Inbox, channel: str) -> None:
        self._channel = channel
        self._sender = sender
        self._inbox = inbox
        self._stage: Stage | None = None
        self._is_wanted = False
        self._joined: Joined | None = None
        self._closing = ExitStack()
        self._speed = 1.0
        self._owed_s = 0.0
        self._meter = Meter()
        self._due: dict[str, float] = {}
        self._is_dirty = True
        self._snapshot_s = -1.0
        self._selected = ""
        self.alive_at = time.monotonic()
        self.doing = "starting"
        self.wake = threading.Event()
        self._orders: dict[str, Callable[..., Any]] = {
            "open": self._open,
            "run": self._run,
            "step": self._step,
            "reset": self._reset,
            "speed": self._set_speed,
            "drag": self._drag,
            "evaluate": self._evaluate,
            "reload": self._reload,
            "restore": self._restore,
            "snapshot": self._take_snapshot,
            "select": self._select,
            "watch": self._watch,
            "log": self._log,
            "again": self._again,
            "resume": self._resume,
            "leave": self._leave,
        }

    def files(self) -> set[str]:
        """Files of the controllers, and what the console evaluates."""
        stage = self._stage
        return {"<console>"} | (set() if stage is None else stage.controller_files)

    def run(self) -> None:
        """Goes on for ever."""
        last = time.monotonic()
        while True:
            self.alive_at = now = time.monotonic()
            self._obey()
            if self._stage is not None:
                self._advance(self._stage, now - last)
                self._tell(self._stage)
            last = now
            if self.wake.wait(self._rest_s()):
                self.wake.clear()

    def _rest_s(self) -> float:
        """How long [s] it may rest, unless something arrives."""
        stage = self._stage
        if stage is None or not stage.running.can_step:
            return _IDLE_S
        if stage.running.is_paused:
            return 0.0 if stage.error is None else _IDLE_S
        return min(_IDLE_S, max(0.0, (stage.sim.dt - self._owed_s) / self._speed))

    @property
    def _is_running(self) -> bool:
        return self._stage is not None and not self._stage.running.is_paused

    # ---- orders ----

    def _obey(self) -> None:
        while True:
            try:
                message, data = self._inbox.get_nowait()
            except queue.Empty:
                return
            self.alive_at = time.monotonic()
            reply: Message = {"kind": "reply", "id": message.pop("id", 0)}
            try:
                order = self._orders[message.pop("do")]
                self.doing = order.__name__.strip("_")
                reply["result"] = order(data, **message) if data else order(**message)
            except HorusError as error:
                reply["error"] = str(error)
            except Exception as error:  # noqa: BLE001 - it belongs to whoever gave the order
                reply["error"] = f"{type(error).__name__}: {error}"
            self._is_dirty = True
            self._due.clear()
            self._sender.send(reply)
            self.doing = "stepping"

    def _open(self, data: bytes = b"", **options: Any) -> list[str]:  # noqa: ANN401
        """Another scenario; the old one stays if this fails. `data` is a snapshot to begin with."""
        watched = options.pop("watched", ())
        wishes = options.pop("wishes", None)
        if self._stage is not None:
            self._is_wanted = self._is_running
        stage = Stage.load(**options)
        stage.running.is_paused = not self._is_wanted
        if wishes is not None:
            self._join(stage, Wishes(**wishes))
        if self._stage is not None:
            self._stage.close()
        self._stage = stage
        self._selected = ""
        stage.signals.watch(
            [name for name in watched if name in stage.signals.columns] or stage.signals.watched
        )
        if data:
            stage.restore(data)
        else:
            stage.trace.add()
        self._owed_s = 0.0
        self._snapshot_s = -1.0
        self._meter.restart()
        text = json.dumps({"channel": f"{self._channel}_scene", "scene": stage.scene}).encode()
        about = {"columns": stage.signals.columns, "heads": stage.heads}
        about |= {"kinds": stage.kinds, "is_new": not data}
        self._sender.send({"kind": "scene", **about}, text)
        self._snapshot(stage)
        return [] if self._joined is None else self._joined.notes

    def _join(self, stage: Stage, wishes: Wishes) -> None:
        """Puts the scenario on topics and into recordings, as the one before was."""
        if self._joined is None:
            joined = self._closing.enter_context(join(stage.sim, wishes))
            joined.running.is_paused = stage.running.is_paused
            joined.running.on_arrival(self.wake.set)
            self._joined = joined
        stage.join(self._joined.running)

    def _leave(self) -> list[str]:
        """Ends topics and recordings; what became of them."""
        self._closing.close()
        joined, self._joined = self._joined, None
        return [] if joined is None else [summary() for summary in joined.summaries]

    def _run(self, *, running: bool) -> None:
        self._is_wanted = running
        if self._stage is not None:
            self._set_paused(self._stage.running, is_paused=not running)
        self._owed_s = 0.0
        self._meter.restart()
        if running and self._stage is not None:
            self._stage.forget_error()

    @staticmethod
    def _set_paused(world: RunningWorld, *, is_paused: bool) -> None:
        if is_paused:
            world.pause()
        else:
            world.resume()

    def _resume(self, *, running: bool) -> None:
        """As before the process was started again: an error goes on to hold it up."""
        self._is_wanted = running
        if self._stage is not None:
            self._stage.running.is_paused = not running

    def _step(self, count: int = 1) -> None:
        stage = self._present()
        stage.running.pause()
        stage.running.allow_steps(count)
        stage.forget_error()
        for _ in range(count):
            if not stage.step():
                break
        self._snapshot(stage)

    def _reset(self, seed: int | None = None) -> None:
        stage = self._present()
        stage.reset(seed)
        self._owed_s = 0.0
        self._snapshot_s = -1.0
        self._meter.restart()
        self._sender.send({"kind": "restart"})
        self._snapshot(stage)

    def _set_speed(self, speed: float) -> None:
        self._speed = checked_speed(speed)
        self._meter.restart()

    def _drag(self, ident: str, pose: list[float], *, ends: bool) -> None:
        stage = self._present()
        stage.drag(ident, (pose[0], pose[1], pose[2]))
        if ends:
            stage.release()

    def _evaluate(self, text: str) -> str:
        self.doing = "evaluating an expression"
        return self._present().evaluate(text)

    def _reload(self) -> bool:
        return self._present().reload()

    def _restore(self, data: bytes) -> float:
        stage = self._present()
        stage.restore(data)
        self._owed_s = 0.0
        self._snapshot_s = stage.sim.time
        self._meter.restart()
        return stage.sim.time

    def _take_snapshot(self) -> None:
        self._snapshot(self._present(), "kept")

    def _select(self, ident: str) -> None:
        self._selected = ident

    def _watch(self, names: list[str]) -> None:
        self._present().signals.watch(names)

    def _log(self, path: str) -> int:
        """Starts a log, or with '' ends it."""
        signals = self._present().signals
        if path:
            signals.start_log(Path(path))
        else:
            signals.stop_log()
        return signals.logged

    def _again(self) -> None:
        """Tells everything once more, for somebody who came later."""
        self._present().trace.has_changed = True

    def _present(self) -> Stage:
        if self._stage is None:
            raise UiError("no scenario is open; choose one")
        return self._stage

    # ---- time ----

    def _advance(self, stage: Stage, passed_s: float) -> None:
        running = stage.running
        if not running.can_step:
            running.poll()
        if not running.can_step or not self._can_run(stage):
            return
        self._owed_s = min(self._owed_s + passed_s * self._speed, _BACKLOG_S * self._speed)
        began = time.perf_counter()
        steps = 0
        while running.can_step and time.perf_counter() - began < _BURST_S:
            # Steps that somebody waits for do not wait for the clock.
            if not running.is_paused and self._owed_s < stage.sim.dt:
                break
            self._owed_s = max(0.0, self._owed_s - stage.sim.dt)
            steps += 1
            if not stage.step():
                self._due.clear()
                break
            if stage.sim.time >= self._snapshot_s + _SNAPSHOT_SIM_S and self._is_due("snapshot"):
                self._snapshot(stage)
        if steps:
            self._is_dirty = True
            self._meter.stepped(steps, time.perf_counter() - began)

    def _can_run(self, stage: Stage) -> bool:
        """False while an error holds it up; a changed file is looked for now and then."""
        if stage.error is None:
            return True
        if self._is_due("reload"):
            stage.reload()
            self._is_dirty = True
        return stage.error is None

    # ---- telling ----

    def _is_due(self, name: str) -> bool:
        every = {
            "frame": FRAME_S, "status": _STATUS_S, "trace": _TRACE_S, "plot": _PLOT_S,
            "reload": _RELOAD_S, "snapshot": _SNAPSHOT_WALL_S,
        }[name]  # fmt: skip
        now = time.monotonic()
        due = self._due.get(name, 0.0)
        if now < due:
            return False
        self._due[name] = max(due + every, now - every + every / 2)
        return True

    def _tell(self, stage: Stage) -> None:
        if not self._is_dirty:
            return
        sent = False
        if self._is_due("frame"):
            self._sender.send({"kind": "frame"}, self._frame(stage))
            sent = True
        if stage.trace.has_changed and self._is_due("trace"):
            self._sender.send({"kind": "trace"}, stage.trace.frame(stage.revision))
        if self._is_due("plot"):
            self._sender.send({"kind": "plot"}, stage.signals.plot(f"{self._channel}_plot"))
        if self._is_due("status"):
            self._meter.update(stage.sim.time, stage.running.sent)
            self._sender.send({"kind": "status", **self._status(stage)})
            # Of what stands still, one more of each was told after the last change.
            self._is_dirty = self._is_running or not sent

    def _frame(self, stage: Stage) -> bytes:
        sim = stage.sim
        poses = sim.states()[stage.moving, :3]
        return frame_2d(poses, sim.raw_readings(), sim.wheels(), stage.revision, sim.time)

    def _status(self, stage: Stage) -> Message:
        status = stage.status(self._selected)
        status["is_running"] = self._is_running
        status["speed"] = self._speed
        is_moving = self._is_running and stage.error is None
        status["real_time_factor"] = self._meter.real_time_factor if is_moving else 0.0
        status["step_ms"] = self._meter.step_ms
        joined = self._joined
        hub = None if joined is None else joined.running.hub
        status["topics"] = {
            "session": None if hub is None else hub.session,
            "why_not": "this run is not on topics" if joined is None else joined.no_topics,
            "messages_hz": self._meter.messages_hz,
            "drivers": stage.running.drivers(),
        }
        return status

    def _snapshot(self, stage: Stage, why: str = "") -> None:
        self._snapshot_s = stage.sim.time
        data = stage.snapshot()
        self._sender.send({"kind": "snapshot", "time": stage.sim.time, "why": why}, data)
        for text in stage.take_notes():
            self._sender.send({"kind": "note", "text": text})
