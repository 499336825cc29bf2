"""The corpus of real SDF files: poses, masses and joints against what Drake reads."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import JointType, RobotDescription
from horus_sim.robots.sdf.reading import load_sdf
from horus_sim.robots.sdf.world import SdfFile, SdfModel
from horus_sim.tf import Transform

from .corpus import SETS

DRAKE_TYPES = {
    JointType.FIXED: "weld",
    JointType.REVOLUTE: "revolute",
    JointType.CONTINUOUS: "revolute",
    JointType.PRISMATIC: "prismatic",
    JointType.BALL: "ball_rpy",
}
# What a strict reader refuses, in the words of the reference and in ours.
REASONS = {
    r"Element\[static\], child of element\[link\]": "<static>, child of <link>, is not defined in",
    r"Element\[test_unknown\], child of": "<test_unknown>, child of <model>, is not defined in SDF",
    r"An axis must be specified for joint 'J2'": "J2'.*: an axis must be specified",
    r"already has joint 'J1' .* adding joint 'J2'": "J2'.*: connects .*J1' connects already",
    r"already has joint 'default_param'": "both_params'.*default_param' connects already",
}


@pytest.fixture(params=SETS)
def reference(request, shared_data):
    """Name of the set, its folder, its roots, and what the reference says of each file."""
    name = request.param
    folder = shared_data(f"robots/sdf/{name}")
    roots = (folder / "models", shared_data("robots/sdf/_common_models"))
    expected = json.loads(shared_data(f"robots/sdf_reference/{name}.json").read_text())
    return folder, roots, expected["files"]


def all_models(file: SdfFile) -> list[SdfModel]:
    return [*file.models, *(model for world in file.worlds for model in world.models)]


def link_world_poses(description: RobotDescription) -> dict[str, Transform]:
    """T_world_link of every link with all joints at zero."""
    poses = {description.root: description.T_world_root}
    pending = list(description.joints)
    while pending:
        ready = [joint for joint in pending if joint.parent in poses]
        assert ready, f"{description.name} is no tree"
        for joint in ready:
            assert joint.child not in poses
            poses[joint.child] = poses[joint.parent] @ joint.T_parent_joint @ joint.T_joint_child
        pending = [joint for joint in pending if joint.child not in poses]
    assert set(poses) == {link.name for link in description.links}
    return poses


def links_of(file: SdfFile) -> dict[str, tuple[Transform, float]]:
    found: dict[str, tuple[Transform, float]] = {}
    for model in all_models(file):
        for tree in model.trees:
            poses = link_world_poses(tree)
            for link in tree.links:
                if link.name != "world":
                    assert link.inertial is not None
                    found[f"{model.name}::{link.name}"] = poses[link.name], link.inertial.mass
    return found


def joints_of(file: SdfFile) -> dict[str, tuple[str, str]]:
    """The joint above each link as the reference gives it: type, and name of the link above."""
    found: dict[str, tuple[str, str]] = {}
    for model in all_models(file):
        for tree in model.trees:
            if tree.root != "world":
                found[f"{model.name}::{tree.root}"] = ("quaternion_floating", "world")
            for joint in tree.joints:
                above = joint.parent.rpartition("::")[2]
                found[f"{model.name}::{joint.child}"] = (DRAKE_TYPES[joint.kind], above)
            if tree.is_static:
                names = [f"{model.name}::{link.name}" for link in tree.links]
                found.update(dict.fromkeys(names, ("weld", "world")))
    return found


def test_poses_masses_and_joints_are_those_of_the_reference(reference):
    folder, roots, files = reference
    for name, expected in files.items():
        if "error" in expected:
            continue
        file = load_sdf(folder / name, roots=roots)
        found = links_of(file)
        wanted = {f"{entry['model']}::{entry['link']}": entry for entry in expected["links"]}
        assert set(found) == set(wanted), name
        for link, entry in wanted.items():
            T, mass = found[link]
            T_expected = Transform(entry["p"], entry["q_xyzw"])
            assert T.is_close(T_expected, 1e-6, 1e-6), (name, link)
            np.testing.assert_allclose(T.translation, entry["p"], atol=2e-9)
            assert mass == pytest.approx(entry["mass"], rel=1e-8), (name, link)
        joints = {
            f"{entry['model']}::{entry['child']}": (entry["type"], entry["parent"])
            for entry in expected["joints"]
        }
        assert joints_of(file) == joints, name


def test_strict_loading_gives_the_reason_of_the_reference(reference):
    folder, roots, files = reference
    for name, expected in files.items():
        if "error" not in expected:
            continue
        (ours,) = (text for words, text in REASONS.items() if re.search(words, expected["error"]))
        with pytest.raises(DescriptionError, match=ours):
            load_sdf(folder / name, roots=roots, strict=True)
        file = load_sdf(folder / name, roots=roots)
        assert any(re.search(ours, str(note)) for note in file.report), name
        for model in all_models(file):
            for tree in model.trees:
                link_world_poses(tree)


@pytest.fixture
def semantics(shared_data):
    """Loads a file of libsdformat's own tests."""
    folder = shared_data("robots/sdf/sdformat_semantics")
    return lambda name: load_sdf(folder / name)


def test_placement_frames(semantics):
    """The frame that a placement names is where the pose says, in all kinds of frames."""
    world = semantics("placement_frame.sdf").worlds[0]
    T_pose = Transform.from_euler((0, 10, 0), (1.570796326794895, 0, 0))
    T_frame = Transform.from_euler((-1, 10, 0), (1.570796326794895, 0, 0))
    models = {model.name: model for model in world.models}

    def pose_of(model: str, link: str) -> Transform:
        return {
            name: T for tree in models[model].trees for name, T in link_world_poses(tree).items()
        }[link]

    assert models["no_placement_frame"].T_world_model.is_close(T_pose)
    assert models["placement_frame_using_model"].T_world_model.is_close(T_pose)
    assert pose_of("placement_frame_using_link", "L4").is_close(T_pose)
    T_f2_l1 = Transform.from_euler((0, 0, 0), (0, -0.785398, 0))
    assert pose_of("placement_frame_using_frame", "L1").is_close(T_pose @ T_f2_l1)
    # J2 sits 1 m above its child L3.
    assert pose_of("placement_frame_using_joint", "L3").is_close(T_pose @ Transform((0, 0, -1)))
    relative = "include_with_placement_frame_and_pose_relative_to"
    assert pose_of(relative, "L4").is_close(T_frame @ Transform((1, 0, 0)))
    nested = "parent_model_include"
    assert pose_of(nested, "placement_frame_using_link::L4").is_close(T_pose)
    assert pose_of(nested, "placement_frame_using_joint::L3").is_close(
        T_pose @ Transform((0, 0, -1))
    )
    assert pose_of("model_with_link_placement_frame", "L4").is_close(T_pose)
    assert pose_of("model_with_nested_model_placement_frame", "nested_model::L4").is_close(
        T_pose @ Transform((0, 0, 1))
    )


def test_shapes_placed_relative_to_frames(semantics):
    (model,) = semantics("model_frame_relative_to_joint.sdf").models
    (tree,) = model.trees
    (link,) = (link for link in tree.links if link.name == "C")
    poses = link_world_poses(tree)
    T_world_p, T_world_c = poses["P"], poses["C"]
    T_world_j = T_world_c @ Transform.from_euler((0, 3, 0), (0, -np.pi / 2, 0))
    T_world_f3 = T_world_j @ Transform.from_euler((0, 0, 3), (0, np.pi / 2, 0))
    T_world_f4 = T_world_f3 @ Transform.from_euler((0, 0, 4), (0, -np.pi / 2, 0))
    expected = {
        "P": T_world_p @ Transform((0, 0, 12)),
        "J": T_world_j @ Transform((0, 0, 13)),
        "F3": T_world_f3 @ Transform((0, 0, 14)),
        "F4": T_world_f4 @ Transform((0, 0, 15)),
    }
    for collision in link.collisions:
        assert (T_world_c @ collision.T_link_collision).is_close(expected[collision.name])
    assert {visual.name for visual in link.visuals} == {"vP", "vJ", "vF3", "vF4"}
    link_name, T_link_frame = tree.extra_frames["F4"]
    assert (poses[link_name] @ T_link_frame).is_close(T_world_f4)


def test_joint_axes_expressed_in_other_frames(semantics):
    (model,) = semantics("model_joint_axis_expressed_in.sdf").models
    axes = {joint.name: joint.axis for tree in model.trees for joint in tree.joints}
    np.testing.assert_allclose(axes["J1"], (0, 0, 1), atol=1e-15)
    # J2 is turned by 90 degrees about y, so the model's z is its -x.
    np.testing.assert_allclose(axes["J2"], (-1, 0, 0), atol=1e-12)


def test_limits_without_bounds(semantics):
    (model,) = semantics("joint_axis_infinite_limits.sdf").models
    joints = {joint.name: joint for tree in model.trees for joint in tree.joints}
    finite = joints.pop("finite_joint_limits")
    assert finite.kind is JointType.REVOLUTE
    limit = finite.limit
    assert (limit.lower, limit.upper, limit.velocity, limit.effort) == (-1.5, 1.5, 2.5, 5.5)
    for joint in joints.values():
        assert joint.kind is JointType.CONTINUOUS
        limit = joint.limit
        assert (limit.lower, limit.upper, limit.velocity, limit.effort) == (None,) * 4


def test_screw_pitches(semantics):
    (model,) = semantics("joint_screw_thread_pitch.sdf").models
    (tree,) = model.trees
    pitches = {joint.name: joint.thread_pitch for joint in (*tree.joints, *tree.loops)}
    assert pitches == pytest.approx(
        {
            "default_param": 1.0,
            "both_params": 0.5,
            "new_param": 0.5,
            "old_param": 2 * np.pi / 12.566,
            "param_precedence": 0.5,
        }
    )
    assert len(tree.loops) == 4


def test_what_old_files_carry_is_tolerated(semantics, shared_data):
    custom = semantics("custom_and_unknown_elements.sdf")
    assert [link.name for tree in custom.models[0].trees for link in tree.links] == ["base"]
    quirky = load_sdf(shared_data("robots/sdf/gz_sensors/sensors.sdf"))  # <gz::system_priority>
    sensors = {sensor.name: sensor for m in quirky.worlds[0].models for sensor in m.sensors}
    assert sensors["magnetometer"].rate == 100
    noise = {"@type": "gaussian", "mean": 0.1, "stddev": 0.2}
    velocity_noise = {"@type": "gaussian", "mean": 0.2, "stddev": 0.1}
    assert sensors["altimeter"].parameters["altimeter"] == {
        "vertical_position": {"noise": noise},
        "vertical_velocity": {"noise": velocity_noise},
    }
    assert sensors["altimeter"].parameters["topic"] == "altimeter"
    assert sensors["force_torque"].joint == "joint_01"
    assert sensors["force_torque"].link == "link_1"
    assert sensors["force_torque"].T_link_sensor.is_close(Transform((0, 0, -1.5)))


def test_included_lights_and_actors(semantics):
    file = semantics("whitespace.sdf")
    lights = {light.name: light for light in file.worlds[0].lights}
    assert lights["point_light"].T_parent_light.is_close(Transform((1, 2, 10)))
    assert lights["override_light_name"].T_parent_light.is_close(Transform((4, 5, 6)))
    assert lights["point_light"].kind == "point"
    assert lights["point_light"].range == 123.5
    assert lights["point_light"].attenuation == (-2.0, 2.0, 20.2)
    assert any("actors are not simulated" in note.text for note in file.report)


def test_worlds_of_the_corpus(shared_data):
    folder = shared_data("robots/sdf/turtlebot3_dqn_stage4")
    world = load_sdf(folder / "worlds/turtlebot3_dqn_stage4.world").worlds[0]
    assert world.physics.max_step_size == 0.001
    assert [model.name for model in world.models if model.is_static] == [
        "turtlebot3_square",
        "inner_walls",
    ]
    square = world.models[0].trees[0]
    assert square.is_static
    assert square.root == "Wall_1"
    assert len(square.joints) == 3
    rover = load_sdf(shared_data("robots/sdf/px4_rover_ackermann/worlds/rover.sdf")).worlds[0]
    assert rover.spherical_coordinates is not None
    assert rover.spherical_coordinates.latitude_deg == pytest.approx(47.397971057728974)
    warehouse = load_sdf(shared_data("robots/sdf/nav2_depot_warehouse/worlds/warehouse.sdf"))
    remote = [note for note in warehouse.report if "lies on a server" in note.text]
    assert len(remote) == 25
    assert "model://NAME" in remote[0].text
