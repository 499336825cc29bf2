"""Scene files: reading, changing, saving, including, and what is said about mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from trimesh.exchange.gltf import export_gltf

from horus_sim.errors import DescriptionError, HorusError, SceneError, UnknownNameError
from horus_sim.robots import load_robot
from horus_sim.sim3d import ObjectConfig, RobotConfig, Scene, World, load_scene, scene_names
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.sim3d.scene.reading import check_scene, read_scene, scene_path
from horus_sim.sim3d.scene.shapes import BoxShape, MeshShape
from horus_sim.sim3d.scene.writing import to_yaml
from horus_sim.tf import Transform

SHIPPED = ("apartment", "empty_world", "race_track", "rough_terrain", "tabletop", "warehouse")
BOX = {"kind": "box", "size": [1.0, 1.0, 1.0]}
ARM = """
<robot name="arm">
  <link name="base"/>
  <link name="tip"><inertial><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="revolute"><parent link="base"/><child link="tip"/>
    <origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/></joint>
</robot>
"""


def write(folder: Path, text: str, name: str = "scene.yaml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# --- what is shipped ---


def test_the_shipped_scenes_are_these():
    assert scene_names() == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_scene_runs_and_its_robots_stay_upright(name: str):
    world = World.load(name, seed=1)
    heights = {robot.name: robot.pose.translation[2] for robot in world.robots.values()}
    world.step(240)
    assert world.warnings == {}
    for robot in world.robots.values():
        roll, pitch, _ = robot.pose.to_euler()
        assert abs(roll) < 0.2
        assert abs(pitch) < 0.2
        assert robot.pose.translation[2] == pytest.approx(heights[robot.name], abs=0.15)


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_a_scene_survives_saving(name: str, suffix: str, tmp_path: Path):
    scene = load_scene(name)
    path = tmp_path / f"copy.{suffix}"
    scene.save(path)
    copy = read_scene(path)
    without_files = [scene.model_dump(exclude={"include"}), copy.model_dump(exclude={"include"})]
    assert without_files[0] == without_files[1]
    copy.save(path)
    assert read_scene(path) == copy


def test_the_terrain_is_made_by_its_seed():
    scene = load_scene("rough_terrain")
    other = load_scene("rough_terrain", {"objects.0.shape.noise.seed": 8})
    fields = [World.load(each).model.hfield_data.copy() for each in (scene, scene, other)]
    np.testing.assert_array_equal(fields[0], fields[1])
    assert not np.array_equal(fields[0], fields[2])


def test_the_moving_obstacles_of_the_warehouse_move():
    world = World.load("warehouse")
    start = world.objects["worker"].pose
    world.step(480)
    moved = world.objects["worker"].pose.translation - start.translation
    np.testing.assert_allclose(moved, (-2.4, 0.0, 0.0), atol=1e-9)
    T = world.tf.lookup_transform("worker", "world", 1_000_000_000)
    np.testing.assert_allclose(T.translation, (1.8, 3.6, 0.0), atol=1e-9)


# --- mistakes ---


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("robtos: []\n", r"scene.yaml:1: robtos: unknown key 'robtos'; did you mean 'robots'\?"),
        (
            "name: x\nobjects:\n  - name: a\n    shape: {kind: box, sise: [1, 1, 1]}\n",
            r"scene.yaml:4: objects\[0\].shape.sise: unknown key 'sise'; did you mean 'size'\?",
        ),
        (
            "objects:\n- name: a\n  shape:\n    kind: cube\n",
            r"scene.yaml:4: objects\[0\].shape.kind: no kind is called 'cube'; known: box, sphere",
        ),
        (
            "physics:\n  timestep: 0\n",
            r"scene.yaml:2: physics.timestep: it is 0; it must be greater",
        ),
        ("physics:\n  timestep: .nan\n", r"scene.yaml:2: physics.timestep: .* finite"),
        ("physics: {gravity: [0, 0]}\n", r"scene.yaml:1: physics.gravity"),
        ("robots:\n- {model: a}\n", r"scene.yaml:2: robots\[0\].name: this key is required"),
        (
            "objects:\n- {name: a, shape: {kind: plane}}\n- {name: a, shape: {kind: plane}}\n",
            "2 robots and objects are called 'a'; give each its own name",
        ),
        ("objects:\n- {name: world, shape: {kind: plane}}\n", "belongs to the world itself"),
        ("objects:\n- {name: a}\n", r"objects\[0\]: an object takes either 'shape' or 'parts'"),
        (
            "objects:\n- {name: a, shape: {kind: plane}, dynamic: true}\n",
            "a plane cannot be dynamic",
        ),
        (
            "objects:\n- {name: a, shape: {kind: sphere, radius: 1}, mass: 1}\n",
            "'mass' and 'density' need 'dynamic: true'",
        ),
        (
            "objects:\n- {name: a, shape: {kind: plane}, material: gold}\n",
            r"has the material 'gold', which is not in 'materials' \(known: none\)",
        ),
        (
            (
                "objects:\n- {name: a, shape: {kind: plane}, pose: {rpy_deg: [0, 0, 0], "
                "quat_xyzw: [0, 0, 0, 1]}}\n"
            ),
            "give 'rpy_deg' or 'quat_xyzw', not both",
        ),
        (
            "objects:\n- {name: a, shape: {kind: heightmap, size: [1, 1, 1]}}\n",
            "a heightmap takes either 'file' or 'noise'",
        ),
        ("name: [\n", r"scene.yaml:2:1: this is not valid YAML"),
        ("name: a\nname: b\n", r"scene.yaml:2:1: .* the key 'name' is there twice"),
        ("- a\n", "a scene is a mapping of keys"),
        ("name: !!python/object:os.system x\n", "could not determine a constructor for the tag"),
        ("[" * 2000, "nested deeper than 60 levels"),
        ("robots:\n- {name: a, model: missing.urdf}\n", "robot 'a': 'missing.urdf' was not found"),
        ("robots:\n- {name: a, model: turtlebot3_burgr}\n", "did you mean 'turtlebot3_burger'"),
        ("include: [{file: warehous}]\n", "include 'warehous': .* did you mean 'warehouse'"),
        ("include: [{file: scene.yaml}]\n", "the scene includes itself"),
    ],
)
def test_mistakes_are_named_with_file_line_and_key(text: str, message: str, tmp_path: Path):
    path = write(tmp_path, text)
    with pytest.raises((SceneError, UnknownNameError), match=message):
        World.load(path)


def test_several_mistakes_are_listed_together(tmp_path: Path):
    path = write(tmp_path, "physics:\n  timestep: a\n  iterations: b\n")
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    assert len(str(caught.value).splitlines()) == 2


def test_a_scene_that_does_not_exist_is_explained(tmp_path: Path):
    with pytest.raises(SceneError, match="does not exist; give a file or one of the shipped"):
        load_scene(tmp_path / "none.yaml")
    with pytest.raises(UnknownNameError, match="did you mean 'tabletop'"):
        load_scene("tabletp")


def test_aliases_that_explode_are_refused(tmp_path: Path):
    lines = ["a: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"b{i}: &a{i + 1} [{', '.join([f'*a{i}'] * 9)}]" for i in range(12)]
    with pytest.raises(SceneError, match="more than 300000 values"):
        load_scene(write(tmp_path, "\n".join(lines)))
    with pytest.raises(SceneError, match="is inside of what it stands for"):
        load_scene(write(tmp_path, "a: &a [*a]\n"))


@pytest.mark.parametrize(
    "reference",
    [
        "robots: [{name: a, model: ../secret.urdf}]",
        "robots: [{name: a, model: /etc/passwd.urdf}]",
        "robots: [{name: a, model: turtlebot3_burger, package_roots: ['/']}]",
        "objects: [{name: a, shape: {kind: mesh, file: ../secret.stl}}]",
        "objects: [{name: a, shape: {kind: heightmap, file: link.png, size: [1, 1, 1]}}]",
        (
            "materials: {m: {texture: ../secret.png}}\n"
            "objects: [{name: a, shape: {kind: plane}, material: m}]"
        ),
        "include: [{file: ../secret.yaml}]",
    ],
)
def test_files_outside_the_folder_are_not_read(reference: str, tmp_path: Path):
    inside = tmp_path / "inside"
    path = write(inside, reference)
    for suffix in ("urdf", "stl", "png", "yaml"):
        write(tmp_path, "secret", f"secret.{suffix}")
    (inside / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(SceneError, match=r"refused: outside the package roots|was not found"):
        load_scene(path)


# --- what it holds ---


def test_a_scene_with_files_beside_it(tmp_path: Path):
    write(tmp_path, ARM, "arm.urdf")
    Image.new("L", (5, 5), 128).save(tmp_path / "hills.png")
    Image.new("RGB", (4, 4), (255, 0, 0)).save(tmp_path / "red.png")
    write(
        tmp_path,
        "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
        "endloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\n"
        "vertex 0 0 1\nendloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"
        "vertex 0 0 1\nvertex 1 0 0\nendloop\nendfacet\nfacet normal 0 0 1\nouter loop\n"
        "vertex 1 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n",
        "corner.stl",
    )
    path = write(
        tmp_path,
        """
robots:
  - {name: one, model: arm.urdf, base: fixed, joints: {j: 0.5}, pose: {xyz: [1, 0, 0]}}
  - {name: two, model: arm.urdf, base: floating, frame_prefix: "", hold: false,
     pose: {rpy_deg: [0, 0, 90]}}
objects:
  - {name: hills, shape: {kind: heightmap, file: hills.png, size: [4, 4, 2]}}
  - name: corner
    shape: {kind: mesh, file: corner.stl, scale: [2, 2, 2]}
    dynamic: true
    mass: 3.0
    pose: {xyz: [0, 0, 5]}
    material: {texture: red.png}
""",
    )
    world = World.load(path)
    assert set(world.tf.get_all_frames()) == {
        "world", "one/base", "one/tip", "base", "tip", "hills", "corner"
    }  # fmt: skip
    assert world.robots["one"].joint_positions()[0] == 0.5
    assert not world.robots["one"].is_floating
    assert world.robots["two"].is_floating
    assert float(world.model.body("corner").mass[0]) == pytest.approx(3.0)
    world.step(24)
    assert world.robots["one"].joint_positions()[0] == pytest.approx(0.5, abs=0.01)


def test_the_mass_of_several_parts_is_spread_over_them():
    item = ObjectConfig.model_validate(
        {
            "name": "dumbbell",
            "dynamic": True,
            "mass": 6.0,
            "parts": [
                {"shape": {"kind": "sphere", "radius": 0.1}, "pose": {"xyz": [0.5, 0, 0]}},
                {"shape": {"kind": "sphere", "radius": 0.1}, "pose": {"xyz": [-0.5, 0, 0]}},
            ],
        }
    )
    body = World.load(Scene(objects=(item,))).model.body("dumbbell")
    assert float(body.mass[0]) == pytest.approx(6.0)
    along, across = 2 / 5 * 6.0 * 0.01, 2 / 5 * 6.0 * 0.01 + 6.0 * 0.25
    np.testing.assert_allclose(np.sort(body.inertia), (along, across, across), rtol=1e-6)


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        ({"kind": "box", "size": [1, 2, 3]}, 6.0),
        ({"kind": "sphere", "radius": 0.5}, np.pi / 6),
        ({"kind": "cylinder", "radius": 0.5, "length": 2}, np.pi / 2),
        ({"kind": "capsule", "radius": 0.5, "length": 2}, np.pi / 2 + np.pi / 6),
        ({"kind": "ellipsoid", "radii": [0.1, 0.2, 0.3]}, 0.008 * np.pi),
        ({"kind": "polyline", "outlines": [[[0, 0], [2, 0], [0, 2]]], "height": 3}, 6.0),
    ],
)
def test_density_times_volume_is_the_mass(shape: dict[str, Any], volume: float):
    item = {"name": "thing", "shape": shape, "dynamic": True, "density": 100.0}
    world = World.load(Scene.model_validate({"objects": [item]}))
    assert float(world.model.body("thing").mass[0]) == pytest.approx(100.0 * volume, rel=1e-6)


def test_overrides_change_values():
    for overrides in (["physics.timestep=0.002", "robots.0.name=b"],
                      {"physics.timestep": 0.002, "robots.0.name": "b"}):  # fmt: skip
        scene = load_scene("warehouse", overrides)
        assert scene.physics.timestep == 0.002
        assert scene.robots[0].name == "b"
    with pytest.raises(SceneError, match="'5' is not an index into a list of 1"):
        load_scene("warehouse", ["robots.5.name=b"])
    with pytest.raises(SceneError, match="is not a setting; write KEY=VALUE, such as"):
        load_scene("warehouse", ["physics"])
    with pytest.raises(SceneError, match="'name' is a value already and holds no keys"):
        load_scene("warehouse", ["name.x=1"])


@pytest.mark.parametrize(
    ("text", "override", "message"),
    [
        ("", "physics.timestep=abc", r"yaml: physics.timestep: it is 'abc', not a number"),
        (
            "",
            "physics.gravity=[0,0]",
            r"physics.gravity: it has 2 values; write 3 values, such as \[0, 0, 0\]",
        ),
        ("", "physics.gravity=[0,0,x]", r"yaml: physics.gravity\[2\]: it is 'x', not a number"),
        (
            "physics:\n  timestep: 1\n",
            "physics.timestep=abc",
            r"yaml: physics.timestep: .*'abc', not",
        ),
        ("physics: {timestep: abc}", "name=x", r"yaml:1: physics.timestep: it is 'abc', not"),
        ("", "physics.timstep=1", r"physics.timstep: unknown key 'timstep'; did you mean"),
    ],
)
def test_mistakes_in_overrides_name_key_and_value(
    text: str, override: str, message: str, tmp_path: Path
):
    with pytest.raises(SceneError, match=message):
        load_scene(write(tmp_path, text), [override])


def test_a_directory_is_called_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for name in ("things", "things.yaml", "things.urdf"):
        (tmp_path / name).mkdir()
    for name in ("things", "things.yaml", tmp_path):
        with pytest.raises(SceneError, match="is a directory; give the scene file in it"):
            load_scene(name)
    for name in ("things", "things.urdf", tmp_path):
        with pytest.raises(DescriptionError, match=r"holds no robot; a robot is a \.urdf"):
            load_robot(name)
    path = write(tmp_path, "robots: [{name: a, model: things.urdf}]")
    with pytest.raises(SceneError, match=r"robot 'a': .*things\.urdf: holds no robot"):
        load_scene(path)


def test_names_that_clash_with_links_are_refused(tmp_path: Path):
    robot = {"name": "burger", "model": "turtlebot3_burger"}
    box = {"name": "burger/base_link", "shape": BOX}
    with pytest.raises(
        SceneError, match="object 'burger/base_link': the body name 'burger/base_link' is taken"
    ):
        World.load(check_scene({"robots": [robot], "objects": [box]}))
    write(tmp_path, "<robot name='r'><link name='b/c'/></robot>", "one.urdf")
    write(tmp_path, "<robot name='r'><link name='c'/></robot>", "two.urdf")
    path = write(tmp_path, "robots: [{name: a, model: one.urdf}, {name: a/b, model: two.urdf}]")
    with pytest.raises(SceneError, match="robot 'a/b': the body name 'a/b/c' is taken already"):
        World.load(path)
    xml = "<mujoco><worldbody><body name='{}'><geom size='.1'/></body></worldbody></mujoco>"
    write(tmp_path, xml.format("b/c"), "one.urdf")
    write(tmp_path, xml.format("c"), "two.urdf")
    with pytest.raises(SceneError, match="name 'a/b/c' is taken already"):
        World.load(path)


def test_a_scene_is_changed_by_copies():
    scene = load_scene("empty_world")
    box = ObjectConfig(name="box", shape=BoxShape(size=(1.0, 1.0, 1.0)))
    more = scene.with_object(box).with_robot(RobotConfig(model="arm6", name="arm"))
    assert [item.name for item in more.objects] == ["ground", "box"]
    assert scene.objects[-1].name == "ground"
    assert more.without("box").without("arm") == scene
    with pytest.raises(SceneError, match="has no robot or object 'bx'; it has arm, box, ground"):
        more.without("bx")
    with pytest.raises(SceneError, match="2 robots and objects are called 'box'"):
        more.with_object(box)
    with pytest.raises(ValueError, match="frozen"):
        scene.name = "other"  # pyright: ignore[reportAttributeAccessIssue]


def test_sensors_are_kept_as_they_are(tmp_path: Path):
    sensor = {"kind": "imu", "name": "i", "mount": "a/b", "gyroscope_noise": {"std": [1, 2, 3]}}
    scene = check_scene({"sensors": [sensor]})
    scene.save(tmp_path / "s.yaml")
    assert yaml.safe_load((tmp_path / "s.yaml").read_text())["sensors"] == [sensor]
    assert scene.sensors[0].model_extra == {"gyroscope_noise": {"std": [1, 2, 3]}}


def test_saving_elsewhere_keeps_the_files(tmp_path: Path):
    write(tmp_path / "a", ARM, "arm.urdf")
    path = write(tmp_path / "a", "robots: [{name: one, model: arm.urdf}]\n")
    target = tmp_path / "b.yaml"
    load_scene(path).save(target)
    # Here the folder of the saved scene holds that of the first one.
    assert load_scene(target).robots[0].model == "a/arm.urdf"
    (tmp_path / "c").mkdir()
    load_scene(path).save(tmp_path / "c" / "b.yaml")
    with pytest.raises(SceneError, match="refused: outside the package roots"):
        load_scene(tmp_path / "c" / "b.yaml")
    assert World.load(tmp_path / "c" / "b.yaml", package_roots=[tmp_path / "a"]).robots["one"]
    with pytest.raises(SceneError, match="must end with"):
        load_scene(path).save(tmp_path / "b.txt")


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_scene_that_is_saved_is_the_same_world(name: str, tmp_path: Path):
    load_scene(name).save(tmp_path / "copy.yaml")
    first, second = World.load(name, seed=3), World.load(tmp_path / "copy.yaml", seed=3)
    assert set(second.robots) == set(first.robots)
    for world in (first, second):
        world.step(5)
    np.testing.assert_array_equal(first.data.qpos, second.data.qpos)
    # Once more, from the copy.
    (tmp_path / "deep").mkdir()
    load_scene(tmp_path / "copy.yaml").save(tmp_path / "deep" / "again.json")
    assert load_scene(tmp_path / "deep" / "again.json") == load_scene(tmp_path / "copy.yaml")


def test_a_scene_of_ones_own_is_saved_with_its_files(tmp_path: Path):
    own = tmp_path / "own"
    (own / "inner").mkdir(parents=True)
    trimesh.creation.box((0.1, 0.2, 0.3)).export(own / "part.stl")
    trimesh.creation.box((0.3, 0.2, 0.3)).export(own / "inner" / "part.stl")
    # A glTF has its vertices in a file beside it.
    pieces = export_gltf(trimesh.Scene(trimesh.creation.box((1, 1, 1))))
    for name, content in pieces.items():
        (own / name.replace("model.gltf", "box.gltf")).write_bytes(content)
    Image.new("RGB", (4, 4), (255, 0, 0)).save(own / "red.png")
    part = "shape: {kind: mesh, file: part.stl}, dynamic: true"
    write(own, f"objects: [{{name: small, {part}, pose: {{xyz: [2, 0, 1]}}}}]", "inner/more.yaml")
    path = write(
        own,
        "include: [{file: inner/more.yaml, prefix: in_}, {file: empty_world}]\n"
        "materials: {red: {texture: red.png}}\n"
        "objects:\n"
        f"- {{name: a, {part}, material: red, pose: {{xyz: [0, 0, 1]}}}}\n"
        f"- {{name: b, {part}, pose: {{xyz: [0, 3, 1]}}}}\n"
        "- {name: c, shape: {kind: mesh, file: box.gltf}, pose: {xyz: [0, 5, 1]}}\n",
    )
    (tmp_path / "new").mkdir()
    load_scene(path).save(tmp_path / "new" / "scene.yaml")
    own.rename(tmp_path / "gone")
    first = World.load(tmp_path / "gone" / "scene.yaml")
    second = World.load(tmp_path / "new" / "scene.yaml")
    assert second.model.ntex == first.model.ntex
    assert len(second.report) == len(first.report)
    np.testing.assert_array_equal(second.model.mesh_vert, first.model.mesh_vert)
    np.testing.assert_array_equal(second.model.body_mass, first.model.body_mass)


def test_the_shipped_folder_is_no_way_out(tmp_path: Path):
    path = write(tmp_path, "include: [{file: 'shipped:../../errors.py.sdf'}]")
    with pytest.raises(SceneError, match=r"refused|was not found"):
        load_scene(path)
    path = write(tmp_path, "robots: [{name: a, model: 'shipped:/etc/passwd.urdf'}]")
    with pytest.raises(SceneError, match="refused: outside the package roots"):
        load_scene(path)


# --- includes ---


def test_included_scenes_are_placed_and_prefixed(tmp_path: Path):
    write(
        tmp_path,
        "physics: {timestep: 0.002}\n"
        "objects: [{name: box, shape: {kind: box, size: [1, 1, 1]}, pose: {xyz: [1, 0, 0]}}]\n"
        "lights: [{name: lamp, position: [0, 0, 1]}]\n"
        "cameras: [{name: eye, position: [1, 1, 1]}]\n",
        "part.yaml",
    )
    path = write(
        tmp_path,
        "include:\n"
        "  - {file: part.yaml, prefix: a_}\n"
        "  - {file: part.yaml, prefix: b_, pose: {xyz: [0, 0, 2], rpy_deg: [0, 0, 90]}}\n",
    )
    world = World.load(path)
    assert set(world.objects) == {"a_box", "b_box"}
    np.testing.assert_allclose(world.objects["b_box"].pose.translation, (0, 1, 2), atol=1e-12)
    assert world.timestep == 0.002
    assert [world.model.camera(i).name for i in range(world.model.ncam)] == ["a_eye", "b_eye"]
    clash = write(tmp_path, "include: [{file: part.yaml}, {file: part.yaml}]\n", "clash.yaml")
    with pytest.raises(SceneError, match="two things are called 'box'; give the include a prefix"):
        load_scene(clash)


def test_a_shipped_scene_can_be_included(tmp_path: Path):
    path = write(tmp_path, "include: [{file: tabletop, prefix: left_}]\nphysics: {}\n")
    world = World.load(path)
    assert "left_arm" in world.robots
    assert "left_red_cube" in world.objects


def test_the_doors_of_the_apartment_swing():
    world = World.load("apartment")
    door = world.robots["kitchen_door"]
    assert door.joint_names == ("hinge",)
    door.set_joint_velocities({"hinge": -1.0})
    world.step(240)
    assert door.joint_positions()[0] < -0.1


# --- poses ---


angles = st.floats(-180.0, 180.0)
lengths = st.floats(-1e3, 1e3)


@given(st.tuples(lengths, lengths, lengths), st.tuples(angles, angles, angles))
def test_poses_survive_both_ways(xyz: Any, rpy_deg: Any):
    T = PoseConfig(xyz=xyz, rpy_deg=rpy_deg).transform()
    assert PoseConfig.of(T).transform().is_close(T, 1e-9, 1e-9)
    expected = Transform.from_euler(xyz, tuple(np.deg2rad(rpy_deg)))
    assert T.is_close(expected, 1e-9, 1e-9)


# --- fuzz ---


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["box", "../x", "/etc/passwd", "a.stl", "turtlebot3_burger", "warehouse"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "name",
                    "robots",
                    "objects",
                    "shape",
                    "kind",
                    "size",
                    "pose",
                    "xyz",
                    "model",
                    "include",
                    "file",
                    "physics",
                    "timestep",
                    "materials",
                    "texture",
                    "parts",
                    "motion",
                    "waypoints",
                    "time",
                    "dynamic",
                    "mass",
                    "noise",
                    "seed",
                ]
            )
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from(list(Scene.model_fields)), plain, max_size=4))
def test_any_data_is_a_scene_or_an_error(data: dict[str, Any]):
    try:
        scene = check_scene(data)
    except HorusError:
        return
    again = check_scene(json.loads(json.dumps(scene.to_dict())))
    assert again == scene


@settings(max_examples=100)
@given(st.data())
def test_a_damaged_scene_is_read_or_refused(tmp_path_factory: Any, data: st.DataObject):
    text = scene_path("tabletop").read_text()
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text) - 1))
        length = data.draw(st.integers(0, 20))
        text = text[:start] + data.draw(st.text(max_size=6)) + text[start + length :]
    path = tmp_path_factory.mktemp("fuzz") / "scene.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        scene = load_scene(path)
    except HorusError:
        return
    assert yaml.safe_load(to_yaml(scene)) == scene.to_dict()


@settings(max_examples=60)
@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda b: b.decode("latin-1")))
def test_any_text_is_read_or_refused(tmp_path_factory: Any, text: str):
    path = tmp_path_factory.mktemp("fuzz") / "scene.yaml"
    path.write_text(text, encoding="utf-8", newline="")
    try:
        load_scene(path)
    except HorusError:
        return


def test_shapes_keep_their_kind_when_saved():
    shape = MeshShape(file="a.stl")
    assert shape.model_dump(exclude_unset=True) == {"kind": "mesh", "file": "a.stl"}


MOON = """<sdf version="1.9"><world name="moon"><gravity>0 0 -1.62</gravity>
<physics type="ode"><max_step_size>0.002</max_step_size></physics></world></sdf>"""


def test_an_override_changes_what_it_names_and_leaves_the_physics_of_includes(tmp_path: Path):
    (tmp_path / "moon.sdf").write_text(MOON)
    world = World.load(tmp_path / "moon.sdf", overrides={"physics.iterations": 50})
    assert tuple(world.model.opt.gravity) == (0, 0, -1.62)
    assert (world.timestep, world.model.opt.iterations) == (0.002, 50)
    outer = write(tmp_path, "include: [{file: moon.sdf}]\nphysics: {timestep: 0.001}\n")
    world = World.load(outer)
    assert tuple(world.model.opt.gravity) == (0, 0, -1.62)
    assert world.timestep == 0.001


@pytest.mark.parametrize(
    ("sensor", "text"),
    [
        (
            "{kind: imu, name: i,\n     mount: b, rate_hz: -1}",
            r"scene.yaml:4: sensors\[0\].rate_hz: .*greater than 0",
        ),
        (
            "{kind: imu, name: i, mount: b, rate: 1}",
            r"scene.yaml:3: .*unknown key 'rate'; did you mean",
        ),
        (
            "{kind: imu, name: i, mount: b, xyz: [0, 0, 1]}",
            r"scene.yaml:3: .*the key 'xyz' is called 'pose.xyz' now; run: horus-sim migrate FILE",
        ),
        ("{kind: imuu, name: i, mount: b}", r"scene.yaml:3: .*kind 'imuu'; did you mean 'imu'"),
        ("{kind: imu, name: i, mount: c}", r"sensor 'i': the world has no mount 'c'"),
    ],
)
def test_a_wrong_sensor_is_named_with_its_place(tmp_path: Path, sensor: str, text: str):
    robots = "robots: [{name: b, model: turtlebot3_burger}]"
    path = write(tmp_path, f"{robots}\nsensors:\n  - {sensor}\n")
    with pytest.raises(SceneError, match=text):
        World.load(path)
