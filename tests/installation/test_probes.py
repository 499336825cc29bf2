"""The probes against the machine at hand, and what they make of its answers."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest

from horus_sim.installation import probes


def test_package_version():
    assert probes.package_version("pytest") == pytest.__version__
    assert probes.package_version("no-such-distribution") is None


def test_import_failure_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "broken_module.py").write_text("raise ImportError('two\\n  lines')")
    monkeypatch.syspath_prepend(tmp_path)
    assert probes.import_failure("json") is None
    assert probes.import_failure("no_such_module") == "No module named 'no_such_module'"
    assert probes.import_failure("broken_module") == "two lines"


def test_executable_takes_the_first_that_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program = tmp_path / "second"
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert probes.executable(("first", "second")) == str(program)
    assert probes.executable(("first",)) is None


def test_library_that_does_not_load():
    assert probes.loadable_library(("libno-such-library.so.1",)) is None


@pytest.mark.skipif(sys.platform != "linux", reason="names a Linux library")
def test_library_that_loads():
    assert probes.loadable_library(("libno-such-library.so.1", "libc.so.6")) == "libc.so.6"


@pytest.mark.parametrize(
    ("release", "system"),
    [
        ({"ID": "debian"}, "debian"),
        ({"ID": "ubuntu", "ID_LIKE": "debian"}, "ubuntu"),
        ({"ID": "raspbian", "ID_LIKE": "debian"}, "debian"),
        ({"ID": "rhel", "ID_LIKE": "fedora"}, "fedora"),
        ({"ID": "arch"}, "other"),
        ({}, "other"),
    ],
)
def test_system(release: dict[str, str], system: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: release)
    assert probes.system() == system


def test_system_without_release_file(monkeypatch: pytest.MonkeyPatch):
    def fail() -> dict[str, str]:
        raise FileNotFoundError

    monkeypatch.setattr(sys, "platform", "freebsd14")
    monkeypatch.setattr(platform, "freedesktop_os_release", fail)
    assert probes.system() == "other"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert probes.system() == "macos"
