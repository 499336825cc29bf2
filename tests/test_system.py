"""What differs between operating systems: by modules and names that are not there, and a pretence.

The pretended Windows refuses to rename or remove a file that is open, as the real one does, and has
a lock of its own. On a real one these tests have not run.
"""

from __future__ import annotations

import ast
import contextlib
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

import horus_sim
from horus_sim import system
from horus_sim.errors import HorusError, TrainingError
from horus_sim.files.whole_file import check_writable, whole_file, write_whole
from horus_sim.files.whole_folder import copy_folder
from horus_sim.rl.training.folder_lock import held

DESCRIPTORS = Path("/proc/self/fd")
PACKAGE = Path(horus_sim.__file__).parent
MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}
NAMES = {
    "os": {
        "chown",
        "fchmod",
        "fchown",
        "fork",
        "forkpty",
        "getegid",
        "geteuid",
        "getgid",
        "getpgid",
    }
    | {"getuid", "getloadavg", "killpg", "lchown", "mkfifo", "nice", "register_at_fork", "setsid"}
    | {"sched_getaffinity", "sched_setaffinity", "statvfs", "sync", "sysconf", "uname", "wait"}
    | {"O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC", "WNOHANG"},
    "signal": {
        "SIGALRM",
        "SIGCHLD",
        "SIGHUP",
        "SIGKILL",
        "SIGPIPE",
        "SIGQUIT",
        "SIGUSR1",
        "SIGUSR2",
    }
    | {"alarm", "pause", "pthread_kill", "pthread_sigmask", "setitimer", "sigwait"},
    "socket": {"AF_UNIX", "SO_REUSEPORT", "fromfd"},
    "time": {"clock_gettime", "clock_gettime_ns", "tzset", "CLOCK_MONOTONIC"},
}
"""What CPython has on Linux and not on Windows, of its documentation."""

IMPORT_ALL = f"""
import builtins, importlib, pkgutil, sys

original = builtins.__import__
def guarded(name, globals=None, *rest, **named):
    importer = (globals or {{}}).get("__name__", "")
    if importer.split(".")[0] == "horus_sim" and name.split(".")[0] in {MODULES!r}:
        raise ModuleNotFoundError(f"{{importer}} imports {{name}}, which Windows does not have")
    return original(name, globals, *rest, **named)
builtins.__import__ = guarded

import horus_sim
for module in pkgutil.walk_packages(horus_sim.__path__, "horus_sim."):
    if module.name.split(".")[-1] == "__main__" or ".assets." in module.name:
        continue
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        if "Windows" in str(error) or str(error.name).startswith("horus_sim"):
            raise
    except ImportError:
        pass  # an extra that is not installed
print("imported", len([name for name in sys.modules if name.startswith("horus_sim.")]))
"""


def test_every_module_is_imported_without_what_windows_lacks():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", IMPORT_ALL],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    files = [path for path in PACKAGE.rglob("*.py") if "assets" not in path.parts]
    assert int(done.stdout.split()[-1]) > 0.8 * len(files)


POSIX_ALONE = {"launch/guard.py"}
"""Scripts that never run on Windows, and import nothing of ours."""


def test_only_one_module_uses_what_windows_lacks():
    found = []
    for path in PACKAGE.rglob("*.py"):
        if path == Path(system.__file__) or path.relative_to(PACKAGE).as_posix() in POSIX_ALONE:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
                continue
            if node.attr in NAMES.get(node.value.id, ()):
                found.append(f"{path.relative_to(PACKAGE)}:{node.lineno} {ast.unparse(node)}")
    assert found == []


def test_cores_are_those_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch):
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert system.available_cores() == 1
    finally:
        os.sched_setaffinity(0, before)
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert system.available_cores() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert system.available_cores() == 1


def test_memory_is_limited():
    program = (
        "from horus_sim.system import limit_memory; limit_memory(2**30)\n"
        "try: bytearray(2**31)\nexcept MemoryError: print('refused')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "refused\n"


class PretendedLocks(types.ModuleType):
    """Windows' locks: of bytes, at the place where a descriptor stands."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.owners: dict[tuple[int, int], int] = {}

    def locking(self, descriptor: int, mode: int, size: int) -> None:
        assert (mode, size) == (self.LK_NBLCK, 1)
        file = os.fstat(descriptor).st_ino
        # A lock ends with its descriptor.
        open_now = {int(one.name) for one in DESCRIPTORS.iterdir()}
        self.owners = {key: one for key, one in self.owners.items() if one in open_now}
        key = (file, os.lseek(descriptor, 0, os.SEEK_CUR))
        if self.owners.setdefault(key, descriptor) != descriptor:
            raise PermissionError(13, "Permission denied")


def is_open(path: str | os.PathLike[str]) -> bool:
    found = []
    for one in DESCRIPTORS.iterdir():
        with contextlib.suppress(FileNotFoundError):  # that of the listing itself
            found.append(str(one.readlink()))
    inside = os.path.realpath(path)
    return any(one == inside or one.startswith(f"{inside}/") for one in found)


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is different there, as far as this package has to do with it."""
    monkeypatch.setattr(system, "sys", types.SimpleNamespace(platform="win32"))
    monkeypatch.setitem(sys.modules, "msvcrt", PretendedLocks())
    for name in ("fchmod", "fchown", "register_at_fork"):
        monkeypatch.delattr(os, name)
    for name in ("replace", "rename", "unlink"):
        original = getattr(os, name)

        def refusing(path, *rest, original=original, **options):
            if is_open(path):
                raise PermissionError(13, "The process cannot access the file", str(path))
            return original(path, *rest, **options)

        monkeypatch.setattr(os, name, refusing)


def test_the_pretence_holds(windows: None, tmp_path: Path):
    path = tmp_path / "file"
    with path.open("wb"), pytest.raises(PermissionError):
        path.unlink()
    path.unlink()


def test_windows_writes_whole_files(windows: None, tmp_path: Path):
    path = tmp_path / "scene.yaml"
    for content in ("first", "second"):
        check_writable(path, HorusError)
        write_whole(path, content, HorusError)
        assert path.read_text() == content
    assert [one.name for one in tmp_path.iterdir()] == ["scene.yaml"]


def test_windows_keeps_the_old_file_when_writing_fails(windows: None, tmp_path: Path):
    path = tmp_path / "scene.yaml"
    path.write_text("old")

    def write() -> None:
        with whole_file(path, HorusError) as file:
            file.write(b"new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["scene.yaml"]


@pytest.mark.parametrize("is_there", [False, True])
def test_windows_copies_folders(windows: None, tmp_path: Path, is_there: bool):  # noqa: FBT001
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "meshes").mkdir(parents=True)
    (source / "meshes/wheel.stl").write_bytes(b"solid")
    if is_there:
        target.mkdir()
    copy_folder(source, target, HorusError)
    assert (target / "meshes/wheel.stl").read_bytes() == b"solid"


def test_windows_locks_a_folder_of_a_training(windows: None, tmp_path: Path):
    path = tmp_path / "lock"
    with held(path), pytest.raises(TrainingError, match="is in use by process"), held(path):
        pass
    assert not path.exists()


def test_a_lock_leaves_the_file_where_it_was(windows: None, tmp_path: Path):
    with (tmp_path / "file").open("w+b") as file:
        file.write(b"12345678")
        file.flush()
        file.seek(3)
        system.lock(file.fileno())
        assert file.read() == b"45678"
        with (tmp_path / "file").open("rb") as other, pytest.raises(BlockingIOError):
            system.lock(other.fileno())
