"""The sensors of a world: names, adding, removing, changes of the world."""

from __future__ import annotations

import pytest

from horus_sim.errors import SceneError, Sim3dError, UnknownNameError
from horus_sim.robots import load_robot
from horus_sim.sim3d import ObjectConfig, World
from horus_sim.sim3d.sensors import (
    DepthCameraConfig,
    ImuConfig,
    JointStateConfig,
    NoiseConfig,
    Sensors,
)
from horus_sim.sim3d.sensors.cameras.camera_base import CameraBase
from horus_sim.sim3d.sensors.kinds import KINDS, config_class
from horus_sim.sim3d.sensors.sensor import SensorConfig

from .poses import posed

BURGER = "turtlebot3_burger"


def burger() -> World:
    return World.from_robot(load_robot(BURGER), ground=True)


def crate(name: str = "crate") -> ObjectConfig:
    shape = {"kind": "box", "size": [1, 1, 1]}
    return ObjectConfig.model_validate({"name": name, "shape": shape, "pose": {"xyz": [9, 0, 1]}})


def test_sensors_are_found_by_name():
    sensors = Sensors(burger())
    imu = sensors.add(ImuConfig(mount=f"{BURGER}/base_link"))
    sensors.add({"kind": "joint_state", "mount": BURGER})
    assert list(sensors) == [f"{BURGER}/imu", f"{BURGER}/joint_states"]
    assert sensors[f"{BURGER}/imu"] is imu
    assert len(sensors) == 2
    assert repr(sensors) == f"<sensors: {BURGER}/imu, {BURGER}/joint_states>"
    with pytest.raises(UnknownNameError, match=f"no sensor '{BURGER}/imo'; did you mean"):
        sensors[f"{BURGER}/imo"]


def test_every_kind_has_its_configuration():
    for kind in KINDS:
        found = config_class(kind)
        assert issubclass(found, SensorConfig)
        assert found.model_fields["kind"].default == kind
    with pytest.raises(UnknownNameError, match="no sensor of kind 'imv'; did you mean 'imu'"):
        Sensors(burger()).add({"kind": "imv", "name": "a", "mount": "world"})


def test_plain_data_that_does_not_fit_names_sensor_and_field():
    sensors = Sensors(burger())
    with pytest.raises(SceneError, match="sensor 'a': unknown key 'rate'; did you mean 'rate_hz'"):
        sensors.add({"kind": "imu", "name": "a", "mount": BURGER, "rate": 5})
    with pytest.raises(
        SceneError, match=r"sensor 'imu': gyroscope_noise\.std.*greater than or equal"
    ):
        sensors.add({"kind": "imu", "mount": BURGER, "gyroscope_noise": {"std": -1}})


def test_a_name_may_hold_the_owner_already():
    sensor = Sensors(burger()).add(ImuConfig(mount=BURGER, name=f"{BURGER}/imu"))
    assert sensor.name == f"{BURGER}/imu"


def test_a_name_is_given_once():
    sensors = Sensors(burger())
    sensors.add(ImuConfig(mount=BURGER))
    with pytest.raises(SceneError, match="has a sensor 'turtlebot3_burger/imu' already"):
        sensors.add(ImuConfig(mount=BURGER, frame="other"))
    assert not sensors._world.tf.has_frame("other")


def test_a_refused_sensor_leaves_nothing_behind():
    world = burger()
    frames = world.tf.get_all_frames()
    sensors = Sensors(world)
    with pytest.raises(SceneError, match="no joint"):
        sensors.add({"kind": "encoder", "mount": BURGER})
    with pytest.raises(SceneError, match="has 2 values, but the channel has 3 values"):
        sensors.add({"kind": "imu", "mount": BURGER, "gyroscope_noise": {"std": [1, 2]}})
    assert world.tf.get_all_frames() == frames
    assert len(sensors) == 0


def test_removing_takes_the_frame_away():
    world = burger()
    sensors = Sensors(world)
    sensor = sensors.add(ImuConfig(mount=BURGER))
    assert world.tf.has_frame(sensor.frame)
    sensors.remove(sensor.name)
    assert not world.tf.has_frame(sensor.frame)
    assert len(sensors) == 0
    world.step()
    sensors.after_step(world)
    assert sensor.sequence == 0
    with pytest.raises(UnknownNameError, match="it has no sensor"):
        sensors.remove(sensor.name)


def test_sensors_follow_a_world_that_changes():
    world = burger()
    sensors = Sensors(world)
    sensor = sensors.add(JointStateConfig(mount=f"{BURGER}/base_link", rate_hz=240.0))
    world.step()
    sensors.after_step(world)
    world.spawn(crate())
    before = sensors[sensor.name].measure()
    assert world.tf.frame_pose(sensor.frame, "base_link") is not None
    world.step()
    sensors.after_step(world)
    assert sensor.sequence == 2
    assert sensor.read().names == before.names


def test_a_sensor_leaves_with_its_mount():
    world = burger()
    world.spawn(crate())
    sensors = Sensors(world)
    sensor = sensors.add({"kind": "ground_truth", "mount": "crate"})
    sensors.add(ImuConfig(mount=BURGER))
    world.remove("crate")
    assert list(sensors) == [f"{BURGER}/imu"]
    assert not world.tf.has_frame(sensor.frame)


def test_a_state_of_other_sensors_is_refused():
    sensors = Sensors(burger())
    sensors.add(ImuConfig(mount=BURGER))
    with pytest.raises(Sim3dError, match="the state has the sensors none, but the world has"):
        sensors.set_state({})


def test_a_sensor_that_carries_another_stays_until_that_one_is_gone():
    world = burger()
    world.sensors.add(ImuConfig(name="a", mount=BURGER, **posed(xyz=(0, 0, 0.1))))
    world.sensors.add(ImuConfig(name="b", mount=f"{BURGER}/a"))
    with pytest.raises(SceneError, match=f"carries the sensor '{BURGER}/b'; remove that one first"):
        world.sensors.remove(f"{BURGER}/a")
    assert world.tf.can_transform(f"{BURGER}/b", "world")
    world.sensors.remove(f"{BURGER}/b")
    world.sensors.remove(f"{BURGER}/a")
    assert not world.sensors


def test_what_is_no_sensor_is_refused():
    sensors = burger().sensors
    with pytest.raises(SceneError, match="'imu' is not a sensor; give a configuration"):
        sensors.add("imu")  # pyright: ignore[reportArgumentType]
    noise = NoiseConfig(std=(1.0, 2.0))
    with pytest.raises(SceneError, match=f"sensor '{BURGER}/imu': noise 'std' has 2 values"):
        sensors.add(ImuConfig(mount=BURGER, gyroscope_noise=noise))
    assert not sensors


def test_a_camera_with_a_long_name_has_its_optical_frame():
    world = burger()
    camera = world.sensors.add(DepthCameraConfig(name="c" * 50, mount=BURGER))
    assert isinstance(camera, CameraBase)
    assert world.tf.can_transform(camera.optical_frame, "world")
    assert camera.optical_frame.endswith("_optical_frame")


def test_a_listener_may_add_a_sensor():
    world = burger()
    world.sensors.add(ImuConfig(mount=BURGER))

    def add(_sensor: object, _message: object) -> None:
        if len(world.sensors) == 1:
            world.sensors.add(ImuConfig(name="second", mount=BURGER))

    world.sensors.listeners.append(add)
    world.step(240)
    assert world.sensors[f"{BURGER}/second"].sequence > 90
