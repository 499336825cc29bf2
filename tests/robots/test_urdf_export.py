"""Export to URDF: what is written reads back as the same robot."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import (
    Box,
    Capsule,
    Collision,
    Cone,
    Ellipsoid,
    Heightmap,
    Inertial,
    Joint,
    JointDynamics,
    JointLimit,
    JointType,
    Link,
    Material,
    Mesh,
    Plane,
    RobotDescription,
    Surface,
    Visual,
)
from horus_sim.robots.mesh.meshes import load_mesh
from horus_sim.robots.urdf.writing import to_urdf, write_urdf
from horus_sim.tf import Transform

from .test_urdf_corpus import ROBOTS, load
from .urdf_oracle import link_poses
from .urdf_texts import parse_urdf, read_urdf


@pytest.fixture(scope="module")
def folder(shared_data) -> Path:
    return shared_data("robots/urdf")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def again(description: RobotDescription, root: Path = Path("/nonexistent")) -> RobotDescription:
    return parse_urdf(to_urdf(description), root / "x.urdf", package_roots=[root])[0]


@pytest.mark.parametrize("name", ROBOTS)
def test_round_trip_of_the_corpus(folder, name):
    first, _ = load(folder, name)
    second = again(first, folder)
    rng = np.random.default_rng(0)
    q = {joint.name: rng.uniform(-1, 1) for joint in first.joints}
    before, after = link_poses(first, q), link_poses(second, q)
    assert before.keys() == after.keys()
    for link in before:
        np.testing.assert_allclose(after[link], before[link], atol=1e-12)
    for one, other in zip(first.joints, second.joints, strict=True):
        assert one.limit == other.limit
        assert one.dynamics == other.dynamics
        assert one.initial_position == other.initial_position
        assert (one.mimic, one.safety, one.kind) == (other.mimic, other.safety, other.kind)
        assert one.axis == pytest.approx(other.axis, abs=1e-15)
    for one, other in zip(first.links, second.links, strict=True):
        assert (one.name, one.has_gravity) == (other.name, other.has_gravity)
        assert (one.inertial is None) == (other.inertial is None)
        if one.inertial and other.inertial:
            assert one.inertial.mass == other.inertial.mass
            assert one.inertial.inertia == other.inertial.inertia
            np.testing.assert_allclose(
                one.inertial.T_link_inertia.to_matrix(),
                other.inertial.T_link_inertia.to_matrix(),
                atol=1e-12,
            )
        assert [_plain(v.geometry) for v in one.visuals] == [
            _plain(v.geometry) for v in other.visuals
        ]
        assert [v.material.rgba for v in one.visuals] == [v.material.rgba for v in other.visuals]
        assert [(_plain(c.geometry), c.surface) for c in one.collisions] == [
            (_plain(c.geometry), c.surface) for c in other.collisions
        ]
    assert first.self_collide == second.self_collide
    assert first.transmissions == second.transmissions


def _plain(geometry):
    return dataclasses.replace(geometry, uri="") if isinstance(geometry, Mesh) else geometry


def test_copied_meshes_stand_alone(folder, tmp_path):
    first, _ = load(folder, "tiago")
    write_urdf(first, tmp_path / "tiago.urdf", copy_meshes=True)
    second, report = read_urdf(tmp_path / "tiago.urdf")
    assert not [note for note in report if "left out" in note.text]
    compared = 0
    for one, other in zip(first.links, second.links, strict=True):
        for before, after in zip(one.visuals, other.visuals, strict=True):
            if isinstance(before.geometry, Mesh) and isinstance(after.geometry, Mesh):
                assert after.geometry.path.parent == tmp_path / "meshes"
                ours, theirs = load_mesh(before.geometry), load_mesh(after.geometry)
                np.testing.assert_allclose(
                    theirs.vertices.min(axis=0), ours.vertices.min(axis=0), rtol=1e-5, atol=1e-7
                )
                compared += 1
    assert compared > 20


def two(joint: Joint, **fields) -> RobotDescription:
    return RobotDescription("r", (Link("a"), Link("b")), (joint,), "a", **fields)


T = Transform.from_euler((1, 2, 3), (0.1, 0.2, 0.3))


def test_a_child_off_its_joint():
    joint = Joint(
        "j", JointType.REVOLUTE, "a", "b", T, (0, 0, 1), limit=JointLimit(-2, 2), T_joint_child=T
    )
    first = two(joint)
    second = again(first)
    assert [link.name for link in second.links] == ["a", "b", "b_joint_frame"]
    for angle in (0.0, 0.7):
        np.testing.assert_allclose(
            link_poses(second, {"j": angle})["b"], link_poses(first, {"j": angle})["b"], atol=1e-12
        )


def test_joints_that_urdf_does_not_have():
    screw = two(Joint("j", JointType.SCREW, "a", "b", T, (0, 0, 1), thread_pitch=0.5))
    pose = link_poses(again(screw), {"j": math.pi})["b"]
    turn = Transform((0, 0, 0.25), (0, 0, 1, 0))
    np.testing.assert_allclose(pose, (T @ turn).to_matrix(), atol=1e-12)

    ball = again(two(Joint("j", JointType.BALL, "a", "b", T)))
    assert [joint.kind for joint in ball.joints] == ["continuous"] * 3
    pose = link_poses(ball, {"j_x": 0.1, "j_y": 0.2, "j_z": 0.3})["b"]
    about = [
        Transform((0, 0, 0), (*(math.sin(angle / 2) * np.eye(3)[k]), math.cos(angle / 2)))
        for k, angle in enumerate((0.1, 0.2, 0.3))
    ]
    np.testing.assert_allclose(pose, (T @ about[0] @ about[1] @ about[2]).to_matrix(), atol=1e-12)

    universal = again(two(Joint("j", JointType.UNIVERSAL, "a", "b", T, (1, 0, 0), axis2=(0, 1, 0))))
    pose = link_poses(universal, {"j_1": 0.1, "j_2": 0.2})["b"]
    np.testing.assert_allclose(pose, (T @ about[0] @ about[1]).to_matrix(), atol=1e-12)


@pytest.mark.parametrize("limit", [JointLimit(None, 1.0), JointLimit(-1.0, None), JointLimit()])
@pytest.mark.parametrize("kind", [JointType.REVOLUTE, JointType.PRISMATIC])
def test_half_open_limits(limit, kind):
    assert again(two(Joint("j", kind, "a", "b", limit=limit))).joints[0].limit == limit


def test_shapes_springs_and_surfaces():
    surface = Surface(friction=0.3, priority=1, restitution=0.1, rolling=0.2, stiffness=1e5)
    shapes = (Capsule(1, 2), Cone(1, 2), Ellipsoid((1, 2, 3)), Plane(), Box((1, 2, 3)))
    body = Link(
        "a <&'\"> b",
        Inertial(1.0, T, (1, 1, 1, 0, 0, 0)),
        tuple(Visual(shape, T, Material("m", (0.1, 0.2, 0.3, 0.4)), "v") for shape in shapes),
        tuple(Collision(shape, T, surface, "c") for shape in shapes),
        has_gravity=False,
    )
    spring = JointDynamics(0.1, 0.2, 0.3, 4.0, 0.5)
    joint = Joint("j", JointType.CONTINUOUS, body.name, "b", dynamics=spring, initial_position=0.25)
    first = RobotDescription("r & r", (body, Link("b")), (joint,), body.name, self_collide=False)
    second = again(first)
    assert second.name == first.name
    assert not second.self_collide
    assert second.joints[0].dynamics == spring
    assert second.joints[0].initial_position == 0.25
    one = second.links[0]
    assert (one.name, one.has_gravity) == (body.name, False)
    assert [shape.geometry for shape in one.visuals] == list(shapes)
    assert [shape.surface for shape in one.collisions] == [surface] * len(shapes)
    assert one.visuals[0].material == Material("m", (0.1, 0.2, 0.3, 0.4))


def test_what_urdf_cannot_say(tmp_path):
    joint = Joint("j", JointType.FIXED, "a", "b")
    with pytest.raises(DescriptionError, match="URDF has no loops, and 'l' close"):
        to_urdf(two(joint, loops=(Joint("l", JointType.BALL, "a", "b"),)))

    def shaped(geometry) -> RobotDescription:
        return RobotDescription("r", (Link("a", visuals=(Visual(geometry),)),), (), "a")

    with pytest.raises(DescriptionError, match="URDF has no heightmap"):
        to_urdf(shaped(Heightmap(tmp_path / "a.png", "a.png", (1, 1, 1))))
    with pytest.raises(DescriptionError, match=r"the part 'x' of .*copy the meshes"):
        to_urdf(shaped(Mesh(tmp_path / "a.dae", "a.dae", submesh="x")))
    with pytest.raises(DescriptionError, match="cannot be written"):
        write_urdf(two(joint), tmp_path / "absent" / "a.urdf")
