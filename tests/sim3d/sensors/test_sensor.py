"""What all sensors share: rates, frames, mounts, latency, loss, seeds, states."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from pydantic import ValidationError

from horus_sim.errors import SceneError, UnknownNameError
from horus_sim.hub.messages import Imu
from horus_sim.robots import load_robot
from horus_sim.robots.description import Inertial, Link, RobotDescription
from horus_sim.sim3d import ObjectConfig, Scene, World
from horus_sim.sim3d.sensors import (
    GroundTruthConfig,
    ImuConfig,
    JointStateConfig,
    NoiseConfig,
    Sensors,
)
from horus_sim.tf import Transform

from .poses import posed

BURGER = "turtlebot3_burger"
BASE = f"{BURGER}/base_link"
NOISY = NoiseConfig(std=0.1, bias_std=0.5, bias_walk=0.1)


def burger(seed: int = 0) -> World:
    return World.from_robot(load_robot(BURGER), ground=True, seed=seed)


def crate() -> ObjectConfig:
    shape = {"kind": "box", "size": [1, 1, 1]}
    return ObjectConfig.model_validate(
        {"name": "crate", "shape": shape, "pose": {"xyz": [5, 0, 0.5]}}
    )


def run(world: World, sensors: Sensors, steps: int) -> None:
    for _ in range(steps):
        world.step()
        sensors.after_step(world)


def collected(sensors: Sensors) -> list[tuple[int, object]]:
    """Simulated time of delivery and message, filled as the world runs."""
    found: list[tuple[int, object]] = []
    sensors.listeners.append(lambda sensor, message: found.append((sensor.world.stamp_ns, message)))
    return found


def stamps(found: list[tuple[int, object]]) -> list[int]:
    return [message.stamp_ns for _, message in found]  # type: ignore[attr-defined]


def test_measurements_come_at_the_rate_in_simulated_time():
    world = burger()
    sensors = Sensors(world)
    found = collected(sensors)
    sensor = sensors.add(ImuConfig(mount=BASE, rate_hz=60.0))
    run(world, sensors, 240)
    assert stamps(found) == [round(k * 1e9 / 60) for k in range(1, 61)]
    assert sensor.sequence == 60


@pytest.mark.parametrize("rate", [7.0, 30.0, 100.0, 239.0])
def test_a_rate_beside_the_steps_keeps_its_mean(rate):
    world = burger()
    sensors = Sensors(world)
    found = collected(sensors)
    sensors.add(JointStateConfig(mount=BURGER, rate_hz=rate))
    run(world, sensors, 480)
    assert len(found) == int(2 * rate)
    # Each is the first step at or after its time.
    step = 1e9 / 240
    times = np.array(stamps(found)) - np.arange(1, len(found) + 1) * 1e9 / rate
    assert times.min() > -1.0
    assert times.max() < step + 1.0


def test_a_rate_above_the_steps_measures_in_every_step():
    world = burger()
    sensors = Sensors(world)
    found = collected(sensors)
    sensors.add(JointStateConfig(mount=BURGER, rate_hz=1e6))
    run(world, sensors, 10)
    assert len(found) == 10


def test_reading_before_the_first_message_measures_at_once_and_changes_nothing():
    worlds = [burger() for _ in range(2)]
    asked, silent = (Sensors(world) for world in worlds)
    config = ImuConfig(mount=BASE, rate_hz=20.0, gyroscope_noise=NOISY)
    a, b = asked.add(config), silent.add(config)
    first = a.read()
    assert first.stamp_ns == 0
    assert first == a.read()
    assert not a.has_new
    run(worlds[0], asked, 24)
    run(worlds[1], silent, 24)
    before = a.get_state()
    assert a.has_new
    assert a.read() == b.read()
    assert a.has_new
    assert a.get_state() == before
    assert a.read().stamp_ns == 100_000_000


def test_measuring_is_ideal_and_pure():
    world = burger()
    sensor = ImuConfig(mount=BASE, accelerometer_noise=NOISY).build(world)
    before = sensor.get_state()
    assert sensor.measure() == sensor.measure()
    assert sensor.get_state() == before
    assert sensor.read() != sensor.measure()


def test_the_frame_is_a_fixed_child_of_the_mount():
    world = burger()
    config = ImuConfig(mount=BASE, **posed(xyz=(0.1, 0.0, 0.2), rpy=(0.0, 0.0, 1.0)))
    sensor = config.build(world)
    assert sensor.name == f"{BURGER}/imu"
    assert sensor.frame == f"{BURGER}/imu"
    assert sensor.topic == f"{BURGER}/imu"
    info = world.tf.frame(sensor.frame)
    assert (info.parent, info.is_static) == ("base_link", True)
    expected = Transform.from_euler((0.1, 0.0, 0.2), (0.0, 0.0, 1.0))
    assert world.tf.frame_pose(sensor.frame, "base_link").is_close(expected)
    world.step(100)
    assert world.tf.frame_pose(sensor.frame, "world").is_close(sensor.T_world_sensor)
    assert sensor.read().frame_id == sensor.frame


def test_mounts():
    world = burger()
    world.spawn(crate())
    on_crate = GroundTruthConfig(mount="crate", **posed(xyz=(0, 0, 0.5))).build(world)
    assert on_crate.name == "crate/ground_truth"
    np.testing.assert_allclose(on_crate.measure().pose.translation, (5, 0, 1.0))
    in_world = GroundTruthConfig(mount="world", name="station", **posed(xyz=(1, 2, 3))).build(world)
    assert in_world.name == "station"
    np.testing.assert_allclose(in_world.measure().pose.translation, (1, 2, 3))
    on_robot = GroundTruthConfig(mount=BURGER, name="root").build(world)
    assert on_robot.mount.link == "base_footprint"
    by_frame = GroundTruthConfig(mount="base_scan", name="scan").build(world)
    assert by_frame.name == f"{BURGER}/scan"
    on_sensor = GroundTruthConfig(
        mount="crate/ground_truth", name="top", **posed(xyz=(0, 0, 1))
    ).build(world)
    assert on_sensor.name == "crate/top"
    np.testing.assert_allclose(on_sensor.measure().pose.translation, (5, 0, 2.0))


def test_a_frame_of_the_description_is_a_mount():
    mass = Inertial(1.0, Transform(), (0.1, 0.1, 0.1, 0, 0, 0))
    tool = {"tool": ("body", Transform((0.0, 0.0, 0.3)))}
    robot = RobotDescription("probe", (Link("body", mass),), (), "body", extra_frames=tool)
    world = World.from_robot(robot, base="fixed", frame_prefix="a/")
    for i, mount in enumerate(("probe/tool", "a/tool")):
        sensor = GroundTruthConfig(mount=mount, name=str(i), **posed(xyz=(0, 0, 0.2))).build(world)
        assert sensor.mount.frame == "a/tool"
        assert world.tf.frame(sensor.frame).parent == "a/tool"
        np.testing.assert_allclose(sensor.measure().pose.translation, (0, 0, 0.5))


def test_a_wrong_mount_proposes_close_names():
    with pytest.raises(
        UnknownNameError, match=f"no mount '{BURGER}/base_lnk'; did you mean '{BASE}'"
    ):
        ImuConfig(mount=f"{BURGER}/base_lnk").build(burger())


def test_a_frame_that_exists_is_refused_unless_it_is_the_mount_itself():
    world = burger()
    with pytest.raises(
        SceneError, match="cannot have the frame 'base_link', which exists; give it"
    ):
        ImuConfig(mount=f"{BURGER}/base_scan", frame="base_link").build(world)
    sensor = ImuConfig(mount=f"{BURGER}/imu_link", frame="imu_link").build(world)
    assert sensor.frame == "imu_link"
    sensor.detach()
    assert world.tf.has_frame("imu_link")


def test_latency_delays_and_keeps_the_stamp():
    world = burger()
    sensors = Sensors(world)
    found = collected(sensors)
    sensor = sensors.add(ImuConfig(mount=BASE, rate_hz=24.0, latency=0.1))
    run(world, sensors, 240)
    for delivered, message in found:
        delay = delivered - message.stamp_ns  # type: ignore[attr-defined]
        assert 100_000_000 <= delay < 100_000_000 + 1e9 / 240
    assert len(found) == 21  # those of the last 0.1 s are on their way
    assert sensor.read() is found[-1][1]


def test_jitter_never_changes_the_order():
    world = burger()
    sensors = Sensors(world)
    found = collected(sensors)
    sensors.add(JointStateConfig(mount=BURGER, rate_hz=240.0, latency=0.05, latency_jitter=0.05))
    run(world, sensors, 480)
    order = stamps(found)
    assert order == sorted(order)
    delays = np.array([delivered - message.stamp_ns for delivered, message in found])  # type: ignore[attr-defined]
    assert delays.min() >= 0
    assert delays.std() > 0.005e9


def test_jitter_leaves_the_mean_latency_as_it_is():
    world = World.load(Scene(name="empty"))
    cases = {"a": (0.05, 0.01), "b": (0.05, 0.05), "c": (0.1, 0.2), "d": (0.003, 0.001)}
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in (*cases, "slow")}
    for name, (latency, jitter) in cases.items():
        options = {"rate_hz": 240.0, "latency": latency, "latency_jitter": jitter}
        world.sensors.add({"kind": "ground_truth", "mount": "world", "name": name, **options})
    options = {"rate_hz": 12.0, "latency": 0.04, "latency_jitter": 0.01}
    world.sensors.add({"kind": "ground_truth", "mount": "world", "name": "slow", **options})
    world.sensors.listeners.append(
        lambda sensor, message: found[sensor.name].append((world.stamp_ns, message.stamp_ns))
    )
    world.step(2400)
    for name, (latency, jitter) in cases.items():
        # Those of the end may still be on their way, and only the quick ones would count.
        measured = round(2400 - 240 * (latency + 5 * jitter))
        arrived, stamped = np.array(found[name][:measured]).T
        assert stamped.tolist() == [round(k * 1e9 / 240) for k in range(1, measured + 1)]
        delays = (arrived - stamped) * 1e-9
        assert delays.min() >= 0
        # Whole steps add at most half of one to the spread.
        assert abs(delays.mean() - latency) < 3 * np.hypot(jitter, 0.5 / 240) / np.sqrt(measured)
    # Here no message can overtake, and the spread is the one asked for.
    arrived, stamped = np.array(found["slow"]).T
    assert (arrived - stamped).std() * 1e-9 == pytest.approx(0.01, rel=0.2)


def test_jitter_needs_a_mean():
    with pytest.raises(ValidationError, match="'latency_jitter' spreads 'latency' around its mean"):
        ImuConfig(mount="a", latency_jitter=0.01)


def test_a_latency_of_one_step_is_one_step():
    world = burger()
    sensors = Sensors(world)
    found = collected(sensors)
    sensors.add(JointStateConfig(mount=BURGER, rate_hz=240.0, latency=1 / 240))
    run(world, sensors, 30)
    assert stamps(found) == [round(k * 1e9 / 240) for k in range(1, 30)]


def test_loss_takes_whole_messages():
    world = burger()
    sensors = Sensors(world)
    found = collected(sensors)
    sensors.add(JointStateConfig(mount=BURGER, rate_hz=240.0, loss=0.25))
    run(world, sensors, 1200)
    assert abs(len(found) / 1200 - 0.75) < 5 * np.sqrt(0.25 * 0.75 / 1200)


def test_the_same_seed_gives_the_same_messages_and_others_others():
    def messages(seed: int, name: str = "imu", own: int | None = None) -> list[object]:
        world = burger(seed)
        sensors = Sensors(world)
        found = collected(sensors)
        sensors.add(ImuConfig(mount=BASE, name=name, gyroscope_noise=NOISY, seed=own, frame="x"))
        run(world, sensors, 24)
        return [message.angular_velocity for _, message in found]  # type: ignore[attr-defined]

    assert messages(1) == messages(1)
    assert messages(1) != messages(2)
    assert messages(1) != messages(1, name="other")
    assert messages(1, own=5) == messages(2, own=5)


def test_other_sensors_have_no_influence():
    def messages(*more: ImuConfig) -> list[object]:
        world = burger()
        sensors = Sensors(world)
        for config in more:
            sensors.add(config)
        sensor = sensors.add(ImuConfig(mount=BASE, gyroscope_noise=NOISY))
        run(world, sensors, 48)
        return [sensor.read()]

    assert messages() == messages(
        ImuConfig(mount=BASE, name="a", gyroscope_noise=NOISY),
        ImuConfig(mount=BASE, name="b", gyroscope_noise=NOISY, rate_hz=240.0),
    )


def noisy_sensors(world: World) -> Sensors:
    sensors = Sensors(world)
    sensors.add(
        ImuConfig(
            mount=BASE,
            gyroscope_noise=NOISY,
            accelerometer_noise=NOISY,
            orientation_noise=NoiseConfig(std=0.01),
            latency=0.02,
            latency_jitter=0.01,
            loss=0.1,
        )
    )
    sensors.add(GroundTruthConfig(mount=BASE, position_noise=NOISY, orientation_noise=NOISY))
    sensors.add({"kind": "odometry", "mount": BURGER, "linear_scale_noise": {"bias_walk": 0.1}})
    sensors.add({"kind": "gps", "mount": BURGER, "position_noise": {"std": [1, 1, 2]}})
    return sensors


def test_a_saved_state_replays_bit_by_bit():
    world = burger()
    sensors = noisy_sensors(world)
    world.robots[BURGER].command(linear=0.2, angular=0.3)
    run(world, sensors, 50)
    physics = world.snapshot()
    # As a saved world would hold it.
    saved = msgspec.msgpack.decode(msgspec.msgpack.encode(sensors.get_state()))
    found = collected(sensors)
    run(world, sensors, 100)
    expected = list(found)
    assert len(expected) > 50

    found.clear()
    world.apply_snapshot(physics)
    sensors.set_state(saved)
    run(world, sensors, 100)
    assert found == expected

    other = burger()
    again = noisy_sensors(other)
    repeated = collected(again)
    other.apply_snapshot(physics)
    again.set_state(saved)
    run(other, again, 100)
    assert repeated == expected


def test_a_reset_starts_again():
    world = burger()
    sensors = noisy_sensors(world)
    found = collected(sensors)
    run(world, sensors, 60)
    first = list(found)
    found.clear()
    world.reset()
    sensors.reset()
    run(world, sensors, 60)
    assert found == first
    found.clear()
    world.reset(seed=9)
    sensors.reset(9)
    run(world, sensors, 60)
    assert stamps(found)
    assert found != first


def test_configurations_are_strict():
    with pytest.raises(ValidationError, match="unknown key 'rate'; did you mean 'rate_hz'"):
        ImuConfig.model_validate({"mount": "a", "rate": 1.0})
    with pytest.raises(ValidationError, match="rate_hz"):
        ImuConfig(mount="a", rate_hz=0.0)
    with pytest.raises(ValidationError, match="frozen"):
        ImuConfig(mount="a").mount = "b"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="a name neither begins nor ends"):
        ImuConfig(mount="a", name="/imu")


def test_messages_are_typed():
    assert isinstance(ImuConfig(mount=BASE).build(burger()).read(), Imu)


def test_sensors_do_not_change_the_motion():
    def final(*kinds: str) -> bytes:
        world = burger()
        sensors = Sensors(world)
        for kind in kinds:
            link = "wheel_left_link" if kind in ("encoder", "force_torque") else "base_link"
            sensors.add({"kind": kind, "mount": f"{BURGER}/{link}", "rate_hz": 100.0})
        world.robots[BURGER].command(linear=0.2, angular=0.5)
        run(world, sensors, 100)
        assert all(sensor.sequence > 30 for sensor in sensors.values())
        return world.snapshot().to_bytes()

    numbers = ("contact", "encoder", "force_torque", "gps", "ground_truth", "imu")
    assert final() == final(*numbers, "joint_state", "magnetometer", "odometry", "range")
