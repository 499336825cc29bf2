"""A cube between two fingers: held, creeping as friction is soft, or lost for a known reason."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from horus_sim.errors import DescriptionError
from horus_sim.robots import load_robot
from horus_sim.robots.description import (
    Box,
    Collision,
    Geometry,
    Inertial,
    Joint,
    JointDynamics,
    JointLimit,
    JointType,
    Link,
    RobotDescription,
    Sphere,
    Surface,
)
from horus_sim.robots.report import Report
from horus_sim.robots.robot import Robot
from horus_sim.sim3d import PhysicsConfig, World
from horus_sim.sim3d.control.detection import detect_gripper
from horus_sim.sim3d.trials.grasp import GRAVITY, GraspConfig, GraspReport, try_grasp
from horus_sim.sim3d.trials.grip_place import grip_place
from horus_sim.tf import Transform

WIDEST = 0.08
EFFORT = 20.0
_PAD: Geometry = Box((0.01, 0.02, 0.04))


def hand(
    surface: Surface | None = None,
    shape: Geometry = _PAD,
    turned: Transform | None = None,
) -> Robot:
    """Two fingers, each with a drive, on a hand; z points out of it, x from finger to finger."""
    body = Inertial(0.1, Transform(), (1e-4, 1e-4, 1e-4, 0, 0, 0))
    touching = (Collision(shape, Transform((0, 0, 0.08)), surface or Surface(1.0)),)
    fingers = tuple(Link(name, body, (), touching) for name in ("right", "left"))
    joints = tuple(
        Joint(
            f"{finger.name}_slide",
            JointType.PRISMATIC,
            "hand",
            finger.name,
            (turned or Transform()) @ Transform((0.005 * sign, 0, 0)),
            (float(sign), 0.0, 0.0),
            limit=JointLimit(0.0, WIDEST / 2, EFFORT, 0.2),
            dynamics=JointDynamics(1.0),
        )
        for sign, finger in ((-1, fingers[0]), (1, fingers[1]))
    )
    description = RobotDescription("r", (Link("hand", body), *fingers), joints, "hand")
    return Robot("r", description, "fixed", Report())


def held(robot: Robot, **settings) -> GraspReport:
    return try_grasp(robot, GraspConfig.model_validate({"duration": 1.0, **settings}))


def test_a_cube_is_held():
    report = held(hand(), physics=PhysicsConfig(impratio=100.0))
    assert (report.is_held, report.is_still, report.slips, report.remedy) == (True, True, None, "")
    assert report.duration == pytest.approx(1.0)
    assert report.size == pytest.approx(WIDEST / 2)
    # Each finger presses with the effort of its drive.
    assert report.force == pytest.approx(2 * EFFORT, rel=0.02)
    assert report.capacity == pytest.approx(2 * EFFORT, rel=0.02)
    assert 0.0 < report.penetration < 0.003


def test_creep_goes_with_the_load_and_against_impratio():
    """Friction is soft in MuJoCo: what it holds creeps, the less the stiffer friction is."""
    rates = {
        (mass, impratio): held(hand(), mass=mass, physics=PhysicsConfig(impratio=impratio)).rate
        for mass, impratio in ((0.1, 10.0), (0.2, 10.0), (0.1, 20.0))
    }
    first = rates[0.1, 10.0]
    assert rates[0.1, 20.0] == pytest.approx(first / 2, rel=0.05)
    # The load is doubled, and the mass that softens the contact as well.
    assert rates[0.2, 10.0] > 1.1 * first


def test_soft_friction_is_named():
    report = held(hand(), mass=0.4, duration=5.0, physics=PhysicsConfig(impratio=1.0))
    assert report.is_held
    assert not report.is_still
    assert report.slips == "solver"
    assert "friction gives way under load: try physics.impratio" in report.remedy
    better = held(hand(), mass=0.4, duration=5.0, physics=PhysicsConfig(impratio=300.0))
    assert better.is_still


def test_too_little_friction_is_named():
    report = held(hand(Surface(0.02)), mass=0.2)
    assert not report.is_held
    assert report.slips == "friction"
    assert report.friction == pytest.approx(0.02)
    needed = 0.2 * GRAVITY / report.force
    assert f"friction {needed:.2g} or a force of" in report.remedy


def test_too_little_force_is_named():
    report = held(hand(), mass=10.0)
    assert not report.is_held
    assert report.slips == "force"
    assert f"hold {report.capacity:.3g} N of {10 * GRAVITY:.3g} N" in report.remedy


def test_contacts_without_friction_are_named():
    report = held(hand(Surface(0.0, contact_dimensions=1, priority=5)))
    assert (report.is_held, report.friction, report.slips) == (False, 0.0, "condim")
    assert "contacts have no friction: give condim 3" in report.remedy


def test_a_cube_that_turns_between_two_points_is_named():
    """Balls touch in points; the weight hangs above them, and falls over."""
    report = held(hand(shape=Sphere(0.005)), duration=5.0)
    assert report.turn > 0.5
    assert report.slips == "condim"
    assert "it turns between the fingers: give them condim 4 or 6" in report.remedy
    torsion = Surface(1.0, torsional=0.02, contact_dimensions=4, priority=5)
    assert held(hand(torsion, Sphere(0.005)), duration=5.0).turn < 0.05


def test_the_place_between_the_tips():
    turned = Transform.from_euler((0.1, -0.2, 0.3), (0.4, -0.5, 0.6))
    robot = hand(turned=turned)
    gripper = detect_gripper(robot.description)
    assert gripper is not None
    world = World.from_robot(robot, physics=PhysicsConfig(gravity=(0, 0, 0)))
    place = grip_place(world, "r", gripper)
    assert (place.hand, set(place.fingers)) == ("hand", {"left", "right"})
    T = place.T_world_grip
    across = turned.transform_vector((1.0, 0.0, 0.0))
    out = turned.transform_vector((0.0, 0.0, 1.0))
    assert abs(float(np.dot(T.transform_vector((1, 0, 0)), across))) == pytest.approx(1.0)
    # The hand's origin is not in the middle of the turned fingers: the way out leans a little.
    assert float(np.dot(T.transform_vector((0, 0, 1)), out)) > 0.8


def test_shipped_and_other_grippers(shared_data):
    # The arm stands still: only its hand counts.
    for robot in (load_robot("panda7"), load_robot("arm6")):
        report = held(robot)
        assert report.is_held
        assert report.is_still
        assert report.penetration < 0.002
    folder = shared_data("robots/urdf")
    tiago = load_robot(
        folder / "tiago/tiago.urdf" if (folder / "tiago/tiago.urdf").exists() else _tiago(folder),
        package_roots=[folder, folder / "tiago"],
        allow_missing=True,
    )
    assert held(tiago).is_held


def _tiago(folder):
    import json

    manifest = json.loads((folder / "manifest.json").read_text())
    return folder / next(entry["urdf"] for entry in manifest if entry["name"] == "tiago")


def test_what_cannot_be_tried():
    with pytest.raises(DescriptionError, match="'turtlebot3_burger' has no gripper that was found"):
        held(load_robot("turtlebot3_burger"))
    with pytest.raises(
        DescriptionError, match=r"a cube of 0.2 m does not fit .* open 0.08 m; give"
    ):
        held(hand(), size=0.2)
    robot = hand()
    bare = tuple(replace(link, collisions=()) for link in robot.description.links)
    empty = replace(robot, description=replace(robot.description, links=bare))
    with pytest.raises(DescriptionError, match="finger 'right' has no shape that touches; give it"):
        held(empty)
    with pytest.raises(DescriptionError, match=r"do not close on a cube of 0.002 m between their"):
        held(hand(shape=Box((0.001, 0.02, 0.04))), size=0.002)
