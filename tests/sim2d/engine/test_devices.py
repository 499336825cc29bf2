"""Motors and sensors against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from horus_sim.hub import TFListener, connect
from horus_sim.sim2d import Simulator
from horus_sim.sim2d.pose import compose

from ..makers import body, scenario

QUIET = {"preset": "ideal"}


def sensor(name, kind, mount=(0, 0, 0), **params):
    return {
        "name": name,
        "type": kind,
        "body": "chassis",
        "mount_pose": list(mount),
        "params": {**QUIET, **params},
    }


def sensed(sim):
    sim.step()
    return sim.readings


def test_distance_is_analytic_and_ignores_its_own_body():
    world = {
        "shape_objects": [
            {
                "name": "ball",
                "body": {
                    "name": "ball",
                    "radius": 0.2,
                    "pose": [1, 0, 0],
                    "can_move": False,
                    "material": {"reflect_distance": 0.9},
                },
            },
            {"name": "wall", "body": body("wall", pose=[0, 1, math.pi / 4], can_move=False)},
        ]
    }
    eyes = [
        sensor("front", "distance"),
        sensor("left", "distance", (0, 0, math.pi / 2)),
        sensor("back", "distance", (0, 0, math.pi)),
    ]
    sim = Simulator(scenario(world, sensors=eyes))
    readings = sensed(sim)
    assert readings["front"] == pytest.approx(0.8, abs=1e-12)
    assert readings["left"] == pytest.approx(1 - 0.1 * math.sqrt(2), abs=1e-12)
    assert readings["back"] == 1.5
    robot = sim.robots["robot"]
    assert robot.reflectivity("front").tolist() == [0.9]
    assert robot.reflectivity("back").tolist() == [0.0]


def test_lidar_rays_hit_a_box_from_inside_as_geometry_says():
    rays = 24
    world = {"bounds": {"min_x": -1, "min_y": -1, "max_x": 1, "max_y": 1}}
    lidar = sensor(
        "lidar", "distance", count=rays, fov=2 * math.pi * (rays - 1) / rays, range_max=3.0
    )
    readings = sensed(Simulator(scenario(world, sensors=[lidar])))
    angles = np.linspace(-math.pi * 23 / 24, math.pi * 23 / 24, rays)
    expected = 1 / np.maximum(abs(np.cos(angles)), abs(np.sin(angles)))
    assert readings["lidar"] == pytest.approx(expected, abs=1e-12)


def test_line_array_sees_the_mark_left_to_right_and_marks_do_not_collide():
    world = {
        "drawings": [{"points": [[-1, 0.03], [1, 0.03]], "thickness": 0.03}],
        "terrain": [
            {
                "name": "patch",
                "body": body(
                    "patch",
                    pose=[0.3, 0, 0],
                    can_move=False,
                    material={"custom": {"line_intensity": 0.5}},
                ),
            }
        ],
    }
    sim = Simulator(
        scenario(
            world,
            sensors=[
                sensor("line", "line_array", (0.05, 0, 0), count=5, spacing=0.02),
                sensor("one", "line", (0.3, 0, 0)),
            ],
        )
    )
    readings = sensed(sim)
    assert readings["line"].tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert readings["one"] == 0.5
    sim.robots["robot"].drive.drive(0.5, 0)
    sim.run(1.0)
    assert sim.contacts == []
    assert sim.body("chassis").pose[0] > 0.3


def test_encoder_reads_its_wheel_and_not_the_yaw_of_the_body():
    encoders = [sensor("l", "encoder", (0, 0.08, 0)), sensor("r", "encoder", motor="right")]
    sim = Simulator(scenario(sensors=encoders))
    sim.robots["robot"].drive.set(0.5, -0.25)
    sim.run(1.0)
    readings = sim.readings
    assert readings["l"].omega == pytest.approx(20, rel=1e-3)
    assert readings["r"].omega == pytest.approx(-10, rel=1e-3)
    # A first-order lag of 50 ms costs omega * 0.05 of angle.
    assert readings["l"].angle == pytest.approx(20 * (1.0 - 0.05), rel=0.01)


def test_imu_on_a_turning_robot():
    sim = Simulator(scenario(sensors=[sensor("imu", "imu")]))
    sim.robots["robot"].drive.drive(0.4, 1.0)
    sim.run(2.0)
    imu = sim.readings["imu"]
    assert imu.wz == pytest.approx(1.0, rel=1e-3)
    assert imu.vx == pytest.approx(0.4, rel=1e-2)
    assert imu.ay == pytest.approx(0.4, rel=2e-2)
    assert imu.ax == pytest.approx(0.0, abs=1e-2)


@pytest.mark.parametrize("turn", [0.0, 0.5])
def test_an_accelerometer_feels_what_holds_it_up(turn):
    ground = {"name": "ground", "body": {**body("ground", can_move=False), "pose": [0, -0.2, 0]}}
    world = {"gravity": [0, -9.81], "shape_objects": [ground]}
    eyes = [sensor("imu", "imu", (0.03, 0.02, turn))]
    sim = Simulator(scenario(world, actuators=[], sensors=eyes), top_down=False)
    sim.run(1.0)
    up = (9.81 * math.sin(turn), 9.81 * math.cos(turn))
    assert sim.readings["imu"][:2] == pytest.approx(up, abs=1e-6)
    # In free fall it feels nothing.
    sim.body("chassis").set_pose(0, 50, 0)
    sim.run(0.5)
    assert sim.readings["imu"][:2] == pytest.approx((0, 0), abs=1e-9)
    # From above there is no gravity, whatever the file says.
    sim = Simulator(scenario(world, actuators=[], sensors=eyes, spawn_pose=[3, 0, 0]))
    sim.run(1.0)
    assert sim.readings["imu"][:2] == (0.0, 0.0)


def test_distance_has_noise_where_there_is_an_echo():
    walls = [
        {"name": name, "body": body(name, pose=[x, y, 0], can_move=False)}
        for name, x, y in (("near", 0.8, 0), ("far", 0, 1.59))
    ]
    eyes = [
        sensor("near", "distance", noise=0.01),
        sensor("far", "distance", (0, 0, math.pi / 2), noise=0.01),
        sensor("none", "distance", (0, 0, math.pi), noise=0.01, count=2, fov=0.1),
    ]
    sim = Simulator(scenario({"shape_objects": walls}, sensors=eyes))
    seen = []
    for _ in range(1000):
        sim.step()
        readings = sim.readings
        seen.append((readings["near"], readings["far"], *readings["none"]))
    near, far, *none = np.array(seen).T
    assert (np.array(none) == 1.5).all()
    assert near.mean() == pytest.approx(0.7, abs=0.001)
    assert near.std() == pytest.approx(0.01, rel=0.1)
    # An echo at 1.49 m: a sixth of a normal distribution lies beyond 1.5 m, which is the most.
    assert (far == 1.5).mean() == pytest.approx(0.159, abs=0.04)
    assert far.max() == 1.5
    assert far[far < 1.49].std() == pytest.approx(0.01 * math.sqrt(1 - 2 / math.pi), rel=0.1)


def test_noise_has_its_deviation_and_rate():
    sim = Simulator(
        scenario(sensors=[sensor("line", "line_array", count=5, noise=0.1, rate_hz=60.0)])
    )
    values = []
    for _ in range(2000):
        sim.step()
        values.append(sim.readings["line"])
    values = np.array(values)
    changed = (np.diff(values, axis=0) != 0).any(axis=1)
    assert changed.sum() == pytest.approx(1000, abs=1)
    assert values.mean() == pytest.approx(0, abs=0.005)
    assert values.std() == pytest.approx(0.1, rel=0.03)


def test_wheels_share_the_load_whatever_the_order():
    # Traction mu * m * g in total for two, three or four wheels on one body.
    for count in (1, 2, 3, 4):
        wheels = [
            {"name": f"w{k}", "type": "motor", "body": "chassis", "mount_pose": [0.01 * k, 0, 0],
             "params": {"max_force": 100, "mu_long": 0.5, "response_time": 0,
                        "max_wheel_omega": 1000}}
            for k in range(count)
        ]  # fmt: skip
        sim = Simulator(scenario(actuators=wheels, sensors=[]))
        for motor in sim.robots["robot"].motors.values():
            motor.command = 1
        sim.run(0.5)
        assert sim.body("chassis").velocity[0] == pytest.approx(0.5 * 9.81 * 0.5, rel=1e-6)


def test_a_detailed_motor_reaches_its_no_load_speed_and_brakes_by_reaction():
    wheels = [
        {"name": name, "type": "motor", "body": "chassis", "mount_pose": [0, y, 0],
         "params": {"detailed": True, "gear_ratio": 2.0, "torque": 0.1}}
        for name, y in (("left", 0.08), ("right", -0.08))
    ]  # fmt: skip
    sim = Simulator(scenario(actuators=wheels, sensors=[]))
    sim.robots["robot"].drive.set(1, 1)
    sim.run(0.05)
    # Both wheels give torque * gear / radius, minus what spins the wheels up.
    mass = 1.0 + 2 * 0.002 / 0.03**2
    ideal = 2 * 0.2 / 0.03 / mass
    assert 0.6 * ideal * 0.05 < sim.body("chassis").velocity[0] < ideal * 0.05
    sim.run(10)
    assert sim.body("chassis").velocity[0] == pytest.approx(40 / 2.0 * 0.03, rel=1e-3)


def test_mounts_compose():
    assert compose((1, 2, math.pi / 2), (0.5, 0, 0.1)) == pytest.approx((1, 2.5, math.pi / 2 + 0.1))


def test_frames_reach_a_tree():
    sim = Simulator(scenario())
    tree = sim.publish_frames()
    sim.robots["robot"].drive.drive(0.3, 0.4)
    sim.run(0.5)
    x, y, theta = sim.body("chassis").pose
    T_world_eye = tree.lookup_transform("robot/eye", "world")
    expected = compose((x, y, theta), (0.1, 0, 0))
    assert T_world_eye.translation[:2] == pytest.approx(expected[:2], abs=1e-12)
    assert T_world_eye.to_euler()[2] == pytest.approx(theta, abs=1e-12)


def test_frames_reach_whoever_listens_on_the_hub():
    with connect(session="sim2d-frames") as hub:
        sim = Simulator(scenario())
        listener = TFListener(hub)
        tree = sim.publish_frames(hub=hub)
        sim.robots["robot"].drive.drive(0.3, 0.4)
        sim.run(0.25)
        # Who comes late has the sensors' mounts too, and the next pose of the robot.
        late = TFListener(hub)
        sim.run(0.25)
        ours = tree.lookup_transform("robot/eye", "world")
        for heard in (listener, late):
            theirs = heard.tree.lookup_transform("robot/eye", "world")
            assert theirs.translation.tolist() == ours.translation.tolist()
            assert theirs.rotation.tolist() == ours.rotation.tolist()
        halfway = listener.tree.lookup_transform("robot/chassis", "world", 250_000_000)
        expected = tree.lookup_transform("robot/chassis", "world", 250_000_000)
        assert halfway.translation.tolist() == expected.translation.tolist()
