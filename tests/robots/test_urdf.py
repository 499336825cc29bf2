"""What each element of URDF means, and what is said when it is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    JointDynamics,
    JointLimit,
    JointType,
    Mesh,
    Mimic,
    Plane,
    Safety,
    Sphere,
    Surface,
)
from horus_sim.robots.report import NoteKind

from .urdf_texts import ARM, joint, link, read, robot

FIXED = '<joint name="{}" type="fixed"><parent link="{}"/><child link="{}"/></joint>'


def shape(text: str):
    description, _ = link(f"<collision><geometry>{text}</geometry></collision>")
    return description.links[0].collisions[0].geometry


def test_a_small_robot():
    description, report = read(ARM)
    assert (description.name, description.root) == ("arm", "base")
    assert [one.name for one in description.links] == ["base", "upper"]
    (hinge,) = description.joints
    assert (hinge.name, hinge.kind) == ("shoulder", JointType.REVOLUTE)
    assert hinge.limit == JointLimit(-1.0, 2.0, 3.0, 4.0)
    np.testing.assert_allclose(hinge.T_parent_joint.to_euler(), (0, 0, 1.5))
    assert len(report) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<box size="1 2 3"/>', Box((1, 2, 3))),
        ('<sphere radius="0.5"/>', Sphere(0.5)),
        ('<cylinder radius="1" length="2"/>', Cylinder(1, 2)),
        ('<capsule radius="1" length="2"/>', Capsule(1, 2)),
        ('<drake:capsule radius="1" length="2"/>', Capsule(1, 2)),
        ('<cone radius="1" length="2"/>', Cone(1, 2)),
        ('<ellipsoid radii="1 2 3"/>', Ellipsoid((1, 2, 3))),
        ('<drake:ellipsoid a="1" b="2" c="3"/>', Ellipsoid((1, 2, 3))),
        ('<plane normal="0 0 2"/>', Plane((0, 0, 1))),
        ("<plane/>", Plane()),
    ],
)
def test_shapes(text, expected):
    assert shape(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<torus radius="1"/>', "holds <torus>; known shapes: box, sphere"),
        ("", "holds nothing"),
        ('<box size="1 2"/>', "needs 3 numbers"),
        ('<sphere radius="-1"/>', "a size is negative"),
        ('<mesh filename="a.stl" scale="1 0 1"/>', "a factor is zero"),
        ('<plane normal="0 0 0"/>', "is zero"),
    ],
)
def test_wrong_shapes(text, message):
    with pytest.raises(DescriptionError, match=message):
        shape(text)


def test_shapes_without_extent_are_left_out():
    inside = '<{0}><geometry><box size="0 0 0"/></geometry></{0}>'
    description, report = link(inside.format("visual") + inside.format("collision"))
    assert not description.links[0].visuals
    assert not description.links[0].collisions
    assert [str(note) for note in report] == [
        f"warning: link 'a', {one} (line 1): left out: <box> size = '0 0 0' has no extent"
        for one in ("visual", "collision")
    ]


def test_mesh_scale_and_relative_path(tmp_path):
    (tmp_path / "a.stl").write_bytes(b"")
    text = ARM.replace(
        '<link name="base"/>',
        '<link name="base"><visual><geometry><mesh filename="a.stl" scale="1 -1 2"/></geometry>'
        '</visual><collision><geometry><mesh filename="./a.stl" scale="0.001"/></geometry>'
        "</collision></link>",
    )
    base = read(text, tmp_path)[0].links[0]
    assert base.visuals[0].geometry == Mesh(tmp_path / "a.stl", "a.stl", (1, -1, 2))
    assert base.collisions[0].geometry == Mesh(tmp_path / "a.stl", "./a.stl", (0.001, 0.001, 0.001))


def test_a_file_that_is_no_mesh(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    text = (
        '<robot name="r"><link name="a"><collision><geometry><mesh filename="a.txt"/></geometry>'
        "</collision></link></robot>"
    )
    with pytest.raises(
        DescriptionError, match=r"'a\.txt' is not a mesh that can be read; known: \.st"
    ):
        read(text, tmp_path)


def test_materials():
    description, report = read(
        """<robot name="r">
        <link name="a">
          <visual><geometry><sphere radius="1"/></geometry><material name="blue"/></visual>
          <visual><geometry><sphere radius="1"/></geometry><material name="red"/></visual>
          <visual><geometry><sphere radius="1"/></geometry>
            <material name="red"><color rgba="1 0 0"/></material></visual>
          <visual><geometry><sphere radius="1"/></geometry>
            <material name="x"><color rgba="300 0 -1 0.5"/></material></visual>
          <visual><geometry><sphere radius="1"/></geometry><material name="none"/></visual>
        </link>
        <material name="blue"><color rgba="0 0 1 0.5"/></material>
        <material name="blue"><color rgba="0 1 1 0.5"/></material>
        </robot>"""
    )
    colours = [visual.material.rgba for visual in description.links[0].visuals]
    assert colours == [
        (0, 0, 1, 0.5),
        (1, 0, 0, 1),
        (1, 0, 0, 1),
        (1, 0, 0, 0.5),
        (0.8, 0.8, 0.8, 1),
    ]
    text = str(report)
    assert "material 'blue' (line 12): defined twice" in text
    assert "the material 'none' is defined nowhere" in text
    assert "'300 0 -1 0.5' was brought into 0 to 1" in text


def test_textures(tmp_path):
    (tmp_path / "wood.png").write_bytes(b"x")
    text = (
        '<robot name="r"><link name="a"><visual><geometry><sphere radius="1"/></geometry>'
        '<material name="m"><texture filename="{}"/></material></visual></link></robot>'
    )
    description, _ = read(text.format("wood.png"), tmp_path)
    assert description.links[0].visuals[0].material.texture == tmp_path / "wood.png"
    description, report = read(text.format("steel.png"), tmp_path)
    assert description.links[0].visuals[0].material.texture is None
    assert "drawn without texture: 'steel.png' was not found" in str(report)


def test_inertial():
    description, _ = link(
        '<inertial><origin xyz="1 2 3"/><mass value="2"/>'
        '<inertia ixx="1" iyy="2" izz="3" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial>'
    )
    inertial = description.links[0].inertial
    assert inertial is not None
    assert inertial.mass == 2.0
    assert inertial.inertia == (1, 2, 3, 0.1, 0.2, 0.3)
    assert tuple(inertial.T_link_inertia.translation) == (1, 2, 3)
    with pytest.raises(DescriptionError, match=r"link 'a': <inertial> has no <mass>"):
        link("<inertial/>")
    with pytest.raises(DescriptionError, match=r"izz = 'inf': the value inf is not finite"):
        link('<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="inf"/></inertial>')


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "fixed", "floating"])
def test_joint_kinds(kind):
    description, _ = joint("", kind)
    assert description.joints[0].kind == kind
    assert description.joints[0].axis == (1.0, 0.0, 0.0)


def test_planar_joint_and_axis_of_another_length():
    description, report = joint('<axis xyz="0 3 4"/>', "planar")
    assert description.joints[0].axis == pytest.approx((0, 0.6, 0.8))
    assert "repair: joint 'j' (line 1): the axis '0 3 4' was brought to unit length" in str(report)
    with pytest.raises(DescriptionError, match=r"joint 'j': <axis> xyz = '0 0 0' gives no dir"):
        joint('<axis xyz="0 0 0"/>')


@pytest.mark.parametrize(
    ("limit", "expected", "remark"),
    [
        ("", JointLimit(), "without <limit>"),
        ('<limit effort="1" velocity="2"/>', JointLimit(None, None, 1, 2), "leave no room"),
        ('<limit lower="1" upper="-1"/>', JointLimit(), "leave no room"),
        ('<limit lower="-1" upper="1" effort="0"/>', JointLimit(-1, 1), "effort 0 is taken as no"),
        ('<limit lower="-inf" upper="1"/>', JointLimit(None, 1), ""),
        ('<limit lower="-1e16" upper="1e16"/>', JointLimit(), ""),
    ],
)
def test_limits(limit, expected, remark):
    description, report = joint(limit)
    assert description.joints[0].limit == expected
    assert (remark in str(report)) if remark else not len(report)
    assert joint(limit, "continuous")[0].joints[0].limit.lower is None


def test_limit_that_is_no_number():
    with pytest.raises(DescriptionError, match=r"<limit> upper = 'nan': the value nan is not a"):
        joint('<limit lower="0" upper="nan"/>')


def test_dynamics_and_safety():
    description, _ = joint(
        '<limit lower="-1" upper="1"/><dynamics damping="1" friction="2" armature="3"/>'
        '<safety_controller soft_lower_limit="-0.9" soft_upper_limit="0.9" k_position="10" '
        'k_velocity="20"/>'
    )
    assert description.joints[0].dynamics == JointDynamics(1, 2, 3)
    assert description.joints[0].safety == Safety(-0.9, 0.9, 10, 20)
    with pytest.raises(DescriptionError, match=r"<dynamics> damping = '-1' must not be negative"):
        joint('<dynamics damping="-1"/>')


def mimics(**masters: str) -> str:
    """A fan of hinges, each of which follows another."""
    names = sorted(set(masters) | {"free"})
    links = '<link name="base"/>' + "".join(f'<link name="{name}_link"/>' for name in names)
    joints = "".join(
        f'<joint name="{name}" type="continuous"><parent link="base"/><child link="{name}_link"/>'
        + (f'<mimic joint="{masters[name]}" multiplier="2" offset="1"/>' if name in masters else "")
        + "</joint>"
        for name in names
    )
    return f'<robot name="r">{links}{joints}</robot>'


def test_long_chains_take_no_long_time():
    """Quadratic time would take minutes here."""
    count = 10_000
    chain = {f"j{k}": f"j{k + 1}" for k in range(count)}
    _, report = read(mimics(**chain))
    assert f"follows joint 'j{count}', which does not exist" in str(report)
    with pytest.raises(DescriptionError, match="cycle: 'j0' -> 'j1' -> "):
        read(mimics(**chain | {f"j{count}": "j0"}))
    links = "".join(f'<link name="l{k}"/>' for k in range(count))
    ring = "".join(FIXED.format(f"j{k}", f"l{k}", f"l{(k + 1) % count}") for k in range(count))
    with pytest.raises(DescriptionError, match=r"'\.\.\.' form a cycle"):
        read(f'<robot name="r">{links}{ring}</robot>')


def test_mimic():
    description, _ = read(mimics(a="free", b="a"))
    followers = {one.name: one.mimic for one in description.joints}
    assert followers == {"free": None, "a": Mimic("free", 2, 1), "b": Mimic("a", 2, 1)}
    description, report = read(mimics(a="fre"))
    assert all(joint.mimic is None for joint in description.joints)
    (warning,) = report.of(NoteKind.WARNING)
    assert "its <mimic> is left out: it follows joint 'fre', which does not exist" in warning.text
    assert "did you mean 'free'" in warning.text
    with pytest.raises(DescriptionError, match="cycle: 'a' -> 'b' -> 'a'"):
        read(mimics(a="b", b="a"))
    with pytest.raises(DescriptionError, match="cycle: 'a' -> 'a'"):
        read(mimics(a="a"))
    with pytest.raises(DescriptionError, match="cycle: 'b' -> 'c' -> 'b'"):
        read(mimics(a="b", b="c", c="b"))
    _, report = read(mimics(a="free").replace('"free" type="continuous"', '"free" type="fixed"'))
    assert "its <mimic> is left out: it follows joint 'free', which is fixed" in str(report)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<link name="base"/>', "link name 'base' is used twice, first in line 2"),
        ("<link/>", "<link> needs the attribute 'name'"),
        (
            FIXED.format("shoulder", "base", "upper"),
            "joint name 'shoulder' is used twice, first in line 4",
        ),
        (
            FIXED.format("other", "base", "upper"),
            "link 'upper' is the child of two joints, 'shoulder' and 'other'",
        ),
        ('<joint name="x" type="fixed"><child link="base"/></joint>', "<joint> has no <parent>"),
        ('<joint name="x" type="revolut"/>', "did you mean 'revolute'?"),
        ('<joint name="x"/>', "needs the attribute 'type'"),
        (
            FIXED.format("x", "uper", "base"),
            r"its parent link 'uper' is not declared; did you mean 'upper' \(line 3\)",
        ),
        (
            FIXED.format("x", "upper", "base"),
            "'base', 'upper' form a cycle|'upper', 'base' form a cycle",
        ),
        (
            '<link name="c"/>' + FIXED.format("x", "c", "c"),
            "the links 'c' form a cycle",
        ),
    ],
)
def test_trees_that_are_none(text, message):
    with pytest.raises(DescriptionError, match=message):
        robot(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<robot name="r"/>', "the robot has no <link>"),
        ("<sdf/>", "the root element is <sdf>; URDF has <robot>"),
    ],
)
def test_documents_that_are_no_robots(text, message):
    with pytest.raises(DescriptionError, match=message):
        read(text)


def test_robot_without_a_name():
    description, report = read('<robot><link name="a"/></robot>')
    assert description.name == "robot"
    assert "has no name; 'robot' is used" in str(report)


@pytest.mark.parametrize("declared", ["", '<link name="world"/>'])
def test_world_declared_or_not(declared):
    description, report = robot(
        f'{declared}<joint name="w" type="fixed"><parent link="world"/><child link="base"/></joint>'
    )
    assert description.root == "world"
    assert len(description.links) == 3
    assert ("an empty link 'world' was added" in str(report)) == (not declared)


def test_gazebo_tags():
    base = (
        '<link name="base"><collision><geometry><sphere radius="1"/></geometry></collision></link>'
    )
    text = ARM.replace('<link name="base"/>', base).replace(
        "</robot>",
        """<gazebo reference="base"><mu1>0.2</mu1><mu2 value="0.3"/><kp>1e6</kp><kd>10</kd>
        <selfCollide>false</selfCollide><turnGravityOff>true</turnGravityOff><sensor/></gazebo>
        <gazebo reference="shoulder"><springStiffness>5</springStiffness>
        <springReference>0.5</springReference><provideFeedback>1</provideFeedback></gazebo>
        <gazebo reference="nobody"/><gazebo><plugin/></gazebo><gazebo><plugin/></gazebo></robot>""",
    )
    description, report = read(text)
    first = description.links[0]
    assert first.collisions[0].surface == Surface(
        friction=0.2, priority=1, stiffness=1e6, damping=10.0
    )
    assert not first.has_gravity
    assert description.links[1].has_gravity
    assert not description.self_collide
    assert description.joints[0].dynamics == JointDynamics(stiffness=5, spring_reference=0.5)
    remarks = str(report)
    assert "friction is 0.2 in every direction, as mu1; mu2 = 0.3 is not used" in remarks
    assert "refers to 'nobody', which is neither a link nor a joint" in remarks
    assert "ignored: plugin '' (line 13): has no counterpart here and is not run" in remarks
    assert "sensor '' of 'base' (line 10): is left out: needs a name and a type" in remarks
    assert "<gazebo reference>/<provideFeedback>" in remarks


def test_contact_of_bullet():
    description, _ = link(
        '<contact><lateral_friction value="0.5"/><rolling_friction value="0.1"/><restitution '
        'value="0.3"/></contact><collision><geometry><sphere radius="1"/></geometry></collision>'
    )
    surface = description.links[0].collisions[0].surface
    assert surface == Surface(friction=0.5, rolling=0.1, restitution=0.3, priority=1)


def test_transmissions_and_rotor_inertia():
    description, report = robot(
        """<transmission name="t"><type>simple</type><joint name="shoulder">
        <hardwareInterface>effort</hardwareInterface></joint><actuator name="m">
        <mechanicalReduction>50</mechanicalReduction><drake:rotor_inertia value="1e-4"/>
        <drake:gear_ratio value="10"/></actuator></transmission>
        <transmission name="u"><joint name="nobody"/></transmission>"""
    )
    (one,) = description.transmissions
    assert (one.name, one.joint, one.actuator, one.reduction) == ("t", "shoulder", "m", 50.0)
    assert (one.kind, one.interface) == ("simple", "effort")
    assert description.joints[0].dynamics.armature == pytest.approx(1e-2)
    assert "transmission 'u': drives joint 'nobody', which does not exist" in str(report)


def test_everything_else_is_listed_as_ignored():
    _, report = robot(
        '<ros2_control name="x"><joint/></ros2_control><link name="world" type="x"/>'
        '<joint name="w" type="fixed"><parent link="world"/><child link="base"/>'
        '<calibration rising="1"/></joint>'
    )
    assert {note.culprit for note in report.of(NoteKind.IGNORED)} == {
        "<ros2_control>",
        "attribute 'type' of <link>",
        "<joint>/<calibration>",
    }


def test_numbers_out_of_every_range_are_no_crash():
    with pytest.raises(DescriptionError, match="is not finite"):
        joint('<origin xyz="1e999 0 0"/>')
    description, _ = joint('<origin xyz="1e300 0 0" rpy="1e9 0 0"/>', "fixed")
    assert math.isfinite(description.joints[0].T_parent_joint.translation[0])
