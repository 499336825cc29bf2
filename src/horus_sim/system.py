"""What operating systems do differently, each in a function: locks, forks, cores, limits, folders.

Nothing else in the package asks which system it is on for these. The modules that only some systems
have are imported here, and where they are used.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

_WRITE_BESIDE = (
    os.O_WRONLY
    | os.O_CREAT
    # Opening a pipe would wait for its reader. Windows knows none of these, but text files.
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_LOCKED_BYTE = 1 << 40
"""The byte that a lock of Windows is on, which forbids others to read it: beyond the content."""


KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Ends a process at once; on Windows every signal that ends one does."""
HANG_UP = getattr(signal, "SIGHUP", signal.SIGTERM)
"""A terminal is closed."""


def tell_group(leader: int, number: int) -> None:
    """Signals a process and those that it started, or on Windows the process alone.

    Args:
        leader: The process, which leads a group of its own.
        number: The signal.

    Raises:
        OSError: It is gone.
    """
    if hasattr(os, "killpg"):
        os.killpg(leader, number)
    else:
        os.kill(leader, number)


def available_cores() -> int:
    """Cores that this process may use, at least one."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_bytes() -> int:
    """Memory of this machine."""
    if hasattr(os, "sysconf"):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    import ctypes

    kilobytes = ctypes.c_ulonglong(0)
    windows: ctypes.CDLL = getattr(ctypes, "windll").kernel32  # noqa: B009 - not on other systems
    windows.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes))
    return kilobytes.value * 1024


def after_fork_in_child(call: Callable[[], object]) -> None:
    """Has a function called in processes that are forked from this one, where there are forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


def limit_memory(max_bytes: int) -> None:
    """Ends this process rather than let it have more memory, where the system can do that."""
    try:
        import resource
    except ImportError:
        return  # Windows
    # macOS has the limit, and refuses to set it.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))


def open_beside(path: Path) -> int:
    """A descriptor of a file to write, made where it is absent; no link is followed."""
    return os.open(path, _WRITE_BESIDE, 0o666)


def lock(descriptor: int) -> None:
    """Locks a file against others who lock it, until it is closed; at once or not at all.

    Raises:
        BlockingIOError: Another one holds it.
        OSError: The file system has no locks.
    """
    if sys.platform == "win32":
        import msvcrt

        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(errno.EAGAIN, "another process holds the lock") from error
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def can_replace_open_files() -> bool:
    """Whether a file may be renamed or removed while it is open."""
    return sys.platform != "win32"


def open_folder(path: Path, *, follow_links: bool = False) -> int | None:
    """A descriptor of a folder, to lock it or bring it to the disk; None where there is no such.

    Args:
        path: The folder.
        follow_links: Whether it may be a symbolic link to one.

    Raises:
        OSError: It is a link, or no folder, or may not be read.
    """
    if sys.platform == "win32":
        return None
    links = 0 if follow_links else os.O_NOFOLLOW
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | links)


def sync_file(path: Path) -> None:
    """Brings the content of a file to the disk."""
    # Windows does it for those who may write, others for whoever can read.
    descriptor = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def reserve_address(server: socket.socket) -> None:
    """Lets a server have its port again right after its end, but never together with another."""
    import socket

    if sys.platform == "win32":
        server.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def give_owner_and_mode(descriptor: int, like: os.stat_result) -> None:
    """Gives an open file the owner, where the system lets us, and the permissions of another."""
    if sys.platform == "win32":
        return  # there files have neither in this sense
    now = os.fstat(descriptor)
    if (like.st_uid, like.st_gid) != (now.st_uid, now.st_gid):
        # Only the superuser may; else the file belongs to who wrote it.
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, like.st_uid, like.st_gid)
    os.fchmod(descriptor, like.st_mode & 0o7777)
