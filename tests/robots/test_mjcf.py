"""MJCF robots: the description moves as MuJoCo itself does."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from horus_sim.errors import DescriptionError
from horus_sim.robots import load_robot
from horus_sim.robots.description import Box, Capsule, JointType, Mimic, Sphere
from horus_sim.robots.mjcf.file import load_mjcf
from horus_sim.robots.mjcf.reading import describe_mjcf

from .urdf_oracle import link_poses

ROBOT = """<mujoco model="toy"><worldbody>{floor}
<body name="base" pos="0 0 1" euler="10 20 30">{root}<geom type="box" size=".1 .2 .3"/>
  <body name="arm" pos="0.1 0 0" euler="0 0 30">
    <joint name="a" axis="0 0 1" pos="0.05 0.01 0" range="-90 90" ref="10" damping="0.5"
     armature="0.01" frictionloss="0.2" stiffness="3" actuatorfrcrange="-7 7"/>
    <joint name="b" axis="0 1 0" pos="0 0 0.1"/>
    <geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" friction="0.7"/>
    <body name="tip" pos=".2 0 0"><joint name="s" type="slide" axis="1 2 0" range="0 .1" ref=".02"/>
      <geom type="sphere" size=".03" contype="0" conaffinity="0"/>
      <body pos="0 0 1"/></body>
  </body></body></worldbody></mujoco>"""


def put(folder, root="<freejoint/>", floor=""):
    path = folder / "toy.xml"
    path.write_text(ROBOT.format(root=root, floor=floor))
    return path


@pytest.mark.parametrize(
    ("root", "floor", "base", "root_link"),
    [
        ("<freejoint/>", "", "floating", "base"),
        ("", "", "fixed", "base"),
        ("<joint name='r' axis='0 0 1'/>", "", "fixed", "world"),
        ("", "<geom type='plane' size='1 1 1'/>", "fixed", "base"),
        ("<freejoint/>", "<geom size='1'/>", "floating", "base"),
        ("", "<geom size='1'/>", "fixed", "world"),
    ],
)
def test_poses_agree_with_mujoco(tmp_path, root, floor, base, root_link):
    path = put(tmp_path, root, floor)
    description, _, found = describe_mjcf(load_mjcf(path))
    assert (found, description.root) == (base, root_link)
    model = mujoco.MjModel.from_xml_path(str(path))  # pyright: ignore[reportAttributeAccessIssue]
    data = mujoco.MjData(model)  # pyright: ignore[reportAttributeAccessIssue]
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = {name: rng.uniform(-1, 1) for name in ("a", "b", "s")}
        for name, value in q.items():
            data.joint(name).qpos[0] = value
        mujoco.mj_kinematics(model, data)  # pyright: ignore[reportAttributeAccessIssue]
        ours = link_poses(description, q)
        T_world_root = description.T_world_root.to_matrix()
        for name in ("base", "arm", "tip"):
            expected = np.eye(4)
            expected[:3, :3] = data.body(name).xmat.reshape(3, 3)
            expected[:3, 3] = data.body(name).xpos
            np.testing.assert_allclose(T_world_root @ ours[name], expected, atol=1e-12)


def test_what_is_described(tmp_path):
    description, report, _ = describe_mjcf(load_mjcf(put(tmp_path)))
    links = {link.name: link for link in description.links}
    joints = {joint.name: joint for joint in description.joints}
    assert description.name == "toy"
    assert list(links) == ["base", "arm", "arm/a", "tip", "body_4"]
    assert links["base"].visuals[0].geometry == Box((0.2, 0.4, 0.6))
    assert isinstance(links["arm"].collisions[0].geometry, Capsule)
    assert links["arm"].collisions[0].surface.friction == 0.7
    assert links["tip"].visuals[0].geometry == Sphere(0.03)
    assert not links["tip"].collisions
    assert links["base"].inertial is not None
    assert links["base"].inertial.mass == pytest.approx(1000 * 0.2 * 0.4 * 0.6)
    hinge = joints["a"]
    assert hinge.kind is JointType.REVOLUTE
    assert joints["b"].kind is JointType.CONTINUOUS
    assert joints["s"].kind is JointType.PRISMATIC
    assert hinge.limit.lower == pytest.approx(-np.pi / 2)
    assert hinge.limit.effort == 7.0
    assert (hinge.dynamics.damping, hinge.dynamics.friction, hinge.dynamics.armature) == (
        0.5,
        0.2,
        0.01,
    )
    assert hinge.dynamics.stiffness == 3.0
    assert len(report) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<mujoco><worldbody/></mujoco>", "has no body"),
        ("<mujoco><nonsense/></mujoco>", "MuJoCo cannot load it"),
    ],
)
def test_files_that_cannot_be_used(tmp_path, text, message):
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(DescriptionError, match=message):
        describe_mjcf(load_mjcf(tmp_path / "a.xml"))


def test_drives_and_followers_of_a_file(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(
        "<mujoco><worldbody><body name='a'><geom size='.1'/>"
        + "".join(
            f"<body name='{j}b'><joint name='{j}' axis='0 1 0'/><geom size='.1'/></body>"
            for j in "pqrs"
        )
        + "</body></worldbody><actuator>"
        "<motor joint='p' gear='10' ctrlrange='-1 2'/><position joint='q' forcerange='-3 3'/>"
        "<position joint='r' kp='5'/></actuator>"
        "<equality><joint joint1='s' joint2='p' polycoef='.1 -2 0 0 0'/></equality></mujoco>"
    )
    description, report, _ = describe_mjcf(load_mjcf(path))
    joints = {joint.name: joint for joint in description.joints}
    assert [joints[name].limit.effort for name in "pqr"] == [20.0, 3.0, None]
    assert joints["s"].mimic == Mimic("p", -2.0, 0.1)
    assert "those of 3 joints are replaced by drives" in str(report)


def test_equalities_in_a_circle_end(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(
        "<mujoco><worldbody><body name='a'><geom size='.1'/>"
        "<body><joint name='p'/><geom size='.1'/></body>"
        "<body><joint name='q'/><geom size='.1'/></body></body></worldbody>"
        "<equality><joint joint1='p' joint2='q'/><joint joint1='q' joint2='p'/></equality></mujoco>"
    )
    description, _, _ = describe_mjcf(load_mjcf(path))
    followers = [joint.name for joint in description.joints if joint.mimic]
    assert followers == ["p"]


@pytest.mark.parametrize(
    ("beside", "base"),
    [
        ('<body name="world_link"/>', "floating"),
        ('<body name="target" mocap="true"/>', "fixed"),
        ('<body name="table"><geom size="1"/></body>', "fixed"),
        ('<body name="other" pos="5 0 0"><freejoint/><geom size="1"/></body>', "fixed"),
    ],
)
def test_a_bare_frame_beside_it_does_not_hold_a_robot(tmp_path, beside, base):
    path = tmp_path / "r.xml"
    path.write_text(
        "<mujoco><worldbody><body name='b'><freejoint/><geom size='1'/></body>"
        f"{beside}</worldbody></mujoco>"
    )
    robot = load_robot(path)
    assert robot.base == base
    assert "world_link" not in robot.links
    text = "the world has 2 bodies that move: they are one robot, whose parts move freely"
    assert (text in str(robot.report)) is ("freejoint" in beside)
