"""What the simulating process does: obey orders, run the scenario that is open, tell about it."""

from __future__ import annotations

import json
import queue
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horus_sim.errors import HorusError, UiError
from horus_sim.running import Loop, RunningWorld
from horus_sim.running.joining import Joined, Wishes, join
from horus_sim.running.loop.pacing import checked_speed
from horus_sim.ui.runner.model.open_scenario import OpenScenario
from horus_sim.ui.stream.frames2d import frame_2d

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.sim2d import Simulator
    from horus_sim.ui.runner.model.messages import Message, Sender

# How often things happen, in seconds of the clock.
_PERIODS_S = {
    "frame": 1.0 / 30.0, "status": 0.1, "trace": 0.2, "plot": 0.1, "reload": 0.3, "snapshot": 0.1,
}  # fmt: skip
_SNAPSHOT_SIM_S = 0.1


class SimulatingProcess:
    """Runs a scenario in the one loop of running worlds, and tells about it.

    Args:
        sender: Where messages go.
        channel: Channel of the stream, which texts for it name.
    """

    def __init__(self, sender: Sender, channel: str) -> None:
        self._sender = sender
        self._channel = channel
        self._inbox: queue.SimpleQueue[tuple[Message, bytes]] = queue.SimpleQueue()
        self._loop: Loop[Simulator] | None = None
        self._scenario: OpenScenario | None = None
        self._joined: Joined | None = None
        self._closing = ExitStack()
        self._is_wanted = False
        self._speed = 1.0
        self._due: dict[str, float] = {}
        self._snapshot_s = -1.0
        self._selected = ""
        self._busy_since: float | None = None

    @property
    def busy_s(self) -> float:
        """For how long [s] it has been at one thing; any thread may look."""
        since = self._busy_since
        return 0.0 if since is None else time.monotonic() - since

    def files(self) -> set[str]:
        """Files of the controllers, and what the console evaluates."""
        scenario = self._scenario
        return {"<console>"} | (set() if scenario is None else scenario.controller_files)

    def give(self, message: Message, data: bytes) -> None:
        """Gives an order; any thread may call this."""
        self._inbox.put((message, data))
        if self._loop is not None:
            self._loop.post("orders", lambda _: self._obey_all())

    def run(self) -> None:
        """Obeys until a scenario is open, and then runs it for ever."""
        while self._loop is None:
            self._obey(*self._inbox.get())
        # What came before the loop was there to be told of it.
        self._obey_all()
        self._loop.run()

    # ---- orders ----

    def _obey_all(self) -> None:
        while not self._inbox.empty():
            self._obey(*self._inbox.get())

    def _obey(self, message: Message, data: bytes) -> None:
        reply: Message = {"kind": "reply", "id": message.pop("id", 0)}
        self._busy_since = time.monotonic()
        try:
            order: Callable[..., Any] = getattr(self, f"_do_{message.pop('do')}")
            reply["result"] = order(data, **message) if data else order(**message)
        except HorusError as error:
            reply["error"] = str(error)
        except Exception as error:  # noqa: BLE001 - it belongs to whoever gave the order
            reply["error"] = f"{type(error).__name__}: {error}"
        self._due.clear()
        if self._scenario is not None and self._loop is not None:
            # Before the answer: who waited for that sees what the order led to.
            self._send_status(self._scenario, self._loop)
        self._sender.send(reply)
        self._busy_since = None

    def _do_open(self, data: bytes = b"", **options: Any) -> list[str]:  # noqa: ANN401
        """Another scenario; the old one stays if this fails. `data` is a snapshot to begin with."""
        watched = options.pop("watched", ())
        wishes = options.pop("wishes", None)
        scenario = OpenScenario.load(**options)
        if self._loop is None:
            self._loop = self._begin(scenario.sim, wishes)
        else:
            self._loop.running.replace(scenario.sim)
        scenario.running = self._loop.running
        if self._scenario is not None:
            self._scenario.close()
        self._scenario = scenario
        self._selected = ""
        signals = scenario.signals
        signals.watch([name for name in watched if name in signals.columns] or signals.watched)
        if data:
            scenario.restore(data)
        else:
            scenario.trace.add()
        text = json.dumps({"channel": f"{self._channel}_scene", "scene": scenario.scene}).encode()
        about = {"columns": signals.columns, "heads": scenario.heads}
        about |= {"kinds": scenario.kinds, "is_new": not data}
        self._sender.send({"kind": "scene", **about}, text)
        self._snapshot(scenario)
        return [] if self._joined is None else self._joined.notes

    def _begin(self, sim: Simulator, wishes: dict[str, Any] | None) -> Loop[Simulator]:
        """The loop of all scenarios to come, on topics and recorded as the first one is."""
        if wishes is not None:
            self._joined = self._closing.enter_context(join(sim, Wishes(**wishes)))
        running: RunningWorld[Simulator] = (
            RunningWorld(sim) if self._joined is None else self._joined.running
        )
        loop = Loop(running, speed=self._speed, running=self._is_wanted)
        running.observers.append(self._after_step)
        loop.before_steps.append(lambda _: self._be_busy(since=time.monotonic()))
        loop.on_steps.append(lambda _: self._be_busy(since=None))
        loop.on_held_up.append(self._look_for_files)
        loop.on_frame.append(lambda _: self._tell(loop))
        return loop

    def _do_leave(self) -> list[str]:
        """Ends topics and recordings; what became of them."""
        self._closing.close()
        joined, self._joined = self._joined, None
        return [] if joined is None else [summary() for summary in joined.summaries]

    def _do_play(self) -> None:
        self._is_wanted = True
        if self._scenario is not None:
            self._scenario.running.resume()
            self._scenario.forget_error()

    def _do_pause(self) -> None:
        self._is_wanted = False
        if self._scenario is not None:
            self._scenario.running.pause()

    def _do_resume(self, *, running: bool) -> None:
        """As before the process was started again: an error goes on to hold it up."""
        self._is_wanted = running
        if self._scenario is not None:
            self._scenario.running.is_paused = not running

    def _do_step(self, count: int = 1) -> None:
        scenario = self._present()
        scenario.running.pause()
        scenario.running.allow_steps(count)
        scenario.forget_error()
        scenario.running.step(count)
        self._snapshot(scenario)

    def _do_reset(self, seed: int | None = None) -> None:
        scenario = self._present()
        scenario.reset(seed)
        self._sender.send({"kind": "restart"})
        self._snapshot(scenario)

    def _do_speed(self, speed: float) -> None:
        self._speed = checked_speed(speed)
        if self._loop is not None:
            self._loop.set_speed(speed)

    def _do_drag(self, ident: str, pose: list[float], *, ends: bool) -> None:
        scenario = self._present()
        scenario.drag(ident, (pose[0], pose[1], pose[2]))
        if ends:
            scenario.release()

    def _do_evaluate(self, text: str) -> str:
        return self._present().evaluate(text)

    def _do_reload(self) -> bool:
        return self._present().reload()

    def _do_restore(self, data: bytes) -> float:
        scenario = self._present()
        scenario.restore(data)
        self._snapshot_s = scenario.sim.time
        return scenario.sim.time

    def _do_snapshot(self) -> None:
        self._snapshot(self._present(), "kept")

    def _do_select(self, ident: str) -> None:
        self._selected = ident

    def _do_watch(self, names: list[str]) -> None:
        self._present().signals.watch(names)

    def _do_log(self, path: str) -> int:
        """Starts a log, or with '' ends it."""
        signals = self._present().signals
        if path:
            signals.start_log(Path(path))
        else:
            signals.stop_log()
        return signals.logged

    def _do_again(self) -> None:
        """Tells everything once more, for somebody who came later."""
        self._present().trace.has_changed = True

    def _present(self) -> OpenScenario:
        if self._scenario is None:
            raise UiError("no scenario is open; choose one")
        return self._scenario

    # ---- time; the loop calls these ----

    def _be_busy(self, *, since: float | None) -> None:
        self._busy_since = since

    def _after_step(self, sim: Simulator) -> None:
        scenario = self._present()
        scenario.after_step()
        if sim.time >= self._snapshot_s + _SNAPSHOT_SIM_S and self._is_due("snapshot"):
            self._snapshot(scenario)

    def _look_for_files(self) -> None:
        """While an error holds it up, a changed file is looked for now and then."""
        if self._is_due("reload"):
            self._present().reload()

    # ---- telling ----

    def _is_due(self, name: str) -> bool:
        now, every = time.monotonic(), _PERIODS_S[name]
        due = self._due.get(name, 0.0)
        if now < due:
            return False
        self._due[name] = max(due + every, now - every + every / 2)
        return True

    def _tell(self, loop: Loop[Simulator]) -> None:
        scenario, self._busy_since = self._present(), None
        if not loop.running.can_step:
            # Nothing will change for a while: all is told as it is now.
            self._due.clear()
        if self._is_due("frame"):
            sim, revision = scenario.sim, scenario.revision
            poses = sim.states()[scenario.moving, :3]
            frame = frame_2d(poses, sim.raw_readings(), sim.wheels(), revision, sim.time)
            self._sender.send({"kind": "frame"}, frame)
        if scenario.trace.has_changed and self._is_due("trace"):
            self._sender.send({"kind": "trace"}, scenario.trace.frame(scenario.revision))
        if self._is_due("plot"):
            self._sender.send({"kind": "plot"}, scenario.signals.plot(f"{self._channel}_plot"))
        if self._is_due("status"):
            self._send_status(scenario, loop)

    def _send_status(self, scenario: OpenScenario, loop: Loop[Simulator]) -> None:
        running, measured, joined = loop.running, loop.status, self._joined
        is_running = not running.is_paused and scenario.sim.error is None
        told = scenario.status(self._selected) | {
            "is_running": is_running,
            "speed": self._speed,
            "real_time_factor": measured.real_time_factor if is_running else 0.0,
            "step_ms": measured.step_ms,
            "topics": {
                "session": None if running.hub is None else running.hub.session,
                "why_not": "this run is not on topics" if joined is None else joined.no_topics,
                "messages_hz": measured.messages_hz,
                "drivers": measured.drivers,
                "bare": running.exchange.naming.bare,
            },
        }
        self._sender.send({"kind": "status", **told})

    def _snapshot(self, scenario: OpenScenario, why: str = "") -> None:
        time_s = self._snapshot_s = scenario.sim.time
        self._sender.send({"kind": "snapshot", "time": time_s, "why": why}, scenario.snapshot())
        for text in scenario.take_notes():
            self._sender.send({"kind": "note", "text": text})
