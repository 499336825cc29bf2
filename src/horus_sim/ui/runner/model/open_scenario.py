"""A simulator with what a runner adds: errors that do not end it, dragging, console, snapshots."""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import pickle
import re
import struct
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from horus_sim.errors import ControllerError, HorusError, UiError
from horus_sim.running import RunningWorld
from horus_sim.sim2d import Simulator, Snapshot, load_scenario
from horus_sim.sim2d.controllers.watchdog import Watchdog
from horus_sim.sim2d.engine.frames import planar
from horus_sim.sim2d.pose import Pose2D
from horus_sim.ui.runner.model.signals import Signals
from horus_sim.ui.runner.model.trace import Trace
from horus_sim.ui.stream.scene2d import scene_of

if TYPE_CHECKING:
    from horus_sim.sim2d import Scenario
    from horus_sim.sim2d.engine.robot import Body

_LONGEST_ANSWER = 2000
_TIMEOUT_S = 4.0
_PLACE = re.compile(r"\(([^()]+\.py), line (\d+)\)")
_REVISIONS = itertools.count(1)
_LENGTH = struct.Struct("<Q")


class OpenScenario:
    """A scenario that runs, or waits for a controller that works.

    Args:
        scenario: What to simulate.
        name: Name under which the page knows it.
        options: Options of the simulator: seed, top_down, ignore_terrain.
        controllers: False leaves them out until a file changes.
        why: Why they are left out.

    Attributes:
        sim: The simulator; its `error` says why it does not go on.
        running: Steps it, and tells others of it.
        scene: What views draw.
        revision: Number of the scene.
        moving: Indices of the bodies in a frame.
        signals: What is logged and plotted.
        trace: Where robots have been.
    """

    running: RunningWorld[Simulator]

    def __init__(
        self,
        scenario: Scenario,
        name: str,
        options: dict[str, Any],
        *,
        controllers: bool = True,
        why: str = "",
    ) -> None:
        self.name = name
        self._scenario = scenario
        self._options = options
        self._watchdog = Watchdog(_TIMEOUT_S)
        self._lacks_controllers = False
        self.sim = self._make(controllers=controllers)
        if why and not controllers:
            self.sim.error = ControllerError(next(iter(self.sim.robots), ""), why)
        self._signatures = self._look()
        self.revision = next(_REVISIONS)
        layout = self.sim.layout
        self.scene = scene_of(
            scenario,
            layout,
            revision=self.revision,
            ignore_terrain=options["ignore_terrain"],
        )
        self.scene["name"] = name
        self.moving = np.array([layout.bodies[i] for i in self.scene["moving"]], dtype=np.intp)
        self.signals = Signals(self.sim)
        self.trace = Trace(self.sim)
        self._dragged: dict[str, Pose2D] = {}
        self._variables: dict[str, Any] = {}
        self._noted: set[str] = set()
        self._notes: list[str] = []

    @classmethod
    def load(
        cls,
        folder: str,
        name: str,
        *,
        controllers: bool = True,
        why: str = "",
        **options: Any,  # noqa: ANN401 - of the simulator
    ) -> OpenScenario:
        """Reads a scenario from its folder; see `OpenScenario`.

        Raises:
            HorusError: Its files do not fit.
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scenario = load_scenario(folder)
        opened = cls(scenario, name, options, controllers=controllers, why=why)
        for warning in caught:
            opened._note(str(warning.message))
        return opened

    @property
    def heads(self) -> list[str]:
        """Name of the first body of each robot."""
        return [head.name for head in self._heads().values()]

    def _heads(self) -> dict[str, Body]:
        return {name: next(iter(r.bodies.values())) for name, r in self.sim.robots.items()}

    @property
    def kinds(self) -> dict[str, str]:
        """Kind of each sensor."""
        return {name: slot.config.type for name, slot in self.sim.layout.sensors.items()}

    @property
    def controller_files(self) -> set[str]:
        """Paths of the robots' controllers."""
        return {
            str(spec.folder / f"{spec.controller}.py")
            for spec in self._scenario.robots
            if spec.folder is not None
        }

    def after_step(self) -> None:
        """Notes what a step led to; what is dragged is held where it was put."""
        self._hold()
        self.trace.add()
        self.signals.add()

    def reset(self, seed: int | None) -> None:
        """Back to the start.

        Raises:
            Sim2dError: The seed does not fit.
        """
        self.trace.rewind()
        self.signals.rewind()
        error = self.sim.error
        try:
            self.running.reset(seed)
        except ControllerError as failure:
            self.sim.error = failure
        if seed is not None:
            self._options["seed"] = seed
        if self._lacks_controllers:
            self.sim.error = error
            self.reload()
        self.trace.add()

    def forget_error(self) -> None:
        """Tries again with the controllers as they are."""
        if self._lacks_controllers:
            self._signatures = {}
            self.reload()
        elif self.sim.error is not None:
            self.sim.resume()

    def reload(self) -> bool:
        """Loads controllers whose files changed; their error, if any, is in `sim.error`."""
        try:
            if self._lacks_controllers:
                return self._begin_controllers()
            self.sim.reload_controllers()
        except ControllerError as error:
            self.sim.error = error
            return False
        return True

    def drag(self, ident: str, pose: tuple[float, float, float]) -> None:
        """Puts a body somewhere, with the rest of its robot, and holds it there.

        Raises:
            UnknownPartError: There is no such body.
            UiError: The place is not finite.
        """
        if not all(math.isfinite(value) and abs(value) < 1e4 for value in pose):
            raise UiError("a body can be put at finite places up to 10 km away")
        body = self.sim.body(ident)
        robot = next((r for r in self.sim.robots.values() if ident.startswith(f"{r.id}/")), None)
        names = [body.name] if robot is None else [b.name for b in robot.bodies.values()]
        if not any(self._can_move(name) for name in names):
            raise UiError(f"'{ident}' is fixed; it can be moved in the designer")
        # How the body is to be moved, given in the world's frame.
        motion = Pose2D(*pose).compose(body.pose.inverse())
        self._dragged = {name: motion.compose(self.sim.bodies[name].pose) for name in names}
        self._hold()

    def release(self) -> None:
        """Lets go of what was dragged; paths begin anew there."""
        self._dragged = {}
        self.trace.rewind()
        self.trace.add()

    def evaluate(self, text: str) -> str:
        """Value of an expression, as text; `sim`, `np`, `math` and the robots are known.

        Raises:
            UiError: It is not an expression, or it fails.
        """
        known = {"sim": self.sim, "np": np, "math": math, "_": self._variables.get("_")}
        known |= {name: robot for name, robot in self.sim.robots.items() if name.isidentifier()}
        try:
            code = compile(text.strip(), "<console>", "eval")
            value = self._watchdog.call(eval, code, known)
            self._variables["_"] = value
            answer = repr(value)
        except HorusError as error:
            raise UiError(str(error)) from error
        except SyntaxError as error:
            raise UiError(f"this is not an expression: {error.msg}") from error
        except Exception as error:
            raise UiError(f"{type(error).__name__}: {error}") from error
        is_long = len(answer) > _LONGEST_ANSWER
        return answer[:_LONGEST_ANSWER] + " ..." if is_long else answer

    def take_notes(self) -> list[str]:
        """What came to notice since the last call, each thing once."""
        notes, self._notes = self._notes, []
        return notes

    def snapshot(self) -> bytes:
        """The whole state for this process or one like it.

        What controllers remember is left out, with a note, where it cannot be kept.
        """
        try:
            taken = self.sim.snapshot()
            controllers = pickle.dumps(taken.controllers)
        except Exception as error:  # noqa: BLE001 - anything may be in a controller
            problem = str(error) if isinstance(error, HorusError) else f"a controller: {error}"
            self._note(f"snapshots and the slider hold the world alone: {problem}")
            taken, controllers = Snapshot(self.sim.world_state()), b""
        return _LENGTH.pack(len(taken.world)) + taken.world + controllers

    def restore(self, data: bytes) -> None:
        """Back to a snapshot.

        Raises:
            SnapshotError: It belongs to another world.
        """
        end = _LENGTH.size + _LENGTH.unpack_from(data)[0]
        world, kept = data[_LENGTH.size : end], data[end:]
        # Classes of a controller that is not loaded are not known.
        is_known = kept and not self._lacks_controllers
        controllers = pickle.loads(kept) if is_known else {}  # noqa: S301 - made by `snapshot`
        self.sim.apply_snapshot(Snapshot(world, controllers))
        self._dragged = {}
        self.trace.rewind(self.sim.time)
        self.trace.add()
        self.signals.rewind(self.sim.time)

    def status(self, selected: str) -> dict[str, Any]:
        """How it is doing, for panels."""
        sim = self.sim
        return {
            "name": self.name,
            "time": sim.time,
            "steps": sim.steps,
            "seed": sim.seed,
            "error": None if sim.error is None else error_message(sim.error),
            "warnings": [(warning.text, warning.count) for warning in sim.warnings[:20]],
            "contacts": len(sim.contacts),
            "bodies": len(sim.bodies),
            "robots": {name: [*b.pose, *b.velocity] for name, b in self._heads().items()},
            "motors": {
                f"{name}/{motor.name}": [motor.command, motor.omega]
                for name, robot in sim.robots.items()
                for motor in robot.motors.values()
            },
            "sensors": self._readings(),
            "selected": self._about(selected),
            "watched": self.signals.watched,
            "log": str(self.signals.path) if self.signals.is_logging else "",
            "logged": self.signals.logged,
        }

    def close(self) -> None:
        """Ends a log."""
        self.signals.stop_log()

    def _make(self, *, controllers: bool) -> Simulator:
        """A simulator; without controllers if one of them cannot be loaded."""
        options = {**self._options, "controller_timeout": _TIMEOUT_S}
        failure: ControllerError | None = None
        if controllers:
            try:
                return Simulator(self._scenario, **options)
            except ControllerError as error:
                failure = error
        self._lacks_controllers = True
        sim = Simulator(self._scenario, **options, controllers=False)
        sim.error = failure
        return sim

    def _begin_controllers(self) -> bool:
        """Makes the simulator anew, with controllers, in the same state."""
        found = self._look()
        if found == self._signatures:
            return False
        self._signatures = found
        fresh = Simulator(self._scenario, **self._options, controller_timeout=_TIMEOUT_S)
        fresh.apply_snapshot(Snapshot(self.sim.world_state()))
        self._lacks_controllers = False
        self.sim = fresh
        self.running.replace(fresh)
        self.signals.follow(fresh)
        self.trace.follow(fresh)
        return True

    def _look(self) -> dict[str, tuple[int, int]]:
        """When the controllers' files changed, and their sizes."""
        found = {}
        for path in self.controller_files:
            with contextlib.suppress(FileNotFoundError):
                status = os.stat(path)  # noqa: PTH116
                found[path] = (status.st_mtime_ns, status.st_size)
        return found

    def _hold(self) -> None:
        for name, pose in self._dragged.items():
            self.running.move(name, planar(*pose))

    def _note(self, text: str) -> None:
        if text not in self._noted:
            self._noted.add(text)
            self._notes.append(text)

    def _can_move(self, name: str) -> bool:
        return self.sim.layout.configs[self.sim.layout.bodies[name]].can_move

    def _readings(self) -> dict[str, list[float]]:
        raw = self.sim.raw_readings()
        found = {}
        for name, slot in self.sim.layout.sensors.items():
            values = raw[slot.first : slot.first + slot.value_width]
            found[name] = [round(v, 5) for v in values.tolist()]
        return found

    def _about(self, ident: str) -> dict[str, Any] | None:
        body = self.sim.bodies.get(ident)
        if body is None:
            return None
        config = self.sim.layout.configs[body.index]
        touching = {c.b if c.a == ident else c.a for c in self.sim.contacts if ident in (c.a, c.b)}
        return {
            "id": ident,
            "pose": body.pose,
            "velocity": body.velocity,
            "mass": config.mass,
            "can_move": config.can_move,
            "touches": sorted(touching),
        }


def error_message(error: ControllerError) -> dict[str, Any]:
    """An error with the file and line that it names."""
    place = _PLACE.search(error.problem)
    return {
        "robot": error.robot,
        "text": error.problem,
        "traceback": error.traceback_text[-4000:],
        "file": place[1] if place else "",
        "line": int(place[2]) if place else 0,
    }
