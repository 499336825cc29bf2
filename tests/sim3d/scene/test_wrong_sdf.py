"""SDF files that Gazebo would refuse too: each is one error that says where and why."""

from __future__ import annotations

import re

import pytest

from horus_sim.errors import HorusError
from horus_sim.robots.report import NoteKind
from horus_sim.sim3d import World

LIDAR = """<model name="m"><link name="l"><inertial><mass>1</mass></inertial>
<sensor name="s" type="gpu_lidar"><lidar>{lidar}</lidar></sensor></link></model>"""
SCAN = "<scan><horizontal>{}</horizontal></scan>"


def lidar(scan: str, beside: str = "") -> str:
    return LIDAR.format(lidar=SCAN.format(scan) + beside)


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (
            "<light type='point' name='a'/><light type='point' name='a'/>",
            "scene 'w': two lights are called 'a'; give the include a prefix, or rename one",
        ),
        (
            "<physics type='ode'><max_step_size>2</max_step_size></physics>",
            r"line 1: world 'w': <max_step_size> is 2 s and must be from 1e-06 to 1; 0.001 is",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path, inside, text):
    path = tmp_path / "w.sdf"
    path.write_text(f"<sdf version='1.9'><world name='w'>{inside}</world></sdf>")
    with pytest.raises(HorusError, match=text):
        World.load(path)


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (
            lidar("<samples>many</samples>"),
            "<samples> is 'many', which is not a finite number; correct it",
        ),
        (lidar("<samples>1e9</samples>"), r"<samples> is 1e\+09 and must be from 0 to 100000"),
        (
            lidar("<samples>90000</samples><resolution>2</resolution>"),
            "<samples> times <resolution> are 180000, more than 100000; lower one",
        ),
        (lidar("", "<range>far</range>"), "<range> holds 'far' where elements are wanted; correct"),
        (lidar("", "<range/><range/>"), "<range> is there 2 times; remove all but one"),
    ],
)
def test_a_wrong_sensor_is_left_out_and_said(tmp_path, inside, text):
    path = tmp_path / "w.sdf"
    path.write_text(f"<sdf version='1.9'><world name='w'>{inside}</world></sdf>")
    world = World.load(path)
    assert not world.sensors
    (note,) = world.report.of(NoteKind.WARNING)
    assert note.culprit == "sensor 'm/s'"
    assert note.text.startswith("left out: ")
    assert re.search(text, note.text)
    with pytest.raises(HorusError, match=text):
        World.load(path, strict=True)
