"""Classes of tasks, by a module's or a file's name."""

from __future__ import annotations

import importlib
import traceback
from importlib import import_module
from inspect import isabstract
from pathlib import Path
from typing import Any

from horus_sim.errors import TaskError
from horus_sim.rl.task_files import file_modules
from horus_sim.rl.task_files.file_modules import FILE, module_of_file
from horus_sim.rl.tasks.task import Task

# Parts of a traceback that are no user's.
_OURS = frozenset({__file__, file_modules.__file__, importlib.__file__})


def absolute_class_path(path: str, folder: Path) -> str:
    """A class path whose file, if it names one, is no longer relative to a folder."""
    module, separator, name = path.rpartition(":")
    if not module.endswith(FILE):
        return path
    return f"{(folder / module).resolve()}{separator}{name}"


def file_of(path: str) -> Path | None:
    """The file that a class path names, if it names one."""
    module = path.rpartition(":")[0]
    return Path(module) if module.endswith(FILE) else None


def load_task_class(path: str, task: str) -> type[Task[Any]]:
    """The class of a task.

    Args:
        path: 'package.module:Class', or 'file.py:Class'; the file may import those beside it.
        task: Name of the task, for messages.

    Raises:
        TaskError: There is no such class, or it is not a task.
    """
    module_name, _, class_name = path.rpartition(":")
    file = file_of(path)
    try:
        module = import_module(module_name) if file is None else module_of_file(file)
    except (Exception, SystemExit) as error:  # the module is a user's, and may raise anything
        place = _place(error)
        if place is None and (file is None or not file.exists()):
            raise _leads_nowhere(path, task, error) from error
        where = "" if place is None else f", {place}"
        raise TaskError(
            f"task '{task}': {module_name} cannot be imported "
            f"({type(error).__name__}: {error}{where}); correct it"
        ) from error
    try:
        found = getattr(module, class_name)
    except AttributeError as error:
        raise _leads_nowhere(path, task, error) from error
    if not (isinstance(found, type) and issubclass(found, Task)):
        raise TaskError(f"task '{task}': '{path}' is not a subclass of horus_sim.rl.Task")
    if isabstract(found):
        lacking = ", ".join(sorted(f"{name}()" for name in found.__abstractmethods__))
        raise TaskError(f"task '{task}': '{path}' lacks {lacking}; name a class that has all")
    return found


def _leads_nowhere(path: str, task: str, error: BaseException) -> TaskError:
    return TaskError(
        f"task '{task}': class_path '{path}' leads nowhere ({type(error).__name__}: {error}); "
        "give it as 'package.module:Class' or 'file.py:Class'"
    )


def _place(error: BaseException) -> str | None:
    """File and line of a module that an import failed at; None where none was found to run."""
    if isinstance(error, SyntaxError):
        return error.filename  # its text has the line
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename not in _OURS and not frame.filename.startswith("<frozen importlib")
    ]
    return f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else None
