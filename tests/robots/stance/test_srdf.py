"""Poses that an SRDF near a URDF names."""

from __future__ import annotations

from pathlib import Path

import pytest

from horus_sim.robots import load_robot
from horus_sim.robots.report import NoteKind
from horus_sim.robots.robot import Robot
from horus_sim.robots.stance.named_pose import NamedPose, by_preference

from .legged import quadruped_text

SRDF = """<robot name="{name}">
  <group_state name="crouch" group="legs"><joint name="knee0" value="-2.2"/></group_state>
  <group_state name="standing" group="legs">
    <joint name="root_joint" value="0 0 0.3 0 0 0 1"/>
    <joint name="knee0" value="-1.5"/><joint name="pitch0" value=" 0.75 "/>
  </group_state>
</robot>"""


def package(folder: Path, srdf: str, *, name: str = "dog") -> Robot:
    """A package with a URDF in one folder and an SRDF in another."""
    for inner in ("urdf", "srdf"):
        (folder / inner).mkdir()
    (folder / "package.xml").write_text("<package><name>dog_description</name></package>")
    (folder / "urdf/dog.urdf").write_text(quadruped_text())
    (folder / f"srdf/{name}.srdf").write_text(srdf)
    return load_robot(folder / "urdf/dog.urdf")


@pytest.mark.parametrize("name", ["dog", "another"])
def test_group_states_are_poses(tmp_path: Path, name: str):
    robot = package(tmp_path, SRDF.format(name="dog"), name=name)
    crouch, standing = robot.description.poses
    assert (crouch.name, dict(crouch.positions)) == ("crouch", {"knee0": -2.2})
    assert dict(standing.positions) == {"knee0": -1.5, "pitch0": 0.75}
    assert str(standing) == "group state 'standing'"


def test_the_srdf_of_another_robot_does_not_count(tmp_path: Path):
    assert not package(tmp_path, SRDF.format(name="cat"), name="cat").description.poses


@pytest.mark.parametrize(
    ("wrong", "text"),
    [("<robot", "not well-formed"), (SRDF.format(name="dog").replace("-2.2", "low"), "'low'")],
)
def test_a_broken_srdf_is_told(tmp_path: Path, wrong: str, text: str):
    robot = package(tmp_path, wrong)
    (note,) = robot.report.of(NoteKind.WARNING)
    assert note.culprit == "'dog.srdf'"
    assert "its poses are not used" in note.text
    assert text in note.text


def test_poses_that_sound_like_standing_come_first():
    names = ["sit", "walking_stand", "Half Sitting", "home", ""]
    poses = [NamedPose(name, "keyframe", {}, {}) for name in names]
    found = [pose.name for pose in by_preference(poses)]
    assert found == ["home", "Half Sitting", "walking_stand", "sit", ""]
