"""Meshes that cannot be read are left out with a warning."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from horus_sim.errors import DescriptionError
from horus_sim.robots import load_robot
from horus_sim.robots.report import NoteKind
from horus_sim.sim3d import World, load_scene

ROBOT = """<robot name="r"><link name="base"><{0}><geometry><mesh filename="{1}"/></geometry></{0}>
<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link></robot>"""
BROKEN = {
    "a.stl": "solid x\nfacet\nvertex 0 0\nendsolid",
    "a.obj": "v 1 2 x\nf 1 2 3\n",
    "a.ply": "ply\nnonsense\n",
    "a.dae": "<COLLADA>",
    "a.gltf": "{",
}


def write(folder: Path, kind: str, mesh: str) -> Path:
    (folder / mesh).write_text(BROKEN[mesh])
    path = folder / "broken.urdf"
    path.write_text(ROBOT.format(kind, mesh))
    return path


@pytest.mark.parametrize("mesh", BROKEN)
def test_what_is_only_seen_is_left_out_with_a_warning(tmp_path: Path, mesh: str):
    world = World.from_robot(load_robot(write(tmp_path, "visual", mesh)))
    assert world.model.ngeom == 0
    (note,) = world.report.of(NoteKind.WARNING)
    assert note.culprit == "link 'base', visual"
    assert f"{mesh}' cannot be used: " in note.text
    assert f"{tmp_path}/broken.urdf: link 'base'" in note.text


@pytest.mark.parametrize("mesh", BROKEN)
def test_what_touches_is_left_out_with_link_and_file(tmp_path: Path, mesh: str):
    robot = load_robot(write(tmp_path, "collision", mesh))
    world = World.from_robot(robot)
    assert world.model.ngeom == 0
    shape, falls = world.report.of(NoteKind.WARNING)
    assert shape.culprit == "link 'base', collision"
    assert f"broken.urdf: link 'base', collision: the mesh file '{tmp_path}/{mesh}' " in shape.text
    assert falls.text == "none of its shapes that touch can be used: it falls through the ground"
    with pytest.raises(DescriptionError, match=r"robot 'r': refused by strict=True: .* left out"):
        World.from_robot(robot, strict=True)


def test_causes_are_sentences(tmp_path: Path):
    world = World.from_robot(load_robot(write(tmp_path, "collision", "a.obj")))
    (note, _) = world.report.of(NoteKind.WARNING)
    assert re.search(r"is not a sound OBJ file \(\w+: .+\); export it", note.text)


def test_an_object_with_a_broken_mesh_is_named(tmp_path: Path):
    (tmp_path / "a.obj").write_text(BROKEN["a.obj"])
    path = tmp_path / "s.yaml"
    path.write_text("objects: [{name: vase, shape: {kind: mesh, file: a.obj}}]")
    with pytest.raises(DescriptionError, match=r"object 'vase': the mesh file '.*a.obj'"):
        World.load(load_scene(path))
