"""SIGTERM and a closed terminal end commands like Ctrl-C: recordings are whole."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from horus_sim import installation
from horus_sim.cli import app
from horus_sim.errors import HorusError
from horus_sim.running.recording import CommandLog, replay_commands
from horus_sim.sim3d import recorded_world

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")

# Longer than anything here takes; reached only when something is broken.
LONG = 180.0
CLI = "from horus_sim.cli.app import main; main()"
# A page on which somebody has pressed the button to record.
PAGE = """
from horus_sim.cli.app import main
from horus_sim.ui.shell.server import Server
from horus_sim.ui.world.model.session import WorldSessions
run = Server.run
def record_and_run(server):
    WorldSessions.of(server.site).present.recorder.begin().result()
    run(server)
Server.run = record_and_run
main()
"""
# The last robot that came is given commands by the running, as a node of its own would.
DRIVEN = """
from horus_sim.cli.app import main
from horus_sim.hub.messages import CmdVel
from horus_sim.running import RunningWorld
poll = RunningWorld.poll
def command_and_poll(running):
    poll(running)
    running.command("burger", CmdVel(linear=0.1 + 1e-6 * running.world.steps))
RunningWorld.poll = command_and_poll
main()
"""


def messages_of(path: Path) -> int:
    """What a plain reader of MCAP files finds by the index at the end of the file."""
    from mcap.reader import make_reader

    with path.open("rb") as file:
        return sum(1 for _ in make_reader(file).iter_messages())


def wait_for_bytes(path: Path, process: subprocess.Popen[str], size: int) -> None:
    end = time.monotonic() + LONG
    while not path.exists() or path.stat().st_size < size:
        assert process.poll() is None, "the command ended by itself"
        assert time.monotonic() < end, "nothing was recorded"
        time.sleep(0.02)


def driven_recording(path: Path) -> subprocess.Popen[str]:
    """A process that commands its robot in every step, some of which are in the file already."""
    command = [sys.executable, "-c", DRIVEN, "sim3d", "warehouse", "--headless"]
    process = subprocess.Popen(
        [*command, "--duration", "100000", "--record", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + LONG
    while not has_commands(path):
        assert process.poll() is None, "the command ended by itself"
        assert time.monotonic() < end, "nothing was recorded"
        time.sleep(0.1)
    return process


def has_commands(path: Path) -> bool:
    """Whether a file that is still being written holds commands by now."""
    if not path.exists():
        return False
    try:
        return len(CommandLog.load(path).entries) > 1
    except HorusError:
        return False


def test_sigterm_leaves_a_whole_recording_with_every_command(tmp_path: Path):
    path = tmp_path / "run.mcap"
    with driven_recording(path) as process:
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGTERM)  # to be sure, as some who stop services do
        out, err = process.communicate(timeout=LONG)
    assert (process.returncode, err) == (143, "")
    last = out.splitlines()[-1]
    assert last == f"recorded {messages_of(path)} messages to {path}"
    log = CommandLog.load(path)
    assert log.entries[-1]["kind"] == "end"
    done = replay_commands(recorded_world(log), log)
    assert done.commands == done.steps == log.entries[-1]["step"] > 0


def test_a_closed_terminal_leaves_a_whole_recording(tmp_path: Path):
    path = tmp_path / "run.mcap"
    ours, theirs = os.openpty()
    code = (
        "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
    )
    arguments = ["sim3d", "empty_world", "--headless", "--duration", "100000"]
    process = subprocess.Popen(
        [sys.executable, "-c", code + CLI, *arguments, "--record", str(path)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        text=True,
    )
    try:
        os.close(theirs)
        end = time.monotonic() + LONG
        while not path.exists() or path.stat().st_size < 20_000:
            assert process.poll() is None
            assert time.monotonic() < end
            os.set_blocking(ours, False)
            with contextlib.suppress(BlockingIOError):
                os.read(ours, 65536)
            time.sleep(0.02)
        os.close(ours)
        assert process.wait(LONG) == 129
    finally:
        process.kill()
        process.wait()
    assert messages_of(path) > 0
    assert CommandLog.load(path).entries[-1]["kind"] == "end"


def test_what_sigkill_leaves_is_repaired_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "run.mcap"
    with driven_recording(path) as process:
        process.kill()
        process.communicate(timeout=LONG)
    for arguments in (["info"], ["repair"], ["verify"]):
        with pytest.raises(SystemExit) as stop:
            app.main(["replay", *arguments, str(path)])
        assert stop.value.code == 0
    captured = capsys.readouterr()
    assert f"with: {installation.command(f'replay repair {path}')}" in captured.err
    assert "the record ends early; it is verified as far as it goes" in captured.err
    assert f"{path}: {messages_of(path)} messages on " in captured.out
    assert "states equal bit by bit" in captured.out


def test_a_2d_page_ends_its_recording_when_all_its_processes_are_told(tmp_path: Path):
    path = tmp_path / "run.mcap"
    start = "from horus_sim.cli.program import sim2d; sim2d()"
    options = ["run", "line_follower", "--no-open", "--port", "0", "--record", str(path)]
    session = ["--session", f"signals-{os.getpid()}"]
    with subprocess.Popen(
        [sys.executable, "-c", start, *options, *session],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        wait_for_bytes(path, process, 20_000)
        os.killpg(process.pid, signal.SIGTERM)
        out, err = process.communicate(timeout=LONG)
    assert (process.returncode, err) == (143, "")
    assert out.splitlines()[-1] == f"recorded {messages_of(path)} messages to {path}"
    assert CommandLog.load(path).entries[-1]["kind"] == "end"


def test_a_page_ends_its_recording(tmp_path: Path):
    command = [sys.executable, "-c", PAGE, "sim3d", "empty_world", "--no-open", "--port", "0"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        end = time.monotonic() + LONG
        while not (found := list(tmp_path.glob("*.mcap"))):
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)
        wait_for_bytes(found[0], process, 2000)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=LONG)
    assert (process.returncode, err) == (143, "")
    assert messages_of(found[0]) > 0
    assert CommandLog.load(found[0]).entries[-1]["kind"] == "end"


def test_a_command_that_ends_by_ctrl_c_ends_by_sigterm_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupt(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("horus_sim.running.Loop.run", interrupt)
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as stop:
        app.main(["sim3d", "empty_world", "--headless"])
    assert stop.value.code == 143
    assert signal.getsignal(signal.SIGTERM) is before
    assert "empty_world: 0.000 s simulated" in capsys.readouterr().out


@pytest.mark.parametrize(
    "patch",
    [
        "app._run = lambda arguments: signal.raise_signal(signal.SIGTERM)",
        """
take = Interruption._take
def take_and_hear(self, number, usual):
    take(self, number, usual)
    if number == signal.SIGTERM:
        signal.raise_signal(number)
Interruption._take = take_and_hear
""",
    ],
    ids=["before Typer", "while handlers are set"],
)
def test_a_signal_while_no_command_runs_shows_no_traceback(patch: str):
    lines = ("import signal", "from horus_sim.cli import app")
    lines += ("from horus_sim.interruption import Interruption", patch, "app.main(['--version'])")
    ended = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (128 + signal.SIGTERM, "")
