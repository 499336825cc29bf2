"""Bumpers against bodies at rest and pushed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import CommandError, MessageError, SceneError
from horus_sim.hub.messages import Contacts
from horus_sim.robots import load_robot
from horus_sim.sim3d import ObjectConfig, Scene, World
from horus_sim.sim3d.sensors import ContactConfig, NoiseConfig

from ..poses import posed

G = 9.81
BURGER = "turtlebot3_burger"


def world_of(*objects: dict[str, Any]) -> World:
    return World.load(Scene.model_validate({"objects": objects}))


def box(name: str, x: float, z: float, **options: Any) -> dict[str, Any]:
    shape = {"kind": "box", "size": [0.2, 0.2, 0.2]}
    return {"name": name, "shape": shape, "pose": {"xyz": [x, 0, z]}, **options}


def stack() -> World:
    """Two kilograms on a table that stands fast, and a box beside it that touches nothing."""
    world = world_of(
        box("table", 0.0, 0.1),
        box("load", 0.0, 0.3, dynamic=True, mass=2.0),
        box("far", 5.0, 0.1),
    )
    world.step(480)
    return world


def test_a_load_presses_with_its_weight():
    sensor = ContactConfig(mount="table").build(stack())
    message = sensor.measure()
    assert message.is_pressed
    assert set(message.links) == {"table"}
    assert set(message.others) == {"load"}
    np.testing.assert_allclose(message.force, (0, 0, -2 * G), atol=1e-3)
    # Out of the load into the table: down; on its top face, in the frame of the table.
    np.testing.assert_allclose(message.normals, np.tile((0, 0, -1), (len(message.links), 1)))
    np.testing.assert_allclose(message.positions[:, 2], 0.1, atol=1e-3)
    assert np.abs(message.positions[:, :2]).max() <= 0.1 + 1e-3


def test_the_load_feels_the_opposite():
    world = stack()
    table = ContactConfig(mount="table").build(world).measure()
    load = ContactConfig(mount="load").build(world).measure()
    np.testing.assert_allclose(load.force, -table.force, atol=1e-12)
    np.testing.assert_allclose(load.normals, -table.normals, atol=1e-12)
    assert set(load.others) == {"table"}


def test_what_touches_nothing_feels_nothing():
    message = ContactConfig(mount="far").build(stack()).measure()
    assert not message.is_pressed
    assert message.positions.shape == (0, 3)
    np.testing.assert_array_equal(message.force, 0)


def test_forces_are_in_the_frame_of_the_sensor():
    sensor = ContactConfig(mount="table", **posed(xyz=(0, 0, 0.1), rpy=(0, math.pi / 2, 0))).build(
        stack()
    )
    message = sensor.measure()
    # Down is along the sensor's x axis, and its origin is on the face.
    np.testing.assert_allclose(message.force, (2 * G, 0, 0), atol=1e-3)
    np.testing.assert_allclose(message.positions[:, 0], 0, atol=1e-3)


def test_weak_contacts_and_named_bodies_are_ignored():
    world = stack()
    config = ContactConfig(mount="table", min_force=5.0)
    assert config.build(world).measure().is_pressed is False  # four corners of 4.9 N
    assert not ContactConfig(mount="table", name="b", ignore=("load",)).build(world).measure().links


def test_a_robot_feels_the_wall_it_drives_into():
    wall = ObjectConfig.model_validate(box("wall", 0.5, 0.1))
    world = World.from_robot(load_robot(BURGER), ground=True)
    world.spawn(wall)
    bumper = ContactConfig(mount=BURGER, links="all", ignore=("ground",)).build(world)
    robot = world.robots[BURGER]
    hit = None
    for i in range(1200):
        if i % 20 == 0:
            robot.command(linear=0.2)
        world.step()
        message = bumper.measure()
        if message.is_pressed:
            hit = message
            break
    assert hit is not None
    assert set(hit.others) == {"wall"}
    assert all(link.startswith(f"{BURGER}/") for link in hit.links)
    assert hit.force[0] < 0.0  # it is pushed back
    wheels = ContactConfig(mount=BURGER, name="w", links=("wheel_left_link",)).build(world)
    assert set(wheels.measure().others) == {"ground"}


def test_noise_and_errors():
    world = stack()
    noisy = ContactConfig(mount="table", force_noise=NoiseConfig(offset=(0, 0, 1.0))).build(world)
    count = len(noisy.measure().links)
    assert noisy.read().force[2] == pytest.approx(noisy.measure().force[2] + count)
    with pytest.raises(SceneError, match="names links, but its mount 'table' is not a robot"):
        ContactConfig(mount="table", name="b", links=("a",)).build(world)
    with pytest.raises(CommandError, match="no link 'wheel_left'; did you mean"):
        ContactConfig(mount=BURGER, links=("wheel_left",)).build(
            World.from_robot(load_robot(BURGER))
        )
    with pytest.raises(MessageError, match="one entry for each of the 1 links, got 2"):
        Contacts(0, "a", ("l",), ("x", "y"), np.ones((1, 3)), np.ones((1, 3)), np.ones((1, 3)))
