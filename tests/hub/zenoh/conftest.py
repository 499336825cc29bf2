"""Our side and programs of zenoh-ros2-sdk, in a domain of their own."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator

import pytest

from horus_sim.hub import Hub, connect
from horus_sim.hub.zenoh.keys import DOMAIN_VARIABLE

from .ros2_sdk import FOREIGN, Program, Start

_DOMAIN = "42"


@pytest.fixture
def ros_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain ROS topics; skips the test where the other side is not installed."""
    if importlib.util.find_spec("zenoh_ros2_sdk") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("zenoh-ros2-sdk is not installed and CI=true asks for it", pytrace=False)
        pytest.skip("zenoh-ros2-sdk is not installed: pip install -e '.[dev]'")
    monkeypatch.setenv(DOMAIN_VARIABLE, _DOMAIN)
    monkeypatch.delenv("HORUS_SESSION_ID", raising=False)


@pytest.fixture
def ros_hub(ros_domain: None) -> Iterator[Hub]:
    """Our side."""
    with connect("zenoh://", name="our_robot") as hub:
        yield hub


@pytest.fixture
def foreign(ros_domain: None) -> Iterator[Start]:
    """Starts programs of the other side and ends them after the test."""
    running: list[Program] = []

    def start(code: str, **environment: str) -> Program:
        running.append(Program([sys.executable, "-c", FOREIGN + code], environment))
        return running[-1]

    yield start
    for each in running:
        each.close()
