"""Mesh files: what is read, how it is turned, kept, cut and refused."""

# trimesh loads its modules when they are asked for.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import json
import os
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from horus_sim.errors import DescriptionError, HorusError, MissingExtraError
from horus_sim.files.cache import cache_folder
from horus_sim.installation import install_command
from horus_sim.robots.description import Mesh
from horus_sim.robots.mesh import files as mesh_files
from horus_sim.robots.mesh import meshes
from horus_sim.robots.mesh.data import MeshData, to_binary_stl
from horus_sim.robots.mesh.decompose import convex_pieces
from horus_sim.robots.mesh.meshes import load_mesh
from horus_sim.robots.report import Report
from horus_sim.sim3d import World

SIZE = (1.0, 2.0, 3.0)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


def box() -> trimesh.Trimesh:
    """A box off the origin, to tell axes apart."""
    mesh = trimesh.creation.box(SIZE)
    mesh.apply_translation((10.0, 20.0, 30.0))
    return mesh


LOW, HIGH = np.array([9.5, 19.0, 28.5]), np.array([10.5, 21.0, 31.5])


def put(path: Path, mesh: trimesh.Trimesh | None = None, **options) -> Path:
    with warnings.catch_warnings():
        # pycollada 0.9 writes with what NumPy 2.5 deprecates.
        warnings.filterwarnings("ignore", "Setting the shape", DeprecationWarning)
        data = trimesh.exchange.export.export_mesh(mesh or box(), None, path.suffix[1:], **options)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def load(path: Path, **options) -> MeshData:
    return load_mesh(Mesh(path, path.name, **options), "link 'arm'")


def volume(mesh: MeshData) -> float:
    """Signed: positive when the faces look outwards."""
    corners = mesh.vertices.astype(float)[mesh.faces]
    return float(
        np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    )


def bounds(mesh: MeshData):
    return mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)


@pytest.mark.parametrize("name", ["a.stl", "a.STL", "a.obj", "a.dae", "a.ply"])
def test_formats(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(put(tmp_path / name.lower()).read_bytes())
    mesh = load(path)
    assert (len(mesh.vertices), len(mesh.faces)) == (8, 12)
    assert mesh.vertices.dtype == np.float32
    assert mesh.faces.dtype == np.int32
    np.testing.assert_allclose(bounds(mesh), (LOW, HIGH), rtol=1e-6)
    assert volume(mesh) == pytest.approx(6.0, rel=1e-4)
    assert mesh.parts[0].start == 0
    assert mesh.parts[-1].stop == 12


def test_collada_whose_colours_cannot_be_read(tmp_path):
    text = put(tmp_path / "a.dae").read_text()
    color = re.search(r"(<color[^>]*>)[^<]*(</color>)", text)
    assert color is not None
    broken = text.replace(color[0], f"{color[1]}0.0 0.0 0.01.0{color[2]}")
    (tmp_path / "a.dae").write_text(broken)
    mesh = load(tmp_path / "a.dae")
    assert len(mesh.faces) == 12
    np.testing.assert_allclose(bounds(mesh), (LOW, HIGH), rtol=1e-6)


LFS = (
    b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0f\nsize 123\n"
)


@pytest.mark.parametrize("suffix", ["stl", "dae", "obj", "glb", "ply"])
def test_a_pointer_of_git_lfs_is_told(tmp_path, suffix):
    (tmp_path / f"a.{suffix}").write_bytes(LFS)
    message = (
        r"it is a pointer of Git LFS, .*; run 'git lfs install' and 'git lfs pull' in the clone$"
    )
    with pytest.raises(DescriptionError, match=message):
        load(tmp_path / f"a.{suffix}")


def test_ascii_stl(tmp_path):
    path = tmp_path / "a.stl"
    path.write_text(trimesh.exchange.stl.export_stl_ascii(box()))
    mesh = load(path)
    np.testing.assert_allclose(bounds(mesh), (LOW, HIGH), rtol=1e-6)
    assert len(mesh.faces) == 12
    assert volume(mesh) == pytest.approx(6.0, rel=1e-4)


@pytest.mark.parametrize("suffix", ["gltf", "glb"])
def test_gltf_is_turned_to_z_up(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    if suffix == "glb":
        path.write_bytes(trimesh.exchange.gltf.export_glb(box()))
    else:
        for name, data in trimesh.exchange.gltf.export_gltf(box()).items():
            (tmp_path / name).write_bytes(data)
        path = (tmp_path / "model.gltf").rename(path)
    # y up: (x, y, z) is (x, -z, y) here
    expected = (LOW[[0, 2, 1]] * (1, -1, 1), HIGH[[0, 2, 1]] * (1, -1, 1))
    low, high = np.minimum(*expected), np.maximum(*expected)
    mesh = load(path)
    np.testing.assert_allclose(bounds(mesh), (low, high), rtol=1e-6)
    assert volume(mesh) == pytest.approx(6.0, rel=1e-4)


def test_gltf_whose_root_turns_is_z_up_already(tmp_path):
    scene = trimesh.Scene()
    turn = np.asarray(trimesh.transformations.rotation_matrix(np.pi / 2, (1, 0, 0)))
    flat = box()
    flat.apply_transform(np.linalg.inv(turn))
    scene.add_geometry(flat, transform=turn)
    tree = {}

    def root_is_the_node(gltf):
        tree.update(gltf)
        node = next(node for node in gltf["nodes"] if "mesh" in node)
        node.pop("matrix", None)
        node["rotation"] = [0.5**0.5, 0, 0, 0.5**0.5]
        gltf["scenes"] = [{"nodes": [gltf["nodes"].index(node)]}]

    path = tmp_path / "a.glb"
    path.write_bytes(trimesh.exchange.gltf.export_glb(scene, tree_postprocessor=root_is_the_node))
    np.testing.assert_allclose(bounds(load(path)), (LOW, HIGH), rtol=1e-5)


def test_bounds_of_the_corpus(shared_data):
    """COLLADA's unit is applied and its up axis ignored; glTF is turned."""
    folder = shared_data("robots/urdf")
    reference = json.loads((folder / "mesh_bounds.json").read_text())
    seen = {"units": 0, "y_up": 0, "turned": 0}
    for robot, files in reference.items():
        for about in files:
            path = folder / robot / about["file"]
            corners = np.array(about["trimesh_bounds_unscaled"]) * float(about["unit"] or 1.0)
            if path.suffix == ".gltf":
                corners = corners[:, [0, 2, 1]] * (1, -1, 1)
                corners = np.array([corners.min(axis=0), corners.max(axis=0)])
                seen["turned"] += 1
            seen["units"] += about["unit"] not in (None, "1")
            seen["y_up"] += about["up_axis"] == "Y_UP"
            # The reference has six decimals, before the unit.
            slack = 1e-6 * float(about["unit"] or 1.0) + 1e-6 * np.abs(corners).max()
            np.testing.assert_allclose(bounds(load(path)), corners, rtol=0, atol=slack)
    assert all(seen.values())


def test_scale_mirrors_with_the_outside_out(tmp_path):
    path = put(tmp_path / "a.stl")
    mesh = load(path, scale=(-1.0, 2.0, 0.5))
    np.testing.assert_allclose(bounds(mesh)[0], (-10.5, 38.0, 14.25), rtol=1e-6)
    assert volume(mesh) == pytest.approx(6.0, rel=1e-4)
    assert volume(load(path, scale=(-1.0, -1.0, 1.0))) == pytest.approx(6.0, rel=1e-4)


def two_parts(path: Path) -> Path:
    left, right = trimesh.creation.box((1, 1, 1)), trimesh.creation.icosphere(1, radius=0.5)
    left.visual = trimesh.visual.TextureVisuals(
        material=trimesh.visual.material.PBRMaterial(baseColorFactor=[255, 0, 0, 255])
    )
    right.visual = trimesh.visual.TextureVisuals(
        material=trimesh.visual.material.PBRMaterial(baseColorFactor=[0, 0, 255, 128])
    )
    right.apply_translation((5, 0, 0))
    scene = trimesh.Scene({"cube": left, "ball": right})
    path.write_bytes(trimesh.exchange.gltf.export_glb(scene))
    return path


def test_parts_and_their_colours(tmp_path):
    path = two_parts(tmp_path / "a.glb")
    mesh = load(path)
    looks = {part.names[0]: part for part in mesh.parts}
    assert looks["cube"].rgba == pytest.approx((1, 0, 0, 1))
    assert looks["ball"].rgba == pytest.approx((0, 0, 1, 0.5), abs=0.01)
    assert looks["ball"].stop - looks["ball"].start == 80
    ball = load(path, submesh="ball")
    assert len(ball.faces) == 80
    np.testing.assert_allclose(bounds(ball)[0][0], 4.5, atol=0.05)
    centred = load(path, submesh="ball", center_submesh=True)
    np.testing.assert_allclose(np.add(*bounds(centred)), 0, atol=1e-6)
    with pytest.raises(
        DescriptionError, match=r"link 'arm': .*has no part 'cone'; its parts: 'ball', 'cube'"
    ):
        load(path, submesh="cone")


def test_texture_and_coordinates_of_obj(tmp_path):
    (tmp_path / "tex.png").write_bytes(b"never decoded")
    (tmp_path / "a.mtl").write_text("newmtl m\nmap_Kd tex.png\n")
    (tmp_path / "a.obj").write_text(
        "mtllib a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n"
    )
    mesh = load(tmp_path / "a.obj")
    assert mesh.parts[0].texture == tmp_path / "tex.png"
    assert mesh.texcoords is not None
    np.testing.assert_allclose(mesh.texcoords, mesh.vertices[:, :2])


def test_neighbours_outside_are_not_read(tmp_path):
    (tmp_path / "secret.mtl").write_text("newmtl m\nKd 1 0 0\n")
    (tmp_path / "in").mkdir()
    path = tmp_path / "in/a.obj"
    path.write_text("mtllib ../secret.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert load(path).parts[0].rgba != pytest.approx((1, 0, 0, 1))
    buffers = [{"uri": "../secret.mtl", "byteLength": 20}]
    (tmp_path / "in/a.gltf").write_text(
        json.dumps({"asset": {"version": "2.0"}, "buffers": buffers})
    )
    with pytest.raises(DescriptionError, match="refused: outside the package roots"):
        load(tmp_path / "in/a.gltf")


BROKEN = {
    "empty.stl": b"",
    "words.stl": b"solid of nothing at all",
    "number.stl": b"solid a facet " * 20 + b"vertex 1 2 three",
    "two.stl": b"solid a facet " * 20 + b"vertex 1 2 3 vertex 1 2 3 vertex 1 2 3 vertex 1 1 1",
    "cut.stl": b"\0" * 80 + b"\x05\0\0\0" + b"\0" * 50,
    "none.stl": b"\0" * 84,
    "flat.stl": b"\0" * 80 + b"\x01\0\0\0" + b"\0" * 50,
    "nan.stl": b"\0" * 80
    + b"\x01\0\0\0"
    + b"\0" * 12
    + np.full(9, np.nan, "<f4").tobytes()
    + b"\0\0",
    "broken.dae": b"<COLLADA><asset>",
    "bomb.dae": b'<!DOCTYPE a [<!ENTITY b "c">]><COLLADA/>',
    "unit.dae": b'<COLLADA><asset><unit meter="-1"/></asset></COLLADA>',
    "empty.dae": b"<COLLADA/>",
    "broken.gltf": b"{",
    "list.gltf": b"[]",
    "deep.gltf": b"[" * 100_000,
    "broken.glb": b"glTF\x02\0\0\0",
    "index.obj": b"v 0 0 0\nf 1 2 3\n",
    "words.obj": b"hello",
    "odd.xyz": b"",
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_name_link_and_file(tmp_path, name):
    (tmp_path / name).write_bytes(BROKEN[name])
    with pytest.raises(
        DescriptionError, match=rf"link 'arm': the mesh file '.*{name}' cannot be us"
    ):
        load(tmp_path / name)
    assert not list(cache_folder("meshes").glob("*"))


@settings(max_examples=60)
@given(st.data())
def test_mutated_files_are_no_crash(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp() / "mutated_meshes"
    folder.mkdir(exist_ok=True)
    suffix = data.draw(st.sampled_from([".stl", ".obj", ".dae", ".glb"]))
    original = folder / f"original{suffix}"
    if not original.exists():
        put(original)
    content = bytearray(original.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        content[start : start + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=8))
    (folder / f"m{suffix}").write_bytes(bytes(content))
    try:
        mesh = load(folder / f"m{suffix}")
    except HorusError:
        return
    assert mesh.faces.max() < len(mesh.vertices)
    assert np.isfinite(mesh.vertices).all()


def forbid(monkeypatch) -> None:
    def fail(*_):
        raise AssertionError("read anew")

    monkeypatch.setattr(meshes, "parse_mesh", fail)


def test_cache_is_used_and_keyed_by_content(tmp_path, monkeypatch):
    path = put(tmp_path / "a.dae")
    first = load(path)
    assert len(list(cache_folder("meshes").glob("*.npz"))) == 1
    assert not list(cache_folder("meshes").glob("*.part"))
    with monkeypatch.context() as context:
        forbid(context)
        second = load(path)
        np.testing.assert_array_equal(first.vertices, second.vertices)
        np.testing.assert_array_equal(first.faces, second.faces)
        assert first.parts == second.parts
    stamp = path.stat().st_mtime_ns
    other = box()
    other.apply_scale(2.0)
    put(path, other)
    os.utime(path, ns=(stamp, stamp))
    np.testing.assert_allclose(bounds(load(path))[1], 2 * HIGH, rtol=1e-6)


def test_cache_notices_changed_neighbours(tmp_path):
    path = tmp_path / "a.obj"
    path.write_text("mtllib a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    colours = []
    for red in (1, 0):
        (tmp_path / "a.mtl").write_text(f"newmtl m\nKd {red} 0 0\n")
        colours.append(load(path).parts[0].rgba)
    assert colours[0] == pytest.approx((1, 0, 0, 1))
    assert colours[1] == pytest.approx((0, 0, 0, 1))


@pytest.mark.parametrize("damage", ["cut", "garbage", "empty"])
def test_broken_cache_entries_are_remade(tmp_path, damage):
    path = put(tmp_path / "a.obj")
    good = load(path)
    (entry,) = cache_folder("meshes").glob("*.npz")
    content = entry.read_bytes()
    entry.write_bytes({"cut": content[:-40], "garbage": b"x" * 99, "empty": b""}[damage])
    np.testing.assert_array_equal(load(path).vertices, good.vertices)
    assert entry.read_bytes()[:2] == b"PK"


def test_a_cache_folder_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert len(load(put(tmp_path / "a.stl")).faces) == 12


def test_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for given_folder in ("relative", ""):
        monkeypatch.setenv("XDG_CACHE_HOME", given_folder)
        assert cache_folder("meshes") == tmp_path / ".cache/horus-sim/meshes"


def test_large_meshes_are_simplified_with_a_remark(tmp_path):
    path = put(tmp_path / "a.stl", trimesh.creation.icosphere(4, radius=1.0))
    report = Report()
    mesh = load_mesh(Mesh(path, "a.stl"), "link 'arm'", report, max_faces=1000)
    assert 500 < len(mesh.faces) <= 1000
    assert mesh.faces_in_file == 5120
    assert volume(mesh) == pytest.approx(4 / 3 * np.pi, rel=0.03)
    assert str(report) == (
        f"substitution: link 'arm': mesh 'a.stl': simplified from 5120 to {len(mesh.faces)} faces"
    )


@pytest.mark.parametrize("name", ["a.stl", "a.dae"])
def test_the_common_kinds_need_no_trimesh(tmp_path, monkeypatch, name):
    monkeypatch.setattr(mesh_files, "_read_with_trimesh", None)
    assert len(load(put(tmp_path / name)).faces) == 12


def test_binary_stl_round_trip(tmp_path):
    mesh = load(put(tmp_path / "a.obj"))
    (tmp_path / "b.stl").write_bytes(to_binary_stl(mesh))
    again = load(tmp_path / "b.stl")
    assert volume(again) == pytest.approx(volume(mesh))
    np.testing.assert_array_equal(bounds(again), bounds(mesh))


def test_convex_pieces_need_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=re.escape(install_command("decompose"))):
        convex_pieces(load(put(tmp_path / "a.stl")))


@pytest.mark.parametrize(("decompose", "height"), [(True, 0.05), (False, 0.25)])
def test_a_ball_falls_through_a_tube_that_is_cut_into_pieces(
    tmp_path, monkeypatch, decompose, height
):
    """As its convex hull the tube is solid, and the ball stays on top."""
    pytest.importorskip("coacd", reason="pip install 'horus-sim[decompose]'")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tube = trimesh.creation.annulus(r_min=0.1, r_max=0.15, height=0.2)
    tube.export(tmp_path / "tube.stl")
    (tmp_path / "tube.urdf").write_text(
        '<robot name="tube"><link name="base"><collision><origin xyz="0 0 0.1"/><geometry>'
        '<mesh filename="tube.stl"/></geometry></collision></link></robot>'
    )
    (tmp_path / "scene.yaml").write_text(
        f"robots: [{{name: tube, model: tube.urdf, base: fixed, decompose: {decompose}}}]\n"
        "objects:\n"
        "  - {name: ground, shape: {kind: plane}}\n"
        "  - {name: ball, shape: {kind: sphere, radius: 0.05}, dynamic: true, mass: 0.1,\n"
        "     pose: {xyz: [0, 0, 0.3]}}\n"
    )
    World.load(tmp_path / "scene.yaml")
    world = World.load(tmp_path / "scene.yaml")  # its pieces come from the cache
    assert len(world.robots["tube"].description.links[0].collisions) > (3 if decompose else 0)
    world.step(480)
    assert world.objects["ball"].pose.translation[2] == pytest.approx(height, abs=0.005)
