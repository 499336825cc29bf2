"""The page and topics together: a node in another process drives the robot that one watches."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.ui.conftest import LONGEST_S, Visit

from horus_sim.cli import app
from horus_sim.running.recording import CommandLog

if TYPE_CHECKING:
    from playwright.sync_api import Page

if importlib.util.find_spec("zenoh") is None:
    if os.environ.get("CI") == "true":
        pytest.fail("zenoh is not installed and CI=true asks for it", pytrace=False)
    pytest.skip("zenoh is not installed: pip install 'horus-sim[zenoh]'", allow_module_level=True)

CLI = "from horus_sim.cli.program import horus_sim; horus_sim()"
# Ahead where there is room, else to the left; each scan is answered.
NODE = """
import sys
import numpy as np
from horus_sim.hub import QoS, connect
from horus_sim.hub.messages import CmdVel, LaserScan
with connect("zenoh://", session=sys.argv[1], name="wanderer") as hub:
    scans = hub.subscribe("burger/scan", LaserScan, QoS(depth=1))
    drive = hub.publisher("burger/cmd_vel", CmdVel)
    while True:
        scan = scans.wait(60)
        if scan is None:
            raise SystemExit("no scan came")
        angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        ahead = np.abs(np.remainder(angles + np.pi, 2 * np.pi) - np.pi) < 0.4
        is_free = float(np.min(scan.ranges[ahead])) > 0.5
        drive.send(CmdVel(0.1 if is_free else 0.0, 0.0 if is_free else 0.8))
"""


class Program:
    """The command that a user types, with what it prints."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._complaints = folder / "complaints.txt"
        with self._complaints.open("w") as complaints:
            self._process = subprocess.Popen(
                [sys.executable, "-c", CLI, *arguments],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
            )
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def line_with(self, text: str) -> str:
        """The first line that holds a text, as soon as it was printed."""
        with self._news:
            found = self._news.wait_for(
                lambda: next((line for line in self.lines if text in line), None), LONGEST_S
            )
        assert found, f"'{text}' was not printed; seen: {self.lines}"
        return found

    def end(self) -> tuple[int, str]:
        """Ends it as Ctrl-C does: exit code and what it complained about."""
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(LONGEST_S)
        self._reader.join(LONGEST_S)
        return code, self._complaints.read_text()

    def kill(self) -> None:
        """Ends it at once, if it has not ended."""
        self._process.kill()
        self._process.wait()
        self._reader.join(LONGEST_S)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                with self._news:
                    self.lines.append(line.rstrip("\n"))
                    self._news.notify_all()


@pytest.fixture
def session() -> str:
    return f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def begin(tmp_path: Path, session: str) -> Iterator[Any]:
    """Starts commands in the session, in a folder of their own, and ends them after the test."""
    begun: list[Program] = []

    def start(*arguments: str) -> Program:
        program = Program(tmp_path, *arguments, "--session", session, "--no-open", "--port", "0")
        begun.append(program)
        return program

    yield start
    for program in begun:
        program.kill()


@pytest.fixture
def node(session: str) -> Iterator[Any]:
    """Starts the wandering node in the session."""
    begun: list[subprocess.Popen[str]] = []

    def start(code: str = NODE) -> subprocess.Popen[str]:
        begun.append(subprocess.Popen([sys.executable, "-c", code, session], text=True))
        return begun[-1]

    yield start
    for process in begun:
        process.kill()
        process.wait()


def address_in(line: str) -> str:
    return next(word for word in line.split() if word.startswith("http"))


def sees(page: Page, label: str, text: str) -> None:
    """Waits until something on the page says a text."""
    page.wait_for_function(
        "([label, text]) => document.querySelector(`[aria-label='${label}']`)?.innerText === text",
        arg=[label, text],
    )


def position(page: Page) -> list[float]:
    """The place of the selected robot, as soon as one is shown."""
    shown = page.get_by_label("Position", exact=True)
    page.wait_for_function("label => /[0-9]/.test(label.innerText)", arg=shown.element_handle())
    return [float(number) for number in shown.inner_text().replace("m", "").split(",")]


def moved_from(page: Page, start: list[float]) -> None:
    """Waits until the robot is seen 5 cm away from a place."""
    page.wait_for_function(
        """([x, y]) => {
            const text = document.querySelector("[aria-label='Position']")?.innerText ?? "";
            const [a, b] = text.replace("m", "").split(",").map(Number);
            return Math.hypot(a - x, b - y) > 0.05;
        }""",
        arg=start[:2],
    )


def test_a_node_drives_what_one_watches_and_a_key_takes_over(
    begin: Any, node: Any, session: str, page: Page, tmp_path: Path
):
    program = begin("sim3d", "warehouse", "--record", "whole.mcap")
    assert program.line_with("topics of") == f"topics of session '{session}' at zenoh://"
    page.goto(address_in(program.line_with("http")))
    page.wait_for_selector('[data-scene="warehouse"]')
    user = Visit(page)
    user.wait_for_connection()
    sees(page, "Session", session)
    sees(page, "Driver of burger", "nobody")
    page.wait_for_function(
        "() => Number(document.querySelector(\"[aria-label='Messages a second']\").innerText) > 50"
    )
    start = position(page)
    node()
    sees(page, "Driver of burger", "wanderer")
    moved_from(page, start)
    user.keep("topics")
    user.press("Record MCAP")
    page.get_by_role("button", name="Stop recording", exact=True).wait_for()
    user.drive("s")
    sees(page, "Driver of burger", "keys on a page")
    page.keyboard.up("s")
    sees(page, "Driver of burger", "wanderer")
    user.press("Stop recording")
    page.get_by_role("button", name="Record MCAP", exact=True).wait_for()
    code, complaints = program.end()
    assert (code, complaints) == (143, "")
    program.line_with("messages to whole.mcap")
    recordings = sorted(tmp_path.glob("*.mcap"))
    assert [path.name.split("_")[0] for path in recordings] == ["warehouse", "whole.mcap"]
    for path in recordings:
        kinds = [entry["kind"] for entry in CommandLog.load(path).entries]
        assert kinds[0] == "start"
        assert kinds[-1] == "end"
        assert kinds.count("command") >= 2  # the key, and its release
        with pytest.raises(SystemExit) as stop:
            app.main(["replay", "verify", str(path)])
        assert stop.value.code == 0


def test_the_2d_page_is_on_topics_too(begin: Any, session: str, page: Page, node: Any):
    program = begin("sim2d", "run", "line_follower")
    assert program.line_with("topics of") == f"topics of session '{session}' at zenoh://"
    page.goto(address_in(program.line_with("http")))
    page.get_by_role("tab", name="Topics").click()
    sees(page, "Session", session)
    sees(page, "Driver of robot", "nobody")
    node(
        "import sys, time\n"
        "from horus_sim.hub import connect\n"
        "from horus_sim.hub.messages import CmdVel\n"
        "with connect('zenoh://', session=sys.argv[1], name='spinner') as hub:\n"
        "    drive = hub.publisher('robot/cmd_vel', CmdVel)\n"
        "    while True:\n"
        "        drive.send(CmdVel(0.0, 1.0))\n"
        "        time.sleep(0.05)\n"
    )
    sees(page, "Driver of robot", "spinner")
    assert program.end()[0] == 143
