"""Each check with its part present and absent, on several systems; the remedies word by word."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from horus_sim import __version__
from horus_sim.installation import checks, install_command, probes
from horus_sim.installation.finding import Finding, Status


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A Debian machine on which no probe finds anything."""
    monkeypatch.setattr(probes, "system", lambda: "debian")
    monkeypatch.setattr(probes, "executable", lambda names: None)
    monkeypatch.setattr(probes, "loadable_library", lambda names: None)
    monkeypatch.setattr(probes, "package_version", lambda distribution: None)
    monkeypatch.setattr(probes, "import_failure", lambda module: f"No module named '{module}'")
    return monkeypatch


@pytest.mark.parametrize(
    ("check", "name", "purpose", "remedy"),
    [
        (
            checks.check_compiler,
            "C++ compiler",
            "building horus-sim from source",
            "sudo apt-get install g++",
        ),
        (checks.check_egl, "EGL", "cameras in 3D", "sudo apt-get install libegl1"),
        (
            checks.check_osmesa,
            "OSMesa",
            "cameras in 3D where EGL does not work",
            "sudo apt-get install libosmesa6",
        ),
        (
            checks.check_zenoh,
            "zenoh",
            "topics across processes",
            install_command("zenoh"),
        ),
        (
            checks.check_browser,
            "browser",
            "the browser pages' tests",
            "sudo apt-get install chromium",
        ),
    ],
)
def test_absent_optional_part(
    check: Callable[[], Finding],
    name: str,
    purpose: str,
    remedy: str,
    bare: pytest.MonkeyPatch,
):
    finding = check()
    assert (finding.name, finding.purpose, finding.remedy) == (name, purpose, remedy)
    assert finding.status is Status.OPTIONAL


@pytest.mark.parametrize(
    ("system", "remedies"),
    [
        (
            "ubuntu",
            [
                "sudo apt-get install g++",
                "sudo apt-get install libegl1",
                "sudo apt-get install libosmesa6",
                "sudo apt-get install chromium-browser",
            ],
        ),
        (
            "fedora",
            [
                "sudo dnf install gcc-c++",
                "sudo dnf install mesa-libEGL",
                "sudo dnf install mesa-libOSMesa",
                "sudo dnf install chromium",
            ],
        ),
        (
            "macos",
            [
                "xcode-select --install",
                "install EGL (libEGL.so.1) with your system's package manager",
                "install OSMesa (libOSMesa) with your system's package manager",
                "brew install --cask chromium",
            ],
        ),
        (
            "other",
            [
                "install a C++20 compiler with your system's package manager",
                "install EGL (libEGL.so.1) with your system's package manager",
                "install OSMesa (libOSMesa) with your system's package manager",
                "install Chromium with your system's package manager",
            ],
        ),
    ],
)
def test_remedies_of_other_systems(system: str, remedies: list[str], bare: pytest.MonkeyPatch):
    bare.setattr(probes, "system", lambda: system)
    system_checks = [
        checks.check_compiler,
        checks.check_egl,
        checks.check_osmesa,
        checks.check_browser,
    ]
    assert [check().remedy for check in system_checks] == remedies


@pytest.mark.parametrize(
    ("check", "found"),
    [
        (checks.check_compiler, "/usr/bin/c++"),
        (checks.check_egl, "libEGL.so.1"),
        (checks.check_osmesa, "libOSMesa.so.8"),
        (checks.check_zenoh, "1.10.2"),
        (checks.check_browser, "/usr/bin/chromium"),
    ],
)
def test_present_optional_part(
    check: Callable[[], Finding], found: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(probes, "executable", lambda names: found)
    monkeypatch.setattr(probes, "loadable_library", lambda names: found)
    monkeypatch.setattr(probes, "package_version", lambda distribution: found)
    finding = check()
    assert (finding.status, finding.detail, finding.remedy) == (Status.OK, found, "")


def test_python_too_old(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(probes, "python_version", lambda: (3, 10, 12))
    finding = checks.check_python()
    assert finding.status is Status.MISSING
    assert finding.detail == f"3.10.12 ({sys.executable}) is too old"
    assert finding.remedy == "install Python 3.11 or newer"


def test_python_new_enough(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(probes, "python_version", lambda: (3, 11, 0))
    assert checks.check_python().status is Status.OK


def test_native_extension_that_does_not_load(bare: pytest.MonkeyPatch):
    finding = checks.check_native()
    assert finding.status is Status.MISSING
    assert finding.detail == (
        f"{__version__}, native extension does not load: No module named 'horus_sim._native._core'"
    )
    assert finding.remedy == (
        "pip install --force-reinstall horus-sim (in a checkout: rm -rf .venv && ./run.sh doctor)"
    )


def test_numpy_that_does_not_load(bare: pytest.MonkeyPatch):
    finding = checks.check_numpy()
    assert finding == Finding(
        "NumPy", Status.MISSING, "No module named 'numpy'", "arrays", "pip install numpy"
    )


@pytest.mark.parametrize("check", [checks.check_python, checks.check_native, checks.check_numpy])
def test_required_parts_are_here(check: Callable[[], Finding]):
    assert check().status is Status.OK
