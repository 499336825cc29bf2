"""What goes wrong leaves the world as it was, and says what it was."""

from __future__ import annotations

import math

import numpy as np
import pytest

from horus_sim.errors import PhysicsError, Sim3dError
from horus_sim.sim3d import World, load_robot
from horus_sim.sim3d.control import RobotControlConfig
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.shapes import BoxShape
from horus_sim.tf import Transform


def boxes() -> World:
    world = World.load("empty_world")
    for i in range(3):
        config = ObjectConfig(
            name=f"o{i}", shape=BoxShape(size=(0.2, 0.2, 0.2)), dynamic=True, mass=1.0
        )
        world.spawn(config, pose=Transform((i, 0, 0.1)))
        world.spawn("turtlebot3_burger", name=f"b{i}", pose=Transform((i, 2, 0)))
    return world


def test_a_handle_of_what_left_never_acts_on_another():
    world = boxes()
    robot, box = world.robots["b1"], world.objects["o1"]
    kept = world.robots["b2"], world.objects["o2"]
    world.remove("b1")
    world.remove("o1")
    before = world.save_state().to_bytes()
    for action in (
        lambda: robot.pose,
        robot.joint_positions,
        lambda: robot.set_joint_positions({"wheel_left_joint": 1.0}),
        lambda: robot.command(linear=0.2),
        robot.set_velocity,
    ):
        with pytest.raises(Sim3dError, match="robot 'b1' was removed from the world"):
            action()
    for action in (lambda: box.pose, box.set_velocity):
        with pytest.raises(Sim3dError, match="object 'o1' was removed from the world"):
            action()
    assert world.save_state().to_bytes() == before
    assert (world.robots["b2"], world.objects["o2"]) == kept


@pytest.mark.parametrize("value", [math.nan, math.inf, 2e5])
def test_after_a_bad_write_the_world_goes_on_from_the_last_good_state(value: float):
    world = World.from_robot(load_robot("turtlebot3_burger"), ground=True)
    world.step(100)
    world.data.qvel[0] = value
    with pytest.raises(PhysicsError, match="were written that no step can take") as raised:
        world.step()
    assert raised.value.time == world.time == pytest.approx(99 / 240)
    assert np.isfinite(world.robots["turtlebot3_burger"].pose.translation).all()
    world.step(10)
    assert world.steps == 109


def test_a_state_that_does_not_fit_changes_nothing():
    world = World.from_robot(load_robot("turtlebot3_burger"), ground=True)
    robot = world.robots["turtlebot3_burger"]
    state = world.save_state()
    robot.set_control(RobotControlConfig(drive=None))
    world.step(100)
    before = world.save_state().to_bytes()
    with pytest.raises(Sim3dError, match="the world stays as it was"):
        world.load_state(state)
    assert world.save_state().to_bytes() == before
    world.step()


def test_a_state_of_another_timestep_is_refused():
    slow, fast = (
        World.load("empty_world", overrides={"physics.timestep": dt}) for dt in (0.01, 0.001)
    )
    with pytest.raises(Sim3dError, match="of the same parts, timestep and controllers"):
        slow.load_state(fast.save_state())


def test_damaged_bytes_are_refused():
    world = World.from_robot(load_robot("turtlebot3_burger"), ground=True)
    world.step(10)
    data = world.save_state().to_bytes()
    generator = np.random.default_rng(1)
    for _ in range(300):
        damaged = bytearray(data)
        for position in generator.integers(len(data), size=3):
            damaged[position] = generator.integers(256)
        try:
            world.load_state(bytes(damaged))
        except Sim3dError:
            continue
        world.load_state(data)
