"""Modules from files of tasks, which are read anew when they are asked for anew."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Iterable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

FILE = ".py"
# Modules that files brought in, by their names: those of files, and of what lies beside them.
_folders: dict[str, Path] = {}


def module_name(file: Path) -> str:
    """Name of the module of a file; files of the same name in two folders are two modules."""
    path = file.resolve()
    digest = hashlib.sha256(str(path).encode()).hexdigest()[:12]
    return f"horus_sim_task_{path.stem}_{digest}"


def module_of_file(file: Path) -> ModuleType:
    """The module of a file, which may import those beside it; the same until it is forgotten.

    Raises:
        ImportError: It is not a Python file. Anything else comes from the file itself.
    """
    path, name = file.resolve(), module_name(file)
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = module_from_spec(spec)
    folder = path.parent
    _drop({other for other, home in _folders.items() if home != folder and _has(folder, other)})
    before = set(sys.modules)
    # Pydantic and dataclasses look for the module of a class here.
    sys.modules[name] = module
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    # Compiled files are told from new ones by whole seconds, which an edit may take less than.
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    except BaseException:
        _drop({name, *_beside(folder, before)})
        raise
    finally:
        sys.dont_write_bytecode = writes
        sys.path.remove(str(folder))
    _folders.update(dict.fromkeys((name, *_beside(folder, before)), folder))
    return module


def forget_files(files: Iterable[Path]) -> dict[str, ModuleType]:
    """Lets files, and what they imported from beside them, be read anew.

    Returns:
        What was forgotten, to be given to `remember_files` if the new ones do not do.
    """
    folders = {file.resolve().parent for file in files}
    return _drop({name for name, folder in _folders.items() if folder in folders})


def remember_files(modules: dict[str, ModuleType]) -> None:
    """Puts back what was forgotten."""
    sys.modules.update(modules)


def _drop(names: set[str]) -> dict[str, ModuleType]:
    return {name: sys.modules.pop(name) for name in names if name in sys.modules}


def _has(folder: Path, name: str) -> bool:
    top = name.partition(".")[0]
    return (folder / top).is_dir() or (folder / f"{top}{FILE}").exists()


def _beside(folder: Path, before: set[str]) -> list[str]:
    """Names of modules that are new, and files or packages in a folder."""
    return [
        name
        for name, module in list(sys.modules.items())
        if name not in before and _is_beside(folder, name.partition(".")[0], module)
    ]


def _is_beside(folder: Path, top: str, module: ModuleType) -> bool:
    # Not all that is below: an environment with other packages may be, too.
    origin = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    if not isinstance(origin, str):
        return False
    path = Path(origin)
    return path == folder / f"{top}{FILE}" or (path / "_").is_relative_to(folder / top)
