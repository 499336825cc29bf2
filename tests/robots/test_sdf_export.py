"""Export to SDF: what is written reads back as the same robot."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from horus_sim.errors import DescriptionError
from horus_sim.robots import load_robot
from horus_sim.robots.description import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Inertial,
    Joint,
    JointDynamics,
    JointLimit,
    JointType,
    Link,
    Material,
    Mesh,
    Mimic,
    Plane,
    Polyline,
    RobotDescription,
    Sphere,
    Surface,
    Visual,
)
from horus_sim.robots.gazebo.parts import SdfSensor
from horus_sim.robots.inertia import inertia_problem
from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.reading import load_sdf
from horus_sim.robots.sdf.world import SdfModel
from horus_sim.robots.sdf.writing.robot import NEGLIGIBLE, to_sdf, write_sdf
from horus_sim.sim3d import World
from horus_sim.tf import Transform

from .corpus import ROBOTS, SETS
from .test_urdf_corpus import load
from .urdf_oracle import link_poses, quaternion_matrix

T = Transform.from_euler((1, 2, 3), (0.1, 0.2, 0.3))


def read(text: str, folder: Path, roots: tuple[Path, ...] = ()) -> SdfModel:
    path = folder / "written.sdf"
    path.write_text(text)
    file = load_sdf(path, roots=roots, strict=True)
    assert not file.report.of(NoteKind.WARNING)
    (model,) = file.models
    return model


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_of_the_corpus(shared_data, tmp_path: Path, name: str):
    folder = shared_data("robots/urdf")
    first, _ = load(folder, name)
    path = tmp_path / f"{name}.sdf"
    write_sdf(first, path)
    (model,) = load_sdf(path, roots=(folder,)).models
    (second,) = model.trees
    names = {one.name: other.name for one, other in zip(first.joints, second.joints, strict=True)}
    reference = json.loads(shared_data(f"robots/fk_reference/{name}.json").read_text())
    for configuration in reference["configs"]:
        q = {names[joint]: value for joint, value in configuration["q"].items()}
        poses = link_poses(second, q)
        assert poses.keys() >= configuration["links"].keys()
        for link, pose in configuration["links"].items():
            np.testing.assert_allclose(poses[link][:3, 3], pose["p"], atol=1e-8)
            np.testing.assert_allclose(
                poses[link][:3, :3], quaternion_matrix(pose["q_xyzw"]), atol=1e-8
            )
    for one, other in zip(first.joints, second.joints, strict=True):
        compare_joints(one, other)
    for one, other in zip(first.links, second.links, strict=True):
        compare_links(one, other, first.root)
    assert first.self_collide == second.self_collide
    same_tags(first, second)


def compare_joints(one: Joint, other: Joint) -> None:
    # SDF puts a joint and a link of one name apart.
    assert other.name.rstrip("_") == one.name.rstrip("_")
    assert (one.parent, one.child) == (other.parent, other.child)
    if one.kind is JointType.FIXED:
        assert other.kind is JointType.FIXED
        return
    kind = one.kind
    if kind is JointType.REVOLUTE and one.limit.lower is None and one.limit.upper is None:
        kind = JointType.CONTINUOUS
    assert other.kind is kind
    bounds = one.limit
    if kind is JointType.CONTINUOUS:
        bounds = replace(bounds, lower=None, upper=None)
    assert other.limit == bounds
    assert other.dynamics == replace(one.dynamics, armature=None)
    assert (other.mimic, other.initial_position) == (one.mimic, one.initial_position)
    assert other.axis == pytest.approx(one.axis, abs=1e-15)


def compare_links(one: Link, other: Link, root: str) -> None:
    assert (one.name, one.has_gravity) == (other.name, other.has_gravity)
    if one.name == root == "world":
        return
    assert other.inertial is not None
    # Gazebo refuses models with an impossible inertia.
    assert inertia_problem(other.inertial) is None
    if one.inertial is not None and one.inertial.mass > 0.0:
        assert other.inertial.mass == one.inertial.mass
        if inertia_problem(one.inertial) is None:
            assert other.inertial.inertia == pytest.approx(one.inertial.inertia, rel=1e-4)
        np.testing.assert_allclose(
            other.inertial.T_link_inertia.to_matrix(),
            one.inertial.T_link_inertia.to_matrix(),
            atol=1e-12,
        )
    else:
        assert other.inertial.mass in (NEGLIGIBLE.mass, 1e-3)
    for before, after in ((one.visuals, other.visuals), (one.collisions, other.collisions)):
        assert [_plain(shape) for shape in before] == [_plain(shape) for shape in after]


def _plain(shape: Visual | Collision) -> tuple[object, ...]:
    geometry = shape.geometry
    if isinstance(geometry, Mesh):
        geometry = replace(geometry, uri="")
    look = shape.material.rgba if isinstance(shape, Visual) else shape.surface.friction
    T_link = shape.T_link_visual if isinstance(shape, Visual) else shape.T_link_collision
    return geometry, look, tuple(np.round(T_link.to_matrix().ravel(), 9) + 0.0)


@pytest.mark.parametrize("name", [name for name in SETS if name != "nav2_depot_warehouse"])
def test_models_and_their_sensors(shared_data, tmp_path: Path, name: str):
    """Models of Gazebo, with the sensors that they carry, are the same after another round."""
    folder = shared_data(f"robots/sdf/{name}")
    roots = (folder, folder / "models", shared_data("robots/sdf/_common_models"))
    for file in sorted(folder.rglob("*.sdf")):
        try:
            loaded = load_sdf(file, roots=roots)
        except DescriptionError:
            continue
        models = (*loaded.models, *(each for world in loaded.worlds for each in world.models))
        for model in models:
            if len(model.trees) == 1 and not model.trees[0].loops:
                again(model, tmp_path, roots)


def again(model: SdfModel, folder: Path, roots: tuple[Path, ...]) -> None:
    (first,) = model.trees
    path = folder / "again.sdf"
    write_sdf(first, path)
    (back,) = load_sdf(path, roots=roots).models
    (second,) = back.trees
    np.testing.assert_allclose(
        second.T_world_root.to_matrix(), first.T_world_root.to_matrix(), atol=1e-12
    )
    assert first.is_static == second.is_static
    names = [joint.name for joint in first.joints]
    assert len(set(names)) == len(second.joints)
    q = dict(zip(names, np.linspace(-1.0, 1.0, len(names)), strict=True))
    if all(joint.kind in _PLAIN for joint in first.joints):
        before, after = link_poses(first, q), link_poses(second, {**q, **_again(q)})
        for one, other in zip(first.links, second.links, strict=True):
            np.testing.assert_allclose(after[other.name], before[one.name], atol=1e-9)
    for one, other in zip(first.links, second.links, strict=True):
        if one.inertial is not None and other.inertial is not None:
            assert one.inertial.mass == other.inertial.mass
            assert one.inertial.inertia == pytest.approx(other.inertial.inertia)
    same_tags(first, second)


def same_tags(first: RobotDescription, second: RobotDescription) -> None:
    """Sensors and drives are the same, in any order."""

    def key(sensor: SdfSensor) -> tuple[str, str, str]:
        return sensor.link.replace("::", "_"), sensor.type, sensor.name.replace("::", "_")

    before, after = (sorted(each.sensors, key=key) for each in (first, second))
    for one, other in zip(before, after, strict=True):
        assert key(one) == key(other)
        assert (one.rate, one.parameters) == (other.rate, other.parameters)
        np.testing.assert_allclose(
            other.T_link_sensor.to_matrix(), one.T_link_sensor.to_matrix(), atol=1e-9
        )
    named = (str(part).replace("::", "_") for part in first.drives)
    assert sorted(named) == sorted(map(str, second.drives))


_PLAIN = (JointType.FIXED, JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


def _again(q: dict[str, float]) -> dict[str, float]:
    return {name.replace("::", "_"): value for name, value in q.items()}


def two(joint: Joint, **fields) -> RobotDescription:
    body = Inertial(1.0, T, (1, 1, 1, 0, 0, 0))
    links = (Link("a", body), Link("b", body))
    return RobotDescription("r & r", links, (joint,), "a", **fields)


@pytest.mark.parametrize(
    "joint",
    [
        Joint("j", JointType.SCREW, "a", "b", T, (0, 0, 1), thread_pitch=0.5),
        Joint("j", JointType.BALL, "a", "b", T),
        Joint("j", JointType.UNIVERSAL, "a", "b", T, (1, 0, 0), axis2=(0, 1, 0)),
        Joint(
            "j",
            JointType.REVOLUTE,
            "a",
            "b",
            T,
            (0, 0, 1),
            limit=JointLimit(-2, None, 3, 4),
            dynamics=JointDynamics(0.1, 0.2, None, 4.0, 0.5),
            T_joint_child=T,
            initial_position=0.25,
        ),
    ],
)
def test_joints(tmp_path: Path, joint: Joint):
    first = two(joint, T_world_root=T)
    (second,) = read(to_sdf(first), tmp_path).trees
    (found,) = second.joints
    assert second.name == "r & r"
    for name in ("kind", "limit", "dynamics", "thread_pitch", "initial_position"):
        assert getattr(found, name) == getattr(joint, name)
    if joint.kind is not JointType.BALL:
        assert found.axis == joint.axis
        assert found.axis2 == joint.axis2
    for name in ("T_parent_joint", "T_joint_child"):
        np.testing.assert_allclose(
            getattr(found, name).to_matrix(), getattr(joint, name).to_matrix(), atol=1e-12
        )
    np.testing.assert_allclose(second.T_world_root.to_matrix(), T.to_matrix(), atol=1e-12)


def test_a_planar_joint_becomes_a_chain(tmp_path: Path):
    axis = (0.0, 0.6, 0.8)
    first = two(Joint("j", JointType.PLANAR, "a", "b", T, axis))
    (second,) = read(to_sdf(first), tmp_path).trees
    assert [joint.kind for joint in second.joints] == ["prismatic", "prismatic", "continuous"]
    q = {"j/x": 0.3, "j/y": -0.4, "j/yaw": 0.5}
    positions = {name.replace("/", "_"): value for name, value in q.items()}
    pose = link_poses(second, positions)["b"]
    wanted = World.from_robot(load_plain(first), base="fixed")
    robot = next(iter(wanted.robots.values()))
    robot.set_joint_positions(q)
    np.testing.assert_allclose(pose, robot.link_pose("b").to_matrix(), atol=1e-9)


def load_plain(description: RobotDescription) -> RobotDescription:
    return replace(description, name="r")


def test_a_floating_joint_begins_a_tree(tmp_path: Path):
    model = read(to_sdf(two(Joint("j", JointType.FLOATING, "a", "b", T))), tmp_path)
    first, second = model.trees
    assert (first.root, second.root) == ("a", "b")
    np.testing.assert_allclose(second.T_world_root.to_matrix(), T.to_matrix(), atol=1e-12)


def test_names(tmp_path: Path):
    """Members of a model share their names in SDF."""
    body = Inertial(1.0, T, (1, 1, 1, 0, 0, 0))
    links = tuple(Link(name, body) for name in ("a", "inner::b", "__c__"))
    joints = (
        Joint("a", JointType.CONTINUOUS, "a", "inner::b"),
        Joint("world", JointType.CONTINUOUS, "inner::b", "__c__", mimic=Mimic("a", 2.0, 0.5)),
    )
    shapes = tuple(Visual(Sphere(1.0), name=name) for name in ("", "v", "v", "v_"))
    links = (replace(links[0], visuals=shapes), *links[1:])
    frames = {"a": ("inner::b", T)}
    first = RobotDescription("r", links, joints, "a", extra_frames=frames)
    (second,) = read(to_sdf(first), tmp_path).trees
    assert [link.name for link in second.links] == ["a", "inner_b", "_c"]
    assert [joint.name for joint in second.joints] == ["a_", "world_"]
    assert second.joints[1].mimic == Mimic("a_", 2.0, 0.5)
    assert [shape.name for shape in second.links[0].visuals] == ["visual_0", "v", "v_", "v__"]
    assert list(second.extra_frames) == ["a__"]


def test_what_holds_it(tmp_path: Path):
    first = two(Joint("j", JointType.FIXED, "a", "b", T))
    (second,) = read(to_sdf(first, held=True), tmp_path).trees
    held = {joint.name: (joint.parent, joint.child) for joint in second.joints}
    assert (second.root, held["world_fixed"]) == ("world", ("world", "a"))
    world = RobotDescription(
        "r",
        (Link("world"), first.links[0]),
        (Joint("w", JointType.FIXED, "world", "a", T),),
        "world",
    )
    for held in (False, True):
        (second,) = read(to_sdf(world, held=held), tmp_path).trees
        (joint,) = second.joints
        assert (second.root, joint.parent, joint.child) == ("world", "world", "a")
        found = joint.T_parent_joint @ joint.T_joint_child
        np.testing.assert_allclose(found.to_matrix(), T.to_matrix(), atol=1e-12)
    shaped = replace(world, links=(Link("world", visuals=(Visual(Sphere(1)),)), world.links[1]))
    with pytest.raises(DescriptionError, match="'r': SDF's world has no mass or shapes, and the"):
        to_sdf(shaped)


def test_shapes_and_surfaces(tmp_path: Path):
    (tmp_path / "t.png").write_bytes(b"")
    surface = Surface(0.3, 0.02, 0.01, 0.1, None, 1, 1e5, 2.0)
    outline = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
    shapes = (
        Box((1, 2, 3)),
        Sphere(1),
        Cylinder(1, 2),
        Capsule(1, 2),
        Cone(1, 2),
        Ellipsoid((1, 2, 3)),
        Plane((0, 0, 1), (3, 4)),
        Polyline((outline,), 0.5),
    )
    look = Material("", (0.1, 0.2, 0.3, 0.4), tmp_path / "t.png", 0.5, 0.25, 0.125)
    body = Link(
        "a <&'\"> b",
        Inertial(1.0, T, (1, 1, 1, 0, 0, 0)),
        tuple(Visual(shape, T, look, f"v{k}") for k, shape in enumerate(shapes)),
        tuple(Collision(shape, T, surface, f"c{k}") for k, shape in enumerate(shapes)),
        has_gravity=False,
    )
    first = RobotDescription("r", (body,), (), body.name, self_collide=False)
    (second,) = read(to_sdf(first), tmp_path).trees
    (found,) = second.links
    assert (found.name, found.has_gravity, second.self_collide) == (body.name, False, False)
    assert [shape.geometry for shape in found.visuals] == list(shapes)
    assert [shape.name for shape in found.visuals] == [shape.name for shape in body.visuals]
    assert found.visuals[0].material == look
    touching = found.collisions[0].surface
    assert touching.torsional == pytest.approx(0.02)
    assert replace(touching, torsional=0.02) == surface


def test_copied_meshes_stand_alone(shared_data, tmp_path: Path):
    first, _ = load(shared_data("robots/urdf"), "jackal")
    write_sdf(first, tmp_path / "jackal.sdf", copy_meshes=True)
    (model,) = load_sdf(tmp_path / "jackal.sdf").models
    meshes = [
        shape.geometry.path
        for link in model.trees[0].links
        for shape in link.visuals
        if isinstance(shape.geometry, Mesh)
    ]
    assert meshes
    assert {path.parent for path in meshes} == {tmp_path / "meshes"}


@pytest.mark.parametrize("name", ["turtlebot3_waffle", "quadruped", "racecar"])
def test_a_world_of_it_moves_alike(tmp_path: Path, name: str):
    """A tenth of a second in free fall from the same start, without drives."""
    robot = load_robot(name)
    path = tmp_path / "r.sdf"
    write_sdf(robot.description, path, held=robot.base == "fixed")
    first = World.from_robot(robot, hold=False, base="auto")
    scene = {"physics.timestep": first.timestep, "physics.gravity": [0, 0, -9.80665]}
    second = World.load(path, overrides=scene)
    one, other = (next(iter(world.robots.values())) for world in (first, second))
    first.step(24)
    second.step(24)
    for link in (each.name for each in robot.description.links if each.name != "world"):
        before, after = one.link_pose(link), other.link_pose(link)
        assert math.dist(before.translation, after.translation) < 2e-3
