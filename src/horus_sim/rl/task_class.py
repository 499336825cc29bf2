"""Classes of tasks, by a module's or a file's name."""

from __future__ import annotations

import hashlib
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import isabstract
from pathlib import Path
from types import ModuleType
from typing import Any

from horus_sim.errors import TaskError
from horus_sim.rl.task import Task

_FILE = ".py"


def absolute_class_path(path: str, folder: Path) -> str:
    """A class path whose file, if it names one, is no longer relative to a folder."""
    module, separator, name = path.rpartition(":")
    if not module.endswith(_FILE):
        return path
    return f"{(folder / module).resolve()}{separator}{name}"


def load_task_class(path: str, task: str) -> type[Task[Any]]:
    """The class of a task.

    Args:
        path: 'package.module:Class', or 'file.py:Class'; the file may import those beside it.
        task: Name of the task, for messages.

    Raises:
        TaskError: There is no such class, or it is no task.
    """
    module_name, _, class_name = path.rpartition(":")
    try:
        load = _module_of_file if module_name.endswith(_FILE) else import_module
        found = getattr(load(module_name), class_name)
    except (ImportError, AttributeError, OSError, ValueError, TypeError) as error:
        raise TaskError(
            f"task '{task}': class_path '{path}' leads nowhere ({type(error).__name__}: {error}); "
            "give it as 'package.module:Class' or 'file.py:Class'"
        ) from error
    except Exception as error:  # the module is a user's, and may raise anything
        raise TaskError(
            f"task '{task}': {module_name} cannot be imported ({type(error).__name__}: {error}); "
            "correct it"
        ) from error
    if not (isinstance(found, type) and issubclass(found, Task)):
        raise TaskError(f"task '{task}': '{path}' is no subclass of horus_sim.rl.Task")
    if isabstract(found):
        lacking = ", ".join(sorted(f"{name}()" for name in found.__abstractmethods__))
        raise TaskError(f"task '{task}': '{path}' lacks {lacking}; name a class that has all")
    return found


def _module_of_file(file: str) -> ModuleType:
    path = Path(file).resolve()
    digest = hashlib.sha256(str(path).encode()).hexdigest()[:12]
    # Files of the same name in two folders are two modules.
    name = f"horus_sim_task_{path.stem}_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = module_from_spec(spec)
    folder = str(path.parent)
    # Pydantic and dataclasses look for the module of a class here.
    sys.modules[name] = module
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.path.remove(folder)
    return module
