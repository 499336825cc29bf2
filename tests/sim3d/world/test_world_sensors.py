"""Sensors as a part of the world: stepped, saved, restarted and read from scenes."""

from __future__ import annotations

from pathlib import Path

import pytest

from horus_sim.errors import SceneError, Sim3dError
from horus_sim.sim3d import World, WorldSnapshot
from horus_sim.sim3d.sensors import ImuConfig, NoiseConfig

SCENE = """
name: sensed
robots: [{name: burger, model: turtlebot3_burger}]
objects: [{name: ground, shape: {kind: plane}}]
sensors:
  - kind: imu
    name: imu
    mount: burger/imu_link
    rate_hz: 60.0
    accelerometer_noise: {std: 0.1}
"""


def load(folder: Path, text: str = SCENE) -> World:
    path = folder / "sensed.yaml"
    path.write_text(text)
    return World.load(path, seed=3)


def readings(world: World, count: int) -> list[tuple[float, float, float]]:
    found = []
    for _ in range(count):
        world.step(4)
        found.append(world.sensors["burger/imu"].read().linear_acceleration)
    return found


def test_sensors_of_a_scene_measure_at_their_rate(tmp_path: Path):
    world = load(tmp_path)
    world.step(240)
    assert world.sensors["burger/imu"].sequence == 60
    assert world.tf.has_frame("burger/imu")


def test_a_saved_state_has_the_sensors(tmp_path: Path):
    world = load(tmp_path)
    world.step(100)
    state = WorldSnapshot.from_bytes(world.snapshot().to_bytes())
    first = readings(world, 20)
    world.apply_snapshot(state)
    assert readings(world, 20) == first
    other = load(tmp_path)
    other.apply_snapshot(state)
    assert readings(other, 20) == first
    other.sensors.remove("burger/imu")
    with pytest.raises(Sim3dError, match="the state has the sensors burger/imu, but the world has"):
        other.apply_snapshot(state)


class Follower:
    """Takes each message once, as a controller in the loop does."""

    def __init__(self) -> None:
        self.stamps_ns: list[int] = []

    def update(self, world: World, dt: float) -> None:
        imu = world.sensors["burger/imu"]
        if imu.has_new:
            self.stamps_ns.append(imu.read().stamp_ns)


@pytest.mark.parametrize("count", [1, 3, 24])
def test_observers_take_no_message_from_a_controller(tmp_path: Path, count: int):
    world = load(tmp_path)
    controller = Follower()
    world.controllers.append(controller)
    seen = 0
    for _ in range(240 // count):
        world.step(count)
        imu = world.sensors["burger/imu"]
        for _ in range(2):
            seen += imu.has_new
            imu.read()
    # The last one arrives after the last update.
    assert controller.stamps_ns == [round(k * 1e9 / 60) for k in range(1, 60)]
    # Whoever steps sees whether there was a message in these steps, as often as it looks.
    assert seen == 2 * {1: 60, 3: 60, 24: 10}[count]


def test_news_are_those_of_the_last_step_after_going_back(tmp_path: Path):
    world = load(tmp_path)
    imu = world.sensors["burger/imu"]
    world.step(4)
    new = world.snapshot()
    world.step()
    old = world.snapshot()
    world.apply_snapshot(new)
    assert imu.has_new
    world.apply_snapshot(old)
    assert not imu.has_new
    world.apply_snapshot(new)
    world.reset()
    assert not imu.has_new


def test_a_restart_begins_the_noise_again(tmp_path: Path):
    world = load(tmp_path)
    first = readings(world, 20)
    world.reset()
    assert readings(world, 20) == first
    world.reset(seed=4)
    assert readings(world, 20) != first


def test_sensors_stay_when_something_comes_and_leave_with_their_robot(tmp_path: Path):
    quiet, disturbed = load(tmp_path), load(tmp_path)
    for world in (quiet, disturbed):
        world.step(50)
    disturbed.spawn("turtlebot3_waffle", name="waffle")
    disturbed.sensors.add(
        ImuConfig(name="imu", mount="waffle/imu_link", accelerometer_noise=NoiseConfig(std=1.0))
    )
    disturbed.remove("waffle")
    assert list(disturbed.sensors) == ["burger/imu"]
    assert readings(disturbed, 20) == readings(quiet, 20)
    disturbed.remove("burger")
    assert not disturbed.sensors
    assert not disturbed.tf.has_frame("burger/imu")


def test_a_wrong_kind_in_a_scene_is_told(tmp_path: Path):
    with pytest.raises(SceneError, match="'imv'; did you mean 'imu'"):
        load(tmp_path, SCENE.replace("kind: imu", "kind: imv"))
