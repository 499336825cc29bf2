"""Real robots: counts, masses, kinematics and texts against references."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from horus_sim.errors import DescriptionError
from horus_sim.robots.report import NoteKind

from .corpus import ROBOTS
from .urdf_oracle import link_poses, quaternion_matrix
from .urdf_texts import read_urdf


def entry(folder: Path, name: str) -> dict:
    return next(
        robot
        for robot in json.loads((folder / "manifest.json").read_text())
        if robot["name"] == name
    )


def load(folder: Path, name: str):
    about = entry(folder, name)
    return read_urdf(
        folder / about["urdf"],
        package_roots=[folder / root for root in about["package_roots"]],
        allow_missing=name == "nao_v50",  # its meshes are not free and absent on purpose
    )


@pytest.fixture(scope="module")
def folder(shared_data) -> Path:
    return shared_data("robots/urdf")


def test_the_list_is_the_corpus(folder):
    assert sorted(
        robot["name"] for robot in json.loads((folder / "manifest.json").read_text())
    ) == (ROBOTS)


@pytest.mark.parametrize("name", ROBOTS)
def test_counts_masses_and_kinematics(folder, shared_data, name):
    about = entry(folder, name)
    description, _ = load(folder, name)
    reference = json.loads(shared_data(f"robots/fk_reference/{name}.json").read_text())
    implicit = reference["implicit_root"] is not None
    assert len(description.links) == about["links"] + implicit
    assert len(description.joints) == about["joints"]
    assert description.root == reference["root"]
    masses = sum(link.inertial.mass for link in description.links if link.inertial)
    assert masses == pytest.approx(about["xml_total_mass_kg"], abs=1e-9)
    assert sum(joint.mimic is not None for joint in description.joints) == about["mimic_joints"]

    assert len(reference["configs"]) == 20
    for configuration in reference["configs"]:
        poses = link_poses(description, configuration["q"])
        assert poses.keys() >= configuration["links"].keys()
        for link, pose in configuration["links"].items():
            np.testing.assert_allclose(poses[link][:3, 3], pose["p"], atol=1e-8)
            np.testing.assert_allclose(
                poses[link][:3, :3], quaternion_matrix(pose["q_xyzw"]), atol=1e-8
            )


def test_limits_of_the_references(folder, shared_data):
    for name in ("ur5", "tiago", "pepper", "open_manipulator_x"):
        joints = {joint.name: joint for joint in load(folder, name)[0].joints}
        for expected in json.loads(shared_data(f"robots/fk_reference/{name}.json").read_text())[
            "joints"
        ]:
            joint = joints[expected["name"]]
            assert joint.kind == expected["type"]
            if expected["type"] != "continuous":
                assert (joint.limit.lower, joint.limit.upper) == pytest.approx(
                    (expected["lower"], expected["upper"])
                )


def test_missing_meshes_of_nao_are_errors_by_default(folder):
    about = entry(folder, "nao_v50")
    with pytest.raises(DescriptionError, match=r"link 'Neck', collision.*no package 'nao_meshes'"):
        read_urdf(folder / about["urdf"], package_roots=[folder / "nao_v50"])


def test_missing_visuals_are_warnings(folder):
    _, report = load(folder, "robotiq_3f")
    missing = [note for note in report.of(NoteKind.WARNING) if "visual" in note.culprit]
    assert len(missing) == 13
    assert "link_0.STL' was not found; tried: /" in str(missing)


def test_a_slip_in_an_attribute_is_found(folder):
    _, report = load(folder, "ability_hand")
    assert (
        "warning: <origin> (line 539): its attribute 'rrpy' is not known; did you mean 'rpy'?"
        in (str(report))
    )


BAD = {
    # The manifest counts the lines of the first file from 0; the text names both.
    "01_missing_link.urdf": [
        "01_missing_link.urdf",
        "'shoulder'",
        "'upper_arm'",
        "child",
        "line 3",
    ],
    "02_cycle.urdf": ["02_cycle.urdf", "cycle", "loop", "'a'", "'b'", "'c'", "'ca'"],
    "03_two_roots.urdf": ["03_two_roots.urdf", "root", "'base'", "'floating_island'"],
    "04_bad_number.urdf": [
        "04_bad_number.urdf",
        "joint 'j'",
        "<origin> xyz",
        "'0 0,5 0.1'",
        "line 5",
    ],
    "05_nan_inertia.urdf": ["05_nan_inertia.urdf", "link 'arm'", "<inertia> ixx", "nan"],
    "06_negative_mass.urdf": ["06_negative_mass.urdf", "link 'arm'", "mass", "-2.5"],
    "07_missing_mesh.urdf": [
        "link 'arm'",
        "collision",
        "meshes/not_there.stl",
        "/robots/bad/meshes/not_there.stl",
    ],
    "08_unknown_joint_type.urdf": [
        "08_unknown_joint_type.urdf",
        "joint 'wobble'",
        "type 'helical'",
        "revolute, continuous, prismatic, fixed, floating, planar",
    ],
    "09_entity_bomb.urdf": [
        "09_entity_bomb.urdf",
        "DTD and entity declarations are not allowed",
    ],
    "10_deep_nesting.urdf": ["10_deep_nesting.urdf", "nesting depth limit"],
    "11_wrong_encoding.urdf": ["11_wrong_encoding.urdf", "encoding", "declared utf-8", "line 2"],
    "12_empty.urdf": ["12_empty.urdf", "empty"],
}


@pytest.mark.parametrize("file", BAD)
def test_bad_files_are_refused_with_the_words_of_the_manifest(shared_data, file):
    with pytest.raises(DescriptionError) as caught:
        read_urdf(shared_data(f"robots/bad/{file}"))
    for word in BAD[file]:
        assert word in str(caught.value)


def test_every_bad_file_is_covered(shared_data):
    listed = json.loads(shared_data("robots/bad/manifest.json").read_text())
    assert sorted(one["file"] for one in listed) == sorted(BAD)


def test_missing_visual_of_the_bad_file_is_a_warning(shared_data):
    _, report = read_urdf(shared_data("robots/bad/07_missing_mesh.urdf"), allow_missing=True)
    warnings = {note.culprit: note.text for note in report.of(NoteKind.WARNING)}
    assert warnings.keys() == {"link 'arm', visual", "link 'arm', collision"}
    visual = warnings["link 'arm', visual"]
    assert "'package://no_such_pkg/meshes/arm.stl' was not found" in visual
    assert "no package 'no_such_pkg' below the package roots" in visual
    assert "tried: /" in visual
