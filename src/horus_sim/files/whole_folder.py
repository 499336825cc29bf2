"""Folders that are copied as a whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from pathlib import Path

from horus_sim.errors import HorusError
from horus_sim.files.whole_file import explained, part_of, sync_folder

_LEFT_OUT = "__pycache__"


def copy_folder(source: Path, target: Path, error_type: type[HorusError]) -> None:
    """Copies a folder, without Python's caches; the copy has its name only once it is complete.

    The files are written to a hidden folder beside the target, brought to the disk, and renamed. A
    folder that a killed process left is taken by the next copy to the same target.

    Args:
        source: The folder to copy; what its symbolic links point to is copied.
        target: The new folder; it must not exist, or be empty. Folders above it are made.
        error_type: Raised where the folder cannot be copied.

    Raises:
        HorusError: An error of the given type; nothing is left of the copy.
    """
    with explained(target, error_type, "free some space or choose another place"):
        if not target.parent.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
        part = part_of(target)
        lock = _locked(part)
        try:
            _clear(part)
            _copy(source, part)
            # Before the lock is released, which lets the next one clear the folder.
            part.rename(target)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
        finally:
            os.close(lock)
        sync_folder(target.parent)


def _locked(part: Path) -> int:
    """Makes the folder beside and locks it against others who copy to the same target."""
    part.mkdir(exist_ok=True)
    descriptor = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Who held it may have renamed the folder since it was opened.
        if not os.path.samestat(part.lstat(), os.fstat(descriptor)):
            raise BlockingIOError
    except (BlockingIOError, FileNotFoundError) as error:
        os.close(descriptor)
        raise BlockingIOError(errno.EBUSY, "another process is writing it", str(part)) from error
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _clear(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _copy(source: Path, target: Path) -> None:
    for entry in sorted(source.iterdir()):
        copy = target / entry.name
        if entry.name == _LEFT_OUT:
            continue
        if entry.is_dir():
            copy.mkdir()
            _copy(entry, copy)
        else:
            shutil.copyfile(entry, copy)
            shutil.copymode(entry, copy)
            _sync(copy)
    sync_folder(target)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
