"""Files that are never seen half written.

What reads a path sees the old content or the new one, also when the process is killed, the disk is
full or the power fails. The new content is written to a hidden file beside the path, brought to the
disk, and renamed. A file that a killed process left is reused by the next one that writes the path.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from horus_sim.errors import HorusError
from horus_sim.system import (
    can_replace_open_files,
    give_owner_and_mode,
    lock,
    open_beside,
    open_folder,
)

_ENDING = ".part"
_LONGEST_WAIT_S = 30.0
_LONGEST_NAME_BYTES = 255
_CHOOSE_ANOTHER = "free some space or choose another file"


@contextlib.contextmanager
def whole_file(
    path: Path, error_type: type[HorusError], remedy: str = _CHOOSE_ANOTHER
) -> Iterator[BinaryIO]:
    """Opens a file whose content takes the place of the old one when the block ends.

    Where the block raises, the old content stays. See `replacing` for what else is kept.

    Args:
        path: The file to write; its folder must exist.
        error_type: Raised where the file cannot be written.
        remedy: What to do then.

    Raises:
        HorusError: An error of the given type; the file cannot be written.
    """
    with explained(path, error_type, remedy), replacing(path) as file:
        yield file


def write_whole(
    path: Path,
    content: str | bytes,
    error_type: type[HorusError],
    remedy: str = _CHOOSE_ANOTHER,
) -> None:
    """Writes a file as a whole; see `whole_file`.

    Args:
        path: The file to write; its folder must exist.
        content: Bytes, or text that is written as UTF-8.
        error_type: Raised where the file cannot be written.
        remedy: What to do then.

    Raises:
        HorusError: An error of the given type; the file cannot be written, or the text is not
            Unicode.
    """
    try:
        data = content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        raise error_type(
            f"'{path}' cannot be written: its text has half of a character "
            f"({error.object[error.start : error.end]!a}); remove it."
        ) from error
    with whole_file(path, error_type, remedy) as file:
        file.write(data)


def copy_whole(source: Path, path: Path) -> None:
    """Copies a file, as a whole.

    Raises:
        OSError: One cannot be read or the other not be written.
    """
    with source.open("rb") as original, replacing(path) as file:
        shutil.copyfileobj(original, file)


def check_writable(
    path: Path, error_type: type[HorusError], remedy: str = "choose another file"
) -> None:
    """Finds out before long work whether a file can be written after it; the file stays as it is.

    Raises:
        HorusError: An error of the given type; it cannot.
    """
    with explained(path, error_type, remedy):
        target = Path(os.path.realpath(path))
        if _can_be_replaced(target):
            part = part_of(target)
            with _locked(part):
                if can_replace_open_files():
                    part.unlink()
                    return
            part.unlink(missing_ok=True)


def is_part(path: Path) -> bool:
    """Whether a file is one that is being written, or what a killed process left of one."""
    return path.name.startswith(".") and path.name.endswith(_ENDING)


@contextlib.contextmanager
def replacing(path: Path, *, sync: bool = True) -> Iterator[BinaryIO]:
    """As `whole_file`, with the errors of the operating system.

    The permissions of an existing file stay, and so does its owner where the system lets us set it.
    Through a symbolic link the file it points to is replaced. Pipes and devices are written as they
    are. Others who write the same path wait for each other.

    Args:
        path: The file to write; its folder must exist.
        sync: Whether to wait until the content is on the disk. Without it a power failure may leave
            an empty file: for what can be made anew.

    Raises:
        OSError: The file cannot be written.
    """
    target = Path(os.path.realpath(path))
    if not _can_be_replaced(target):
        with target.open("wb") as file:
            yield file
        return
    part = part_of(target)
    file = _locked(part)
    try:
        _take_after(target, file.fileno())
        yield file
        file.flush()
        if sync:
            os.fsync(file.fileno())
        if can_replace_open_files():
            # Before the file is closed, which gives the lock to the next one.
            part.replace(target)
        else:
            file.close()
            part.replace(target)
    except BaseException:
        if can_replace_open_files():
            part.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # the one that is on its way, for the rest of the buffer
            file.close()
        if not can_replace_open_files():
            part.unlink(missing_ok=True)
        raise
    file.close()
    if sync:
        sync_folder(target.parent)


def part_of(target: Path) -> Path:
    """The hidden path beside a file or folder under which its new content is written."""
    name = f".{target.name}{_ENDING}"
    if len(os.fsencode(name)) > _LONGEST_NAME_BYTES:
        name = f".{hashlib.sha256(os.fsencode(name)).hexdigest()}{_ENDING}"
    return target.with_name(name)


def _can_be_replaced(target: Path) -> bool:
    """Whether it is a file or absent, rather than a pipe or a device.

    Raises:
        OSError: It is a folder, or protected, as it would be for a plain open.
    """
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return True
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    # A rename would not ask for it.
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    return stat.S_ISREG(mode)


def _locked(part: Path) -> BinaryIO:
    """Opens the file beside, empty and locked against others who write the same path."""
    give_up = time.monotonic() + _LONGEST_WAIT_S
    while True:
        _check_regular(part)
        file = os.fdopen(open_beside(part), "wb")
        try:
            # Who held it may have renamed the file since it was opened.
            if _took_lock(file) and _is_still(part, file):
                file.truncate(0)
                return file
        except BaseException:
            file.close()
            raise
        file.close()
        if time.monotonic() > give_up:
            raise BlockingIOError(errno.EBUSY, "another process is writing it", str(part))
        time.sleep(0.005)


def _check_regular(part: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(part.lstat().st_mode):
            reason = f"'{part.name}' beside it is in the way, which is not a regular file"
            raise FileExistsError(errno.EEXIST, reason, str(part))


def _took_lock(file: BinaryIO) -> bool:
    try:
        lock(file.fileno())
    except BlockingIOError:
        return False
    except OSError as error:
        # Some network file systems have no locks; it is better to save than not to.
        return error.errno in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)
    return True


def _is_still(part: Path, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(part.lstat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _take_after(target: Path, descriptor: int) -> None:
    """Gives a new file the permissions and the owner of the old one."""
    try:
        old = target.stat()
    except FileNotFoundError:
        return
    give_owner_and_mode(descriptor, like=old)


def sync_folder(folder: Path) -> None:
    """Brings the names in a folder to the disk, where the file system can."""
    # The file is whole already; some folders may not be read, some file systems cannot do it.
    with contextlib.suppress(OSError):
        descriptor = open_folder(folder, follow_links=True)
        if descriptor is None:
            return
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def explained(path: Path, error_type: type[HorusError], remedy: str) -> Iterator[None]:
    """Raises errors of the operating system as ones that name the path and the remedy.

    Raises:
        HorusError: An error of the given type.
    """
    try:
        yield
    except OSError as error:
        if isinstance(error, HorusError):
            raise
        raise error_type(
            f"'{path}' cannot be written: {error.strerror or error}; {remedy}"
        ) from error
