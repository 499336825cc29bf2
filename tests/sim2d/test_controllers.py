"""Controllers: commands, hot reload with state, errors that pause, slow ones."""

from __future__ import annotations

import os

import pytest

from horus_sim.errors import UnknownPartError
from horus_sim.sim2d import Simulator

from .makers import scenario, write

COUNTER = """
class Controller:
    speed = {speed}
    def __init__(self, sim):
        self.count = 0
    def step(self, sensors, dt):
        self.count += 1
        {action}
        return {{"left": self.speed, "right": self.speed}}
    def get_state(self):
        return self.count
    def set_state(self, state):
        self.count = state
"""


def rewrite(folder, **values):
    path = folder / "controller.py"
    before = path.stat().st_mtime_ns
    path.write_text(COUNTER.format(**values))
    os.utime(path, ns=(before + 1_000_000, before + 1_000_000))


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path, controller=COUNTER.format(speed=0.5, action="pass"))


def test_returned_commands_reach_the_motors(folder):
    sim = Simulator.load(folder)
    sim.run(1.0)
    assert sim.robots["robot"].motors["left"].command == 0.5
    assert sim.body("chassis").pose[0] > 0.3


def test_a_changed_file_is_loaded_with_the_state(folder):
    sim = Simulator.load(folder)
    sim.run(0.1)
    rewrite(folder, speed=-0.5, action="pass")
    sim.reload_controllers()
    sim.run(0.1)
    assert sim.robots["robot"].motors["left"].command == -0.5
    assert sim.snapshot().controllers == {"robot": 24}


def test_a_running_simulation_notices_the_change(folder, monkeypatch):
    monkeypatch.setattr("horus_sim.sim2d.controllers._CHECK_EVERY_S", 0.0)
    sim = Simulator.load(folder)
    sim.run(0.1)
    rewrite(folder, speed=0.25, action="pass")
    sim.step()
    assert sim.robots["robot"].motors["left"].command == 0.25


def test_an_exception_pauses_and_loses_nothing(folder, monkeypatch):
    monkeypatch.setattr("horus_sim.sim2d.controllers._CHECK_EVERY_S", 0.0)
    rewrite(folder, speed=0.5, action="if self.count == 5: raise ValueError('no line')")
    sim = Simulator.load(folder)
    assert not sim.run(1.0)
    assert (sim.paused, sim.step_index) == (True, 4)
    assert "step: ValueError: no line (controller.py, line 8)" in str(sim.error)
    assert sim.error is not None
    assert "Traceback" in sim.error.traceback_text
    pose = sim.body("chassis").pose
    assert not sim.step()
    assert sim.body("chassis").pose == pose
    rewrite(folder, speed=0.5, action="pass")
    assert sim.run(0.5)
    assert sim.error is None
    assert sim.snapshot().controllers == {"robot": 65}


def test_a_broken_new_file_leaves_the_old_controller(folder):
    sim = Simulator.load(folder)
    sim.run(0.1)
    old = sim._controllers[0].instance
    (folder / "controller.py").write_text("class Controller(:")
    sim._controllers[0]._next_check = 0.0
    assert not sim.step()
    assert "SyntaxError" in str(sim.error)
    assert sim._controllers[0].instance is old
    sim.resume()
    assert sim.step()


def test_a_controller_that_does_not_return_is_stopped(folder):
    rewrite(folder, speed=0.5, action="\n        while self.count > 3: pass")
    sim = Simulator.load(folder, controller_timeout=0.2)
    assert not sim.run(1.0)
    assert "step: it did not return within 0.2 s" in str(sim.error)
    assert sim.step_index == 3


def test_slow_controllers_are_noted(folder):
    sim = Simulator.load(folder, controller_budget=0.0)
    sim.run(0.1)
    (warning,) = sim.warnings
    assert (warning.kind, warning.subject, warning.count) == ("slow_controller", "robot", 12)
    assert "its budget is 0.0 ms" in warning.text


def test_unknown_motors_are_named(folder):
    (folder / "controller.py").write_text(
        "class Controller:\n  def __init__(self, sim): pass\n"
        "  def step(self, sensors, dt): return {'lefft': 1}\n"
    )
    sim = Simulator.load(folder)
    assert not sim.step()
    assert "no motor is called 'lefft'; did you mean 'left'?" in str(sim.error)
    with pytest.raises(UnknownPartError, match="no body is called 'chasis'; did you mean"):
        sim.body("chasis")


def test_commands_must_be_finite_and_are_limited():
    sim = Simulator(scenario())
    motor = sim.robots["robot"].motors["left"]
    motor.command = 7
    assert motor.command == 1
    with pytest.raises(Exception, match="command of motor 'left' is nan; it must be finite"):
        motor.command = float("nan")


def test_state_without_get_state_is_copied(tmp_path):
    code = (
        "class Controller:\n  def __init__(self, sim):\n    self.sim, self.seen = sim, []\n"
        "  def step(self, sensors, dt): self.seen.append(self.sim.time)\n"
    )
    sim = Simulator.load(write(tmp_path, controller=code))
    sim.run(0.1)
    snapshot = sim.snapshot()
    sim.run(0.1)
    sim.apply_snapshot(snapshot)
    assert len(sim._controllers[0].instance.seen) == 12
    sim.run(0.1)
    assert len(snapshot.controllers["robot"]["seen"]) == 12
