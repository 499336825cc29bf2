"""Controllers: commands, hot reload with state, errors that pause, slow ones."""

from __future__ import annotations

import os
import re
import sys
import time

import numpy as np
import pytest

from horus_sim.errors import ControllerError, Sim2dError, UnknownPartError
from horus_sim.sim2d import Simulator, Snapshot

from ..makers import scenario, write

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
    monkeypatch.setattr("horus_sim.sim2d.controllers.slot._CHECK_EVERY_S", 0.0)
    sim = Simulator.load(folder)
    sim.run(0.1)
    rewrite(folder, speed=0.25, action="pass")
    sim.step()
    assert sim.robots["robot"].motors["left"].command == 0.25


def test_an_exception_pauses_and_loses_nothing(folder, monkeypatch):
    monkeypatch.setattr("horus_sim.sim2d.controllers.slot._CHECK_EVERY_S", 0.0)
    rewrite(folder, speed=0.5, action="if self.count == 5: raise ValueError('no line')")
    sim = Simulator.load(folder)
    assert not sim.run(1.0)
    assert (sim.paused, sim.steps) == (True, 4)
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
    assert sim.steps == 3


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
    with pytest.raises(Sim2dError, match="of motor 'left' is the bool True; give a number from -1"):
        motor.command = True
    with pytest.raises(Sim2dError, match=r"is the ndarray array\(\[0.5\]\); give a number from -1"):
        motor.command = np.array([0.5])  # type: ignore[assignment]


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


def code(step="pass", head="", init="pass", extra=""):
    return (
        f"{head}\nclass Controller:\n  def __init__(self, sim):\n    {init}\n"
        f"  def step(self, sensors, dt):\n    {step}\n{extra}"
    )


SWALLOWS = {
    "once": "try:\n      while True: sum(range(1000))\n    except: pass",
    "then raises": "try:\n      while True: sum(range(1000))\n    except: raise ValueError('x')",
    "again and again": "while True:\n      try: sum(range(1000))\n      except: pass",
    "loop in loop": "while True:\n      try:\n        while True: pass\n      except: pass",
    "deep": (
        "def work(n):\n      while True:\n        try: work(n - 1) if n else sum(range(1000))\n"
        "        except: pass\n    work(3)"
    ),
    "ends by itself": (
        "import time; end = time.monotonic() + 0.5\n    while time.monotonic() < end:\n"
        "      try: time.sleep(0.01)\n      except: pass"
    ),
}


@pytest.mark.parametrize("case", SWALLOWS)
def test_a_controller_that_swallows_its_end_is_stopped_too(case, tmp_path):
    if sys.version_info[:2] == (3, 12) and case in ("again and again", "loop in loop", "deep"):
        pytest.skip("Python 3.12 cannot; see Watchdog")
    sim = Simulator.load(write(tmp_path, controller=code(SWALLOWS[case])), controller_timeout=0.1)
    assert not sim.step()
    assert "step: it did not return within 0.1 s" in str(sim.error)
    # Nothing arrives later.
    for _ in range(20_000):
        pass
    time.sleep(0.1)
    assert sim.paused


def test_a_timeout_names_the_line(tmp_path):
    sim = Simulator.load(
        write(tmp_path, controller=code("while True: pass")), controller_timeout=0.1
    )
    sim.step()
    assert "within 0.1 s (controller.py, line 6); it must do one step's work" in str(sim.error)


def test_a_call_into_c_is_broken_off_when_it_returns(tmp_path):
    step = "self.slept.extend(map(time.sleep, [0.2, 0.2]))\n    self.went_on = True"
    text = code(step, "import time", "self.slept, self.went_on = [], False")
    sim = Simulator.load(write(tmp_path, controller=text), controller_timeout=0.1)
    assert not sim.step()
    assert "step: it did not return within 0.1 s (controller.py, line 6)" in str(sim.error)
    controller = sim._controllers[0].instance
    assert (controller.slept, controller.went_on) == ([None, None], False)


@pytest.mark.parametrize("future", ["", "from __future__ import annotations"])
def test_dataclasses_and_annotations_are_as_in_any_module(future, tmp_path):
    head = (
        f"{future}\nfrom dataclasses import dataclass\n@dataclass\nclass PID:\n  k: float = 2.0\n"
    )
    sim = Simulator.load(write(tmp_path, controller=code("self.pid = PID()", head)))
    assert sim.step()
    pid = sim._controllers[0].instance.pid
    assert pid.k == 2.0
    assert type(pid).__annotations__ == {"k": "float" if future else float}


BAD_STRING = "class Odd(Exception):\n  def __str__(self): raise ValueError('no text')"


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ("import sys; sys.exit(0)", r"step: SystemExit: 0 \(controller.py, line 6\)"),
        ("raise GeneratorExit", "step: GeneratorExit"),
        ("raise BaseException('all')", "step: BaseException: all"),
        ("raise Odd", r"step: Odd: \(its text cannot be shown: __str__ raised\)"),
    ],
)
def test_a_controller_cannot_end_the_program(step, text, tmp_path):
    head = BAD_STRING if "Odd" in step else ""
    sim = Simulator.load(write(tmp_path, controller=code(step, head)))
    assert not sim.run(1.0)
    assert re.search(text, str(sim.error))
    assert sim.steps == 0


def test_ctrl_c_is_not_an_error_of_the_controller(tmp_path):
    sim = Simulator.load(write(tmp_path, controller=code("raise KeyboardInterrupt")))
    with pytest.raises(KeyboardInterrupt):
        sim.step()
    assert sim.error is None


def test_a_new_file_does_not_end_a_pause(folder, monkeypatch):
    monkeypatch.setattr("horus_sim.sim2d.controllers.slot._CHECK_EVERY_S", 0.0)
    sim = Simulator.load(folder)
    sim.step()
    sim.pause()
    rewrite(folder, speed=0.25, action="pass")
    assert not sim.step()
    sim.reload_controllers()
    assert (sim.paused, sim.steps) == (True, 1)
    sim.resume()
    assert sim.step()
    assert sim.robots["robot"].motors["left"].command == 0.25


def test_state_in_slots_is_copied(tmp_path):
    head = "class Base:\n  __slots__ = 'n'\n"
    text = code("self.n += 1; self.__seen.append(self.n)", head, "self.n, self.__seen = 0, []")
    text = text.replace("class Controller:", "class Controller(Base):\n  __slots__ = ('__seen',)")
    sim = Simulator.load(write(tmp_path, controller=text))
    sim.run(0.1)
    snapshot = sim.snapshot()
    sim.run(0.1)
    sim.apply_snapshot(snapshot)
    assert sim._controllers[0].instance.n == 12
    assert sim.snapshot() == snapshot


def test_get_state_alone_is_not_used(tmp_path):
    extra = "  def get_state(self): return 'text'\n"
    text = code("self.n += 1", init="self.n = 0", extra=extra)
    sim = Simulator.load(write(tmp_path, controller=text))
    sim.run(0.1)
    snapshot = sim.snapshot()
    assert snapshot.controllers == {"robot": {"n": 12}}
    sim.run(0.1)
    sim.apply_snapshot(snapshot)
    assert sim.snapshot() == snapshot


def test_a_state_that_is_refused_changes_nothing(tmp_path):
    extra = (
        "  def get_state(self): return self.n\n"
        "  def set_state(self, state):\n    if state < 0: raise ValueError('negative')\n"
        "    self.n = state\n"
    )
    text = code("self.n += 1", init="self.n = 0", extra=extra)
    sim = Simulator.load(write(tmp_path / "a", controller=text))
    start = sim.snapshot()
    sim.run(0.1)
    before = sim.snapshot()
    with pytest.raises(ControllerError, match="set_state: ValueError: negative"):
        sim.apply_snapshot(Snapshot(start.world, {"robot": -1}))
    assert sim.snapshot() == before
    plain = Simulator.load(write(tmp_path / "b", controller=code()))
    plain.run(0.1)
    with pytest.raises(ControllerError, match="does not have get_state and set_state any more"):
        plain.apply_snapshot(start)
    assert plain.steps == 12


def test_files_beside_the_controller_can_be_imported(tmp_path):
    for name in ("a", "b"):
        write(tmp_path / name, controller=code("self.value = VALUE", "from helpers import VALUE"))
        (tmp_path / name / "helpers.py").write_text(f"VALUE = {name!r}")
    for name in ("a", "b"):
        sim = Simulator.load(tmp_path / name)
        sim.step()
        assert sim._controllers[0].instance.value == name
    assert "helpers" not in sys.modules
    assert str(tmp_path / "b") not in sys.path


@pytest.mark.parametrize("duration", [float("inf"), float("nan"), -1.0, "1", None, True])
def test_durations_are_checked(duration):
    with pytest.raises(
        Sim2dError, match=r"a duration of .* s is not possible; give a number from 0"
    ):
        Simulator(scenario()).run(duration)
