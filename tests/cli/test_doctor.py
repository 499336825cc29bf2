"""The report of `horus-sim doctor` and its exit code, for findings made up here."""

from __future__ import annotations

import json

import pytest

from horus_sim import __version__
from horus_sim.cli import doctor
from horus_sim.installation.finding import Finding, Status

PRESENT = Finding("NumPy", Status.OK, "2.4.6", "arrays")
OPTIONAL = Finding(
    "EGL", Status.OPTIONAL, "not found", "cameras in 3D", "sudo apt-get install libegl1"
)
REQUIRED = Finding(
    "horus-sim",
    Status.MISSING,
    "no [core]",
    "the core",
    "pip install --force-reinstall horus-sim " + "and a line longer than any terminal " * 5,
)


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """A function that runs the doctor on findings and returns its exit code and output."""

    def run(*findings: Finding, as_json: bool = False) -> tuple[int, str]:
        monkeypatch.setattr(doctor, "ALL_CHECKS", [lambda finding=f: finding for f in findings])
        code = doctor.run_doctor(as_json=as_json)
        return code, capsys.readouterr().out

    return run


def test_complete_installation(report):
    code, text = report(PRESENT)
    assert code == 0
    assert f"horus-sim {__version__}" in text
    assert "To add what is missing" not in text
    assert text.endswith("Everything required is installed.\n")


def test_optional_part_missing_does_not_fail(report):
    code, text = report(PRESENT, OPTIONAL)
    assert code == 0
    assert "cameras in 3D" in text
    assert "\n  EGL:          sudo apt-get install libegl1\n" in text
    assert text.endswith("Everything required is installed.\n")


def test_required_part_missing_fails(report):
    code, text = report(PRESENT, OPTIONAL, REQUIRED)
    assert code == 1
    assert "no [core]" in text
    assert f"\n  horus-sim:    {REQUIRED.remedy}\n" in text
    assert text.endswith("Required and missing: horus-sim.\n")


@pytest.mark.parametrize(("last", "code", "ok"), [(OPTIONAL, 0, True), (REQUIRED, 1, False)])
def test_json(report, last: Finding, code: int, *, ok: bool):
    exit_code, text = report(PRESENT, last, as_json=True)
    assert exit_code == code
    document = json.loads(text)
    assert document["version"] == __version__
    assert document["ok"] is ok
    assert document["findings"][0] == {
        "name": "NumPy",
        "status": "ok",
        "detail": "2.4.6",
        "purpose": "arrays",
        "remedy": "",
    }
    assert document["findings"][1]["status"] == last.status.value


def test_every_check_runs_here():
    assert [check().name for check in doctor.ALL_CHECKS] == [
        "Python",
        "horus-sim",
        "NumPy",
        "C++ compiler",
        "EGL",
        "OpenGL",
        "OSMesa",
        "zenoh",
        "recording",
        "videos",
        "pages",
        "pictures",
        "training",
        "PyBullet",
        "browser",
    ]
