"""Launch files: YAML, JSON or Python."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from horus_sim.errors import HorusError, LaunchError
from horus_sim.files.document import Document, Problem, read_bytes, read_document
from horus_sim.files.explaining import checked
from horus_sim.files.overrides import overridden
from horus_sim.launch.checking import require_sound
from horus_sim.launch.config import Launch

NAME = "launch"
"""What a Python file defines: a `Launch`, or a function that gives one."""
_EXAMPLE = "world.seed=2"
_MOST_PYTHON_BYTES = 1_000_000


def load_launch(path: str | Path, changes: Mapping[str, Any] | Iterable[str] = ()) -> Launch:
    """A launch from a file, whose relative paths begin in the folder of the file.

    Args:
        path: A Python file (``.py``) that defines ``launch``, a `Launch` or a function that gives
            one; else YAML or JSON.
        changes: Values to change, as ``{"world.seed": 2}`` or as words ``["world.seed=2"]``.

    Raises:
        LaunchError: The file cannot be read, or something in it does not fit or is missing.
    """
    path = Path(path)
    document = _python_document(path) if path.suffix == ".py" else _plain_document(path)
    document = overridden(document, changes, LaunchError, _EXAMPLE)
    launch = checked(Launch, document, LaunchError)
    launch = launch.model_copy(update={"folder": path.resolve().parent / launch.folder})
    require_sound(launch, document)
    return launch


def _plain_document(path: Path) -> Document:
    document = read_document(path, LaunchError, "give a launch file")
    if document.data is None:
        document = dataclasses.replace(document, data={})
    if not isinstance(document.data, dict):
        text = "a launch is a mapping with the keys 'world' and 'nodes'"
        raise LaunchError(str(document.problem((), text)))
    return document


def _python_document(path: Path) -> Document:
    """What a Python file defines, as plain data, so that it can be changed like the others."""
    read_bytes(path, _MOST_PYTHON_BYTES, LaunchError, "give a launch file")
    found = _defined(path)
    if not isinstance(found, Launch):
        raise LaunchError(
            f"{path}: '{NAME}' gives {found!r:.80}; it must be a horus_sim.launch.Launch"
        )
    return Document(found.model_dump(exclude_unset=True), str(path))


def _defined(path: Path) -> object:
    """The value of `launch` in a Python file."""
    folder = str(path.resolve().parent)
    spec = importlib.util.spec_from_file_location(f"horus_sim_launch_file_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise LaunchError(f"{path} cannot be loaded as a Python module; rename it")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)  # modules beside it
    try:
        spec.loader.exec_module(module)
        found = getattr(module, NAME, None)
        if found is None:
            raise LaunchError(
                f"{path}: it defines no '{NAME}'; write launch = Launch(...), or a function "
                "launch() that gives one"
            )
        return found() if callable(found) else found
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False)
        lines = [_line(path, error), *(_shown(detail) for detail in details)]
        raise LaunchError("\n".join(lines)) from None
    except HorusError:
        raise
    except (Exception, SystemExit) as error:
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        raise LaunchError(f"{_line(path, error)} {cause}; correct the file") from error
    finally:
        sys.path.remove(folder)


def _line(path: Path, error: BaseException) -> str:
    """The file with the line of it where an exception came from."""
    if isinstance(error, SyntaxError):
        return str(Problem(str(path), "", error.lineno, "")) + ":"
    frames = traceback.extract_tb(error.__traceback__)
    here = path.resolve()
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == here]
    return str(Problem(str(path), "", lines[-1] if lines else None, "")) + ":"


def _shown(detail: Any) -> str:  # noqa: ANN401 - a mistake as pydantic tells it
    place = ".".join(str(part) for part in detail["loc"])
    text = detail["msg"].removeprefix("Value error, ")
    return f"  {place}: {text}" if place else f"  {text}"
