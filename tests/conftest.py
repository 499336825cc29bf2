"""Fixtures and settings that every test may use."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
IN_CI = os.environ.get("CI") == "true"

# No deadline: a busy machine must not fail a property. In CI the same examples run every time.
hypothesis.settings.register_profile("default", deadline=None, max_examples=100, derandomize=IN_CI)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=5000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` beside the repository, with conformance data; HORUS_SHARED overrides it.

    Where it is absent the test is skipped; it fails where CI=true.
    """
    return _require(Path(os.environ.get("HORUS_SHARED", REPOSITORY.parent / "shared")))


@pytest.fixture(scope="session")
def shared_data(shared: Path) -> Callable[[str], Path]:
    """A function from a path inside the folder `shared` to the file or folder, which exists."""
    return lambda relative: _require(shared / relative)


def _require(path: Path) -> Path:
    if path.exists():
        return path
    reason = f"conformance data is absent: {path}; HORUS_SHARED names the folder that holds it"
    if IN_CI:
        pytest.fail(f"{reason} (CI=true asks for it)", pytrace=False)
    pytest.skip(reason)
