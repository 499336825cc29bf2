"""What the file of a controller may hold: classes, functions, their arguments and results."""

from __future__ import annotations

import re

import pytest

from horus_sim.errors import ControllerError
from horus_sim.sim2d import Simulator, Snapshot

from ..makers import write


def code(step, head=""):
    """A controller whose step begins in line 6."""
    return (
        f"{head}\nclass Controller:\n  def __init__(self, sim):\n    pass\n"
        f"  def step(self, sensors, dt):\n    {step}\n"
    )


FORMS = {
    "update": "class Controller:\n  def __init__(self, sim): pass\n"
    "  def update(self, sensors, dt): {}",
    "without an argument": "class Controller:\n  def __init__(self): pass\n"
    "  def step(self, sensors, dt): {}",
    "without __init__": "class Controller:\n  def step(self, sensors, dt): {}",
    "static": "class Controller:\n  @staticmethod\n  def step(sensors, dt): {}",
    "any arguments": "class Controller:\n  def __init__(self, *a): assert len(a) == 1\n"
    "  def step(self, *args, **more): sensors, dt = args; {}",
    "more with defaults": "class Controller:\n  def __init__(self, sim=None, gain=1.0): sim.drive\n"
    "  def step(self, sensors, dt, gain=2): {}",
    "a factory": "class Made:\n  def step(self, sensors, dt): {}\n"
    "def Controller(sim): return Made()",
    "a function": "def step(sensors, dt): {}",
    "a function update": "def update(sensors, dt): {}",
}  # fmt: skip
WORK = "assert dt == 1 / 120; assert len(sensors['line']) == 5; return {'left': 0.5, 'right': 0.25}"


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_controllers(form, tmp_path):
    sim = Simulator.load(write(tmp_path, controller=FORMS[form].format(WORK)))
    assert sim.run(0.1), sim.error
    motors = sim.robots["robot"].motors
    assert (motors["left"].command, motors["right"].command) == (0.5, 0.25)
    sim.apply_snapshot(sim.snapshot())


FUNCTIONS = """
count = 0
def step(sensors, dt):
    global count
    count += 1
    return {{"left": {speed}}}
def get_state(): return count
def set_state(state):
    global count
    count = state
"""


def test_functions_of_a_module_have_a_state_and_are_loaded_anew(tmp_path):
    sim = Simulator.load(write(tmp_path, controller=FUNCTIONS.format(speed=0.5)))
    sim.run(0.1)
    snapshot = sim.snapshot()
    assert snapshot.controllers == {"robot": 12}
    path = tmp_path / "controller.py"
    path.write_text(FUNCTIONS.format(speed=0.125))
    sim.reload_controllers()
    sim.run(0.1)
    assert sim.robots["robot"].motors["left"].command == 0.125
    assert sim.snapshot().controllers == {"robot": 24}
    sim.apply_snapshot(snapshot)
    assert sim.snapshot().controllers == {"robot": 12}
    # Without them it has none: what a module holds is what its file says.
    write(tmp_path / "plain", controller="COUNT = [0]\ndef step(sensors, dt): COUNT[0] += 1")
    plain = Simulator.load(tmp_path / "plain")
    assert plain.snapshot().controllers == {"robot": {}}
    text = (
        "another version remembered, and .*plain/controller.py does not have get_state and set_st"
    )
    with pytest.raises(ControllerError, match=text):
        plain.apply_snapshot(Snapshot(plain.world_state(), {"robot": {"count": 3}}))


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (
            "return [0.5, 0.5]",
            (
                r"step returned the list \[0.5, 0.5\] \(controller.py, line 6\); return commands"
                r" by motor, such as \{'left': 0.5, 'right': 0.5\}, or nothing"
            ),
        ),
        ("x = 1\n    return 0.5", r"returned the float 0.5 \(controller.py, line 7\); return com"),
        ("return iter(())", r"returned the tuple_iterator .* \(controller.py, line 6\)"),
        (
            "return {'left': 'fast'}",
            r"step returned the str 'fast' for motor 'left' \(controller.py, line 6\); give a n",
        ),
        ("return {'left': True}", r"the bool True for motor 'left' .*line 6\); give a number from"),
        (
            "import numpy as np\n    return {'left': np.bool_(True)}",
            r"for motor 'left' \(controller.py, line 7\); give a number from -1 to 1$",
        ),
        (
            "import numpy as np\n    return {'left': np.array([.5])}",
            (
                r"step returned the ndarray array\(\[0.5\]\) for motor 'left' \(controller.py, line"
                r" 7\); give a number from -1 to 1: one element of the array$"
            ),
        ),
        ("return {'left': -10**400}", r"the command of motor 'left' is -inf; it must be finite"),
        ("return {'left': None}", r"the NoneType None for motor 'left' \(controller.py, line 6\)"),
        ("return {'left': [1]}", r"the list \[1\] for motor 'left' \(controller.py, line 6\)"),
        (
            "return {'left': float('nan')}",
            r"step: the command of motor 'left' is nan; it must be finite \(controller.py, line",
        ),
        (
            "return {'lefft': 1}",
            r"step: no motor is called 'lefft'; did you mean 'left'\? \(controller.py, line 6\)",
        ),
        (
            "return {0: 1}",
            r"step: no motor is called '0'; known: left, right \(controller.py",
        ),
        (
            "sensors['lin']",
            r"step: no sensor is called 'lin'; did you mean 'line'\? \(controller.py, line 6\)",
        ),
        (
            "if dt < 0: return {}\n    return (1, 2)",
            r"step returned the tuple \(1, 2\) \(controller.py, line 5\)",
        ),
        (
            "def other():\n      return 3\n    return other()",
            r"step returned the int 3 \(controller.py, line 8\)",
        ),
    ],
)
def test_what_a_step_returns_is_checked(step, text, tmp_path):
    sim = Simulator.load(write(tmp_path, controller=code(step)))
    assert not sim.step()
    assert re.search(text, str(sim.error)), str(sim.error)


@pytest.mark.parametrize(
    "value", ["1", "0.5", "np.float32(0.5)", "np.array(0.5)", "Fraction(1, 2)", "5", "1e300"]
)
def test_commands_may_be_any_number(value, tmp_path):
    head = "import numpy as np; from fractions import Fraction"
    sim = Simulator.load(write(tmp_path, controller=code(f"return {{'left': {value}}}", head)))
    assert sim.step(), sim.error
    assert sim.robots["robot"].motors["left"].command in (0.5, 1.0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "class Controller:\n  def step(self, sensors): pass",
            (r"step takes \(sensors\) \(controller.py, line 2\), and it is called with the reading"
            r"s and the length of the step; write def step\(self, sensors, dt\):"),
        ),
        (
            "\ndef step(): pass",
            r"step takes no arguments \(controller.py, line 2\).*write def step\(sensors",
        ),
        (
            "class Controller:\n  def update(self, a, b, c): pass",
            r"update takes \(a, b, c\) \(controller.py, line 2\)",
        ),
        (
            "class Controller:\n  def __init__(self, sim, gain): 0\n  def step(self, s, dt): 0",
            (r"Controller takes \(sim, gain\) \(controller.py, line 2\), and it is made with the "
            r"robot or with nothing; write def __init__\(self, sim\):"),
        ),
        (
            "class Controller:\n  async def step(self, s, dt): pass",
            r"step is a function with async def \(controller.py, line 2\), .*must do one step's",
        ),
        ("def step(s, dt):\n  yield {}", r"a function with yield \(controller.py, line 1\), which"),
        (
            "class Controller:\n  def step(self, s, dt): pass\n  update = step",
            "Controller in .*controller.py has step and update, and one of them is called; remove",
        ),
        ("Controller = 3", "Controller in .*controller.py is a int; write class Controller with"),
        ("x = 1", "no class Controller and no function step; write class Controller with step"),
    ],
)  # fmt: skip
def test_what_a_step_takes_is_checked_when_it_is_loaded(text, problem, tmp_path):
    with pytest.raises(ControllerError, match=problem):
        Simulator.load(write(tmp_path, controller=text))
