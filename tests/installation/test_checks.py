"""Each check with its part present and absent, on several systems; the remedies word by word."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from horus_sim import __version__
from horus_sim.installation import checks, install_command, probes
from horus_sim.installation.finding import Finding, Status

EGL_OF_DEBIAN = "libegl1 libopengl0 libgl1-mesa-dri"


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A Debian machine on which no probe finds anything."""
    monkeypatch.setattr(probes, "system", lambda: "debian")
    monkeypatch.setattr(probes, "executable", lambda names: None)
    monkeypatch.setattr(probes, "loadable_library", lambda names: None)
    monkeypatch.setattr(probes, "package_version", lambda distribution: None)
    monkeypatch.setattr(probes, "import_failure", lambda module: f"No module named '{module}'")
    return monkeypatch


def check(name: str) -> Finding:
    """What the doctor finds of one part."""
    (finding,) = (found for run in checks.ALL_CHECKS if (found := run()).name == name)
    return finding


@pytest.mark.parametrize(
    ("name", "purpose", "remedy"),
    [
        ("C++ compiler", "building horus-sim from source", "sudo apt-get install g++"),
        ("EGL", "cameras in 3D", f"sudo apt-get install {EGL_OF_DEBIAN}"),
        ("OpenGL", "cameras in 3D", "sudo apt-get install libopengl0"),
        ("OSMesa", "cameras in 3D where EGL does not work", "sudo apt-get install libosmesa6"),
        ("zenoh", "topics across processes", install_command("zenoh")),
        ("recording", "MCAP files, bags, Foxglove", install_command("record")),
        ("videos", "--video FILE.mp4", install_command("video")),
        ("browser", "the browser pages' tests", "sudo apt-get install chromium"),
    ],
)
def test_absent_optional_part(name: str, purpose: str, remedy: str, bare: pytest.MonkeyPatch):
    finding = check(name)
    assert (finding.purpose, finding.remedy) == (purpose, remedy)
    assert finding.status is Status.OPTIONAL


@pytest.mark.parametrize(
    ("system", "remedies"),
    [
        (
            "ubuntu",
            [
                "sudo apt-get install g++",
                f"sudo apt-get install {EGL_OF_DEBIAN}",
                "sudo apt-get install libosmesa6",
                "sudo apt-get install chromium-browser",
            ],
        ),
        (
            "fedora",
            [
                "sudo dnf install gcc-c++",
                "sudo dnf install mesa-libEGL libglvnd-opengl mesa-dri-drivers",
                "sudo dnf install mesa-libOSMesa",
                "sudo dnf install chromium",
            ],
        ),
        (
            "macos",
            [
                "xcode-select --install",
                "install EGL and OpenGL (libEGL.so.1) with your system's package manager",
                "install OSMesa (libOSMesa) with your system's package manager",
                "brew install --cask chromium",
            ],
        ),
        (
            "other",
            [
                "install a C++20 compiler with your system's package manager",
                "install EGL and OpenGL (libEGL.so.1) with your system's package manager",
                "install OSMesa (libOSMesa) with your system's package manager",
                "install Chromium with your system's package manager",
            ],
        ),
    ],
)
def test_remedies_of_other_systems(system: str, remedies: list[str], bare: pytest.MonkeyPatch):
    bare.setattr(probes, "system", lambda: system)
    names = ("C++ compiler", "EGL", "OSMesa", "browser")
    assert [check(name).remedy for name in names] == remedies


@pytest.mark.parametrize(
    ("name", "found", "detail"),
    [
        ("C++ compiler", "/usr/bin/c++", "/usr/bin/c++"),
        ("EGL", "libEGL.so.1", "libEGL.so.1"),
        ("OSMesa", "libOSMesa.so.8", "libOSMesa.so.8"),
        ("zenoh", "1.10.2", "eclipse-zenoh 1.10.2"),
        ("recording", "1.0", "foxglove-sdk 1.0, mcap 1.0"),
        ("browser", "/usr/bin/chromium", "/usr/bin/chromium"),
    ],
)
def test_present_optional_part(name: str, found: str, detail: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(probes, "executable", lambda names: found if names else None)
    monkeypatch.setattr(probes, "loadable_library", lambda names: found)
    monkeypatch.setattr(probes, "package_version", lambda distribution: found)
    finding = check(name)
    assert (finding.status, finding.detail, finding.remedy) == (Status.OK, detail, "")


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
