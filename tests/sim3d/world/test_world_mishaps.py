"""What goes wrong leaves the world as it was, and says what it was."""

from __future__ import annotations

import math

import pytest

from horus_sim.errors import PhysicsError, Sim3dError
from horus_sim.robots import load_robot
from horus_sim.sim3d import Scene, World
from horus_sim.sim3d.control import RobotControlConfig
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.shapes import BoxShape
from horus_sim.sim3d.sensors import GroundTruthConfig, ImuConfig
from horus_sim.tf import Transform

BURGER = "turtlebot3_burger"
LIFT = {
    "waypoints": [
        {"time": 0, "pose": {"xyz": [3, 0, 1]}},
        {"time": 9, "pose": {"xyz": [3, 9, 1]}},
    ]
}


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
    before = world.snapshot().to_bytes()
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
    assert world.snapshot().to_bytes() == before
    assert (world.robots["b2"], world.objects["o2"]) == kept


@pytest.mark.parametrize(
    ("value", "start"),
    [
        (math.nan, "stepped"),
        (math.inf, "reset"),
        (1e200, "loaded"),
        (math.nan, "moved"),
    ],
)
def test_after_a_bad_write_the_world_goes_on_from_the_last_good_state(value: float, start: str):
    world, twin = (World.from_robot(load_robot(BURGER), ground=True) for _ in range(2))
    for each in (world, twin):
        each.sensors.add(ImuConfig(mount=BURGER, rate_hz=240.0, latency=0.01))
        each.robots[BURGER].command(linear=0.2)
        each.step(100)
        if start == "reset":
            each.reset()
        elif start == "loaded":
            state = each.snapshot()
            each.step(7)
            each.apply_snapshot(state)
        elif start == "moved":
            each.move(BURGER, Transform((1.0, 0.0, 0.1)))
    good = world.snapshot()
    world.data.qvel[0] = value
    with pytest.raises(PhysicsError, match="were written that no step can take") as raised:
        world.step(5)
    assert raised.value.time == world.time == twin.time
    assert world.snapshot().physics.tobytes() == good.physics.tobytes()
    assert world.snapshot().sensors == good.sensors
    for each in (world, twin):
        each.step(10)
    assert world.snapshot().physics.tobytes() == twin.snapshot().physics.tobytes()
    assert world.snapshot().sensors == twin.snapshot().sensors
    imu, other = (each.sensors[f"{BURGER}/imu"] for each in (world, twin))
    assert imu.read() == other.read()
    assert imu.measure() == other.measure()


def test_a_step_that_failed_did_not_happen():
    world = World.load(
        Scene.model_validate(
            {
                "name": "cart",
                "robots": [{"name": "burger", "model": BURGER}],
                "objects": [
                    {"name": "ground", "shape": {"kind": "plane"}},
                    {
                        "name": "lift",
                        "shape": {"kind": "box", "size": [0.2, 0.2, 0.2]},
                        "pose": {"xyz": [3, 0, 1]},
                        "motion": LIFT,
                    },
                ],
            }
        )
    )
    imu = world.sensors.add(ImuConfig(mount="burger", rate_hz=240.0))
    lift = world.sensors.add(GroundTruthConfig(mount="lift", rate_hz=240.0))
    world.step(50)
    before, poses = (imu.read(), imu.measure(), lift.read()), world.objects["lift"].pose
    body = world.model.body("burger/base_link").id
    world.data.xfrc_applied[body, 0] = 1e30
    with pytest.raises(PhysicsError, match=r"'burger/.*' diverged after 0\.208333 s"):
        world.step()
    assert world.steps == 50
    assert (imu.read(), imu.measure(), lift.read()) == before
    assert lift.measure().pose == before[2].pose
    assert world.objects["lift"].pose == poses
    world.data.xfrc_applied[body, 0] = 0.0
    world.step()
    assert imu.read().stamp_ns == lift.read().stamp_ns == world.stamp_ns


def test_a_state_that_does_not_fit_changes_nothing():
    world = World.from_robot(load_robot("turtlebot3_burger"), ground=True)
    robot = world.robots["turtlebot3_burger"]
    state = world.snapshot()
    robot.set_control(RobotControlConfig(drive=None))
    world.step(100)
    before = world.snapshot().to_bytes()
    with pytest.raises(Sim3dError, match="the world stays as it was"):
        world.apply_snapshot(state)
    assert world.snapshot().to_bytes() == before
    world.step()


def test_a_state_of_another_timestep_is_refused():
    slow, fast = (
        World.load("empty_world", overrides={"physics.timestep": dt}) for dt in (0.01, 0.001)
    )
    with pytest.raises(Sim3dError, match="of the same parts, timestep and controllers"):
        slow.apply_snapshot(fast.snapshot())
