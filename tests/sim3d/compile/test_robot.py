"""Robots in MuJoCo: bodies, joints, loops, filters and shapes against closed forms."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Inertial,
    Joint,
    JointDynamics,
    JointLimit,
    JointType,
    Link,
    Material,
    Plane,
    Polyline,
    RobotDescription,
    Sphere,
    Surface,
    Visual,
)
from horus_sim.robots.report import NoteKind, Report
from horus_sim.sim3d import PhysicsConfig, World
from horus_sim.sim3d.compile.robot.drives import SERVO_RATE, loads
from horus_sim.sim3d.compile.robot.robot import build_robot_spec
from horus_sim.sim3d.control.joint_servos import set_servo
from horus_sim.tf import Transform

SPIN = Transform.from_euler((0.1, -0.2, 0.3), (0.4, -0.5, 0.6))
OFFSET = Transform.from_euler((-0.3, 0.1, 0.2), (-0.2, 0.7, 0.1))


def mass(kilograms: float = 1.0, T: Transform | None = None) -> Inertial:
    return Inertial(kilograms, T or Transform(), (0.02, 0.03, 0.04, 0.001, -0.002, 0.003))


def chain(*joints: Joint, **options: object) -> RobotDescription:
    names = ["base", *(joint.child for joint in joints)]
    links = tuple(Link(name, mass()) for name in names)
    return RobotDescription("robot", links, joints, "base", **options)  # pyright: ignore[reportArgumentType]


def rotation(axis: tuple[float, float, float], angle: float) -> Transform:
    x, y, z = (math.sin(angle / 2) * value for value in axis)
    return Transform((0, 0, 0), (x, y, z, math.cos(angle / 2)))


# --- joints ---


AXIS = (0.6, 0.0, 0.8)


@pytest.mark.parametrize("kind", [JointType.REVOLUTE, JointType.CONTINUOUS])
def test_a_hinge_turns_about_its_axis_at_the_joint(kind: JointType):
    joint = Joint("j", kind, "base", "a", SPIN, AXIS, T_joint_child=OFFSET)
    world = World.from_robot(chain(joint))
    world.robots["robot"].set_joint_positions({"j": 0.7})
    expected = SPIN @ rotation(AXIS, 0.7) @ OFFSET
    assert world.robots["robot"].link_pose("a").is_close(expected, 1e-12, 1e-12)


def test_a_slider_moves_along_its_axis():
    joint = Joint("j", JointType.PRISMATIC, "base", "a", SPIN, AXIS, T_joint_child=OFFSET)
    world = World.from_robot(chain(joint))
    world.robots["robot"].set_joint_positions({"j": 0.7})
    expected = SPIN @ Transform((0.42, 0.0, 0.56)) @ OFFSET
    assert world.robots["robot"].link_pose("a").is_close(expected, 1e-12, 1e-12)


def test_a_planar_joint_slides_and_turns_in_its_plane():
    joint = Joint("j", JointType.PLANAR, "base", "a", SPIN, (0, 0, 1), T_joint_child=OFFSET)
    world = World.from_robot(chain(joint))
    robot = world.robots["robot"]
    assert robot.joint_names == ("j/x", "j/y", "j/yaw")
    robot.set_joint_positions({"j/x": 0.3, "j/y": -0.4, "j/yaw": 0.5})
    expected = SPIN @ Transform((0.3, -0.4, 0.0)) @ rotation((0, 0, 1), 0.5) @ OFFSET
    assert robot.link_pose("a").is_close(expected, 1e-12, 1e-12)


def test_a_universal_joint_turns_about_both_axes():
    joint = Joint(
        "j", JointType.UNIVERSAL, "base", "a", SPIN, (1, 0, 0), (0, 1, 0), T_joint_child=OFFSET
    )
    world = World.from_robot(chain(joint))
    robot = world.robots["robot"]
    robot.set_joint_positions({"j/1": 0.3, "j/2": -0.4})
    expected = SPIN @ rotation((1, 0, 0), 0.3) @ rotation((0, 1, 0), -0.4) @ OFFSET
    assert robot.link_pose("a").is_close(expected, 1e-12, 1e-12)


def test_ball_and_floating_joints_take_transforms():
    ball = Joint("b", JointType.BALL, "base", "a", SPIN, T_joint_child=OFFSET)
    free = Joint("f", JointType.FLOATING, "a", "c", OFFSET, T_joint_child=SPIN)
    world = World.from_robot(chain(ball, free))
    robot = world.robots["robot"]
    T = Transform.from_euler((0.5, 0.6, 0.7), (0.3, 0.2, 0.1))
    robot.set_joint_positions({"b": T, "f": T})
    turned = Transform((0, 0, 0), tuple(T.rotation))
    assert robot.link_pose("a").is_close(SPIN @ turned @ OFFSET, 1e-12, 1e-12)
    T_a_c = robot.link_pose("a").inverse() @ robot.link_pose("c")
    assert T_a_c.is_close(OFFSET @ T @ SPIN, 1e-12, 1e-12)


def test_a_screw_advances_by_its_pitch():
    joint = Joint(
        "j", JointType.SCREW, "base", "a", axis=(0, 0, 1), thread_pitch=0.05,
        dynamics=JointDynamics(damping=0.5),
    )  # fmt: skip
    world = World.from_robot(chain(joint), hold=False)
    robot = world.robots["robot"]
    robot.set_joint_velocities({"j": 3.0})
    world.step(240)
    angle = float(robot.joint_positions()[0])
    assert abs(angle) > 0.1
    height = robot.link_pose("a").translation[2]
    assert height == pytest.approx(0.05 * angle / (2 * math.pi), abs=2e-4)


def test_limits_stop_a_joint():
    joint = Joint(
        "j", JointType.REVOLUTE, "base", "a", axis=(0, 1, 0), limit=JointLimit(-0.5, 0.25)
    )
    heavy = replace(
        chain(joint), links=(Link("base"), Link("a", mass(1.0, Transform((0.3, 0.0, 0.1)))))
    )
    world = World.from_robot(heavy, hold=False)
    world.step(720)
    assert world.robots["robot"].joint_positions()[0] == pytest.approx(0.25, abs=0.01)


def test_a_static_robot_has_no_joints():
    world = World.from_robot(chain(Joint("j", JointType.CONTINUOUS, "base", "a"), is_static=True))
    assert world.model.nv == 0
    assert world.robots["robot"].joint_names == ()


def test_a_floating_base_falls_and_a_held_one_stays():
    robot = chain(Joint("j", JointType.FIXED, "base", "a"))
    falling = World.from_robot(robot, base="floating")
    held = World.from_robot(robot, base="fixed")
    for world, height in ((falling, -9.81 / 2), (held, 0.0)):
        world.step(240)
        assert world.robots["robot"].pose.translation[2] == pytest.approx(height, rel=0.01)


def four_bar() -> RobotDescription:
    """A parallelogram of three moving bars; the coupler closes it with a hinge."""
    bar = Inertial(0.5, Transform((0.0, 0.0, 0.15)), (0.004, 0.004, 0.001, 0, 0, 0))
    free = JointDynamics(armature=0.0, damping=0.02)
    along = Inertial(0.5, Transform((0.25, 0.0, 0.0)), (0.001, 0.004, 0.004, 0, 0, 0))
    y = (0.0, 1.0, 0.0)
    return RobotDescription(
        "four_bar",
        (Link("base"), Link("left", bar), Link("right", bar), Link("coupler", along)),
        (
            Joint("a", JointType.CONTINUOUS, "base", "left", Transform(), y, dynamics=free),
            Joint(
                "b", JointType.CONTINUOUS, "base", "right", Transform((0.5, 0, 0)), y, dynamics=free
            ),
            Joint(
                "c", JointType.CONTINUOUS, "left", "coupler", Transform((0, 0, 0.3)), y,
                dynamics=free,
            ),
        ),
        "base",
        loops=(
            Joint(
                "d", JointType.CONTINUOUS, "right", "coupler", Transform((0, 0, 0.3)), y,
                T_joint_child=Transform((-0.5, 0, 0)),
            ),
        ),
    )  # fmt: skip


def test_a_closed_loop_stays_closed_while_it_swings():
    world = World.from_robot(four_bar(), hold=False)
    robot = world.robots["four_bar"]
    robot.set_joint_positions({"a": 0.4, "b": 0.4, "c": -0.4})
    for _ in range(20):
        world.step(24)
        a, b, c = robot.joint_positions()
        assert b == pytest.approx(a, abs=0.01)
        assert c == pytest.approx(-a, abs=0.01)
        end = robot.link_pose("coupler").transform_point((0.5, 0.0, 0.0))
        top = robot.link_pose("right").transform_point((0.0, 0.0, 0.3))
        np.testing.assert_allclose(end, top, atol=2e-3)
    assert abs(robot.joint_positions()[0]) > 0.5


@pytest.mark.parametrize("kind", [JointType.PRISMATIC, JointType.SCREW])
def test_a_loop_of_another_kind_is_left_open(kind):
    robot = four_bar()
    wrong = replace(robot, loops=(replace(robot.loops[0], kind=kind),))
    world = World.from_robot(wrong)
    assert world.model.neq == build_robot_spec(replace(robot, loops=())).compile().neq
    (note,) = world.report.of(NoteKind.WARNING)
    assert note.culprit == "joint 'd'"
    assert f"left out, its links move freely: joint 'd' of kind '{kind}' closes a loop" in note.text
    with pytest.raises(DescriptionError, match=r"refused by strict=True: .*joint 'd': left out"):
        World.from_robot(wrong, strict=True)


def test_an_unreachable_link_is_refused():
    robot = chain(Joint("j", JointType.FIXED, "base", "a"))
    with pytest.raises(DescriptionError, match="no joint leads from the root 'base' to link 'z'"):
        build_robot_spec(replace(robot, links=(*robot.links, Link("z"))))


# --- mass ---


def test_mass_and_inertia_are_those_described():
    T = Transform.from_euler((0.1, 0.2, 0.3), (0.5, 0.4, -0.3))
    robot = RobotDescription("robot", (Link("base", mass(2.5, T)),), (), "base")
    model = build_robot_spec(robot, "floating").compile()
    body = model.body("base")
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, body.iquat)
    R = R.reshape(3, 3)
    tensor = np.array([[0.02, 0.001, -0.002], [0.001, 0.03, 0.003], [-0.002, 0.003, 0.04]])
    R_link = T.to_matrix()[:3, :3]
    np.testing.assert_allclose(R @ np.diag(body.inertia) @ R.T, R_link @ tensor @ R_link.T)
    np.testing.assert_allclose(body.ipos, T.translation)
    assert body.mass == 2.5


@given(st.lists(st.floats(-1.0, 1.0), min_size=12, max_size=12), st.booleans())
def test_loads_are_the_diagonal_of_the_inertia_matrix(numbers: list[float], slides: bool):  # noqa: FBT001
    a, b, c, d = (
        Transform.from_euler(tuple(numbers[i : i + 3]), tuple(numbers[-3 - i : len(numbers) - i]))
        for i in range(0, 12, 3)
    )
    axis = np.array((numbers[0], numbers[5], 1.0))
    axis /= np.linalg.norm(axis)
    kind = JointType.PRISMATIC if slides else JointType.CONTINUOUS
    still = JointDynamics(armature=0.0)
    robot = RobotDescription(
        "robot",
        (Link("base"), Link("x", mass(1.0, a)), Link("y", mass(2.0, b)), Link("z", mass(0.5, c))),
        (
            Joint("j", JointType.CONTINUOUS, "base", "x", d, tuple(axis), None, dynamics=still),
            Joint("k", kind, "x", "y", a, tuple(axis), None, dynamics=still, T_joint_child=c),
            Joint("l", JointType.FIXED, "y", "z", b),
        ),
        "base",
    )
    model = build_robot_spec(robot).compile()
    found = loads(robot, {link.name: link.inertial for link in robot.links})
    np.testing.assert_allclose(
        (found["j"].inertia, found["k"].inertia), model.dof_M0, rtol=1e-9, atol=1e-12
    )


def wheeled(armature: float | None = None) -> RobotDescription:
    disc = Inertial(0.03, Transform(), (8e-6, 8e-6, 1.6e-5, 0, 0, 0))
    joints = tuple(
        Joint(
            f"{side}_joint",
            JointType.CONTINUOUS,
            "base",
            side,
            Transform.from_euler((0, y, 0.033), (-math.pi / 2, 0, 0)),
            (0, 0, 1),
            dynamics=JointDynamics(armature=armature),
        )
        for side, y in (("left", 0.08), ("right", -0.08))
    )
    return RobotDescription(
        "wheeled",
        (Link("base", mass(0.94)), Link("left", disc), Link("right", disc)),
        joints,
        "base",
    )


def test_wheels_get_the_armature_of_the_rule_and_the_report_says_so():
    world = World.from_robot(wheeled(), base="floating")
    expected = 2 * 1.0 * (1.6e-5 / 0.03) / 2
    np.testing.assert_allclose(world.model.dof_armature[6:], expected, rtol=1e-6)
    notes = [str(note) for note in world.report.of(NoteKind.SUBSTITUTION)]
    assert any("2 joints with a drive and without an armature" in note for note in notes)


@pytest.mark.parametrize("armature", [0.0, 1e-3])
def test_a_stated_armature_is_kept(armature: float):
    world = World.from_robot(wheeled(armature), base="floating")
    np.testing.assert_array_equal(world.model.dof_armature[6:], armature)


def test_other_hinges_get_little_armature_and_passive_joints_none():
    y = (0.0, 1.0, 0.0)
    robot = chain(
        Joint("driven", JointType.REVOLUTE, "base", "a", axis=y, limit=JointLimit(-1, 1, 10)),
        Joint("passive", JointType.REVOLUTE, "a", "b", axis=y, limit=JointLimit(-1, 1, 0.0)),
    )
    world = World.from_robot(robot)
    np.testing.assert_allclose(world.model.dof_armature, (1e-3, 0.0))
    np.testing.assert_array_equal(world.robots["robot"].actuator_ids, (0, -1))
    np.testing.assert_array_equal(world.model.actuator_forcerange, [[-10, 10]])


def test_a_servo_answers_a_step_critically_damped():
    joint = Joint("j", JointType.CONTINUOUS, "base", "a", axis=(0, 0, 1))
    world = World.from_robot(chain(joint), hold=False, physics=PhysicsConfig(gravity=(0, 0, 0)))
    robot = world.robots["robot"]
    drive = robot.coordinates[0].drive
    assert drive is not None
    set_servo(world.model, robot.actuator_ids, drive.kp, drive.kv)
    world.data.ctrl[0] = drive.kp * 0.5
    positions = []
    for _ in range(120):
        world.step()
        positions.append(float(robot.joint_positions()[0]))
    time = world.timestep * np.arange(1, 121)
    expected = 0.5 * (1 - (1 + SERVO_RATE * time) * np.exp(-SERVO_RATE * time))
    assert max(positions) < 0.5 * 1.005
    np.testing.assert_allclose(positions, expected, atol=0.05)
    assert positions[-1] == pytest.approx(0.5, abs=1e-4)


# --- touching ---


def ball_link(name: str) -> Link:
    return Link(name, mass(), (), (Collision(Sphere(0.2)),))


def touching(robot: RobotDescription) -> set[frozenset[str]]:
    world = World.from_robot(robot, hold=False)
    world.robots["robot"].set_joint_positions(dict.fromkeys(world.robots["robot"].joint_names, 0.0))
    pairs = itertools.combinations((link.name for link in robot.links), 2)
    excluded = {
        frozenset(name.removesuffix("#start").split("/", 1)[1].split("|"))
        for name in (world.model.exclude(i).name for i in range(world.model.nexclude))
    }
    return {frozenset(pair) for pair in pairs} - excluded


def test_neighbours_do_not_touch_even_across_fixed_joints():
    far = Transform((0.0, 0.0, 1.0))
    robot = RobotDescription(
        "robot",
        tuple(ball_link(name) for name in ("base", "a", "b", "c")),
        (
            Joint("j", JointType.CONTINUOUS, "base", "a", far),
            Joint("k", JointType.FIXED, "a", "b", far),
            Joint("l", JointType.CONTINUOUS, "b", "c", far),
        ),
        "base",
    )
    pairs = touching(robot)
    # a and b are one part, neighbour of base and of c; MuJoCo itself keeps a and b apart.
    assert pairs == {frozenset(("base", "c")), frozenset(("a", "b"))}
    assert touching(replace(robot, self_collide=False)) == {frozenset(("a", "b"))}


def test_links_that_overlap_where_they_start_are_excluded_with_a_note():
    robot = RobotDescription(
        "robot",
        tuple(ball_link(name) for name in ("base", "a", "b")),
        (
            Joint("j", JointType.CONTINUOUS, "base", "a", Transform((0, 0, 0.3))),
            Joint("k", JointType.CONTINUOUS, "a", "b", Transform((0, 0, 0.05))),
        ),
        "base",
    )
    world = World.from_robot(robot)
    texts = [str(note) for note in world.report.of(NoteKind.SUBSTITUTION)]
    assert any("link 'robot/b'" in text or "link 'robot/a'" in text or "overlaps" in text
               for text in texts)  # fmt: skip
    world.step(10)
    assert world.contacts == ()


def test_a_surface_becomes_contact_parameters():
    surface = Surface(0.3, 0.02, 0.001, contact_dimensions=6, priority=2)
    robot = RobotDescription(
        "robot", (Link("base", mass(), (), (Collision(Sphere(0.1), surface=surface),)),), (), "base"
    )
    geom = build_robot_spec(robot).compile().geom("base#collision0")
    np.testing.assert_allclose(geom.friction, (0.3, 0.02, 0.001))
    assert (geom.condim, geom.priority) == (6, 2)


# --- shapes ---


SHAPES: list[tuple[Geometry, tuple[float, float, float], tuple[float, float, float]]] = [
    (Box((0.2, 0.4, 0.6)), (-0.1, -0.2, -0.3), (0.1, 0.2, 0.3)),
    (Sphere(0.2), (-0.2, -0.2, -0.2), (0.2, 0.2, 0.2)),
    (Cylinder(0.1, 0.6), (-0.1, -0.1, -0.3), (0.1, 0.1, 0.3)),
    (Capsule(0.1, 0.6), (-0.1, -0.1, -0.4), (0.1, 0.1, 0.4)),
    (Cone(0.2, 0.6), (-0.2, -0.2, -0.3), (0.2, 0.2, 0.3)),
    (Ellipsoid((0.1, 0.2, 0.3)), (-0.1, -0.2, -0.3), (0.1, 0.2, 0.3)),
    (
        Polyline((((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)),), 0.5),
        (0.0, 0.0, 0.0),
        (1.0, 1.0, 0.5),
    ),
]


def ray(model: mujoco.MjModel, start: tuple[float, ...], towards: tuple[float, ...]) -> float:
    """Distance along a ray to the nearest shape, or -1."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    hit = np.array([-1], dtype=np.int32)
    return mujoco.mj_ray(
        model, data, np.array(start, dtype=float), np.array(towards, dtype=float), None, 1, -1, hit,
        None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "lower", "upper"), SHAPES, ids=lambda value: type(value).__name__
)
def test_shapes_have_their_size(
    shape: Geometry, lower: tuple[float, float, float], upper: tuple[float, float, float]
):
    link = Link("base", None, (Visual(shape),), (Collision(shape),))
    model = build_robot_spec(RobotDescription("robot", (link,), (), "base")).compile()
    middle = np.mean((lower, upper), axis=0) + np.array((1e-4, 2e-4, 0.0))
    for axis, sign in itertools.product(range(3), (-1, 1)):
        direction = np.zeros(3)
        direction[axis] = -sign
        start = np.array(middle)
        start[axis] = 5.0 * sign
        edge = (upper if sign > 0 else lower)[axis]
        distance = ray(model, tuple(start), tuple(direction))
        if isinstance(shape, Cone) and axis < 2:
            edge /= 2  # half-way up, the cone is half as wide
        assert distance == pytest.approx(abs(5.0 * sign - edge), abs=3e-3)


def test_a_polyline_keeps_its_hole():
    outer = ((0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (0.0, 3.0))
    inner = ((1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0))
    link = Link("base", None, (), (Collision(Polyline((outer, inner), 0.5)),))
    model = build_robot_spec(RobotDescription("robot", (link,), (), "base")).compile()
    assert ray(model, (1.5, 1.45, 2.0), (0, 0, -1)) == -1
    assert ray(model, (0.5, 1.45, 2.0), (0, 0, -1)) == pytest.approx(1.5)
    flat = Polyline((((0.0, 0.0), (1.0, 0.0), (2.0, 0.0)),), 0.5)
    link = Link("base", None, (), (Collision(flat),))
    robot = RobotDescription("robot", (link,), (), "base")
    report = Report()
    assert build_robot_spec(robot, report=report).compile().ngeom == 0
    assert "left out, nothing touches it: a polyline encloses no area" in str(report)


def test_a_plane_faces_along_its_normal():
    plane = Plane((0.0, 0.6, 0.8))
    link = Link("base", None, (), (Collision(plane),))
    model = build_robot_spec(RobotDescription("robot", (link,), (), "base")).compile()
    assert ray(model, (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)) == pytest.approx(1.0)
    assert ray(model, (0.0, 1.0, 1.0), (0.0, 0.0, -1.0)) == pytest.approx(1.0 + 0.6 / 0.8)


def test_a_height_map_has_white_high_and_its_top_at_y(tmp_path: Path):
    pixels = np.full((9, 9), 51, dtype=np.uint8)
    pixels[0, 8] = 255  # top right: +x, +y
    pixels[8, 0] = 102
    path = tmp_path / "hills.png"
    Image.fromarray(pixels).save(path)
    shape = Heightmap(path, "hills.png", (8.0, 8.0, 10.0), (1.0, 0.0, 0.5))
    link = Link("base", None, (), (Collision(shape),))
    model = build_robot_spec(RobotDescription("robot", (link,), (), "base")).compile()

    def height(x: float, y: float) -> float:
        return 50.0 - ray(model, (x, y, 50.0), (0, 0, -1))

    assert height(1.0, 0.01) == pytest.approx(2.5, abs=1e-3)
    assert height(4.999, 3.999) == pytest.approx(10.5, abs=0.05)
    assert height(-2.999, -3.999) == pytest.approx(4.5, abs=0.05)


def test_a_broken_height_map_is_left_out(tmp_path: Path):
    path = tmp_path / "hills.png"
    path.write_bytes(b"no image")
    link = Link("base", None, (), (Collision(Heightmap(path, "hills.png", (1, 1, 1))),))
    report = Report()
    build_robot_spec(RobotDescription("robot", (link,), (), "base"), report=report)
    (note,) = report.of(NoteKind.WARNING)
    assert re.search(r"hills.png' cannot be read .* give a grey PNG", note.text)


def test_equal_meshes_and_materials_are_kept_once():
    cone = Visual(Cone(0.1, 0.2), material=Material("red", (1, 0, 0, 1)))
    links = (Link("base", None, (cone, cone)), Link("a", mass(), (cone,)))
    robot = RobotDescription("robot", links, (Joint("j", JointType.FIXED, "base", "a"),), "base")
    model = build_robot_spec(robot).compile()
    assert model.nmesh == 1
    assert model.nmat == 1
    assert model.ngeom == 3


def test_a_texture_that_cannot_be_read_is_replaced_with_a_note(tmp_path: Path):
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"x")
    good = tmp_path / "good.jpg"
    Image.new("RGB", (8, 4), (200, 10, 10)).save(good)
    visuals = tuple(Visual(Box((1, 1, 1)), material=Material(texture=path)) for path in (bad, good))
    robot = RobotDescription("robot", (Link("base", None, visuals),), (), "base")
    world = World.from_robot(robot)
    assert any("texture 'bad.png'" in str(note) for note in world.report)
    assert world.model.ntex == 2  # the good one and the background


def test_a_robot_becomes_mjcf_with_its_own_names():
    robot = chain(Joint("j", JointType.CONTINUOUS, "base", "a"))
    spec = build_robot_spec(robot)
    model = mujoco.MjModel.from_xml_string(spec.to_xml())
    assert [model.body(i).name for i in range(model.nbody)] == ["world", "base", "a"]
    assert model.nmocap == 0
    rooted = replace(robot, links=(Link("world"), Link("a", mass())), root="world")
    rooted = replace(rooted, joints=(replace(rooted.joints[0], parent="world"),))
    model = build_robot_spec(rooted).compile()
    assert [model.body(i).name for i in range(model.nbody)] == ["world", "a"]
