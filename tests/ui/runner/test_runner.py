"""The 2D runner without a browser: a process that simulates, and what may go wrong in it."""

from __future__ import annotations

import json
import math
import struct
import time
from ast import literal_eval
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import UiError
from horus_sim.sim2d import Simulator, load_scenario
from horus_sim.ui.kit.scenarios import Place, Scenarios
from horus_sim.ui.runner.model import open_scenario
from horus_sim.ui.runner.model.runner import Options, Runner
from horus_sim.ui.stream.streaming import Stream, envelope

LONGEST_S = 30.0
OPTIONS = {"seed": None, "top_down": True, "ignore_terrain": False}
LOOPS = """class Controller:
    def __init__(self, sim):
        pass

    def step(self, sensors, dt):
        while True:
            try:
                pass
            except BaseException:
                pass
"""
PRINTS = """class Controller:
    def __init__(self, sim):
        pass

    def step(self, sensors, dt):
        for number in range(2000):
            print("line", number)
"""
RIGHT = """class Controller:
    def __init__(self, sim):
        self.drive = sim.drive

    def step(self, sensors, dt):
        self.drive.drive(0.2, 0.0)
"""


def wait_for(condition: Callable[[], Any]) -> Any:
    """Waits until something is so, and gives it."""
    end = time.monotonic() + LONGEST_S
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
    return found


class Messages(Stream):
    """A stream that keeps the newest message of each channel."""

    def newest(self, channel: str) -> Any:
        return self._last.get(channel)


@pytest.fixture(scope="module")
def stream() -> Messages:
    return Messages()


@pytest.fixture(scope="module")
def runner(stream: Messages, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    runner = Runner(stream, Scenarios(tmp_path_factory.mktemp("scenarios")))
    yield runner
    runner.close()


@pytest.fixture
def own(runner: Runner) -> Place:
    """A copy of the line follower, open and paused at the start."""
    place = runner.scenarios.copy(
        runner.scenarios.find("line_follower"), runner.scenarios.free_name("line_follower")
    )
    runner.pause().result(LONGEST_S)
    runner.open(place, Options(seed=1)).result(LONGEST_S)
    return place


def status(runner: Runner, name: str) -> Any:
    return getattr(runner.status, name)


def logged(runner: Runner) -> str:
    return "\n".join(event.text for event in runner.log.since())


def test_steps_are_those_of_the_simulator(runner: Runner, own: Place, stream: Messages):
    runner.ask("step", count=120).result(LONGEST_S)
    sim = Simulator.load(own.folder, seed=1)
    sim.run(1.0)
    wait_for(lambda: status(runner, "steps") == 120)
    assert runner.status.robots["robot"][:3] == list(sim.robots["robot"].pose)
    scene = json.loads(stream.newest("sim2d_scene"))["scene"]
    assert scene["moving"] == ["robot/chassis"]

    def last_frame() -> Any:
        frame = stream.newest("sim2d")[len(envelope("sim2d", b"")) :]
        _, time = struct.unpack_from("<Id", frame)
        return np.frombuffer(frame, dtype=np.float32, offset=12) if time > 0.99 else None

    values = wait_for(lambda: last_frame() is not None) and last_frame()
    moving, readings, wheels = (int(value) for value in values[:3])
    assert (moving, readings, wheels) == (1, len(sim.raw_readings()), 2)
    np.testing.assert_allclose(values[3:6], sim.robots["robot"].pose, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(values[6 : 6 + readings], sim.raw_readings(), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(values[-4:].reshape(2, 2), sim.wheels(), rtol=1e-5)


def test_time_keeps_its_pace_and_speed_is_checked(runner: Runner, own: Place):
    runner.play().result(LONGEST_S)
    wait_for(lambda: status(runner, "name") == own.name and runner.status.time > 0.5)
    with pytest.raises(UiError, match=r"the speed is 99; choose one from 0\.1 to 10"):
        runner.ask("speed", speed=99.0).result(LONGEST_S)
    runner.pause().result(LONGEST_S)


def test_a_snapshot_brings_back_the_past_and_the_same_future(runner: Runner, own: Place):
    runner.ask("step", count=60).result(LONGEST_S)
    runner.ask("snapshot").result(LONGEST_S)
    kept = wait_for(lambda: runner.history.kept)[-1]
    runner.ask("step", count=60).result(LONGEST_S)
    later = runner.ask("evaluate", text="robot.pose").result(LONGEST_S)
    runner.restore_kept(kept.name).result(LONGEST_S)
    assert runner.ask("evaluate", text="sim.steps").result(LONGEST_S) == "60"
    runner.ask("step", count=60).result(LONGEST_S)
    assert runner.ask("evaluate", text="robot.pose").result(LONGEST_S) == later
    future = runner.restore(0.0)
    assert future is not None
    assert future.result(LONGEST_S) == 0.0
    with pytest.raises(UiError, match="no snapshot 'none'"):
        runner.restore_kept("none")
    runner.open(runner.scenarios.find("maze"), Options()).result(LONGEST_S)
    assert runner.history.kept == []
    wait_for(lambda: runner.history.span == (0.0, 0.0))


def pose_of(runner: Runner, body: str) -> tuple[float, float, float]:
    return literal_eval(runner.ask("evaluate", text=f"tuple(sim.bodies['{body}'].pose)").result())


def test_a_robot_is_dragged_with_all_its_bodies(runner: Runner):
    runner.open(runner.scenarios.find("trailer"), Options()).result(LONGEST_S)
    names = json.loads(runner.ask("evaluate", text="list(sim.bodies)").result().replace("'", '"'))
    before = [pose_of(runner, n) for n in names]
    x, y, theta = before[0]
    pose = [x + 1.0, y + 2.0, theta + math.pi / 2]
    runner.ask("drag", ident=names[0], pose=pose, ends=True).result(LONGEST_S)
    after = [pose_of(runner, n) for n in names]
    assert math.dist(before[0][:2], before[1][:2]) == pytest.approx(
        math.dist(after[0][:2], after[1][:2])
    )
    assert after[0] == pytest.approx(tuple(pose))
    assert after[1][2] - after[0][2] == pytest.approx(before[1][2] - before[0][2])
    with pytest.raises(UiError, match="no body"):
        runner.ask("drag", ident="nobody", pose=pose, ends=True).result(LONGEST_S)
    with pytest.raises(UiError, match="finite"):
        runner.ask("drag", ident=names[0], pose=[1e9, 0, 0], ends=True).result(LONGEST_S)


def test_the_console_answers_or_says_why_not(runner: Runner, own: Place):
    def ask(text: str) -> str:
        return runner.ask("evaluate", text=text).result(LONGEST_S)

    assert ask("1 + 2") == "3"
    assert ask("_ * 2") == "6"
    assert ask("sim.body('chassis').set_pose(0.5, 0.0, 0.0)") == "None"
    assert ask("[round(v, 3) for v in robot.pose]") == "[0.5, 0.0, 0.0]"
    with pytest.raises(UiError, match="not an expression"):
        ask("import os")
    with pytest.raises(UiError, match="ZeroDivisionError"):
        ask("1 / 0")
    with pytest.raises(UiError, match=r"chasis"):
        ask("sim.body('chasis')")
    assert len(ask("'x' * 100_000")) < 2100


def test_an_expression_that_never_ends_is_broken_off(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(open_scenario, "_TIMEOUT_S", 0.2)
    simulated = open_scenario.OpenScenario(load_scenario("empty_plane"), "empty_plane", OPTIONS)
    with pytest.raises(UiError, match=r"TimeoutError: it did not return within 0\.2 s"):
        simulated.evaluate("all(value == 0 for value in iter(int, 1))")
    assert simulated.evaluate("1 + 1") == "2"


def test_an_error_names_its_line_and_a_good_version_goes_on(runner: Runner, own: Place):
    path = own.folder / "controller.py"
    runner.play().result(LONGEST_S)
    runner.drafts.save(path, RIGHT.replace("0.2, 0.0", "0.2, nonsense"))
    error = wait_for(lambda: status(runner, "error"))
    assert (error["file"], error["line"], error["robot"]) == ("controller.py", 6, "robot")
    assert "NameError" in error["text"]
    text = "controller of 'robot': step: NameError: name 'nonsense' is not defined (controller.py"
    (entry,) = [event for event in runner.log.since() if event.text.startswith(text)]
    assert (entry.level, entry.text[len(text) :]) == ("error", ", line 6)")
    held = runner.status.time
    runner.drafts.save(path, RIGHT)
    runner.ask("reload").result(LONGEST_S)
    wait_for(lambda: status(runner, "error") is None and runner.status.time > held)
    runner.pause().result(LONGEST_S)


def test_a_scenario_whose_controller_cannot_be_loaded_opens_all_the_same(
    runner: Runner, own: Place
):
    path = own.folder / "controller.py"
    path.write_text("class Controller\n    pass\n")
    runner.open(own, Options()).result(LONGEST_S)
    error = wait_for(lambda: status(runner, "error"))
    assert error["line"] == 1
    runner.play().result(LONGEST_S)
    path.write_text(RIGHT)
    wait_for(lambda: status(runner, "error") is None and runner.status.time > 0.1)
    runner.pause().result(LONGEST_S)


def test_an_error_is_logged_each_time_it_comes(runner: Runner, own: Place):
    bad = RIGHT.replace("0.2, 0.0", "0.2, absent")

    def newest() -> int:
        """Number of the newest event of that error; the log shows the same line once."""
        events = [event for event in runner.log.since() if "'absent' is not" in event.text]
        return events[-1].number if events else 0

    runner.play().result(LONGEST_S)
    seen = 0
    for _ in range(2):
        runner.drafts.save(own.folder / "controller.py", bad)
        seen = wait_for(lambda seen=seen: newest() > seen and newest())
        runner.drafts.save(own.folder / "controller.py", RIGHT)
        wait_for(lambda: status(runner, "error") is None)
    runner.pause().result(LONGEST_S)
    assert newest() == seen


def test_what_cannot_be_kept_is_noted_once_and_the_world_goes_back(runner: Runner, own: Place):
    kept = "self.drive = sim.drive; self.plan = (k for k in range(3))"
    text = RIGHT.replace("self.drive = sim.drive", kept)
    (own.folder / "controller.py").write_text(text)
    runner.open(own, Options()).result(LONGEST_S)
    for _ in range(3):
        runner.ask("step", count=10).result(LONGEST_S)
    wait_for(lambda: "its attribute 'plan' holds a generator" in logged(runner))
    assert logged(runner).count("snapshots and the slider hold the world alone") == 1
    future = runner.restore(10 / 120)
    assert future is not None
    assert future.result(LONGEST_S) == pytest.approx(10 / 120)


def test_doubts_about_files_are_in_the_log(runner: Runner, own: Place):
    path = own.folder / "robot.json"
    path.write_text(path.read_text().replace('"bodies"', '"weather": "fog", "bodies"', 1))
    runner.open(own, Options()).result(LONGEST_S)
    wait_for(lambda: "weather is unknown and kept in metadata" in logged(runner))


def test_a_controller_that_never_returns_is_stopped_and_the_world_is_kept(
    runner: Runner, own: Place
):
    path = own.folder / "controller.py"
    runner.ask("step", count=120).result(LONGEST_S)
    where = literal_eval(runner.ask("evaluate", text="tuple(robot.pose)").result(LONGEST_S))
    path.write_text(LOOPS)
    runner.play().result(LONGEST_S)
    stuck = wait_for(lambda: runner.stuck)
    assert Path(stuck.file) == path
    assert 6 <= stuck.line <= 10
    waiting = runner.ask("evaluate", text="1")
    runner.stop_controller()
    with pytest.raises(UiError, match="was stopped before it answered"):
        waiting.result(LONGEST_S)
    error = wait_for(lambda: status(runner, "error"))
    assert "stopped by hand" in error["text"]
    assert error["line"] == stuck.line
    now = runner.status
    assert 0.9 < now.time < 1.6
    assert math.dist(now.robots["robot"][:2], where[:2]) < 0.3
    runner.drafts.save(path, RIGHT)
    wait_for(lambda: status(runner, "error") is None and runner.status.time > now.time)
    runner.pause().result(LONGEST_S)


def test_printing_without_end_costs_nobody_anything(runner: Runner, own: Place):
    (own.folder / "controller.py").write_text(PRINTS)
    runner.play().result(LONGEST_S)
    wait_for(lambda: "more printed lines are left out" in logged(runner))
    assert runner.ask("evaluate", text="1").result(LONGEST_S) == "1"
    assert len(runner.log.since()) <= 500
    runner.pause().result(LONGEST_S)


def test_a_controller_that_ends_the_process_does_not_end_the_page(runner: Runner, own: Place):
    path = own.folder / "controller.py"
    path.write_text(RIGHT.replace("self.drive.drive(0.2, 0.0)", "__import__('os')._exit(3)"))
    runner.play().result(LONGEST_S)
    wait_for(lambda: "code 3" in ((status(runner, "error") or {}).get("text", "")))
    path.write_text(RIGHT)
    wait_for(lambda: status(runner, "error") is None)
    runner.pause().result(LONGEST_S)


def test_signals_are_written_for_every_step(runner: Runner, own: Place, tmp_path: Path):
    path = tmp_path / "run.csv"
    runner.ask("log", path=str(path)).result(LONGEST_S)
    runner.ask("step", count=50).result(LONGEST_S)
    assert runner.ask("log", path="").result(LONGEST_S) == 50
    rows = np.genfromtxt(path, delimiter=",", names=True, deletechars="")
    assert len(rows) == 50
    np.testing.assert_allclose(rows["time"], np.arange(1, 51) / 120, atol=1e-9)
    with pytest.raises(UiError, match="cannot be written"):
        runner.ask("log", path=str(path)).result(LONGEST_S)


def test_plotted_signals_are_chosen(runner: Runner, own: Place, stream: Messages):
    runner.ask("watch", names=["robot/chassis/x"]).result(LONGEST_S)
    runner.ask("step", count=240).result(LONGEST_S)

    def plot() -> Any:
        return json.loads(stream.newest("sim2d_plot"))

    wait_for(lambda: plot()["names"] == ["robot/chassis/x"] and len(plot()["time"]) > 50)
    wait_for(lambda: status(runner, "steps") == 240)
    assert plot()["values"][0][-1] == pytest.approx(runner.status.robots["robot"][0], abs=0.01)
    with pytest.raises(UiError, match="no signal 'nonsense'"):
        runner.ask("watch", names=["nonsense"]).result(LONGEST_S)


def test_only_scenarios_that_are_allowed_can_be_opened(runner: Runner, tmp_path: Path):
    with pytest.raises(UiError, match="did you mean 'maze'"):
        runner.scenarios.find("mazee")
    with pytest.raises(UiError, match="may open"):
        runner.scenarios.find(str(tmp_path))
    with pytest.raises(UiError, match="may open"):
        runner.scenarios.find("../line_follower")
    source = runner.scenarios.find("maze")
    for bad in ("", "../x", "a/b", ".hidden", "maze"):
        with pytest.raises(UiError):
            runner.scenarios.copy(source, bad)


def test_a_broken_scenario_leaves_the_present_one_open(runner: Runner, own: Place):
    broken = runner.scenarios.copy(own, runner.scenarios.free_name("broken"))
    (broken.folder / "world.json").write_text('{"timestep": -1}')
    with pytest.raises(UiError, match="timestep"):
        runner.open(broken, Options()).result(LONGEST_S)
    assert runner.place == own
    assert runner.ask("evaluate", text="sim.scenario.world.name").result() == "'line_follower'"
