"""One training at a time in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from horus_sim.errors import TrainingError


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Holds a lock, a file with the number of this process, and removes it at the end.

    What a killed process left counts for nothing. Windows has no such locks, and nothing is held.

    Raises:
        TrainingError: Another process holds it, or the file cannot be written.
    """
    if find_spec("fcntl") is None:
        yield
        return
    file = _taken(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        file.close()


def _taken(path: Path) -> IO[str]:
    while True:
        try:
            file = path.open("a+", encoding="utf-8")
        except OSError as error:
            raise TrainingError(
                f"'{path.parent}' cannot be written: {error.strerror or error}; choose a folder "
                "that can"
            ) from error
        if not _is_locked(file):
            file.seek(0)
            owner = file.read().strip() or "of another training"
            file.close()
            raise TrainingError(
                f"'{path.parent}' is in use by process {owner}; wait for its end, or choose "
                "another folder"
            )
        # Who held it may have removed the file since it was opened.
        if _is_file(path, file):
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            return file
        file.close()


def _is_locked(file: IO[str]) -> bool:
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # Some network file systems have no locks; better train than not.
        return True
    return True


def _is_file(path: Path, file: IO[str]) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
