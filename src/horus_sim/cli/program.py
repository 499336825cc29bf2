"""The programs `horus-sim`, `sim2d` and `sim3d`, from their start to the end of their process."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from collections.abc import Callable

from horus_sim import __version__


def horus_sim() -> None:
    """The program `horus-sim`."""
    if sys.argv[1:] == ["--version"]:
        # Scripts ask for it; what reads all other options takes longer to load.
        sys.stdout.write(f"horus-sim {__version__}\n")
        return
    from horus_sim.cli import app

    _run(app.main)


def sim2d() -> None:
    """The program `sim2d`."""
    from horus_sim.cli import app

    _run(app.sim2d_main)


def sim3d() -> None:
    """The program `sim3d`."""
    from horus_sim.cli import app

    _run(app.sim3d_main)


def _run(command: Callable[[], None]) -> None:
    try:
        command()
    except SystemExit as end:
        if "zenoh" not in sys.modules or not isinstance(end.code, int | None):
            raise
        _leave(end.code or 0)


def _leave(code: int) -> None:
    """Ends the process when all that Python waits for has ended.

    zenoh's threads may still be about to call Python when the interpreter is taken down, which
    would end a program that has done everything with an abort.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)
