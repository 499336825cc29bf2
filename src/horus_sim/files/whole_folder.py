"""Folders that are copied as a whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from horus_sim.errors import HorusError
from horus_sim.files.whole_file import explained, part_of, sync_folder
from horus_sim.system import can_replace_open_files, lock, open_beside, open_folder, sync_file

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
        held = _locked(part)
        try:
            _clear(part)
            _copy(source, part)
            if not can_replace_open_files() and target.exists():
                target.rmdir()  # there a rename does not take the place of an empty folder
            # Before the lock is released, which lets the next one clear the folder.
            part.rename(target)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
        finally:
            os.close(held)
        sync_folder(target.parent)


def _locked(part: Path) -> int:
    """Makes the folder beside and locks it against others who copy to the same target."""
    part.mkdir(exist_ok=True)
    descriptor = open_folder(part)
    is_folder = descriptor is not None
    if descriptor is None:
        descriptor = open_beside(part.with_name(f"{part.name}.lock"))
    try:
        lock(descriptor)
        # Who held it may have renamed the folder since it was opened.
        if is_folder and not os.path.samestat(part.lstat(), os.fstat(descriptor)):
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
            sync_file(copy)
    sync_folder(target)
