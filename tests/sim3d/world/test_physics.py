"""The physics of simple things against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk

from horus_sim.robots.description import (
    Inertial,
    Joint,
    JointDynamics,
    JointType,
    Link,
    RobotDescription,
)
from horus_sim.sim3d import PhysicsConfig, Scene, World
from horus_sim.tf import Transform

G = 9.81
H = 1 / 240


def world_of(*objects: dict[str, Any], physics: dict[str, Any] | None = None) -> World:
    return World.load(Scene.model_validate({"objects": objects, "physics": physics or {}}))


def floor(**options: Any) -> dict[str, Any]:
    return {"name": "floor", "shape": {"kind": "plane"}, **options}


def ball(name: str = "ball", radius: float = 0.1, **options: Any) -> dict[str, Any]:
    return {
        "name": name,
        "shape": {"kind": "sphere", "radius": radius},
        "dynamic": True,
        "mass": 1.0,
        **options,
    }


def box(**options: Any) -> dict[str, Any]:
    shape = {"kind": "box", "size": [0.2, 0.2, 0.1]}
    return {"name": "box", "shape": shape, "dynamic": True, "mass": 2.0, **options}


def test_free_fall_follows_the_discrete_sum():
    world = world_of(ball(pose={"xyz": [0, 0, 10]}))
    world.step(240)
    # Each step first changes the velocity, then the position.
    fallen = G * H**2 * 240 * 241 / 2
    assert world.objects["ball"].pose.translation[2] == pytest.approx(10 - fallen, abs=1e-9)
    assert world.time == 1.0
    assert world.stamp_ns == 1_000_000_000


def test_free_fall_approaches_the_parabola_with_the_step():
    errors = []
    for timestep in (1 / 240, 1 / 480):
        world = world_of(ball(pose={"xyz": [0, 0, 10]}), physics={"timestep": timestep})
        world.step(round(1 / timestep))
        errors.append(abs(10 - G / 2 - world.objects["ball"].pose.translation[2]))
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=1e-6)


@pytest.mark.parametrize("friction", [0.2, 0.5, 0.8])
def test_a_sliding_box_stops_after_the_braking_distance(friction: float):
    surface = {"friction": friction}
    world = world_of(floor(surface=surface), box(surface=surface, pose={"xyz": [0, 0, 0.05]}))
    world.step(60)
    start = world.objects["box"].pose.translation[0]
    world.objects["box"].set_velocity(linear=(3.0, 0.0, 0.0))
    world.step(round(1.5 * 3.0 / (friction * G) / H))
    travelled = world.objects["box"].pose.translation[0] - start
    assert travelled == pytest.approx(3.0**2 / (2 * friction * G), rel=0.02)
    assert np.linalg.norm(world.objects["box"].velocity[0]) < 1e-3


def test_a_slippery_box_slides_on_a_rough_floor():
    world = world_of(
        floor(surface={"friction": 1.0}),
        box(surface={"friction": 0.1}, pose={"xyz": [0, 0, 0.05]}),
    )
    world.step(60)
    world.objects["box"].set_velocity(linear=(2.0, 0.0, 0.0))
    world.step(120)
    speed = world.objects["box"].velocity[0][0]
    assert speed == pytest.approx(2.0 - 0.1 * G * 0.5, rel=0.02)


@pytest.mark.parametrize("slope_deg", [15.0, 35.0])
def test_a_box_on_a_slope_stays_or_slides(slope_deg: float):
    friction, slope = 0.4, math.radians(slope_deg)
    surface = {"friction": friction}
    normal = np.array((math.sin(slope), 0.0, math.cos(slope)))
    pose = {"rpy_deg": [0, slope_deg, 0]}
    start = normal * 0.05
    world = world_of(
        floor(surface=surface, pose=pose),
        box(surface=surface, pose={"xyz": list(start), **pose}),
    )
    world.step(240)
    travelled = np.linalg.norm(world.objects["box"].pose.translation - start)
    pull = G * (math.sin(slope) - friction * math.cos(slope))
    if pull < 0:
        assert travelled < 2e-3
    else:
        assert travelled == pytest.approx(pull / 2, rel=0.02)


def test_a_sliding_ball_ends_up_rolling_with_five_sevenths():
    world = world_of(floor(), ball(pose={"xyz": [0, 0, 0.1]}))
    world.step(60)
    world.objects["ball"].set_velocity(linear=(2.0, 0.0, 0.0))
    world.step(240)
    linear, angular = world.objects["ball"].velocity
    assert linear[0] == pytest.approx(2.0 * 5 / 7, rel=0.01)
    assert angular[1] * 0.1 == pytest.approx(linear[0], rel=0.01)


def test_a_cylinder_rolls_down_a_slope_with_two_thirds():
    slope = math.radians(10)
    pose = {"rpy_deg": [0, 10, 0]}
    normal = np.array((math.sin(slope), 0.0, math.cos(slope)))
    shape = {"kind": "cylinder", "radius": 0.1, "length": 0.3}
    start = 0.1 * normal
    roller = {
        "name": "roller",
        "dynamic": True,
        "mass": 3.0,
        "parts": [{"shape": shape, "pose": {"rpy_deg": [90, 0, 0]}}],
        "pose": {"xyz": list(start)},
    }
    world = world_of(floor(pose=pose), roller)
    world.step(240)
    travelled = np.linalg.norm(world.objects["roller"].pose.translation - start)
    assert travelled == pytest.approx(2 / 3 * G * math.sin(slope) / 2, rel=0.02)


@pytest.mark.parametrize("restitution", [0.3, 0.6, 0.8, 0.95])
@pytest.mark.parametrize("height", [0.5, 1.03, 2.0])
def test_a_ball_bounces_to_the_height_of_its_restitution(restitution: float, height: float):
    world = world_of(
        floor(), ball(pose={"xyz": [0, 0, 0.1 + height]}, surface={"restitution": restitution})
    )
    peaks, heights = [], []
    for _ in range(480):
        world.step()
        heights.append(float(world.objects["ball"].pose.translation[2]) - 0.1)
    for before, here, after in zip(heights, heights[1:], heights[2:], strict=False):
        if here >= before and here > after and here > 0.01:
            peaks.append(here)
    kept = math.sqrt(peaks[0] / height)
    assert kept == pytest.approx(restitution, abs=0.03)


def test_a_bouncy_ball_comes_to_rest():
    world = world_of(floor(), ball(pose={"xyz": [0, 0, 0.3]}, surface={"restitution": 0.5}))
    world.step(960)
    assert world.objects["ball"].pose.translation[2] == pytest.approx(0.1, abs=1e-3)
    assert abs(world.objects["ball"].velocity[0][2]) < 0.05


def pendulum(length: float) -> RobotDescription:
    inertial = Inertial(1.0, Transform((0, 0, -length)), (1e-9, 1e-9, 1e-9, 0, 0, 0))
    return RobotDescription(
        "pendulum",
        (Link("pivot"), Link("bob", inertial)),
        (
            Joint(
                "hinge",
                JointType.CONTINUOUS,
                "pivot",
                "bob",
                axis=(0.0, 1.0, 0.0),
                dynamics=JointDynamics(armature=0.0),
            ),
        ),
        "pivot",
    )


@pytest.mark.parametrize("amplitude", [0.1, 1.0, 2.5])
def test_a_pendulum_swings_with_its_period_and_keeps_its_energy(amplitude: float):
    length = 0.7
    world = World.from_robot(pendulum(length), hold=False)
    robot = world.robots["pendulum"]
    robot.set_joint_positions({"hinge": amplitude})
    energy = world.energy.total
    swing = G * length * (1 - math.cos(amplitude))
    crossings: list[float] = []
    worst = 0.0
    before = amplitude
    for _ in range(2400):
        world.step()
        now = float(robot.joint_positions()[0])
        if before > 0 >= now:
            crossings.append(world.time - world.timestep * now / (now - before))
        before = now
        worst = max(worst, abs(world.energy.total - energy))
    period = 4 * math.sqrt(length / G) * ellipk(math.sin(amplitude / 2) ** 2)
    assert np.diff(crossings) == pytest.approx(period, rel=2e-3)
    assert worst < 0.03 * swing


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_momentum_is_kept_in_a_collision(restitution: float):
    surface = {"restitution": restitution, "friction": 0.0}
    world = world_of(
        ball("a", mass=2.0, pose={"xyz": [-0.5, 0, 0]}, surface=surface),
        ball("b", mass=1.0, pose={"xyz": [0.3, 0, 0]}, surface=surface),
        physics={"gravity": [0, 0, 0]},
    )
    world.objects["a"].set_velocity(linear=(2.0, 0.0, 0.0))
    world.step(240)
    u, v = (world.objects[name].velocity[0][0] for name in "ab")
    assert 2 * u + v == pytest.approx(4.0, abs=1e-9)
    # A contact without a restitution of its own gives back a little.
    assert v - u == pytest.approx(2.0 * restitution, abs=0.06 if restitution else 0.1)


@pytest.mark.parametrize("speed", [10.0, 50.0, 150.0])
@pytest.mark.parametrize("offset", [0.0, 0.013, 0.21])
def test_a_fast_ball_does_not_cross_a_thin_wall(speed: float, offset: float):
    wall = {
        "name": "wall",
        "shape": {"kind": "box", "size": [0.002, 2.0, 2.0]},
        "pose": {"xyz": [1.5 + offset, 0, 0]},
    }
    world = world_of(wall, ball(radius=0.02), physics={"gravity": [0, 0, 0]})
    world.objects["ball"].set_velocity(linear=(speed, 0.0, 0.0))
    for _ in range(120):
        world.step()
        assert world.objects["ball"].pose.translation[0] < 1.5 + offset


def test_without_foreseen_contacts_the_ball_does_cross():
    wall = {
        "name": "wall",
        "shape": {"kind": "box", "size": [0.002, 2.0, 2.0]},
        "pose": {"xyz": [1.5, 0, 0]},
    }
    physics = {"gravity": [0, 0, 0], "contact": {"speculative": False}}
    world = world_of(wall, ball(radius=0.02), physics=physics)
    world.objects["ball"].set_velocity(linear=(150.0, 0.0, 0.0))
    world.step(60)
    assert world.objects["ball"].pose.translation[0] > 1.5


def test_contact_forces_carry_the_weight():
    world = world_of(floor(), box(pose={"xyz": [0, 0, 0.05]}))
    world.step(240)
    contacts = world.contacts
    assert {contact.bodies for contact in contacts} == {("floor", "box")}
    total = np.sum([contact.force for contact in contacts], axis=0)
    np.testing.assert_allclose(total, (0.0, 0.0, 2.0 * G), atol=1e-3)
    assert all(contact.normal_force > 0 for contact in contacts)
    assert all(contact.involves("box") and not contact.involves("bo") for contact in contacts)


def test_a_carried_object_pushes_others():
    pusher = {
        "name": "pusher",
        "shape": {"kind": "box", "size": [0.1, 1.0, 0.2]},
        "motion": {
            "waypoints": [
                {"time": 0, "pose": {"xyz": [-1, 0, 0.1]}},
                {"time": 2, "pose": {"xyz": [1, 0, 0.1]}},
            ],
            "loop": "once",
        },
    }
    world = world_of(floor(), pusher, box(pose={"xyz": [0, 0, 0.05]}))
    world.step(720)
    assert world.objects["pusher"].pose.translation[0] == 1.0
    # It loses touch with 1 m/s or a little more, and slides to a stop.
    braking = 1.0**2 / (2 * G)
    assert 1.15 < world.objects["box"].pose.translation[0] < 1.15 + 2 * braking


def test_gravity_and_step_are_those_of_the_scene():
    physics = PhysicsConfig(gravity=(0.0, 0.0, -1.62), timestep=0.001)
    world = World.load(
        Scene.model_validate(
            {"objects": [ball(pose={"xyz": [0, 0, 5]})], "physics": physics.model_dump()}
        )
    )
    world.step(1000)
    assert 5 - world.objects["ball"].pose.translation[2] == pytest.approx(0.81, rel=2e-3)
