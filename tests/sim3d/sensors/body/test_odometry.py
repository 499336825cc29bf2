"""Ground truth and odometry: the true motion, the wheels, and drift."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from horus_sim.errors import SceneError
from horus_sim.robots import load_robot
from horus_sim.sim3d import ObjectConfig, Scene, World
from horus_sim.sim3d.sensors import GroundTruthConfig, NoiseConfig, OdometryConfig, Sensors
from horus_sim.sim3d.sensors.body.odometry import OdometrySensor, scaled_motion
from horus_sim.sim3d.sensors.rotations import (
    from_rotation_vector,
    multiply,
    rotate,
    to_rotation_vector,
)
from horus_sim.tf import Transform

from ..poses import posed

BURGER = "turtlebot3_burger"


def ball(**options: object) -> World:
    data = {"name": "ball", "shape": {"kind": "sphere", "radius": 0.1}, "dynamic": True, **options}
    return World.load(Scene(objects=(ObjectConfig.model_validate(data),)))


def driven(config: OdometryConfig, seconds: float = 4.0, seed: int = 0):
    """A robot that drives an arc; its odometry sensor, the world and the last message."""
    world = World.from_robot(load_robot(BURGER), ground=True, seed=seed)
    sensors = Sensors(world)
    sensor = sensors.add(config)
    for i in range(round(seconds * 240)):
        if i % 20 == 0:
            world.robots[BURGER].command(linear=0.15, angular=0.4)
        world.step()
        sensors.after_step(world)
    return sensor, world


def test_ground_truth_with_a_lever_arm():
    world = ball(pose={"xyz": [1, 2, 30], "rpy_deg": [0, 0, 90]})
    world.objects["ball"].set_velocity((1, 0, 0), (0, 0, 2))
    sensor = GroundTruthConfig(mount="ball", **posed(xyz=(0.5, 0, 0))).build(world)
    message = sensor.measure()
    np.testing.assert_allclose(message.pose.translation, (1, 2.5, 30), atol=1e-12)
    # In the world: (1, 0, 0) + w x r = (1, 0, 0) + (0, 0, 2) x (0, 0.5, 0) = (0, 0, 0).
    np.testing.assert_allclose(message.linear, (0, 0, 0), atol=1e-12)
    np.testing.assert_allclose(message.angular, (0, 0, 2), atol=1e-12)
    assert (message.frame_id, message.child_frame_id) == ("world", "ball/ground_truth")
    world.step(100)
    assert sensor.measure().pose.is_close(sensor.T_world_sensor)


def test_noise_of_a_motion_capture_system():
    config = GroundTruthConfig(
        mount="ball",
        position_noise=NoiseConfig(std=0.01),
        orientation_noise=NoiseConfig(std=0.02),
        linear_noise=NoiseConfig(std=0.1),
        angular_noise=NoiseConfig(std=0.2),
    )
    sensor = config.build(ball(pose={"rpy_deg": [10, 20, 30]}))
    ideal = sensor.measure()
    found = []
    for seed in range(500):
        sensor.reset(seed)
        found.append(sensor.read())
    bound = 5 / math.sqrt(3000)
    moved = [message.pose.translation - ideal.pose.translation for message in found]
    assert np.std(moved) == pytest.approx(0.01, rel=bound)
    ideal_rotation = Rotation.from_quat(ideal.pose.rotation)
    turned = [
        (ideal_rotation.inv() * Rotation.from_quat(message.pose.rotation)).as_rotvec()
        for message in found
    ]
    assert np.std(turned) == pytest.approx(0.02, rel=bound)
    assert np.std([m.linear for m in found]) == pytest.approx(0.1, rel=bound)
    assert np.std([m.angular for m in found]) == pytest.approx(0.2, rel=bound)


def test_wheels_tell_the_odometry_of_the_drive():
    sensor, world = driven(OdometryConfig(mount=BURGER))
    message = sensor.measure()
    assert isinstance(sensor, OdometrySensor)
    assert sensor.source == "wheels"
    own = world.robots[BURGER].control.drive.odometry  # type: ignore[union-attr]
    assert message.pose == own.T_odom_base
    assert (message.frame_id, message.child_frame_id) == ("odom", "base_footprint")
    assert message.stamp_ns == round((world.steps - 1) * world.timestep * 1e9)
    truth = world.robots[BURGER].pose.translation
    assert math.dist(message.pose.translation[:2], truth[:2]) < 0.02
    assert message.linear[0] == pytest.approx(0.15, abs=2e-3)
    assert message.angular[2] == pytest.approx(0.4, abs=1e-2)


def test_the_truth_since_the_start():
    world = ball(pose={"xyz": [1, 2, 30], "rpy_deg": [0, 0, 90]})
    sensor = OdometryConfig(mount="ball").build(world)
    assert sensor.source == "truth"
    assert sensor.measure().pose.is_close(Transform())
    world.objects["ball"].set_velocity((0, 1, 9.81 / 2))
    world.step(240)
    message = sensor.measure()
    # It began with its x axis along the world's y axis.
    np.testing.assert_allclose(message.pose.translation[:2], (1, 0), atol=1e-9)
    np.testing.assert_allclose(message.linear[:2], (1, 0), atol=1e-9)


def test_without_noise_a_message_is_the_measurement():
    sensor, _ = driven(OdometryConfig(mount=BURGER, rate_hz=240.0), seconds=0.5)
    assert sensor.read() == sensor.measure()


@pytest.mark.parametrize("source", ["wheels", "truth"])
def test_a_constant_error_of_the_scale_stretches_the_path(source):
    scale = {"linear_scale_noise": NoiseConfig(offset=0.1)}
    angle = {"angular_scale_noise": NoiseConfig(offset=-0.5)}
    config = OdometryConfig.model_validate({"mount": BURGER, "source": source, "rate_hz": 240.0})
    longer, _ = driven(config.model_copy(update=scale))
    ideal = longer.measure()
    np.testing.assert_allclose(
        longer.read().pose.translation, 1.1 * ideal.pose.translation, atol=1e-3
    )
    assert longer.read().linear[0] == pytest.approx(1.1 * ideal.linear[0])
    straighter, _ = driven(config.model_copy(update=angle))
    found, ideal = straighter.read().pose, straighter.measure().pose
    assert found.to_euler()[2] == pytest.approx(0.5 * ideal.to_euler()[2], abs=1e-3)
    # The same length of arc with half the bend: a chord by v / w.
    length, turn = 0.6, found.to_euler()[2]
    chord = 2 * length / turn * math.sin(turn / 2)
    assert math.hypot(*found.translation[:2]) == pytest.approx(chord, abs=0.03)


def test_drift_grows_and_differs_by_seed():
    noise = NoiseConfig(bias_walk=0.05, bias_std=0.02)
    config = OdometryConfig(mount=BURGER, linear_scale_noise=noise, angular_scale_noise=noise)
    ends = []
    for seed in range(6):
        sensor, _ = driven(config, 2.0, seed)
        ends.append(sensor.read().pose.translation - sensor.measure().pose.translation)
    spread = np.std(ends, axis=0)[:2]
    assert (spread > 1e-4).all()
    assert (spread < 0.2).all()


def test_wheels_that_are_not_there():
    with pytest.raises(SceneError, match="belongs to no robot with a wheeled drive; use source"):
        OdometryConfig(mount="ball", source="wheels").build(ball())


def test_a_scaled_arc_is_an_arc():
    # Exact: a motion along an arc of length s and turn t, cut into many pieces.
    count, s, t = 400, 1.0, 1.2
    chord = 2 * s / t * math.sin(t / count / 2)
    piece = Transform.from_euler(
        (chord * math.cos(t / count / 2), chord * math.sin(t / count / 2), 0), (0, 0, t / count)
    )
    total = Transform()
    for _ in range(count):
        total = total @ scaled_motion(piece, 1.5, 2.0)
    radius = 1.5 * s / (2 * t)
    expected = (radius * math.sin(2 * t), radius * (1 - math.cos(2 * t)), 0)
    np.testing.assert_allclose(total.translation, expected, atol=1e-5)
    assert scaled_motion(piece, 1.0, 1.0).is_close(piece)


vectors = st.tuples(*[st.floats(-3, 3)] * 3)


@given(vectors, vectors, vectors)
def test_rotations_agree_with_scipy(first, second, vector):
    a, b = Rotation.from_rotvec(first), Rotation.from_rotvec(second)
    np.testing.assert_allclose(rotate(a.as_quat(), vector), a.apply(vector), atol=1e-12)
    product = Rotation.from_quat(multiply(a.as_quat(), b.as_quat()))
    assert (product.inv() * (a * b)).magnitude() < 1e-12
    made = Rotation.from_quat(from_rotation_vector(first))
    assert (made.inv() * a).magnitude() < 1e-12
    back = Rotation.from_rotvec(to_rotation_vector(a.as_quat()))
    assert (back.inv() * a).magnitude() < 1e-7
