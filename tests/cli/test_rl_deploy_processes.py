"""A simulation and a policy as two processes, which know each other by topics alone."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from horus_sim.hub import connect
from horus_sim.hub.messages import CmdVel
from horus_sim.rl.deploy.layouts import layout_of

pytest.importorskip("zenoh", reason="pip install 'horus-sim[zenoh]'")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")

# Longer than anything here takes; reached only when something is broken.
LONG = 180.0
CLI = "from horus_sim.cli.app import main; main()"


class Process:
    """A command of ours, and the lines that it has printed so far."""

    def __init__(self, *words: str) -> None:
        self.lines: list[str] = []
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", CLI, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    def wait_for(self, part: str) -> None:
        """Waits until a line has this in it."""
        end = time.monotonic() + LONG
        while not any(part in line for line in self.lines):
            assert time.monotonic() < end, (part, self.lines)
            if self.process.poll() is not None:
                self._reader.join(LONG)
                assert any(part in line for line in self.lines), (part, self.lines)
                return
            time.sleep(0.05)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(LONG)
        self._reader.join(LONG)
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextlib.contextmanager
def running(*words: str) -> Iterator[Process]:
    process = Process(*words)
    try:
        yield process
    finally:
        process.end()


def layout(folder: Path) -> tuple[Path, str]:
    """A layout without obstacles, and its goal."""
    scene, goal = layout_of("NavigationOpen", 5)
    assert goal is not None
    scene.save(folder / "layout.yaml")
    return folder / "layout.yaml", goal


def test_a_policy_drives_the_robot_of_another_process_to_its_goal(tmp_path):
    scene, goal = layout(tmp_path)
    session = f"deploy-{os.getpid()}"
    with running(
        "sim3d", str(scene), "--headless", "--ros-names", "--session", session
    ) as simulation:
        simulation.wait_for(f"topics of session '{session}'")
        # On a machine that is busy with other things messages come late, and nothing is wrong.
        with running(
            "rl", "deploy", "NavigationOpen", "--session", session, f"--goal={goal}", "--once",
            "--stale", "30", "--wait", "120",
        ) as node:  # fmt: skip
            node.wait_for("time: simulated")
            node.wait_for("arrived: 0.")
            assert node.process.wait(LONG) == 0
        assert simulation.process.poll() is None


def test_a_robot_stops_when_its_policy_or_its_simulation_is_gone(tmp_path):
    scene, _ = layout(tmp_path)
    session = f"watchdog-{os.getpid()}"
    with (
        running(
            "sim3d", str(scene), "--headless", "--ros-names", "--session", session
        ) as simulation,
        connect("zenoh://", session) as hub,
    ):
        simulation.wait_for(f"topics of session '{session}'")
        commands = hub.subscribe("cmd_vel", CmdVel)
        words = ("rl", "deploy", "NavigationOpen", "--session", session, "--goal=50,0")
        with running(*words, "--stale", "30", "--wait", "120") as node:
            node.wait_for("acting at 20 Hz")
            assert commands.wait(LONG) is not None
            node.process.send_signal(signal.SIGTERM)
            assert node.process.wait(LONG) == 143
            node.wait_for("interrupted; the robot was stopped")
        end, last = time.monotonic() + LONG, None
        while last != CmdVel(0.0, 0.0):
            assert time.monotonic() < end, last
            last = commands.wait(1.0) or last
        # The simulation dies without a word: the node says so, and sends no speed into nothing.
        with running(*words, "--stale", "30", "--wait", "120") as node:
            node.wait_for("acting at 20 Hz")
            simulation.process.kill()
            node.wait_for("the simulation stands still, or is gone; the robot was stopped")


def test_a_session_without_the_robot_is_told(tmp_path):
    session = f"nobody-{os.getpid()}"
    with running(
        "rl", "deploy", "NavigationOpen", "--session", session, "--wait", "1", "--time", "wall"
    ) as node:
        assert node.process.wait(LONG) == 1
        node.wait_for("nobody sends topic 'scan' (sensor_msgs/msg/LaserScan): start the laser")
