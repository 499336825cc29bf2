"""An unexpected error of a command: one line for the user, and all details in a file to send."""

from __future__ import annotations

import os
import platform
import shlex
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from horus_sim import __version__
from horus_sim.errors import HorusError
from horus_sim.files.cache import cache_folder
from horus_sim.files.whole_file import write_whole
from horus_sim.installation import command

_PACKAGES = ("mujoco", "numpy", "nicegui", "eclipse-zenoh", "gymnasium", "torch")
_MOST_LOGS = 20


def crash_report(error: Exception, arguments: Sequence[str]) -> str:
    """The line for an unexpected error, whose details are written to a file.

    Args:
        error: The error.
        arguments: Arguments of the command, without the program's name.
    """
    last = traceback.extract_tb(error.__traceback__)[-1:]
    place = "".join(f" ({frame.filename}, line {frame.lineno})" for frame in last)
    message = " ".join(str(error).split())
    what = f"unexpected {type(error).__name__}{': ' if message else ''}{message:.300}{place}"
    again = f"run it again as '{command('--debug ...')}' to see them"
    try:
        path = _write(_details(error, arguments))
    except HorusError as unwritable:
        return f"{what}; its details are lost ({unwritable}): {again}"
    return f"{what}; please report it with the details in {path}, or {again}"


def _details(error: Exception, arguments: Sequence[str]) -> str:
    lines = [
        f"command   horus-sim {shlex.join(arguments)}",
        f"version   horus-sim {__version__}",
        f"python    {sys.version}",
        f"platform  {platform.platform()}",
        f"packages  {', '.join(_versions())}",
        "",
        *traceback.format_exception(error),
    ]
    # Paths may hold bytes that are not text.
    return "\n".join(lines).encode(errors="backslashreplace").decode()


def _versions() -> list[str]:
    found = []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} absent")
    return found


def _write(text: str) -> Path:
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    try:
        folder = cache_folder("crashes")
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / name, text, HorusError)
        # Only the newest: a command may crash in a loop.
        for old in sorted(folder.glob("*.txt"))[:-_MOST_LOGS]:
            old.unlink(missing_ok=True)
    except (OSError, RuntimeError, HorusError):
        # Whoever has no home or no room in it has a folder for temporary files.
        folder = Path(tempfile.gettempdir())
        name = f"horus-sim-{name}"
        write_whole(folder / name, text, HorusError)
    return folder / name
