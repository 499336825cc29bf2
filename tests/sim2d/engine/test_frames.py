"""Frames of a running world in a transform tree and on a hub."""

from __future__ import annotations

import pytest

from horus_sim.hub import TFListener, connect
from horus_sim.sim2d import Simulator

from ..makers import body, robot_values, scenario


def sensor(name, on="chassis", **values):
    return {"name": name, "type": "imu", "body": on, "mount_pose": [0.05, 0, 0], **values}


@pytest.mark.parametrize("how", ["reset", "snapshot"])
def test_frames_follow_time_that_goes_back(how):
    sim = Simulator(scenario())
    tree = sim.publish_frames()
    start = sim.snapshot()
    sim.robots["robot"].drive.set(1, 1)
    sim.run(2.0)
    assert tree.lookup_transform("robot/chassis", "world").translation[0] > 0.5
    sim.reset() if how == "reset" else sim.apply_snapshot(start)
    assert tree.lookup_transform("robot/chassis", "world").translation[0] == 0
    sim.run(0.5)
    x, y, _ = sim.body("chassis").pose
    assert tuple(tree.lookup_transform("robot/imu", "world").translation) == pytest.approx(
        (x, y, 0)
    )


def test_listeners_on_a_hub_follow_too():
    with connect(session="sim2d-back") as hub:
        listener = TFListener(hub)
        sim = Simulator(scenario({"bounds": {}}))
        sim.publish_frames(hub=hub)
        for duration in (0.4, 0.1):
            sim.reset()
            sim.robots["robot"].drive.set(1, 1)
            sim.run(duration)
            x = sim.body("chassis").pose[0]
            heard = listener.tree.lookup_transform("robot/eye", "world")
            assert heard.translation[0] == pytest.approx(x + 0.1)
            assert "bounds_top" in listener.tree


def test_fixed_bodies_have_frames_and_their_sensors_too():
    mast = body("mast", can_move=False, pose=[0, 0.5, 0])
    sim = Simulator(
        scenario({"bounds": {}}, bodies=[body(), mast], sensors=[sensor("top", "mast")])
    )
    tree = sim.publish_frames()
    sim.run(0.1)
    assert tuple(tree.lookup_transform("robot/top", "world").translation) == pytest.approx(
        (0.05, 0.5, 0)
    )
    assert tree.lookup_transform("bounds_left", "world").translation[0] == pytest.approx(-1.025)
    sim.body("mast").set_pose(1, 2, 0)
    sim.step()
    assert tuple(tree.lookup_transform("robot/top", "world").translation) == pytest.approx(
        (1.05, 2, 0)
    )


def test_a_sensor_called_as_its_body_has_a_frame_of_its_own():
    sim = Simulator(scenario(**robot_values(sensors=[sensor("chassis")])))
    tree = sim.publish_frames()
    assert tree.lookup_transform("robot/chassis_sensor", "world").translation[0] == pytest.approx(
        0.05
    )
    assert tree.lookup_transform("robot/chassis", "world").translation[0] == 0
