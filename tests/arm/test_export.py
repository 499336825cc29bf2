"""Exports to URDF and MJCF and back, self-collision, and the check against simulators."""

from __future__ import annotations

import dataclasses
import re
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from horus_sim.arm import (
    Arm,
    ArmDescription,
    ArmJoint,
    ScrewX,
    arm_names,
    random_configurations,
    to_mjcf,
    to_urdf,
)
from horus_sim.arm.collision import SelfCollision
from horus_sim.arm.export.links import precise_rpy
from horus_sim.arm.verify import Check, verify_mujoco
from horus_sim.errors import ArmFileError, MissingExtraError
from horus_sim.installation import install_command
from horus_sim.robots.engine import mujoco
from horus_sim.tf import Transform

from .random_arms import random_arm


def simulated_tools(text: str, samples: np.ndarray) -> np.ndarray:
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    found = np.tile(np.eye(4), (len(samples), 1, 1))
    for T, q in zip(found, samples, strict=True):
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        T[:3, :3] = data.body("tool").xmat.reshape(3, 3)
        T[:3, 3] = data.body("tool").xpos
    return found


def odd_arms() -> list[Arm]:
    rng = np.random.default_rng(31)
    arms = [random_arm(rng) for _ in range(5)]
    ends = {
        "T_world_base": Transform.from_euler((1, 2, 3), (0.3, np.pi / 2, -0.4)),
        "T_flange_tool": Transform.from_euler((0.1, 0, 0.2), (0.0, -np.pi / 2, 0.0)),
    }
    return [*arms, Arm(dataclasses.replace(arms[0].description, **ends))]


@pytest.mark.parametrize("write", [to_urdf, to_mjcf])
def test_exports_are_exact(write):
    for arm in [*map(Arm.load, arm_names()), *odd_arms()]:
        samples = random_configurations(arm, 50)
        tools = simulated_tools(write(arm), samples)
        np.testing.assert_allclose(tools, arm.fk_batch(samples), rtol=0, atol=1e-12)


def test_an_exported_urdf_is_read_back(tmp_path):
    for arm in [*map(Arm.load, arm_names()), *odd_arms()]:
        path = tmp_path / "arm.urdf"
        path.write_text(to_urdf(arm), encoding="utf-8")
        twin = Arm.from_urdf(path)
        samples = random_configurations(arm, 50)
        np.testing.assert_allclose(twin.fk_batch(samples), arm.fk_batch(samples), atol=1e-12)
        assert twin.joint_names == arm.joint_names
        assert np.array_equal(twin.lower, arm.lower)
        assert twin.description.convention is None
        again = simulated_tools(to_mjcf(twin), samples)
        np.testing.assert_allclose(again, arm.fk_batch(samples), atol=1e-12)


def test_the_mjcf_has_actuators_and_a_site():
    arm = Arm.load("scara")
    root = ET.fromstring(to_mjcf(arm))  # noqa: S314
    assert [e.get("joint") for e in root.iterfind("actuator/position")] == list(arm.joint_names)
    assert root.find(".//site[@name='tool']") is not None


@pytest.mark.parametrize("pitch", [0.3, np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9])
def test_angles_reproduce_the_rotation(pitch):
    for roll, yaw in ((0.0, 0.0), (0.4, -2.0), (-1.0, 3.0)):
        T = Transform.from_euler((0, 0, 0), (roll, pitch, yaw))
        again = Transform.from_euler((0, 0, 0), precise_rpy(T))
        np.testing.assert_allclose(again.to_matrix(), T.to_matrix(), atol=5e-16 * 4)


# A chain of a foreign URDF ------------------------------------------------------------------------

URDF = """<robot name="foreign">
  <link name="base"/><link name="a"/><link name="b"/><link name="c"/><link name="finger"/>
  <joint name="yaw" type="continuous"><parent link="base"/><child link="a"/>
    <origin xyz="0 0 0.4" rpy="0 0 0.5"/><axis xyz="0 0 2"/></joint>
  <joint name="slide" type="prismatic"><parent link="a"/><child link="b"/>
    <origin xyz="0.1 0.2 0" rpy="0.3 0.2 0.1"/><axis xyz="0 -1 0"/>
    <limit lower="-0.2" upper="0.4" effort="1" velocity="0.5"/></joint>
  <joint name="bend" type="revolute"><parent link="b"/><child link="c"/>
    <origin xyz="0 0 0.3"/><axis xyz="1 1 0"/><limit lower="-1" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="weld" type="fixed"><parent link="c"/><child link="finger"/>
    <origin xyz="0 0 0.1" rpy="0 1 0"/></joint>
</robot>"""


def test_a_foreign_chain_agrees_with_mujoco(tmp_path):
    path = tmp_path / "foreign.urdf"
    path.write_text(URDF, encoding="utf-8")
    arm = Arm.from_urdf(path)
    assert arm.name == "foreign"
    assert arm.joint_names == ("yaw", "slide", "bend")
    assert arm.lower.tolist() == [-np.inf, -0.2, -1.0]
    # MuJoCo wants masses, and merges fixed links unless it is told not to.
    mass = (
        '<inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    text = re.sub(r'<link name="(\w+)"/>', rf'<link name="\1">{mass}</link>', URDF)
    text = text.replace('"finger"', '"tool"')
    text = text.replace("<link", '<mujoco><compiler fusestatic="false"/></mujoco><link', 1)
    samples = random_configurations(arm, 40)
    np.testing.assert_allclose(
        simulated_tools(text, samples), arm.fk_batch(samples), rtol=0, atol=1e-12
    )
    assert arm.ik_batch(arm.fk_batch(samples)).success.all()


def test_part_of_a_chain_is_taken(tmp_path):
    path = tmp_path / "foreign.urdf"
    path.write_text(URDF, encoding="utf-8")
    arm = Arm.from_urdf(path, base_link="a", tip_link="c")
    assert arm.joint_names == ("slide", "bend")


@pytest.mark.parametrize(
    ("old", "new", "options", "text"),
    [
        ("", "", {"tip_link": "fingr"}, "has no link 'fingr'; did you mean 'finger'?"),
        ("", "", {"base_link": "finger", "tip_link": "a"}, "'a' does not hang from 'finger'"),
        (
            'type="revolute"',
            'type="ball"',
            {},
            "line 8: joint 'bend': the type 'ball' is not known",
        ),
        ('xyz="1 1 0"', 'xyz="0 0 0"', {}, "joint 'bend': <axis> xyz = '0 0 0' gives no direction"),
        (
            'xyz="1 1 0"',
            'xyz="1 1"',
            {},
            "line 9: joint 'bend': <axis> xyz = '1 1': needs 3 numbers",
        ),
        (
            'lower="-1" upper="2"',
            "",
            {},
            "joint 'bend' has no limits between which it moves; give a <limit> with lower and",
        ),
        ('lower="-1"', 'lower="5"', {}, "joint 'bend' has no limits between which it moves"),
        ("", "", {"base_link": "nope"}, "has no link 'nope'; known: a, b, base, c, finger"),
        (
            '<link name="b"/>',
            "",
            {},
            "line 5: joint 'slide': its child link 'b' is not declared; declared are 'base'",
        ),
        (
            "</robot>",
            '<joint name="x" type="fixed"><parent link="a"/><child link="c"/></joint></robot>',
            {},
            "link 'c' is the child of two joints, 'bend' and 'x'",
        ),
        (
            "</robot>",
            '<joint name="x" type="fixed"><parent link="c"/><child link="base"/></joint></robot>',
            {},
            "form a cycle (kinematic loop) over the joints 'yaw', 'slide', 'bend', 'x'",
        ),
        (
            '<link name="a"/>',
            '<link name="a"/><link name="x"/>',
            {},
            "the robot has 2 root links, 'base' (line 2), 'x' (line 2)",
        ),
        ('lower="-1"', 'lower="low"', {}, "line 9: joint 'bend': <limit> lower = 'low'"),
        (
            '<child link="c"/>',
            "",
            {},
            "line 8: joint 'bend': <joint> has no <child>, which it needs",
        ),
        ('<joint name="bend"', "<joint", {}, "line 8: <joint> needs the attribute 'name'"),
        ("</robot>", "", {}, "line 13: not well-formed XML"),
        (
            '<robot name="foreign">',
            '<!DOCTYPE r><robot name="f">',
            {},
            "DTD and entity declarations are not allowed",
        ),
        ("", "", {"base_link": "c"}, "the chain has 0 moving joints"),
    ],
)
def test_a_urdf_that_is_no_arm_is_explained(old, new, options, text, tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text(URDF.replace(old, new) if old else URDF, encoding="utf-8")
    with pytest.raises(ArmFileError) as caught:
        Arm.from_urdf(path, **options)
    assert text in str(caught.value)


def test_the_world_need_not_be_declared(shared_data):
    arm = Arm.from_urdf(shared_data("robots/urdf/acrobot_drake/examples/acrobot/Acrobot.urdf"))
    assert arm.joint_names == ("shoulder", "elbow")


def test_the_leaf_below_a_base_is_enough(tmp_path):
    extra = '<link name="x"/><joint name="j" type="fixed"><parent link="base"/><child link="x"/>'
    path = tmp_path / "foreign.urdf"
    path.write_text(URDF.replace("</robot>", f"{extra}</joint></robot>"), encoding="utf-8")
    assert Arm.from_urdf(path, base_link="a").joint_names == ("slide", "bend")
    with pytest.raises(ArmFileError, match=r"has 2 leaf links \(finger, x\); choose one with tip"):
        Arm.from_urdf(path)


def test_a_missing_link_is_named(shared_data):
    with pytest.raises(
        ArmFileError, match="joint 'shoulder': its child link 'upper_arm' is not declared"
    ):
        Arm.from_urdf(shared_data("robots/bad/01_missing_link.urdf"))


@pytest.mark.parametrize("names", [("base", "mount"), ("tool", "tool_fixed"), ("mount_fixed", "x")])
def test_any_joint_name_can_be_exported(names, tmp_path):
    joints = tuple(ArmJoint.from_dh(name, a=0.3, alpha=0.4) for name in names)
    T = Transform((0.1, 0.2, 0.3))
    arm = Arm(ArmDescription("named", joints, T_world_base=T, T_flange_tool=T))
    samples = random_configurations(arm, 10)
    for text in (to_urdf(arm), to_mjcf(arm)):
        np.testing.assert_allclose(
            simulated_tools(text, samples), arm.fk_batch(samples), rtol=0, atol=1e-12
        )
    path = tmp_path / "named.urdf"
    path.write_text(to_urdf(arm), encoding="utf-8")
    assert Arm.from_urdf(path).joint_names == names


def test_what_a_urdf_cannot_say_is_lost(tmp_path):
    joint = ArmJoint.from_dh("one", a=0.3, alpha=0.0, initial=1.0, max_acceleration=2.0)
    path = tmp_path / "lossy.urdf"
    path.write_text(to_urdf(Arm(ArmDescription("lossy", (joint,)))), encoding="utf-8")
    (twin,) = Arm.from_urdf(path).description.joints
    assert (twin.initial, twin.max_velocity, twin.max_acceleration) == (0.0, 10.0, None)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ArmFileError, match=r"No such file .*; check the path"):
        Arm.from_urdf(tmp_path / "none.urdf")
    other = tmp_path / "world.sdf"
    other.write_text("<sdf/>", encoding="utf-8")
    with pytest.raises(ArmFileError, match="this is SDF, which describes worlds and models"):
        Arm.from_urdf(other)


# Self-collision and verification ------------------------------------------------------------------


@pytest.mark.parametrize("name", arm_names())
def test_the_initial_configuration_is_free(name):
    arm = Arm.load(name)
    assert SelfCollision(arm).pairs(arm.initial) == ()


def test_a_folded_arm_touches_itself():
    arm = Arm.load("planar3")
    pairs = SelfCollision(arm).pairs(np.radians([0, 148, 148]))
    assert pairs == (("joint_1_link", "joint_3_link"),)


@pytest.mark.parametrize("name", arm_names())
def test_mujoco_agrees(name):
    checks = verify_mujoco(Arm.load(name), configurations=50)
    assert all(check.agrees for check in checks), checks
    static = [check for check in checks if check.what == "tool at random q"]
    assert [check.model for check in static] == ["URDF", "MJCF"]
    assert all(check.error_m <= 1e-9 for check in static)
    tracked = [check for check in checks if check.what == "trajectory"]
    assert all(check.error_m <= 2e-3 for check in tracked)


def test_a_nan_never_agrees():
    assert not Check("MuJoCo", "URDF", "x", float("nan"), 1.0).agrees


def test_pybullet_agrees():
    pytest.importorskip("pybullet", reason="pip install 'horus-sim[pybullet]'")
    from horus_sim.arm.verify_pybullet import verify_pybullet

    static, commanded = verify_pybullet(Arm.load("scara"), configurations=20)
    assert static.agrees, static
    assert (commanded.what, commanded.kind) == ("IK answers, held", "dynamic")
    assert commanded.agrees, commanded


def test_pybullet_notices_an_export_of_another_arm(monkeypatch):
    pytest.importorskip("pybullet", reason="pip install 'horus-sim[pybullet]'")
    from horus_sim.arm import verify_pybullet as module

    arm = Arm.load("planar3")
    joints = arm.description.joints
    longer = dataclasses.replace(joints[2], after=ScrewX(a=0.201, alpha=0.0))
    other = Arm(dataclasses.replace(arm.description, joints=(*joints[:2], longer)))
    monkeypatch.setattr(module, "to_urdf", lambda _: to_urdf(other))
    for check in module.verify_pybullet(arm, configurations=5):
        assert check.error_m == pytest.approx(0.001, rel=1e-3)
        assert not check.agrees


def test_a_missing_pybullet_is_named(monkeypatch):
    from horus_sim.arm.verify_pybullet import verify_pybullet

    monkeypatch.setitem(sys.modules, "pybullet", None)
    with pytest.raises(MissingExtraError, match=re.escape(install_command("pybullet"))):
        verify_pybullet(Arm.load("scara"))
