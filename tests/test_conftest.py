"""The fixtures of conftest.py, each run in a pytest of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
def test_folder(shared):
    assert shared.name == "shared"

def test_file(shared_data):
    assert shared_data("tf/cases.json").read_text() == "[]"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    tests = tmp_path / "checkout" / "tests"
    tests.mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("conftest.py"), tests)
    (tests / "test_shared.py").write_text(TESTS)
    return tests.parent


def outcome(checkout: Path, **environment: str) -> tuple[str, str]:
    """The closing line of a run without its colour and duration, and the whole output."""
    inherited = {k: v for k, v in os.environ.items() if k not in {"CI", "HORUS_SHARED"}}
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", "tests"],
        cwd=checkout,
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    closing = re.sub(r"[= ]+(.*) in [\d.]+s[= ]+", r"\1", result.stdout.splitlines()[-1])
    return closing, result.stdout


def test_shared_folder_is_beside_the_repository(checkout: Path):
    cases = checkout.parent / "shared" / "tf" / "cases.json"
    cases.parent.mkdir(parents=True)
    cases.write_text("[]")
    assert outcome(checkout, CI="true")[0] == "2 passed"


def test_environment_variable_names_another_folder(checkout: Path, tmp_path: Path):
    cases = tmp_path / "elsewhere" / "shared" / "tf" / "cases.json"
    cases.parent.mkdir(parents=True)
    cases.write_text("[]")
    assert outcome(checkout, HORUS_SHARED=str(cases.parent.parent))[0] == "2 passed"


def test_absent_data_skips_with_the_reason(checkout: Path):
    closing, output = outcome(checkout)
    assert closing == "2 skipped"
    assert f"conformance data is absent: {checkout.parent / 'shared'}" in output


def test_absent_data_fails_in_ci(checkout: Path):
    closing, output = outcome(checkout, CI="true")
    assert closing == "2 errors"
    assert "CI=true asks for it" in output
