"""The robots that ship: their masses, their kinematics, and that they stand still or drive."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from horus_sim.assets import ROOT, asset_names
from horus_sim.robots import load_robot
from horus_sim.robots.description import (
    Box,
    Collision,
    Cylinder,
    JointType,
    Link,
    RobotDescription,
    Sphere,
)
from horus_sim.robots.report import NoteKind
from horus_sim.sim3d import World
from horus_sim.tf import Transform

ROBOTS = (
    "arm6",
    "panda7",
    "quadrotor",
    "quadruped",
    "racecar",
    "turtlebot3_burger",
    "turtlebot3_waffle",
)
MASSES = {
    "quadrotor": 0.716,
    "quadruped": 12.453,
    "racecar": 3.74,
    "turtlebot3_burger": 1.0,
    "turtlebot3_waffle": 1.8,
}
# Height of the root that puts the robot on the ground.
HEIGHTS = {"quadrotor": 0.09, "quadruped": 0.269}


def test_all_are_tested():
    assert asset_names("robots", (".urdf", ".xml")) == ROBOTS


def solid(collision: Collision) -> tuple[float, np.ndarray]:
    """Volume [m^3] and inertia for 1 kg [m^2] of a shape about its own centre and axes."""
    match collision.geometry:
        case Box((x, y, z)):
            return x * y * z, np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) / 12.0
        case Cylinder(r, h):
            across = (3.0 * r * r + h * h) / 12.0
            return math.pi * r * r * h, np.diag([across, across, 0.5 * r * r])
        case Sphere(r):
            return 4.0 / 3.0 * math.pi * r**3, 0.4 * r * r * np.eye(3)
        case other:
            raise AssertionError(f"{other} is no primitive shape")


def evenly_spread(link: Link) -> tuple[np.ndarray, np.ndarray]:
    """Centre of mass and inertia about it, of the link's mass spread over its shapes."""
    assert link.inertial is not None
    parts = [(*solid(each), each.T_link_collision) for each in link.collisions]
    total = sum(volume for volume, _, _ in parts)
    masses = [link.inertial.mass * volume / total for volume, _, _ in parts]
    centres = [np.asarray(T.translation) for _, _, T in parts]
    centre = sum(m * c for m, c in zip(masses, centres, strict=True)) / link.inertial.mass
    inertia = np.zeros((3, 3))
    for mass, at, (_, unit, T) in zip(masses, centres, parts, strict=True):
        R = T.to_matrix()[:3, :3]
        off = at - centre
        inertia += mass * (R @ unit @ R.T + (off @ off) * np.eye(3) - np.outer(off, off))
    return np.asarray(centre), inertia


@pytest.mark.parametrize("name", ROBOTS)
def test_inertia_is_that_of_the_shapes(name: str):
    for link in load_robot(name).links.values():
        if link.inertial is None:
            assert not link.collisions, f"{link.name} touches but weighs nothing"
            continue
        centre, inertia = evenly_spread(link)
        ixx, iyy, izz, ixy, ixz, iyz = link.inertial.inertia
        stated = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        np.testing.assert_allclose(link.inertial.T_link_inertia.translation, centre, atol=1e-9)
        np.testing.assert_allclose(stated, inertia, rtol=1e-6, atol=1e-6 * inertia.max())
        small, middle, large = np.linalg.eigvalsh(stated)
        assert small > 0.0
        assert large <= small + middle + 1e-12


@pytest.mark.parametrize("name", ROBOTS)
def test_nothing_had_to_be_repaired_or_ignored(name: str):
    report = load_robot(name, strict=True).report
    assert not report.of(NoteKind.WARNING)
    assert not report.of(NoteKind.REPAIR)
    assert not report.of(NoteKind.IGNORED)


@pytest.mark.parametrize("name", ROBOTS)
def test_names_its_sources(name: str):
    text = (ROOT / "robots" / f"{name}.urdf").read_text(encoding="utf-8")
    assert "Sources, facts only:" in text
    assert name in (ROOT / "robots" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ROBOTS)
def test_starts_inside_its_limits(name: str):
    for joint in load_robot(name).joints.values():
        low, high = joint.limit.lower, joint.limit.upper
        assert low is None or joint.initial_position >= low
        assert high is None or joint.initial_position <= high


@pytest.mark.parametrize(("name", "mass"), MASSES.items())
def test_weighs_as_published(name: str, mass: float):
    links = load_robot(name).links.values()
    total = sum(link.inertial.mass for link in links if link.inertial)
    assert total == pytest.approx(mass, abs=1e-3)


def link_pose(robot: RobotDescription, link: str, q: dict[str, float]) -> Transform:
    """Pose of a link in the root, for hinges."""
    above = {joint.child: joint for joint in robot.joints}
    T = Transform.identity()
    while link in above:
        joint = above[link]
        angle = q.get(joint.name, 0.0)
        turn = Transform(
            (0, 0, 0), (*(math.sin(angle / 2) * np.array(joint.axis)), math.cos(angle / 2))
        )
        if joint.kind is JointType.FIXED:
            turn = Transform.identity()
        T = joint.T_parent_joint @ turn @ T
        link = joint.parent
    return T


def about_x(angle: float) -> np.ndarray:
    return Transform.from_euler((0, 0, 0), (angle, 0, 0)).to_matrix()


def about_z(angle: float) -> np.ndarray:
    return Transform.from_euler((0, 0, 0), (0, 0, angle)).to_matrix()


def shift(x: float, z: float) -> np.ndarray:
    return Transform((x, 0.0, z)).to_matrix()


def test_panda7_has_the_published_kinematics():
    robot = load_robot("panda7").description
    # Craig's convention: a and alpha of the link before, then d and theta.
    table = [
        (0.0, 0.0, 0.333),
        (0.0, -math.pi / 2, 0.0),
        (0.0, math.pi / 2, 0.316),
        (0.0825, math.pi / 2, 0.0),
        (-0.0825, -math.pi / 2, 0.384),
        (0.0, math.pi / 2, 0.0),
        (0.088, math.pi / 2, 0.0),
    ]
    random = np.random.default_rng(7)
    for _ in range(10):
        q = random.uniform(-2.5, 2.5, 7)
        expected = np.eye(4)
        for (a, alpha, d), theta in zip(table, q, strict=True):
            expected = expected @ about_x(alpha) @ shift(a, 0.0) @ shift(0.0, d) @ about_z(theta)
        expected = expected @ shift(0.0, 0.107)
        joints = {f"panda_joint{index + 1}": angle for index, angle in enumerate(q)}
        found = link_pose(robot, "panda_link8", joints).to_matrix()
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_arm6_has_the_published_kinematics():
    robot = load_robot("arm6").description
    # Denavit and Hartenberg's convention: theta, d, a, alpha.
    table = [
        (0.1625, 0.0, math.pi / 2),
        (0.0, -0.425, 0.0),
        (0.0, -0.3922, 0.0),
        (0.1333, 0.0, math.pi / 2),
        (0.0997, 0.0, -math.pi / 2),
        (0.0996, 0.0, 0.0),
    ]
    names = [joint.name for joint in robot.joints if joint.kind is JointType.REVOLUTE]
    random = np.random.default_rng(6)
    for _ in range(10):
        q = random.uniform(-3.0, 3.0, 6)
        expected = np.eye(4)
        for (d, a, alpha), theta in zip(table, q, strict=True):
            expected = expected @ about_z(theta) @ shift(0.0, d) @ shift(a, 0.0) @ about_x(alpha)
        found = link_pose(robot, "tool0", dict(zip(names, q, strict=True))).to_matrix()
        np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("name", ["turtlebot3_burger", "turtlebot3_waffle"])
def test_turtlebot_frames_are_where_the_original_has_them(
    name: str, shared_data: Callable[[str], Path]
):
    (original,) = shared_data(f"robots/urdf/{name}").rglob("*.urdf")
    theirs = load_robot(original, allow_missing=True).description
    ours = load_robot(name).description
    frames = {"base_footprint", "base_link", "imu_link", "base_scan"}
    frames |= {"wheel_left_link", "wheel_right_link"}
    assert frames <= {link.name for link in ours.links}
    for frame in frames & {link.name for link in theirs.links}:
        apart = np.subtract(
            link_pose(ours, frame, {}).translation, link_pose(theirs, frame, {}).translation
        )
        assert np.abs(apart).max() < 0.002, frame


def make_world(name: str) -> World:
    pose = Transform((0.0, 0.0, HEIGHTS.get(name, 0.0)))
    return World.from_robot(load_robot(name), pose=pose, ground=True)


@pytest.mark.parametrize("name", ROBOTS)
def test_rests_or_holds_its_pose_for_a_minute(name: str):
    world = make_world(name)
    robot = world.robots[name]
    world.step(240 * 15)  # until legs and tyres have settled
    T_world_start, joints = robot.pose, robot.joint_positions()
    world.step(240 * 60)
    apart = np.subtract(robot.pose.translation, T_world_start.translation)
    assert np.linalg.norm(apart) < 0.002
    assert np.abs(np.subtract(robot.pose.to_euler(), T_world_start.to_euler())).max() < 0.005
    assert np.abs(robot.joint_positions() - joints).max() < 0.005
    assert np.abs(world.data.qvel).max() < 1e-3
    assert not world.warnings


def test_the_quadruped_stands_at_its_height():
    world = make_world("quadruped")
    world.step(240 * 5)
    robot = world.robots["quadruped"]
    assert 0.24 < robot.pose.translation[2] < 0.27
    assert abs(robot.pose.to_euler()[0]) < 0.01
    touching = {body.rpartition("/")[2] for each in world.contacts for body in each.bodies}
    assert touching - {"ground"} == {"FL_foot", "FR_foot", "RL_foot", "RR_foot"}
    weight = sum(abs(contact.force[2]) for contact in world.contacts)
    assert weight == pytest.approx(12.453 * 9.81, rel=0.01)


@pytest.mark.parametrize("name", ["turtlebot3_burger", "turtlebot3_waffle", "racecar"])
def test_drives_for_a_minute(name: str):
    world = make_world(name)
    robot = world.robots[name]
    for step in range(60 * 4):
        robot.command(linear=0.2, angular=0.2 * math.sin(0.05 * step))
        world.step(60)
    assert abs(robot.pose.translation[2]) < 0.002
    roll, pitch, _ = robot.pose.to_euler()
    assert max(abs(roll), abs(pitch)) < 0.02
    odometry = robot.control.drive.odometry  # type: ignore[union-attr]
    assert math.dist(robot.pose.translation[:2], (odometry.x, odometry.y)) < 0.3
    assert np.linalg.norm(robot.pose.translation) > 3.0


@pytest.mark.parametrize("speed", [5.0, 10.0])
def test_the_car_slides_and_stays_on_its_wheels(speed: float):
    world = make_world("racecar")
    robot = world.robots["racecar"]
    for step in range(60):
        robot.command(speed=speed, steering=0.3 if step > 20 else 0.0)
        world.step(20)
        assert abs(robot.pose.to_euler()[0]) < 0.15
        assert robot.pose.translation[2] < 0.04


@pytest.mark.parametrize("name", ["arm6", "panda7", "quadruped"])
def test_nothing_touches_itself_at_the_start(name: str):
    world = make_world(name)
    assert all("ground" in contact.bodies for contact in world.contacts)
