"""Fixtures and settings that every test may use."""

from __future__ import annotations

import os
import secrets
import signal
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
IN_CI = os.environ.get("CI") == "true"
# Workers do not share a router of zenoh, so that none of them sees or ends that of another; nor do
# runs of the same checkout in several roots, whose paths and process numbers are the same.
os.environ["HORUS_ROUTER_PORT"] = str(20_000 + secrets.randbelow(10_000))
# A shell has what it starts in the background ignore Ctrl-C, and all that this starts in turn.
signal.signal(signal.SIGINT, signal.default_int_handler)
LONG_RUN_S = 60.0
"""A shorter run does not tell where its time went."""

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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How long the tests of each folder took, all workers added up."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[area_of(report.nodeid)] += report.duration
    if sum(seconds.values()) < LONG_RUN_S:
        return
    terminalreporter.section("minutes of each area")
    for area, duration in sorted(seconds.items(), key=lambda item: -item[1]):
        terminalreporter.write_line(f"{duration / 60:6.1f}  {area}")


def area_of(nodeid: str) -> str:
    """The folder of a test below `tests`, such as `sim3d`, or its file where it has none."""
    parts = nodeid.split("::")[0].split("/")
    return parts[1] if len(parts) > 1 else parts[0]
