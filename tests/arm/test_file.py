"""Arms from files: what they may say, and what mistakes are told."""

from __future__ import annotations

import copy
import pickle
from math import inf, pi, radians
from typing import Any

import numpy as np
import pytest
import yaml

from horus_sim.arm import (
    Arm,
    ArmDescription,
    ArmJoint,
    DHConvention,
    JointKind,
    arm_names,
    parse_arm,
    read_arm,
)
from horus_sim.errors import ArmError, ArmFileError, HorusError

# As the specification writes it, nothing more.
PLAIN = """
robot:
  joints:
    - name: joint_1
      type: revolute
      a_m: 0.0
      d_m: 0.25
      alpha_rad: 1.5707963267948966
      theta_offset_rad: 0.0
      rotation_axis_local: z
      initial_deg: 10
      min_deg: -180
      max_deg: 180
    - name: joint_2
      type: revolute
      a_m: 0.3
      d_m: 0.0
      alpha_rad: 0.0
      theta_offset_rad: 0.5
      rotation_axis_local: y
      initial_deg: 20
      min_deg: -90
      max_deg: 90
simulation:
  ik:
    max_iters: 77
    damping: 0.07
    tolerance_m: 0.002
  control:
    dt_s: 0.03
"""


def content() -> dict[str, Any]:
    return yaml.safe_load(PLAIN)


def test_the_file_of_the_specification_is_read(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(PLAIN, encoding="utf-8")
    arm = Arm.load(path)
    assert arm.name == "mine"
    assert arm.joint_names == ("joint_1", "joint_2")
    np.testing.assert_allclose(arm.initial, np.radians([10, 20]))
    np.testing.assert_allclose(arm.lower, np.radians([-180, -90]))
    description = arm.description
    assert description.convention is DHConvention.STANDARD
    assert description.path == path
    assert (description.dls.max_iters, description.dls.damping) == (77, 0.07)
    assert (description.dls.tolerance_m, description.dt_s) == (0.002, 0.03)
    assert [joint.axis_label for joint in description.joints] == ["z", "y"]
    theta = radians(20) + 0.5
    expected = 0.3 * np.cos(theta) * np.array([np.cos(radians(10)), np.sin(radians(10)), 0])
    expected[2] = 0.25 + 0.3 * np.sin(theta)
    np.testing.assert_allclose(arm.fk(arm.initial).translation, expected, atol=1e-15)


def test_more_than_the_specification_is_read():
    data = content()
    data["robot"] |= {
        "name": "crane",
        "convention": "modified",
        "base": {"translation_m": [1, 2, 3], "rpy_rad": [0, 0, pi / 2]},
        "tool": {"translation_m": [0, 0, 0.1]},
        "link_radius_m": 0.1,
    }
    data["robot"]["joints"][0] = {
        "name": "lift",
        "type": "prismatic",
        "a_m": 0,
        "d_m": 0.2,
        "alpha_rad": 0,
        "min_m": 0.1,
        "max_m": 0.9,
        "max_velocity_m_s": 0.5,
        "max_acceleration_m_s2": 2,
    }
    data["robot"]["joints"][1] |= {"type": "continuous", "max_velocity_deg_s": 180}
    del data["robot"]["joints"][1]["min_deg"], data["robot"]["joints"][1]["max_deg"]
    lift, swing = parse_arm(data).joints
    assert (lift.kind, swing.kind) == (JointKind.PRISMATIC, JointKind.CONTINUOUS)
    assert (lift.lower, lift.upper, lift.initial, lift.unit) == (0.1, 0.9, 0.5, "m")
    assert (lift.max_velocity, lift.max_acceleration) == (0.5, 2.0)
    assert (swing.lower, swing.upper, swing.unit) == (-inf, inf, "rad")
    assert swing.max_velocity == pytest.approx(pi)
    arm = Arm(parse_arm(data))
    assert arm.name == "crane"
    np.testing.assert_allclose(arm.fk([0.5, -0.5]).translation, (1, 2 + 0.3, 3 + 0.8), atol=1e-12)


@pytest.mark.parametrize("name", arm_names())
def test_shipped_arms_name_their_source_and_limits(name):
    description = read_arm(name)
    assert description.name == name
    assert len(description.source) > 40
    assert all(joint.max_velocity and joint.max_acceleration for joint in description.joints)
    assert all(joint.lower <= joint.initial <= joint.upper for joint in description.joints)


TURN = 2 * np.pi
# Lower and upper limits [rad, m] and velocities [rad/s], as in the documents that the files name.
DOCUMENTED = {
    "ur5e": (
        [-TURN, -TURN, -np.pi, -TURN, -TURN, -TURN],
        [TURN, TURN, np.pi, TURN, TURN, TURN],
        [np.pi] * 6,
    ),
    "panda": (
        [-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973],
        [2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973],
        [2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61],
    ),
    "puma560": (
        np.radians([-160, -45, -225, -110, -100, -266]),
        np.radians([160, 225, 45, 170, 100, 266]),
        None,
    ),
    "scara": ([-1.8326, -2.618, 0.0, -TURN], [1.8326, 2.618, 0.21, TURN], None),
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_limits_are_those_of_the_documents(name):
    arm = Arm.load(name)
    lower, upper, velocities = DOCUMENTED[name]
    np.testing.assert_allclose(arm.lower, lower, rtol=0, atol=2e-5)
    np.testing.assert_allclose(arm.upper, upper, rtol=0, atol=2e-5)
    if velocities is not None:
        limits = [joint.max_velocity or 0.0 for joint in arm.description.joints]
        np.testing.assert_allclose(limits, velocities, rtol=0, atol=2e-5)


def test_the_promised_arms_are_shipped():
    assert set(arm_names()) == {"robot_arm", "puma560", "ur5e", "panda", "scara", "planar3"}
    assert [Arm.load(name).dof for name in ("robot_arm", "panda", "scara")] == [6, 7, 4]


def edited(edit) -> dict[str, Any]:
    data = copy.deepcopy(content())
    edit(data["robot"]["joints"], data)
    return data


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (
            lambda j, _: j[1].pop("alpha_rad"),
            r"^arm: robot\.joints\[1\]\.alpha_rad: this key is required; add it$",
        ),
        (
            lambda j, _: j[1].update(alpha_deg=3),
            r"robot\.joints\[1\]\.alpha_deg: unknown key 'alpha_deg'; did you mean 'alpha_rad'\?",
        ),
        (
            lambda j, _: j[0].update(type="revolut"),
            (
                r"robot\.joints\[0\]\.type: it is 'revolut'; write 'revolute', 'continuous' or "
                "'prismatic'"
            ),
        ),
        (lambda j, _: j[0].update(a_m="long"), r"\.a_m: it is 'long', not a number; write one"),
        (lambda j, _: j[0].update(a_m=None), r"\.a_m: it is None, not a number"),
        (
            lambda j, _: j[0].update(a_m=float("nan")),
            r"\.a_m: it is nan; every number must be finite: correct it",
        ),
        (
            lambda j, _: j[0].update(min_deg=200),
            r"joints\[0\]: 'min_deg' \(200\) is not below 'max_deg' \(180\); swap or correct",
        ),
        (
            lambda j, _: j[0].update(initial_deg=200),
            r"'initial_deg' \(200\) is outside 'min_deg' to 'max_deg' \(-180 to 180\); move it",
        ),
        (
            lambda j, _: j[0].pop("max_deg"),
            "'max_deg' is missing; add it, or make its type 'continuous'",
        ),
        (
            lambda j, _: j[0].update(min_m=0.0),
            "'min_m' does not fit a revolute joint; write 'min_deg' instead",
        ),
        (
            lambda j, _: j[0].update(type="prismatic"),
            "'initial_deg' does not fit a prismatic joint; write 'initial_m' instead",
        ),
        (
            lambda j, _: j[0].update(type="continuous"),
            "a continuous joint has no limits; remove 'min_deg' and 'max_deg'",
        ),
        (
            lambda j, _: j[1].update(name="joint_1"),
            r"joints\[0\] and joints\[1\] are both called 'joint_1'; rename one",
        ),
        (lambda j, _: j.clear(), r"robot\.joints: it is empty; write at least one"),
        (lambda _, d: d.pop("robot"), "arm: robot: this key is required; add it"),
        (lambda _, d: d.update(robots=1), "robots: unknown key 'robots'; did you mean"),
        (
            lambda _, d: d["simulation"]["ik"].update(damping=-1),
            r"simulation\.ik\.damping: it is -1; it must be greater than 0",
        ),
        (
            lambda _, d: d["simulation"]["ik"].update(zebra=3),
            "simulation.ik.zebra: unknown key 'zebra'; known: max_iters, damping, tol",
        ),
        (
            lambda _, d: d["robot"].update(convention="craig"),
            r"robot\.convention: it is 'craig'; write 'standard' or 'modified'",
        ),
        (
            lambda j, _: j[0].update(rotation_axis_local="w"),
            r"rotation_axis_local: it is 'w'; write",
        ),
        (
            lambda j, _: j.extend(j * 20),
            r"robot\.joints: it has more than 32 items; write fewer",
        ),
        (
            lambda j, _: j[0].update(am=j[0].pop("a_m")),
            r"^arm: robot\.joints\[0\]\.am: unknown key 'am'; did you mean 'a_m'\?$",
        ),
        (lambda _, d: d.update(foo=1), r"arm: foo: unknown key 'foo'; known: robot, simul"),
        (lambda j, _: j[0].update(a_m=True), r"\.a_m: it is True, not a number; write one"),
        (
            lambda j, _: j[0].update(a_m="0.5"),
            r"\.a_m: it is '0\.5', not a number; .*without quotes",
        ),
        (
            lambda j, _: j[0].update(a_m=1e308),
            r"\.a_m: it is 1e\+308; it must be less than or equal",
        ),
        (
            lambda j, _: j[0].update(d_m=-1e5),
            r"\.d_m: it is -100000\.0; it must be greater than or",
        ),
        (
            lambda _, d: d["simulation"]["ik"].update(max_iters=2.5),
            r"max_iters: it is 2\.5, not a whole number",
        ),
        (
            lambda _, d: d["simulation"]["ik"].update(max_iters=10**12),
            r"max_iters: it is 1000000000000; it must be less than or equal to 1000000",
        ),
        (
            lambda _, d: d["simulation"]["control"].update(dt_s=1e-9),
            r"dt_s: it is 1e-09; it must be",
        ),
        (
            lambda _, d: d["robot"].update(base={"translation_m": [0, 0]}),
            r"robot\.base\.translation_m: it has 2 values; write 3 values, such as \[0, 0, 0\]",
        ),
        (
            lambda _, d: d["robot"].update(base={"rpy_rad": [0, 0, 0, 1]}),
            r"robot\.base\.rpy_rad: it has more than 3 values; write 3",
        ),
        (
            lambda _, d: d["robot"].update(tool={"translation_m": 5}),
            r"robot\.tool\.translation_m: it is 5; write 3 values, such as",
        ),
        (
            lambda _, d: d["robot"].update(tool=5),
            r"robot\.tool: it is 5; write keys .* translation_m",
        ),
        (lambda _, d: d["robot"].update(joints=5), r"robot\.joints: it is 5; write a list"),
        (
            lambda j, _: j.insert(0, 7),
            r"robot\.joints\[0\]: it is 7; write keys and values there, such as name, type, a_m",
        ),
        (lambda j, _: j[0].update(name=5), r"\.name: it is 5, not text; put it in quotes"),
        (lambda j, _: j[0].update(name=""), r"\.name: it is empty; write at least one"),
    ],
)
def test_a_mistake_names_key_and_remedy(edit, text):
    with pytest.raises(ArmFileError, match=text):
        parse_arm(edited(edit))


def test_a_number_may_be_written_without_a_dot(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(PLAIN.replace("a_m: 0.3", "a_m: 3e-1"), encoding="utf-8")
    assert Arm.load(path).reach == pytest.approx(0.55)


def test_several_mistakes_are_told_together():
    with pytest.raises(
        ArmFileError, match=r"\[0\]\.a_m: this .*\n.*\[1\]\.d_m: this key is required"
    ):
        parse_arm(edited(lambda j, _: [j[0].pop("a_m"), j[1].pop("d_m")]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("just words", "this is not a mapping; begin it with 'robot:'"),
        ("robot: [", r"bad.yaml:1:9: this is not valid YAML: .*; correct it"),
        ("robot: 1\nrobot: 2", "bad.yaml:2:1: .* the key 'robot' is there twice; correct it"),
        ("a: \x00", "is not valid YAML"),
        ("[" * 5000, "nested deeper than 60 levels; correct"),
        ("a: 2026-13-45", "has a value that YAML cannot hold, month must be in"),
    ],
)
def test_what_is_no_arm_file_is_refused(text, message, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ArmFileError, match=message):
        Arm.load(path)


@pytest.mark.parametrize(
    ("joints", "text"),
    [
        ((), "'x' has 0 joints; an arm has 1 to 32"),
        ((ArmJoint("a"),) * 33, "'x' has 33 joints"),
        ((ArmJoint("a"), ArmJoint("a")), "'x' has two joints called 'a'; rename one"),
        ((ArmJoint("a", d=inf),), "a of 'x' has a theta_offset or d that is not finite"),
        ((ArmJoint("a", d=1e5),), "a of 'x' is longer than 10000 m; give metres"),
        ((ArmJoint.from_dh("a", a=inf, alpha=0),), "a of 'x' has an offset that is not finite"),
        ((ArmJoint("a", lower=1, upper=-1),), "a of 'x' has limits 1 to -1; the lower must"),
        ((ArmJoint("a", initial=4.0),), "a of 'x' starts at 4, outside -3.14.* move it inside"),
        (
            (ArmJoint("a", JointKind.PRISMATIC, lower=-inf, upper=inf),),
            "a of 'x' is prismatic without limits",
        ),
    ],
)
def test_an_arm_that_cannot_be_is_refused(joints, text):
    with pytest.raises(ArmError, match=text):
        Arm(ArmDescription("x", joints))


def test_arms_survive_pickling():
    arm = Arm.load("panda")
    twin = pickle.loads(pickle.dumps(arm))  # noqa: S301
    assert twin.description == arm.description
    assert np.array_equal(twin.frames(arm.initial), arm.frames(arm.initial))


def test_missing_arms_and_files(tmp_path, monkeypatch):
    (tmp_path / "ur5e").mkdir()
    monkeypatch.chdir(tmp_path)
    assert Arm.load("ur5e").dof == 6  # a folder of that name is in nobody's way
    with pytest.raises(ArmFileError, match=r"'x\.urdf' is a URDF file; read it with Arm.from_urdf"):
        Arm.load("x.urdf")
    with pytest.raises(ArmFileError, match=r"no shipped arm is called 'ur5'; did you mean 'ur5e'"):
        Arm.load("ur5")
    with pytest.raises(ArmFileError, match=r"cannot be read \(No such file.*shipped arm: panda"):
        Arm.load(tmp_path / "none.yaml")
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("robot: \xe4".encode("latin-1"))
    with pytest.raises(ArmFileError, match=r"latin\.yaml:1: the text is not UTF-8"):
        Arm.load(latin)
    assert issubclass(ArmFileError, ArmError)
    assert issubclass(ArmError, HorusError)
