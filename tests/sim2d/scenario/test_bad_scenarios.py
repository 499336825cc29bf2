"""Bad scenarios, each with the error that a user should read."""

from __future__ import annotations

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import ControllerError, ScenarioError
from horus_sim.sim2d import Simulator, UnlikelyValueWarning, load_scenario
from horus_sim.sim2d.scenario.outline import distance_outside

from ..makers import SQUARE, body, robot_values, write


def robot_with(**changes):
    return robot_values(bodies=[{**body(), **changes}])


def with_part(key, index, **changes):
    robot = robot_values()
    robot[key][index] = {**robot[key][index], **changes}
    return robot


def hinged(pose=(0, 0, 0), **changes):
    joint = {"name": "elbow", "parent": "chassis", "child": "arm", "type": "hinge"}
    bodies = [body(pose=[0, 0, 0.5]), body("arm", pose=list(pose))]
    return robot_values(bodies=bodies, joints=[{**joint, **changes}])


JOINT = {"name": "j", "parent": "chassis", "child": "arm"}
BAD_ROBOTS = {
    "mass is text": (
        robot_with(mass="heavy"), r"bodies\[0\].mass: it is 'heavy', not a number; write one"
    ),
    "mass is negative": (robot_with(mass=-1), r"\.mass: .*from 1e-09 to 1000000000 kg, got -1"),
    "inertia is zero": (robot_with(inertia=0), r"\.inertia: .*from 1e-24 to 1e\+24 kg m\^2, got 0"),
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
        r"bodies\[0\].points: it has more than 256 items; write fewer",
    ),
    "edge to nowhere": (robot_with(edges=[[0, 9]]), r"edges: edge \[0, 9\] names a point"),
    "circle with points": (robot_with(radius=1.0), "points or a radius, not both"),
    "no bodies": (robot_values(bodies=[]), r"bodies: it is empty; write at least one"),
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
        r"actuators\[0\].params.wheel_radius: .*from 1e-06 to 1000000 m, got -0.1",
    ),
    "wheels without end": (
        with_part("actuators", 0, params={"wheel_count": 2**40}),
        r"actuators\[0\].params.wheel_count: .*less than or equal to 1000",
    ),
    "a flag is text": (
        with_part("actuators", 0, params={"detailed": "yes"}),
        r"actuators\[0\].params.detailed: it is 'yes', not a truth value; write true or false",
    ),
    "radius beyond reason": (
        robot_with(points=[], radius=1e308), r"bodies\[0\].radius: .*from 1e-06 to 1000000 m, got"
    ),
    "floor friction is null": (
        robot_with(material={"custom": {"ground_friction": None}}),
        r"bodies\[0\].material.custom.ground_friction: it must be a number from 0 .*, got None",
    ),
    "a controller elsewhere": (
        robot_values(controller_module="../../x"),
        r"controller_module: it must be a module beside robot.json: .*, got '../../x'",
    ),
    "mass beyond reason": (
        robot_with(mass=1e300), r"bodies\[0\].mass: .*from 1e-09 to 1000000000 kg, got 1e\+300"
    ),
    "start in degrees": (
        robot_values(spawn_pose=[0, 0, 90]),
        r"spawn_pose\[2\]: it is beyond a full turn .*angles are radians, and 90 .* 1.571, got 90",
    ),
    "mount in degrees": (
        with_part("sensors", 4, mount_pose=[0, 0, 45]), r"sensors\[4\].mount_pose\[2\]: .*0.7854"
    ),
    "field of view in degrees": (
        with_part("sensors", 4, params={"count": 3, "fov": 120}),
        r"sensors\[4\].params.fov: it is beyond a full turn .*, and 120 degrees are 2.094, got 120",
    ),
    "a part in degrees": (
        robot_with(pose=[0, 0, 90]),
        r"bodies\[0\].pose\[2\]: it is beyond a full turn .*angles are radians, and 90 .* 1.571",
    ),
    "a lower limit in degrees": (
        hinged(lower_limit=-90, upper_limit=90),
        r"joints\[0\].lower_limit: it is beyond a full turn .*, and -90 .* are -1.571, got -90",
    ),
    "an upper limit in degrees": (
        hinged(upper_limit=90), r"joints\[0\].upper_limit: it is beyond a full turn .*, got 90"
    ),
    "a mote": (robot_with(points=[], radius=1e-300), r"radius: .*from 1e-06 to 1000000 m, got 1e"),
    "nearly no mass": (robot_with(mass=1e-300), r"mass: .*from 1e-09 to 1000000000 kg, got 1e-300"),
    "nearly no inertia": (robot_with(inertia=1e-320), r"inertia: .*from 1e-24 to 1e\+24 kg m\^2"),
    "friction beyond reason": (
        robot_with(material={"friction": 1e300}), r"material.friction: .*from 0 to 1000000, got 1e"
    ),
    "a range beyond reason": (
        with_part("sensors", 4, params={"range_max": 1e300}),
        r"sensors\[4\].params.range_max: .*from 1e-06 to 1000000 m, got 1e\+300",
    ),
    "a push beyond reason": (
        with_part("actuators", 0, params={"max_force": 1e300}), r"max_force: .*from 0 to 1e\+12 N,"
    ),
    "a wheel faster than reason": (
        with_part("actuators", 0, params={"max_wheel_omega": 1e300}),
        r"max_wheel_omega: .*from 1e-06 to 1000000 rad/s, got 1e\+300",
    ),
    "a rate beyond reason": (
        with_part("sensors", 0, params={"rate_hz": 1e300}),
        r"rate_hz: .*from 0 to 1000000 Hz, got 1e",
    ),
    "a stiffness beyond reason": (
        hinged(stiffness=1e300), r"joints\[0\].stiffness: .*from 1e-09 to 1e\+15 N/m, got 1e\+300"
    ),
    "a robot's body is a list": (
        robot_values(bodies=[[]]),
        r"bodies\[0\]: it is \[\]; write keys and values there, such as .*name, points",
    ),
    "a pose of four numbers": (
        robot_with(pose=[0, 0, 0, 1]),
        r"bodies\[0\].pose: it has more than 3 values; write 3 values, such as",
    ),
    "long name of a controller": (
        robot_values(controller_module="c" * 5000), r"controller_module: .*at most 200 characters"
    ),
}  # fmt: skip


def patch(**custom):
    return {"terrain": [{"name": "t", "body": {**body("t"), "material": {"custom": custom}}}]}


def named(name, **world):
    return {**world, "shape_objects": [{"name": name, "body": body(name)}]}


WALL = {"kind": "wall", "points": [[0, 0], [1, 0]]}
FAR = [[-1e308, 0], [1e308, 0]]
BAD_WORLDS = {
    "a body in degrees": (
        {"terrain": [{"name": "t", "body": body("t", pose=[0, 0, -45])}]},
        r"terrain\[0\].body.pose\[2\]: it is beyond a full turn .*, and -45 degrees are -0.7854",
    ),
    "intensity is text": (
        patch(line_intensity="abc"),
        r"json:\d+: terrain\[0\].body.material.custom.line_intensity: .*number from 0 .*'abc'",
    ),
    "intensity is a list": (patch(line_intensity=[1]), r"custom.line_intensity: .*got \[1\]"),
    "intensity is NaN": (patch(line_intensity=math.nan), r"line_intensity: .*got nan"),
    "floor friction is text": (patch(ground_friction="abc"), r"ground_friction: .*got 'abc'"),
    "floor friction is negative": (patch(ground_friction=-5), r"ground_friction: .*got -5"),
    "intensity of a stroke": (
        {"drawings": [{"points": [[0, 0], [1, 0]], "metadata": {"line_intensity": "x"}}]},
        r"drawings\[0\].metadata.line_intensity: .*got 'x'",
    ),
    "mark beyond reason": ({"drawings": [{"points": FAR}]}, r"drawings\[0\].points\[0\]\[0\]: "),
    "wall beyond reason": (
        {"drawings": [{"kind": "wall", "points": FAR}]}, r"drawings\[0\].points\[0\]\[0\]: "
    ),
    "bounds beyond reason": ({"bounds": {"max_x": 1e308}}, r"bounds.max_x: .*from -1000000 to 1"),
    "gravity in space": (
        {"gravity": [0, 0, -9.81]},
        r"json:2: gravity: gravity has two numbers, .*; \[0, 0\] .* above, \[0, -9.81\] .*got",
    ),
    "gravity is short": ({"gravity": [-9.81]}, r"gravity: gravity has two numbers"),
    "gravity is a number": (
        {"gravity": -9.81}, r"json:2: gravity: gravity has two numbers, \[x, y\] .*, got -9.81$"
    ),
    "gravity is text": ({"gravity": "down"}, r"gravity: gravity has two numbers.*, got 'down'$"),
    "gravity is null": ({"gravity": None}, r"gravity: gravity has two numbers.*, got None$"),
    "gravity is an object": ({"gravity": {"x": 0}}, r"gravity: gravity has two .*got \{'x': 0\}$"),
    "gravity beyond reason": (
        {"gravity": [0, -1e300]}, r"gravity\[1\]: .*from -1000000 to 1000000 m/s\^2, got -1e\+300"
    ),
    "a step that time cannot show": ({"timestep": 1e-300}, r"timestep: .*from 1e-06 to 0.1 s, got"),
    "points are an object": (
        {"drawings": [{"points": {}}]}, r"drawings\[0\].points: it is \{\}; write a list"
    ),
    "a body is a number": (
        {"terrain": [3]},
        r"terrain\[0\]: it is 3; write keys and values there, such as .*name, body",
    ),
    "number with 5000 digits": (
        '{\n"seed": ' + "9" * 5000 + "}", "world.json:2: a number has too many digits"
    ),
    "seed is text": (
        {"seed": "3"},
        r"seed: it is '3', not a whole number; write one, such as 100, without quotes",
    ),
    "seed is true": ({"seed": True}, r"seed: it is True, not a whole number"),
    "a key twice": (
        '{"name": "a",\n"name": "b"}', "world.json:2: name: the key 'name' is given twice"
    ),
    "a key in metadata too": (
        '{"metadata": {"fog": 1},\n"fog": 2}', "world.json:2: fog: it is unknown, and metadata has"
    ),
    "name of a bound": (
        named("bounds_left", bounds={}),
        r"shape_objects\[0\].name: .*'bounds_left' is that of a wall of bounds; choose another",
    ),
    "name of a wall": (
        named("drawing_1_0", drawings=[{}, WALL]),
        r"that of a wall of drawings\[1\]; choose another"
    ),
    "name of a robot's body": (
        named("robot/chassis"), r"shape_objects\[0\].name: names that begin with 'robot/' are those"
    ),
    "name below a robot": (named("robot/c"), r"choose another than 'robot/c'"),
    "name of the world": (named("world"), r"'world' is the frame that everything is in; choose"),

    "bounds upside down": ({"bounds": {"min_x": 2}}, r"bounds.max_x: max_x must be larger"),
    "timestep of a minute": ({"timestep": 60}, r"timestep: .*from 1e-06 to 0.1 s, got 60"),
    "lonely point": ({"drawings": [{"points": [[0, 0]]}]}, r"drawings\[0\].points: a line needs"),
    "terrain without body": (
        {"terrain": [{"name": "x"}]}, r"terrain\[0\].body: this key is required"
    ),
    "no JSON": ('{"name": \n "x"', "world.json:2: this is not valid JSON"),
    "a list": (
        "[]",
        r"world.json:1: it is \[\]; write keys and values there, such as .*name, seed, gravity$",
    ),
    "null": ("null", r"world.json:1: it is None; write keys and values there, such as .*name"),
    "deeply nested": ("[" * 100_000, "nested too deeply"),
}  # fmt: skip


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


@pytest.mark.parametrize("file", ["world.json", "robot.json"])
@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_other_encodings(file, encoding, tmp_path):
    write(tmp_path)
    (tmp_path / file).write_bytes('{\n"metadata": {"a": "é"}}'.encode(encoding))
    line = 2 if encoding == "latin-1" else 1
    with pytest.raises(ScenarioError, match=f"{file}:{line}: the text is not UTF-8; save the file"):
        load_scenario(tmp_path)


@pytest.mark.parametrize("turn", [6.2832, -2 * math.pi, 2 * math.pi])
def test_a_full_turn_is_an_angle(turn, tmp_path):
    lidar = {"name": "lidar", "type": "distance", "body": "chassis"}
    robot = robot_values(
        spawn_pose=[0, 0, turn], sensors=[{**lidar, "params": {"count": 24, "fov": abs(turn)}}]
    )
    assert load_scenario(write(tmp_path, robot)).robots[0].spawn_pose.theta == turn


def trailer(kind="hinge", hitch=(0.15, 0.0)):
    """A body 0.3 m behind another one, which meet at -0.15 m."""
    joint = {"name": "hitch", "parent": "chassis", "child": "trailer", "type": kind}
    return robot_values(
        bodies=[body(), body("trailer", pose=[-0.3, 0, 0])],
        joints=[{**joint, "anchor_parent": [-0.15, 0], "anchor_child": list(hitch)}],
    )


@pytest.mark.parametrize("kind", ["hinge", "rigid"])
def test_anchors_that_are_apart_are_named(kind, tmp_path):
    folder = write(tmp_path, trailer(kind, (3.15, 4.0)))
    line = (folder / "robot.json").read_text().splitlines().index('   "anchor_child": [') + 1
    with pytest.warns(UnlikelyValueWarning, match="the anchors of") as caught:
        load_scenario(folder)
    (warning,) = caught
    assert str(warning.message) == (
        f"{folder / 'robot.json'}:{line}: joints[0].anchor_child: the anchors of 'hitch' are 5 m "
        f"apart where the robot starts, and the {kind} joint pulls them together at once; correct "
        "anchor_parent, anchor_child or the poses of the bodies"
    )


def test_anchors_that_meet_or_keep_their_distance_are_no_matter(tmp_path):
    load_scenario(write(tmp_path / "a", trailer()))
    load_scenario(write(tmp_path / "b", trailer("distance", (3.15, 4.0))))


@pytest.mark.parametrize(("start", "key"), [(1.9, "upper_limit"), (-0.9, "lower_limit")])
def test_a_hinge_that_starts_outside_its_limits_is_named(start, key, tmp_path):
    folder = write(tmp_path, hinged((0, 0, 0.5 + start), lower_limit=-0.8, upper_limit=1.8))
    lines = (folder / "robot.json").read_text().splitlines()
    (line,) = [number for number, text in enumerate(lines, 1) if f'"{key}"' in text]
    with pytest.warns(UnlikelyValueWarning, match="the hinge") as caught:
        load_scenario(folder)
    (warning,) = caught
    assert str(warning.message) == (
        f"{folder / 'robot.json'}:{line}: joints[0].{key}: the hinge 'elbow' starts at {start} "
        "rad, outside its limits from -0.8 to 1.8 rad, and is turned into them at once; correct "
        "the limits or the poses of the bodies"
    )


@pytest.mark.parametrize("turns", [1, -1])
def test_whole_turns_do_not_count_against_limits(turns, tmp_path):
    start = 1.0 if turns > 0 else -1.0
    pose = (0, 0, start - turns * 2 * math.pi)
    load_scenario(write(tmp_path, hinged(pose, lower_limit=-1.6, upper_limit=1.6)))


@pytest.mark.parametrize("limits", [(0.0, 1.5708), (0.3, 0.3), (-2 * math.pi, 2 * math.pi)])
def test_hinges_inside_their_limits_or_without_are_no_matter(limits, tmp_path):
    lower, upper = limits
    turned = (0, 0, 0.5 + math.pi / 2)
    load_scenario(write(tmp_path, hinged(turned, lower_limit=lower, upper_limit=upper)))


AWAY = [[1, -0.1], [1.2, -0.1], [1.2, 0.1], [1, 0.1]]


def test_a_center_of_mass_outside_the_outline_is_named(tmp_path):
    away = {"points": AWAY, "inertia": 1.2}
    patch_of = {"custom": {"line_intensity": 1}}
    objects = {
        "t": body("t", **away),
        "fixed": body("fixed", can_move=False, **away),
        "p": body("p", material=patch_of, **away),
    }
    terrain = [{"name": name, "body": values} for name, values in objects.items()]
    folder = write(tmp_path, robot_with(**away), {"terrain": terrain})
    with pytest.warns(UnlikelyValueWarning, match="center of mass") as caught:
        load_scenario(folder)
    texts = [str(warning.message) for warning in caught]
    assert len(texts) == 2
    assert re.search(
        r"world.json:\d+: terrain\[0\].body.points: the origin of 't', which is its center of mass"
        r", lies 1 m outside its outline; give the points about their center, and move the pose",
        texts[0],
    )
    assert re.search(r"robot.json:\d+: bodies\[0\].points: the origin of 'chassis'", texts[1])


@given(st.floats(0, 2 * math.pi), st.floats(0, 5), st.floats(0.01, 3))
def test_the_distance_from_an_outline_is_that_of_geometry(angle, away, half):
    # A square whose near side is `away` from the origin, seen along its normal.
    c, s = math.cos(angle), math.sin(angle)
    corners = [(away, -half), (away + 2 * half, -half), (away + 2 * half, half), (away, half)]
    turned = [(c * x - s * y, s * x + c * y) for x, y in corners]
    assert distance_outside(turned) == pytest.approx(away, abs=1e-9)


def test_the_largest_world_there_may_be(tmp_path):
    most = {"min_x": -1e6, "min_y": -1e6, "max_x": 1e6, "max_y": 1e6}
    stroke = {"points": [[-1e6, -1e6], [1e6, 1e6]]}
    world = {"bounds": most, "drawings": [stroke, {"kind": "wall", **stroke}]}
    sim = Simulator.load(write(tmp_path, world=world))
    sim.run(0.1)
    assert sim.line_intensity(0, 0) == 1


def test_ids_of_robots_have_no_slash(tmp_path):
    write(tmp_path)
    (tmp_path / "scenario.json").write_text(
        '{"environment": "world.json",\n "robots": [{"ref": "robot.json", "id": "a/b"}]}'
    )
    with pytest.raises(ScenarioError, match=r"scenario.json:2: robots\[0\].id: .*'a/b' has a '/'"):
        load_scenario(tmp_path)


@pytest.mark.parametrize("case", ["robot", "scenario"])
def test_a_named_controller_must_exist(case, tmp_path):
    good = "class Controller:\n  def __init__(self, sim): pass\n  def step(self, s, dt): pass"
    robot = robot_values(controller_module="controler") if case == "robot" else None
    write(tmp_path, robot, controller=good)
    if case == "scenario":
        (tmp_path / "scenario.json").write_text(
            '{"environment": "world.json", '
            '"robots": [{"ref": "robot.json", "controller": "controler"}]}'
        )
    text = r"no file .*controler.py; create it, or correct .*; did you mean 'controller'\?"
    with pytest.raises(ControllerError, match=text):
        Simulator.load(tmp_path)
    assert Simulator.load(tmp_path, controllers=False).step()


def test_no_controller_at_all_is_legal(tmp_path):
    assert Simulator.load(write(tmp_path)).run(0.1)
    assert Simulator.load(write(tmp_path, robot_values(controller_module=""))).run(0.1)


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
    with pytest.raises(
        ScenarioError,
        match=r"world.json: the file cannot be read \(No such file .*; create it, or check",
    ):
        load_scenario(tmp_path)


BAD_CONTROLLERS = {
    "no class": ("x = 1", "has no class Controller"),
    "syntax": (
        "class Controller:\n  def step(self:",
        r"loading: SyntaxError: '\(' was never closed \(controller.py, line 2\)$",
    ),
    "a NUL byte": (
        "x = 1\ny = 2\0",
        r"there is a NUL byte in the text \(controller.py, line 2\); remove it, or save .* UTF-8",
    ),
    "syntax of a text": (
        "x = 1\neval('1 +')",
        r"invalid syntax \(<string>, line 1\) \(controller.py, line 2\)$",
    ),
    "syntax error by hand": (
        "x = 1\nraise SyntaxError('bad')",
        r"SyntaxError: bad \(controller.py, line 2\)$",
    ),
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


def test_the_syntax_of_a_file_beside_the_controller(tmp_path):
    write(tmp_path, controller="x = 1\nfrom helper import y\ndef step(sensors, dt): pass")
    (tmp_path / "helper.py").write_text("y = 1\nz = 2\nif y")
    with pytest.raises(ControllerError, match=r"expected ':' \(helper.py, line 3\)$"):
        Simulator.load(tmp_path)
