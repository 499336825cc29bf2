"""Controllers: loaded from the scenario's folder, reloaded when their file changes."""

from __future__ import annotations

import copy
import time
import traceback
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from horus_sim.errors import ControllerError, HorusError
from horus_sim.files.names import close_names
from horus_sim.sim2d.controllers.code import (
    CodeProblem,
    execute,
    make_instance,
    place_of_return,
    step_of,
)
from horus_sim.sim2d.controllers.part_names import names_memo, with_parts
from horus_sim.sim2d.controllers.watchdog import Watchdog
from horus_sim.sim2d.engine.handle import Handle
from horus_sim.sim2d.engine.values import as_number, shown

if TYPE_CHECKING:
    from horus_sim.sim2d.engine.robot import Robot

_CHECK_EVERY_S = 0.25


class ControllerSlot:
    """The controller of one robot, and what is known about its file.

    Args:
        robot: The robot that the controller drives.
        path: Python file of the controller.
        watchdog: Watchdog that guards its calls.

    Attributes:
        instance: The object, or the module, with `step(sensors, dt)` or `update(sensors, dt)`.
        slow_steps: Number of steps that took longer than the budget.
        slowest: Longest step so far [s].
    """

    def __init__(self, robot: Robot, path: Path, watchdog: Watchdog) -> None:
        self.robot = robot
        self.path = path
        self.slow_steps = 0
        self.slowest = 0.0
        self._watchdog = watchdog
        self._next_check = 0.0
        self.restart()

    def step(self, dt: float, budget: float) -> None:
        """Reads the sensors, lets the controller decide, and sets what it returns.

        Raises:
            ControllerError: It raised, did not return, or commands something that does not exist.
        """
        sensors = self.robot.readings()
        start = time.perf_counter()
        commands = self._guarded(self._step.__name__, self._step, sensors, dt)
        spent = time.perf_counter() - start
        if spent > budget:
            self.slow_steps += 1
            self.slowest = max(self.slowest, spent)
        if commands is not None:
            self._set(commands)

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
        fresh, step = self._load()
        if hasattr(self.instance, "get_state") and hasattr(fresh, "set_state"):
            state = self._guarded("get_state", self.instance.get_state)
            self._guarded("set_state", fresh.set_state, state)
        self.instance, self._step = fresh, step
        return True

    def state(self) -> Any:  # noqa: ANN401 - whatever the controller keeps
        """A copy of what the controller remembers: by get_state, if there is set_state too.

        Raises:
            ControllerError: It cannot be copied.
        """
        if self._has_own_state():
            return self._guarded("get_state", self._copied_state)
        return self._guarded("copying its attributes", self._copied_attributes)

    def restore(self, state: Any) -> None:  # noqa: ANN401
        """Gives the controller back what `state` returned.

        Raises:
            ControllerError: It does not take it.
        """
        if self._has_own_state():
            own = self._guarded("set_state", with_parts, state, self.robot)
            self._guarded("set_state", self.instance.set_state, own)
            return
        is_module = isinstance(self.instance, types.ModuleType)
        if not isinstance(state, dict) or (is_module and state):
            owner = f"{self.path}" if is_module else f"Controller in {self.path}"
            raise ControllerError(
                self.robot.id,
                f"the snapshot holds what another version remembered, and {owner} does not have "
                "get_state and set_state any more; add them",
            )
        self._guarded("restoring its attributes", self._replace_attributes, state)

    def restart(self) -> None:
        """A new controller from the file as it is now."""
        self._seen = self._signature()
        self.instance, self._step = self._load()

    def _has_own_state(self) -> bool:
        return hasattr(self.instance, "get_state") and hasattr(self.instance, "set_state")

    def _copied_state(self) -> Any:  # noqa: ANN401
        state = self.instance.get_state()
        said = f"get_state returned a {type(state).__name__} that"
        remedy = "return numbers, text, lists or dictionaries of them"
        return self._copied(state, names_memo(self.robot), said, remedy)

    def _copied_attributes(self) -> dict[str, Any]:
        # One memo for all: what they share stays shared.
        memo = names_memo(self.robot)
        remedy = "write get_state and set_state that return and take what it needs to go on"
        return {
            name: self._copied(
                value, memo, f"its attribute '{name}' holds a {type(value).__name__}, which", remedy
            )
            for name, value in _attributes(self.instance).items()
        }

    def _copied(self, value: Any, memo: dict[int, Any], said: str, remedy: str) -> Any:  # noqa: ANN401
        try:
            return copy.deepcopy(value, memo)
        except Exception as error:
            problem = f"{said} no snapshot can keep ({_text(error)}); {remedy}"
            raise ControllerError(self.robot.id, problem) from error

    def _replace_attributes(self, state: dict[str, Any]) -> None:
        own = with_parts(state, self.robot)
        for name in _attributes(self.instance):
            delattr(self.instance, name)
        for name, value in own.items():
            setattr(self.instance, name, value)

    def _set(self, commands: object) -> None:
        """Sets what a step returned.

        Raises:
            ControllerError: The return value does not hold motor commands.
        """
        name, motors = self._step.__name__, list(self.robot.motors)
        if not isinstance(commands, Mapping):
            example = ", ".join(f"'{motor}': 0.5" for motor in motors[:2])
            raise self._refusal(
                f"{name} returned {shown(commands)}",
                f"return commands by motor, such as {{{example}}}, or nothing",
            )
        for motor, value in commands.items():
            if as_number(value) is None:
                element = ": one element of the array" if getattr(value, "ndim", 0) else ""
                raise self._refusal(
                    f"{name} returned {shown(value)} for motor '{motor}'",
                    f"give a number from -1 to 1{element}",
                )
            try:
                self.robot.command(motor, value)
            except (HorusError, TypeError, ValueError) as error:
                raise self._refusal(f"{name}: {_text(error)}") from error

    def _refusal(self, problem: str, remedy: str = "") -> ControllerError:
        """What is wrong with what a step returned, with the line."""
        where = place_of_return(self._step, self.path)
        return ControllerError(self.robot.id, f"{problem}{where}{'; ' if remedy else ''}{remedy}")

    def _signature(self) -> tuple[int, int] | None:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        return status.st_mtime_ns, status.st_size

    def _load(self) -> tuple[Any, Callable[[Any, float], Any]]:
        """The controller in the file, and its function for a step."""
        if not self.path.is_file():
            raise ControllerError(self.robot.id, _missing(self.path))
        module = types.ModuleType(f"horus_sim_controller_{self.robot.id}")
        module.__file__ = str(self.path)
        self._guarded("loading", execute, module, self.path)
        instance = self._guarded("Controller(sim)", make_instance, module, self.path, self.robot)
        return instance, self._guarded("loading", step_of, instance, self.path)

    def _guarded(self, doing: str, function: Any, *arguments: Any) -> Any:  # noqa: ANN401
        try:
            return self._watchdog.call(function, *arguments)
        except (KeyboardInterrupt, ControllerError):
            raise
        except CodeProblem as problem:
            raise ControllerError(self.robot.id, str(problem)) from problem
        except TimeoutError as error:
            cause = error.__cause__
            where = "" if cause is None else f" ({_place(cause, self.path)})"
            raise ControllerError(
                self.robot.id, f"{doing}: {error}{where}; it must do one step's work and return"
            ) from error
        # A controller that calls sys.exit must not end the program.
        except BaseException as error:
            text = "".join(traceback.format_exception(error))
            kind = "" if isinstance(error, HorusError) else f"{type(error).__name__}: "
            # The text of a syntax error would say the place again.
            said = error.msg if _is_of_file(error, self.path) else _text(error)
            raise ControllerError(
                self.robot.id, f"{doing}: {kind}{said} ({_place(error, self.path)})", text
            ) from error


def _attributes(instance: object) -> dict[str, Any]:
    """What an object holds, in its dictionary and its slots, but for handles of the world.

    A module has no state: its constants are those of the file as it is now.
    """
    if isinstance(instance, types.ModuleType):
        return {}
    state: Any = object.__getstate__(instance)
    parts = state if isinstance(state, tuple) else (state,)
    return {
        name: value
        for part in parts
        for name, value in (part or {}).items()
        if not isinstance(value, Handle)
    }


def _missing(path: Path) -> str:
    known = [file.stem for file in path.parent.glob("*.py")]
    close = close_names(path.stem, known, 1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return f"there is no file {path}; create it, or correct the controller's name{hint}"


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - the user's __str__
        return "(its text cannot be shown: __str__ raised)"


def _is_of_file(error: BaseException, path: Path) -> TypeGuard[SyntaxError]:
    """Whether it says what is wrong with the text of a controller, or of a file beside it."""
    if not isinstance(error, SyntaxError) or not error.filename or error.lineno is None:
        return False
    return Path(error.filename).resolve().parent == path.resolve().parent


def _place(error: BaseException, path: Path) -> str:
    """The line of the controller's file in which an exception arose, or of a file beside it."""
    if _is_of_file(error, path):
        return f"{Path(error.filename or '').name}, line {error.lineno}"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(path)
    ]
    return f"{path.name}, line {lines[-1]}" if lines else path.name
