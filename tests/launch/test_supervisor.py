"""Programs of launches, as processes: their start, their restarts and their end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from horus_sim.errors import HubError
from horus_sim.launch import Launch, run_launch

from .conftest import Start
from .launched import LONG, is_alive, wait_for_ends, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")

# Says its number and waits; with words it says them first.
WAITER = """
import os, sys, time
print("pid", os.getpid(), *sys.argv[1:])
while True:
    time.sleep(0.01)
"""
# Ends as others do when Ctrl-C comes, and tells.
POLITE = """
import os, time
print("pid", os.getpid())
try:
    while True:
        time.sleep(0.01)
except KeyboardInterrupt:
    print("bye")
"""
STUBBORN = """
import os, signal, time
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: print("no"))
print("pid", os.getpid())
while True:
    time.sleep(0.01)
"""
# Starts a process of its own, which hears of no signal that ends its parent.
PARENT = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", '''
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print("up")
while True:
    time.sleep(0.01)
'''])
print("pid", os.getpid())
print("child", child.pid)
sys.stdout.flush()
while True:
    time.sleep(0.01)
"""


def number(launched, name: str, what: str = "pid") -> int:
    """A number that a program printed behind a word."""
    found: list[int] = []

    def look() -> bool:
        for line in launched.lines_of(name):
            words = line.split()
            if len(words) > 1 and words[0] == what:
                found.append(int(words[1]))
        return bool(found)

    wait_until(look, launched)
    return found[-1]


def test_lines_of_all_come_with_names(launch: Start):
    code = "import sys; print('one'); print('two', file=sys.stderr); print('th\\xfcr')"
    launched = launch({"a": (code, {}), "longer": ("print('\\rhalf\\rdone', end='')", {})})
    assert launched.end() == 0
    assert launched.lines_of("a") == ["one", "two", "thür"]
    assert launched.lines_of("longer") == ["done"]
    assert "a      | one" in launched.lines
    assert "launch | starting node 'a': python a.py" in launched.lines
    assert launched.err == ""


def test_nodes_know_their_names_and_session(launch: Start, folder: Path):
    code = """
import os, sys
from horus_sim.hub import connect
with connect() as hub:
    print(hub.name, hub.session, dict(hub.remap), os.getcwd(), sys.argv[1:], os.environ["COLOUR"])
"""
    launched = launch(
        {"a": (code, {"args": ["--rate", 10, 0.5], "remap": {"x": "y"}, "env": {"COLOUR": 7}})},
        session="own-session",
    )
    assert launched.end() == 0
    assert launched.lines_of("a") == [
        f"a own-session {{'x': 'y'}} {folder} ['--rate', '10', '0.5'] 7"
    ]


def test_a_command_is_run_by_its_words(launch: Start):
    words = ["python", "-c", "import sys; print(sys.executable, sys.argv[1])", "a b"]
    launched = launch({"a": (words, {})})
    assert launched.end() == 0
    assert launched.lines_of("a") == [f"{Path(sys.executable).parent / 'python'} a b"]


def test_what_fails_is_named_by_the_exit_code_and_the_last_line(launch: Start):
    launched = launch({"a": ("import sys; sys.exit(3)", {}), "b": ("print('fine')", {})})
    assert launched.end() == 1
    assert launched.errors == ["error: node 'a' ended with exit code 3"]


def test_a_program_that_dies_by_a_signal_is_named(launch: Start):
    code = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    launched = launch({"a": (code, {})})
    assert launched.end() == 1
    assert launched.errors == ["error: node 'a' was ended by SIGSEGV"]


def test_restarts_have_growing_pauses_and_a_limit(launch: Start):
    launched = launch({"a": ("raise SystemExit(2)", {"restart": "on-failure", "restarts": 2})})
    assert launched.end() == 1
    told = launched.lines_of("launch")
    assert told == [
        "starting node 'a': python a.py",
        "node 'a' ended with exit code 2; it starts again in 0.5 s (restart 1 of 2)",
        "starting node 'a': python a.py",
        "node 'a' ended with exit code 2; it starts again in 1 s (restart 2 of 2)",
        "starting node 'a': python a.py",
        "node 'a' ended with exit code 2, after it was started again 2 times",
    ]
    assert launched.errors == [f"error: {told[-1]}"]


def test_on_failure_does_not_restart_what_ended_well(launch: Start, folder: Path):
    code = """
from pathlib import Path
seen = Path("seen")
if not seen.exists():
    seen.touch()
    raise SystemExit(1)
print("well")
"""
    launched = launch({"a": (code, {"restart": "on-failure"})})
    assert launched.end() == 0
    assert launched.lines_of("a") == ["well"]
    assert launched.lines_of("launch")[-1] == "node 'a' has ended"


def test_always_restarts_what_ended_well(launch: Start):
    launched = launch({"a": ("print('here')", {"restart": "always", "restarts": 1})})
    assert launched.end() == 0
    assert launched.lines_of("a") == ["here", "here"]


def test_a_required_node_takes_all_along(launch: Start):
    code = "import sys\nfrom pathlib import Path\nwhile not Path('go').exists(): pass\nsys.exit(4)"
    launched = launch({"main": (code, {"required": True}), "side": (POLITE, {})})
    number(launched, "side")
    (Path(launched.process.args[4]).parent / "go").touch()  # type: ignore[index]
    assert launched.end() == 1
    assert launched.errors == ["error: node 'main' ended with exit code 4"]
    assert launched.lines_of("side")[-1] == "bye"
    assert "node 'main' is required and has ended: ending 1 node" in launched.out


def test_a_required_node_that_ends_well_is_a_success(launch: Start, folder: Path):
    # Python ends with exit code 1 where it is asked to end before it has begun.
    up = folder / "up"
    side = f"import pathlib\npathlib.Path({str(up)!r}).touch()\n{WAITER}"
    main = (
        f"import pathlib, time\nwhile not pathlib.Path({str(up)!r}).exists():\n    time.sleep(0.01)"
    )
    launched = launch({"main": (main, {"required": True, "after": "side"}), "side": (side, {})})
    assert launched.end() == 0
    assert launched.err == ""


@pytest.mark.parametrize(("signal_", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_all_in_order(launch: Start, signal_: int, code: int):
    launched = launch({"first": (POLITE, {}), "second": (POLITE, {"after": "first"})})
    pids = [number(launched, name) for name in ("first", "second")]
    launched.send(signal_)
    assert launched.end() == code
    wait_for_ends(pids)
    said = [line for line in launched.lines if line.endswith("| bye")]
    assert said == ["second | bye", "first  | bye"]
    name = "Ctrl-C" if signal_ == signal.SIGINT else "SIGTERM"
    assert f"launch | {name}: ending 2 nodes" in launched.lines
    assert launched.err == ""


def test_the_stubborn_are_killed_and_named(launch: Start):
    launched = launch({"a": (STUBBORN, {"grace": 0.3}), "b": (POLITE, {})})
    pid = number(launched, "a")
    number(launched, "b")
    launched.send(signal.SIGINT)
    assert launched.end() == 130
    wait_for_ends([pid])
    text = "node 'a' did not end within 0.3 s of SIGINT, and was killed"
    assert launched.lines_of("launch").count(text) == 1
    assert launched.errors == [f"error: {text}"]


def test_a_second_ctrl_c_kills_at_once(launch: Start):
    launched = launch({"a": (STUBBORN, {"grace": 10_000})})
    pid = number(launched, "a")
    launched.send(signal.SIGINT)
    launched.wait_for("| no")
    launched.send(signal.SIGINT)
    assert launched.end() == 130
    wait_for_ends([pid])
    assert "killing what is left" in launched.out


def test_what_a_node_left_behind_ends_with_it(launch: Start):
    launched = launch({"a": (PARENT, {}), "b": (WAITER, {})})
    launched.wait_for("| up")
    child = number(launched, "a", "child")
    os.kill(number(launched, "a"), signal.SIGKILL)
    launched.wait_for("node 'a' was ended by SIGKILL")
    wait_for_ends([child])
    assert is_alive(number(launched, "b"))


def test_a_launch_that_is_killed_leaves_nobody_behind(launch: Start):
    launched = launch({"a": (PARENT, {}), "b": (POLITE, {}), "c": (WAITER, {"restart": "always"})})
    launched.wait_for("| up")
    pids = [number(launched, name) for name in ("a", "b", "c")]
    pids.append(number(launched, "a", "child"))
    assert all(is_alive(pid) for pid in pids)
    launched.send(signal.SIGKILL)
    launched.end()
    wait_for_ends(pids)


def test_the_stubborn_do_not_outlive_a_launch_that_is_killed(launch: Start):
    launched = launch({"a": (STUBBORN, {})})
    pid = number(launched, "a")
    launched.send(signal.SIGKILL)
    launched.end()
    wait_for_ends([pid])


def test_it_ends_when_nobody_reads_what_it_prints(launch: Start, folder: Path):
    (folder / "a.py").write_text("import time\nwhile True: print('x'); time.sleep(0.01)")
    (folder / "file.yaml").write_text("nodes: {a: {run: a.py}}")
    command = [sys.executable, "-m", "horus_sim.cli", "launch", str(folder / "file.yaml")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        process.wait(LONG)


def test_a_program_runs_a_launch_itself(folder: Path):
    (folder / "a.py").write_text("import sys; print('a', sys.argv[1]); sys.exit(5)")
    told: list[str] = []
    launch = Launch(folder=folder, nodes={"a": {"run": "a.py", "args": ["b"]}})  # type: ignore[dict-item]
    outcome = run_launch(launch, show=told.append)
    assert outcome.failures == ("node 'a' ended with exit code 5",)
    assert not outcome.is_interrupted
    assert "a      | a b" in told


def test_a_program_without_a_world_opens_no_topics(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object, **__: object) -> None:
        raise HubError("topics were opened")

    monkeypatch.setattr("horus_sim.hub.connect", fail)
    (folder / "a.py").write_text("")
    launch = Launch(folder=folder, nodes={"a": {"run": "a.py"}})  # type: ignore[dict-item]
    assert run_launch(launch, show=lambda _: None).failures == ()
