"""Bad scenarios, each with the error that a user should read."""

from __future__ import annotations

import json
import math

import pytest

from horus_sim.errors import ControllerError, ScenarioError
from horus_sim.sim2d import Simulator, load_scenario

from .makers import SQUARE, body, robot_values, write


def robot_with(**changes):
    return robot_values(bodies=[{**body(), **changes}])


def with_part(key, index, **changes):
    robot = robot_values()
    robot[key][index] = {**robot[key][index], **changes}
    return robot


JOINT = {"name": "j", "parent": "chassis", "child": "arm"}
BAD_ROBOTS = {
    "mass is text": (robot_with(mass="heavy"), r"bodies\[0\].mass: .*valid number, got 'heavy'"),
    "mass is negative": (robot_with(mass=-1), r"bodies\[0\].mass: .*greater than 0, got -1"),
    "inertia is zero": (robot_with(inertia=0), r"bodies\[0\].inertia: .*greater than 0"),
    "mass is NaN": (robot_with(mass=math.nan), r"bodies\[0\].mass: .*(finite|greater)"),
    "pose is infinite": (robot_with(pose=[math.inf, 0, 0]), r"bodies\[0\].pose\[0\]: .*finite"),
    "pose is short": (robot_with(pose=[0, 0]), r"bodies\[0\].pose"),
    "no points": (robot_with(points=[]), r"bodies\[0\].points: a polygon needs at least 3 points"),
    "zero area": (robot_with(points=[[0, 0], [1, 1], [2, 2]]), r"points: the polygon has no area"),
    "clockwise": (robot_with(points=SQUARE[::-1]), r"points: the points run clockwise; reverse"),
    "crosses itself": (robot_with(points=[SQUARE[i] for i in (0, 2, 1, 3)]), "crosses itself"),
    "not convex": (
        robot_with(points=[[0, 0], [1, 0], [0.2, 0.2], [0, 1]]),
        "not convex; split it into convex bodies",
    ),
    "same point twice": (robot_with(points=[*SQUARE, SQUARE[0]]), "two points are the same"),
    "a million vertices": (
        json.dumps(robot_with(points=[[k, 0] for k in range(1_000_000)])),
        "1000000 points are too many for one body; simplify",
    ),
    "edge to nowhere": (robot_with(edges=[[0, 9]]), r"edges: edge \[0, 9\] names a point"),
    "circle with points": (robot_with(radius=1.0), "points or a radius, not both"),
    "no bodies": (robot_values(bodies=[]), r"bodies: .*at least 1"),
    "two bodies, one name": (robot_values(bodies=[body(), body()]), "'chassis' is taken"),
    "motor on a missing body": (
        with_part("actuators", 0, body="chasis"),
        r"actuators\[0\].body: no body is called 'chasis'; did you mean 'chassis'",
    ),
    "joint to a missing body": (
        robot_values(joints=[JOINT]),
        r"joints\[0\].child: no body is called 'arm'",
    ),
    "unknown joint": (robot_values(joints=[{**JOINT, "type": "ball"}]), r"joints\[0\].type"),
    "unknown sensor": (with_part("sensors", 0, type="radar"), r"sensors\[0\].type: .*'radar'"),
    "unknown preset": (
        with_part("sensors", 3, params={"preset": "line_basik"}),
        r"sensors\[3\].params.preset: no preset .*did you mean 'line_basic'",
    ),
    "unknown parameter": (
        with_part("actuators", 0, params={"max_forc": 1}),
        r"actuators\[0\].params.max_forc: .*did you mean 'max_force'",
    ),
    "parameter out of range": (
        with_part("actuators", 0, params={"wheel_radius": -0.1}),
        r"actuators\[0\].params.wheel_radius: .*greater than 0",
    ),
}  # fmt: skip
BAD_WORLDS = {
    "bounds upside down": ({"bounds": {"min_x": 2}}, r"bounds.max_x: max_x must be larger"),
    "timestep of a minute": ({"timestep": 60}, r"timestep: .*less than or equal to 0.1"),
    "lonely point": ({"drawings": [{"points": [[0, 0]]}]}, r"drawings\[0\].points: a line needs"),
    "terrain without body": ({"terrain": [{"name": "x"}]}, r"terrain\[0\].body: Field required"),
    "no JSON": ('{"name": \n "x"', "world.json:2: this is no JSON"),
    "a list": ("[]", "world.json"),
    "deeply nested": ("[" * 100_000, "nested too deeply"),
}


@pytest.mark.parametrize("case", BAD_ROBOTS)
def test_bad_robot(case, tmp_path):
    values, text = BAD_ROBOTS[case]
    with pytest.raises(ScenarioError, match=text) as caught:
        load_scenario(write(tmp_path, values))
    assert caught.value.file == str(tmp_path / "robot.json")
    assert caught.value.line is not None


@pytest.mark.parametrize("case", BAD_WORLDS)
def test_bad_world(case, tmp_path):
    values, text = BAD_WORLDS[case]
    with pytest.raises(ScenarioError, match=text):
        load_scenario(write(tmp_path, world=values))


def test_missing_robot_file(tmp_path):
    write(tmp_path)
    (tmp_path / "scenario.json").write_text(
        '{"environment": "world.json",\n "robots": [{"ref": "robt.json"}]}'
    )
    with pytest.raises(ScenarioError, match=r"scenario.json:2: robots\[0\].ref: .*robt.json"):
        load_scenario(tmp_path)


def test_missing_world_file(tmp_path):
    write(tmp_path)
    (tmp_path / "world.json").unlink()
    with pytest.raises(ScenarioError, match=r"world.json: the file does not exist; create it"):
        load_scenario(tmp_path)


BAD_CONTROLLERS = {
    "no class": ("x = 1", "has no class Controller"),
    "syntax": ("class Controller:\n  def step(self:", "loading: SyntaxError.*line 2"),
    "no step": ("class Controller:\n  def __init__(self, sim): pass", "has no method step"),
    "raises when made": (
        "class Controller:\n  def __init__(self, sim):\n    1 / 0",
        r"Controller\(sim\): ZeroDivisionError.*controller.py, line 3",
    ),
    "never comes up": ("while True: pass", "loading: it did not return within 0.3 s"),
}


@pytest.mark.parametrize("case", BAD_CONTROLLERS)
def test_bad_controller(case, tmp_path):
    code, text = BAD_CONTROLLERS[case]
    write(tmp_path, controller=code)
    with pytest.raises(ControllerError, match=text):
        Simulator.load(tmp_path, controller_timeout=0.3)
