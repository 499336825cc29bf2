"""Controllers: loaded from the scenario's folder, reloaded when their file changes."""

from __future__ import annotations

import copy
import difflib
import importlib
import os
import sys
import time
import traceback
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horus_sim.errors import ControllerError, HorusError
from horus_sim.sim2d.robot import Handle
from horus_sim.sim2d.watchdog import Watchdog

if TYPE_CHECKING:
    from horus_sim.sim2d.robot import Robot

_CHECK_EVERY_S = 0.25


class ControllerSlot:
    """The controller of one robot, and what is known about its file.

    Args:
        robot: What the controller drives.
        path: Its Python file.
        watchdog: Guards its calls.

    Attributes:
        instance: The object with `step(sensors, dt)`.
        slow_steps: Number of steps that took longer than the budget.
        slowest: Longest step so far [s].
    """

    def __init__(self, robot: Robot, path: Path, watchdog: Watchdog) -> None:
        self.robot = robot
        self.path = path
        self.instance: Any = None
        self.slow_steps = 0
        self.slowest = 0.0
        self._watchdog = watchdog
        self._seen = self._signature()
        self._next_check = 0.0
        self.instance = self._load()

    def step(self, dt: float, budget: float) -> None:
        """Reads the sensors, lets the controller decide, and sets what it returns.

        Raises:
            ControllerError: It raised, did not return, or commands something that does not exist.
        """
        sensors = self.robot.readings()
        start = time.perf_counter()
        commands = self._guarded("step", self.instance.step, sensors, dt)
        spent = time.perf_counter() - start
        if spent > budget:
            self.slow_steps += 1
            self.slowest = max(self.slowest, spent)
        if commands is not None:
            self._guarded("step", self._set, commands)

    def reload_if_changed(self, *, now: bool = False) -> bool:
        """Loads the file anew if it changed; the state goes over by get_state and set_state.

        Raises:
            ControllerError: The new file does not work; the old controller stays.
        """
        if not now and time.monotonic() < self._next_check:
            return False
        self._next_check = time.monotonic() + _CHECK_EVERY_S
        signature = self._signature()
        if signature == self._seen:
            return False
        self._seen = signature
        fresh = self._load()
        if hasattr(self.instance, "get_state") and hasattr(fresh, "set_state"):
            state = self._guarded("get_state", self.instance.get_state)
            self._guarded("set_state", fresh.set_state, state)
        self.instance = fresh
        return True

    def state(self) -> Any:  # noqa: ANN401 - whatever the controller keeps
        """A copy of what the controller remembers: by get_state, if there is set_state too."""
        if self._has_own_state():
            return self._guarded("get_state", lambda: copy.deepcopy(self.instance.get_state()))
        own = _attributes(self.instance)
        return self._guarded("copying its attributes", copy.deepcopy, own)

    def restore(self, state: Any) -> None:  # noqa: ANN401
        """Gives the controller back what `state` returned.

        Raises:
            ControllerError: It does not take it.
        """
        if self._has_own_state():
            self._guarded("set_state", lambda: self.instance.set_state(copy.deepcopy(state)))
            return
        if not isinstance(state, dict):
            raise ControllerError(
                self.robot.id,
                f"the snapshot holds what get_state returned, and Controller in {self.path} does "
                "not have get_state and set_state any more; add them",
            )
        self._guarded("restoring its attributes", self._replace_attributes, state)

    def restart(self) -> None:
        """A new controller from the file as it is now."""
        self._seen = self._signature()
        self.instance = self._load()

    def _has_own_state(self) -> bool:
        return hasattr(self.instance, "get_state") and hasattr(self.instance, "set_state")

    def _replace_attributes(self, state: dict[str, Any]) -> None:
        own = copy.deepcopy(state)
        for name in _attributes(self.instance):
            delattr(self.instance, name)
        for name, value in own.items():
            setattr(self.instance, name, value)

    def _set(self, commands: dict[str, float]) -> None:
        for motor, value in commands.items():
            self.robot.command(motor, value)

    def _signature(self) -> tuple[int, int] | None:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        return status.st_mtime_ns, status.st_size

    def _load(self) -> Any:  # noqa: ANN401
        if not self.path.is_file():
            raise ControllerError(self.robot.id, _missing(self.path))
        module = types.ModuleType(f"horus_sim_controller_{self.robot.id}")
        module.__file__ = str(self.path)
        self._guarded("loading", _execute, module, self.path)
        if not hasattr(module, "Controller"):
            raise ControllerError(
                self.robot.id, f"{self.path} has no class Controller; write one with step()"
            )
        instance = self._guarded("Controller(sim)", module.Controller, self.robot)
        if not callable(getattr(instance, "step", None)):
            raise ControllerError(
                self.robot.id, f"Controller in {self.path} has no method step(sensors, dt); add it"
            )
        return instance

    def _guarded(self, doing: str, function: Any, *arguments: Any) -> Any:  # noqa: ANN401
        try:
            return self._watchdog.call(function, *arguments)
        except KeyboardInterrupt:
            raise
        except TimeoutError as error:
            cause = error.__cause__
            where = "" if cause is None else f" ({_place(cause, self.path)})"
            raise ControllerError(
                self.robot.id, f"{doing}: {error}{where}; it must do one step's work and return"
            ) from error
        # A controller that calls sys.exit must not end the program.
        except BaseException as error:
            text = "".join(traceback.format_exception(error))
            hint = "" if isinstance(error, HorusError) else f" ({_place(error, self.path)})"
            raise ControllerError(
                self.robot.id, f"{doing}: {type(error).__name__}: {_text(error)}{hint}", text
            ) from error


def _execute(module: types.ModuleType, path: Path) -> None:
    """Runs a controller's file; it may import the files beside it, which are then read anew."""
    code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    folder = str(path.parent.resolve())
    before = set(sys.modules)
    # Dataclasses, among others, look for the module of a class here.
    sys.modules[module.__name__] = module
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        exec(code, vars(module))  # noqa: S102 - the user's
    finally:
        sys.path.remove(folder)
        # Other scenarios may have files of the same name.
        for name in set(sys.modules) - before - {module.__name__}:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if file.startswith(f"{folder}{os.sep}"):
                del sys.modules[name]


def _attributes(instance: object) -> dict[str, Any]:
    """What an object holds, in its dictionary and its slots, but for handles of the world."""
    found = dict(getattr(instance, "__dict__", {}))
    for kind in type(instance).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            mangled = name
            if name.startswith("__") and not name.endswith("__"):
                mangled = f"_{kind.__name__.lstrip('_')}{name}"
            if name not in ("__dict__", "__weakref__") and hasattr(instance, mangled):
                found[mangled] = getattr(instance, mangled)
    return {name: value for name, value in found.items() if not isinstance(value, Handle)}


def _missing(path: Path) -> str:
    known = [file.stem for file in path.parent.glob("*.py")]
    close = difflib.get_close_matches(path.stem, known, n=1, cutoff=0.5)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return f"there is no file {path}; create it, or correct the controller's name{hint}"


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - the user's __str__
        return "(its text cannot be shown: __str__ raised)"


def _place(error: BaseException, path: Path) -> str:
    """The line of the controller's file in which an exception arose."""
    if isinstance(error, SyntaxError):
        return f"{path.name}, line {error.lineno}"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(path)
    ]
    return f"{path.name}, line {lines[-1]}" if lines else path.name
