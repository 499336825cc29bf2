"""One training at a time in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from horus_sim.errors import TrainingError
from horus_sim.files.whole_file import explained
from horus_sim.system import can_replace_open_files, lock


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Holds a lock, a file with the number of this process, and removes it at the end.

    What a killed process left counts for nothing.

    Raises:
        TrainingError: Another process holds it, or the file cannot be written.
    """
    file = None
    while file is None:
        file = _taken(path)
    try:
        yield
    finally:
        if not can_replace_open_files():
            file.close()  # the next one may take it before it is removed, and then it stays
        with suppress(PermissionError):
            path.unlink(missing_ok=True)
        file.close()


def _taken(path: Path) -> IO[str] | None:
    """The locked file, or None where who held it removed it since it was opened."""
    with explained(path.parent, TrainingError, "choose a folder that can"):
        file = path.open("a+", encoding="utf-8")
    try:
        lock(file.fileno())
    except BlockingIOError:
        with file:
            file.seek(0)
            owner = file.read().strip() or "of another training"
        raise TrainingError(
            f"'{path.parent}' is in use by process {owner}; wait for its end, or choose another "
            "folder"
        ) from None
    except OSError:
        pass  # some network file systems have no locks; better train than not
    with suppress(FileNotFoundError):
        if os.path.samestat(path.stat(), os.fstat(file.fileno())):
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            return file
    file.close()
    return None
