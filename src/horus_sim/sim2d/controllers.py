"""Controllers: loaded from the scenario's folder, reloaded when their file changes."""

from __future__ import annotations

import copy
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
        """A copy of what the controller remembers."""
        if hasattr(self.instance, "get_state"):
            return copy.deepcopy(self._guarded("get_state", self.instance.get_state))
        own = {k: v for k, v in vars(self.instance).items() if not isinstance(v, Handle)}
        return self._guarded("copying its attributes", copy.deepcopy, own)

    def restore(self, state: Any) -> None:  # noqa: ANN401
        """Gives the controller back what `state` returned."""
        own = copy.deepcopy(state)
        if hasattr(self.instance, "set_state"):
            self._guarded("set_state", self.instance.set_state, own)
        else:
            attributes = vars(self.instance)
            for name in [k for k, v in attributes.items() if not isinstance(v, Handle)]:
                del attributes[name]
            attributes.update(own)

    def restart(self) -> None:
        """A new controller from the file as it is now."""
        self._seen = self._signature()
        self.instance = self._load()

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
            raise ControllerError(self.robot.id, f"there is no file {self.path}; create it")
        module = types.ModuleType(f"horus_sim_controller_{self.robot.id}")
        module.__file__ = str(self.path)

        def execute() -> None:
            source = self.path.read_bytes()
            exec(compile(source, str(self.path), "exec"), vars(module))  # noqa: S102 - the user's

        self._guarded("loading", execute)
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
        except TimeoutError as error:
            raise ControllerError(
                self.robot.id, f"{doing}: {error}; it must do one step's work and return"
            ) from error
        except Exception as error:
            text = "".join(traceback.format_exception(error))
            hint = "" if isinstance(error, HorusError) else f" ({_place(error, self.path)})"
            raise ControllerError(
                self.robot.id, f"{doing}: {type(error).__name__}: {error}{hint}", text
            ) from error


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
