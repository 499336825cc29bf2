"""Names that do not exist: one error, and texts that propose what may have been meant."""

from __future__ import annotations

import pytest

from horus_sim.arm import Arm
from horus_sim.coords import CAD, Convention, convert
from horus_sim.errors import HorusError, UnknownNameError
from horus_sim.files.names import Named, close_names, did_you_mean, propose
from horus_sim.robots import load_robot
from horus_sim.sim2d import load_scenario
from horus_sim.sim3d import World, load_scene
from horus_sim.tf import TFTree

NAMES = ("lidar", "lidar_top", "camera", "imu")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("lidr", "did you mean 'lidar' or 'lidar_top'?"),
        ("amer", "did you mean 'camera'?"),
        ("_to", "did you mean 'lidar_top'?"),
        ("zz", "known: lidar, lidar_top, camera, imu"),
    ],
)
def test_close_names_are_proposed_and_else_listed(name, hint):
    assert did_you_mean(name, NAMES) == hint


def test_what_is_proposed_is_bounded():
    many = [f"name{k}" for k in range(20)]
    assert close_names("name", many, most=2) == ["name9", "name8"]
    assert did_you_mean("zz", many).endswith("name9, ...")
    assert did_you_mean("zz", ()) == "there are none"


def test_the_text_names_the_culprit():
    assert propose("imo", NAMES, "the world", "sensor") == (
        "the world has no sensor 'imo'; did you mean 'imu'?"
    )
    assert propose("imo", (), "the world", "sensor").endswith("; it has no sensor")
    with pytest.raises(UnknownNameError, match="the world has no sensor 'imo'; did you mean"):
        Named({"imu": 1}, "the world", "sensor")["imo"]


@pytest.mark.parametrize(
    ("ask", "hint"),
    [
        (lambda: load_robot("turtlebot"), "did you mean .*'turtlebot3_burger'"),
        (lambda: Arm.load("ur6"), "known: panda, .*ur5e"),
        (lambda: load_scene("warehose"), "did you mean 'warehouse'"),
        (lambda: load_scenario("line_folower"), "did you mean 'line_follower'"),
        (lambda: convert("cda", CAD), "did you mean 'cad'"),
        (lambda: Convention("c", right="x", forward="y", up="z", unit="mmm"), "did you mean 'mm'"),
        (lambda: World.load("empty_world").robots["burger"], "has no robot 'burger'"),
        (lambda: TFTree().lookup_transform("a", "b"), "'a' is not in the tree"),
    ],
)
def test_every_unknown_name_is_the_same_error(ask, hint):
    with pytest.raises(UnknownNameError, match=hint) as caught:
        ask()
    assert isinstance(caught.value, (HorusError, KeyError, LookupError))
