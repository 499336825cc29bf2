"""What is in the file of a controller: a class or plain functions, with the arguments they need."""

from __future__ import annotations

import dis
import importlib
import inspect
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

STEPS = ("step", "update")
_HOW = "write class Controller with step(self, sensors, dt), or a function step(sensors, dt)"


class CodeProblem(Exception):  # noqa: N818 - never leaves the package
    """What is wrong with the code of a controller, with the line and what to write instead."""


def execute(module: types.ModuleType, path: Path) -> None:
    """Runs a controller's file; it may import the files beside it, which are then read anew.

    Raises:
        CodeProblem: The file is not a text file.
    """
    source = path.read_bytes()
    if b"\0" in source:
        line = source[: source.index(b"\0")].count(b"\n") + 1
        raise CodeProblem(
            f"there is a NUL byte in the text ({path.name}, line {line}); remove it, or save the "
            "file as UTF-8 if it is in another encoding"
        )
    code = compile(source, str(path), "exec", dont_inherit=True)
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


def make_instance(module: types.ModuleType, path: Path, robot: object) -> Any:  # noqa: ANN401
    """The object whose `step` or `update` is called: a Controller, or the module itself.

    Args:
        module: The controller's module, executed.
        path: File of the controller.
        robot: Robot to hand to the Controller, if it takes an argument.

    Raises:
        CodeProblem: The file has neither, or the class takes other arguments.
    """
    kind = getattr(module, "Controller", None)
    if kind is None:
        if not any(callable(getattr(module, name, None)) for name in STEPS):
            raise CodeProblem(f"{path} has no class Controller and no function step; {_HOW}")
        return module
    if not callable(kind):
        raise CodeProblem(f"Controller in {path} is a {type(kind).__name__}; {_HOW}")
    if _takes(kind, 1):
        return kind(robot)
    if _takes(kind, 0):
        return kind()
    where = place_of(getattr(kind, "__init__", kind), path)
    raise CodeProblem(
        f"Controller takes {_arguments(kind)}{where}, and it is made with the robot or with "
        "nothing; write def __init__(self, sim):"
    )


def step_of(instance: object, path: Path) -> Callable[[Any, float], Any]:
    """The function that is called with the readings and the length of every step.

    Raises:
        CodeProblem: The function is missing or takes other arguments.
    """
    is_module = isinstance(instance, types.ModuleType)
    owner = "the module" if is_module else "Controller"
    found = [name for name in STEPS if callable(getattr(instance, name, None))]
    if not found:
        raise CodeProblem(f"Controller in {path} has no method step(sensors, dt); add it")
    if len(found) > 1:
        raise CodeProblem(
            f"{owner} in {path} has step and update, and one of them is called; remove the other"
        )
    name = found[0]
    function = getattr(instance, name)
    written = f"def {name}({'' if is_module else 'self, '}sensors, dt):"
    where = place_of(function, path)
    if not _takes(function, 2):
        raise CodeProblem(
            f"{name} takes {_arguments(function)}{where}, and it is called with the readings and "
            f"the length of the step; write {written}"
        )
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        kind = "async def" if inspect.iscoroutinefunction(function) else "yield"
        raise CodeProblem(
            f"{name} is a function with {kind}{where}, which would only be begun; it must do one "
            f"step's work and return: write {written} without it"
        )
    return function


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Whether something can be called with so many arguments."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # compiled code does not tell
        return True
    return True


def _arguments(function: Callable[..., Any]) -> str:
    names = list(inspect.signature(function).parameters)
    return f"({', '.join(names)})" if names else "no arguments"


def place_of(function: object, path: Path) -> str:
    """File and line where a function begins, in brackets; '' if it is elsewhere."""
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    if code is None or code.co_filename != str(path):
        return ""
    return f" ({path.name}, line {code.co_firstlineno})"


def place_of_return(function: Callable[..., Any], path: Path) -> str:
    """File and line of the only `return` with a value in a function, else of its beginning."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    place, lines, loaded = place_of(function, path), set(), None
    for operation in dis.get_instructions(code) if code is not None and place else ():
        name, value = operation.opname, operation.argval
        # What a function without a return gives is None, too.
        returned = {"RETURN_VALUE": loaded, "RETURN_CONST": value}.get(name)
        if returned is not None and operation.positions is not None:
            lines.add(operation.positions.lineno)
        loaded = value if name == "LOAD_CONST" else "a value"
    return f" ({path.name}, line {lines.pop()})" if len(lines) == 1 else place
