"""Joints start where <ros2_control> says."""

from __future__ import annotations

from pathlib import Path

import pytest

from horus_sim.errors import DescriptionError
from horus_sim.robots.report import NoteKind

from .urdf_texts import parse_urdf

LINKS = """
  <link name="base"/><link name="arm"/>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="arm"/><limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>"""


def read(value: str, interface: str = "position"):
    text = f"""<robot name="r">{LINKS}
  <ros2_control name="c" type="system"><joint name="hinge">
    <state_interface name="{interface}">
      <param name="initial_value">{value}</param>
    </state_interface>
  </joint></ros2_control></robot>"""
    return parse_urdf(text, Path("r.urdf"))


def test_initial_value_is_where_it_starts():
    robot, report = read(" 0.75 ")
    assert robot.joints[0].initial_position == 0.75
    assert not report.of(NoteKind.IGNORED)


def test_other_interfaces_do_not_count():
    robot, report = read("0.75", interface="velocity")
    assert robot.joints[0].initial_position == 0.0
    assert any("ros2_control" in note.culprit for note in report.of(NoteKind.IGNORED))


@pytest.mark.parametrize("value", ["fast", "nan", "", "1 2"])
def test_a_value_that_is_no_number_is_named(value: str):
    with pytest.raises(DescriptionError, match=r"<ros2_control> of joint 'hinge'"):
        read(value)
