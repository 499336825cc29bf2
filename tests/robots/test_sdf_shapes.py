"""What links are made of: shapes, looks, surfaces, masses, lights; and what a world says."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from horus_sim.errors import DescriptionError, MissingResourceError
from horus_sim.robots.description import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Heightmap,
    Inertial,
    Link,
    Mesh,
    Plane,
    Polyline,
    Sphere,
)
from horus_sim.robots.report import NoteKind
from horus_sim.robots.sdf.reading import load_sdf
from horus_sim.robots.sdf.world import SdfFile, SdfWorld
from horus_sim.tf import Transform


@pytest.fixture
def load(tmp_path):
    """Loads the body of an ``<sdf>`` element."""

    def load_text(body: str, version: str = "1.11", *, strict: bool = False) -> SdfFile:
        path = tmp_path / "file.sdf"
        path.write_text(f"<sdf version='{version}'>\n{body}\n</sdf>")
        return load_sdf(path, strict=strict)

    return load_text


@pytest.fixture
def link(load):
    """Loads the content of a link."""

    def load_link(content: str, *, strict: bool = False) -> Link:
        body = f"<model name='m'><link name='a'>{content}</link></model>"
        return load(body, strict=strict).models[0].trees[0].links[0]

    return load_link


def collision(shape: str, inside: str = "", name: str = "c") -> str:
    return f"<collision name='{name}'><geometry>{shape}</geometry>{inside}</collision>"


def corners(*points: str) -> str:
    return "".join(f"<point>{point}</point>" for point in points)


def visual(shape: str = "<box/>", inside: str = "") -> str:
    return f"<visual name='v'><geometry>{shape}</geometry>{inside}</visual>"


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("<box><size>1 2 3</size></box>", Box((1, 2, 3))),
        ("<box/>", Box((1, 1, 1))),
        ("<sphere><radius>2</radius></sphere>", Sphere(2)),
        ("<cylinder><radius>2</radius><length>3</length></cylinder>", Cylinder(2, 3)),
        ("<capsule><radius>2</radius><length>3</length></capsule>", Capsule(2, 3)),
        ("<cone><radius>2</radius><length>3</length></cone>", Cone(2, 3)),
        ("<ellipsoid><radii>1 2 3</radii></ellipsoid>", Ellipsoid((1, 2, 3))),
        ("<plane><normal>0 3 4</normal><size>5 6</size></plane>", Plane((0, 0.6, 0.8), (5, 6))),
        (
            f"<polyline>{corners('0 0', '1 0', '0 1', '0 0')}<height>2</height></polyline>",
            Polyline((((0, 0), (1, 0), (0, 1)),), 2),
        ),
    ],
)
def test_shapes(link, text, shape):
    (found,) = link(collision(text)).collisions
    assert found.geometry == shape


def test_files_of_shapes(link, tmp_path):
    (tmp_path / "part.dae").touch()
    (tmp_path / "ground.png").touch()
    found = link(
        visual(
            "<mesh><uri>part.dae</uri><scale>1 -1 2</scale><submesh><name>s</name>"
            "<center>true</center></submesh></mesh>"
        )
        + collision(
            f"<heightmap><uri>file://{tmp_path}/ground.png</uri><size>9 8 7</size>"
            "<pos>0 0 -1</pos></heightmap>"
        )
    )
    assert found.visuals[0].geometry == Mesh(
        tmp_path / "part.dae", "part.dae", (1, -1, 2), "s", center_submesh=True
    )
    ground = found.collisions[0].geometry
    assert ground == Heightmap(
        tmp_path / "ground.png", f"file://{tmp_path}/ground.png", (9, 8, 7), (0, 0, -1)
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<box><size>1 0 1</size></box>", "<box> has a size that is not positive"),
        ("<sphere><radius>-1</radius></sphere>", "<sphere> has a size that is not positive"),
        ("<plane><normal>0 0 0</normal></plane>", "<normal> of length 0"),
        ("<mesh><uri>x.stl</uri><scale>0 1 1</scale></mesh>", "<scale> of 0"),
        ("<mesh><uri>http://x/y.dae</uri></mesh>", "lies on a server"),
        ("<polyline><point>0 0</point><height>1</height></polyline>", "<polyline> has 1 corners"),
        ("", "<geometry> has no shape"),
    ],
)
def test_shapes_that_cannot_be_used_are_left_out(load, text, reason):
    body = f"<model name='m'><link name='a'>{collision(text)}</link></model>"
    file = load(body)
    assert file.models[0].trees[0].links[0].collisions == ()
    (note,) = file.report.of(NoteKind.WARNING)
    assert reason in note.text
    assert note.culprit == "link 'm::a', collision 'c'"
    with pytest.raises(DescriptionError, match=reason):
        load(body, strict=True)


def test_a_missing_mesh_is_a_remark_with_every_path_tried(load, tmp_path):
    text = visual("<mesh><uri>model://box/part.stl</uri></mesh>")
    body = f"<model name='m'><link name='a'>{text}</link></model>"
    (note,) = load(body).report
    assert note.kind is NoteKind.WARNING
    assert str(tmp_path / "box/part.stl") in note.text
    with pytest.raises(MissingResourceError, match=r"line 2: link 'm::a', visual 'v': 'model://"):
        load(body, strict=True)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (
            collision("<box><size>1 2</size></box>"),
            "collision 'c': <size> = '1 2': needs 3 numbers",
        ),
        (collision("<mesh/>"), "<mesh> needs a <uri>"),
        ("<collision/>", "<collision> needs the attribute 'name'"),
        ("<inertial><mass>-1</mass></inertial>", "<mass> is -1 kg and must not be negative"),
        ("<inertial><mass>inf</mass></inertial>", "<mass> = 'inf': the value inf is not finite"),
        (
            collision("<box/>", "<density>-1</density>") + "<inertial auto='1'/>",
            "<density> is -1; it must be positive",
        ),
        ("<gravity>maybe</gravity>", "<gravity> = 'maybe': is neither true nor false"),
        ("<light name='l' type='sun'/>", "type 'sun' is not known; use 'directional'"),
        ("<sensor name='s'/>", "<sensor> needs the attribute 'type'"),
    ],
)
def test_errors(link, content, text):
    with pytest.raises(DescriptionError, match=text):
        link(content)


def test_terrain_maps_and_outlines_of_several_heights(load, tmp_path):
    (tmp_path / "land.tif").touch()
    outline = corners("0 0", "1 0", "0 1")
    shapes = visual("<heightmap><uri>land.tif</uri></heightmap>") + collision(
        f"<polyline>{outline}<height>1</height></polyline>"
        f"<polyline>{outline}<height>2</height></polyline>"
    )
    file = load(f"<model name='m'><link name='a'>{shapes}</link></model>")
    (shape,) = file.models[0].trees[0].links[0].collisions
    assert isinstance(shape.geometry, Polyline)
    assert (len(shape.geometry.outlines), shape.geometry.height) == (2, 1)
    texts = str(file.report)
    assert "convert it to a grey PNG" in texts
    assert "are all made 1 m high" in texts


def test_images_and_empty_shapes(load):
    shapes = visual("<image><uri>x.png</uri></image>") + collision("<empty/>")
    file = load(f"<model name='m'><link name='a'>{shapes}</link></model>")
    (note,) = file.report
    assert note.kind is NoteKind.IGNORED
    assert "<image>" in note.text


def test_materials(link, tmp_path):
    (tmp_path / "wood.png").touch()
    material = """<transparency>0.5</transparency><material><ambient>1 0 0 1</ambient>
      <diffuse>0.2 0.4 0.6 0.8</diffuse><emissive>0 0.3 0 1</emissive><pbr><metal>
      <albedo_map>wood.png</albedo_map><metalness>0.9</metalness><roughness>0.3</roughness>
      </metal></pbr></material>"""
    found = link(visual(inside=material)).visuals[0].material
    assert found.rgba == (0.2, 0.4, 0.6, 0.4)
    assert found.texture == tmp_path / "wood.png"
    assert (found.metallic, found.roughness, found.emission) == (0.9, 0.3, 0.3)


def test_glossy_materials_and_friction_of_bullet(link):
    glossy = "<material><pbr><specular><glossiness>0.3</glossiness></specular></pbr></material>"
    bullet = "<surface><friction><bullet><friction>0.4</friction></bullet></friction></surface>"
    found = link(visual(inside=glossy) + collision("<box/>", bullet))
    assert found.visuals[0].material.roughness == pytest.approx(0.7)
    assert found.visuals[0].material.rgba == (1, 1, 1, 1)
    assert found.collisions[0].surface.friction == 0.4


def test_material_scripts_get_a_colour(load):
    script = "<material><script><name>Gazebo/Red</name></script></material>"
    file = load(f"<model name='m'><link name='a'>{visual(inside=script)}</link></model>")
    found = file.models[0].trees[0].links[0].visuals[0].material
    assert found.name == "Gazebo/Red"
    assert found.rgba == (1, 0, 0, 1)
    (note,) = file.report
    assert note.kind is NoteKind.SUBSTITUTION


def test_surfaces(link):
    inside = """<surface><friction><ode><mu>0.1</mu><mu2>0.1</mu2></ode><bullet>
      <rolling_friction>0.02</rolling_friction></bullet><torsional><coefficient>2</coefficient>
      <patch_radius>0.1</patch_radius></torsional></friction><bounce>
      <restitution_coefficient>0.7</restitution_coefficient></bounce>
      <contact><ode><kp>1e6</kp><kd>100</kd></ode></contact></surface>"""
    found = link(collision("<box/>", inside)).collisions[0].surface
    assert (found.friction, found.rolling, found.restitution) == (0.1, 0.02, 0.7)
    assert (found.stiffness, found.damping) == (1e6, 100)
    assert found.torsional == pytest.approx(3 * np.pi / 16 * 2 * 0.1)
    assert found.priority == 1
    rough = "<surface><friction><ode><mu>1.5</mu></ode></friction></surface>"
    assert link(collision("<box/>", rough)).collisions[0].surface.priority == 0
    ghost = "<surface><contact><collide_without_contact>1</collide_without_contact></contact>"
    assert link(collision("<box/>", f"{ghost}</surface>")).collisions == ()


def test_inertials(link):
    assert link("").inertial == Inertial(1, Transform.identity(), (1, 1, 1, 0, 0, 0))
    found = link(
        """<inertial><mass>2</mass><pose>1 2 3 0 0 0</pose><inertia><ixx>4</ixx><iyy>5</iyy>
        <izz>6</izz><ixy>0.1</ixy><ixz>0.2</ixz><iyz>0.3</iyz></inertia></inertial>"""
    ).inertial
    assert found == Inertial(2, Transform((1, 2, 3)), (4, 5, 6, 0.1, 0.2, 0.3))


def test_impossible_inertias_are_left_to_the_builder_unless_strict(link):
    text = """<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>3</izz></inertia>
      </inertial>"""
    assert link(text).inertial is not None
    with pytest.raises(DescriptionError, match="a principal moment exceeds the sum of the others"):
        link(text, strict=True)


def cone_mesh(radius: float, length: float) -> trimesh.Trimesh:
    cone = trimesh.creation.cone(radius, length, sections=4096)
    cone.apply_translation((0, 0, -length / 2))
    return cone


@pytest.mark.parametrize(
    ("shape", "mesh"),
    [
        ("<box><size>1 2 3</size></box>", trimesh.creation.box((1, 2, 3))),
        (
            "<cylinder><radius>0.5</radius><length>2</length></cylinder>",
            trimesh.creation.cylinder(0.5, 2, sections=4096),
        ),
        ("<cone><radius>0.5</radius><length>2</length></cone>", cone_mesh(0.5, 2)),
        (
            "<sphere><radius>0.5</radius></sphere>",
            trimesh.creation.icosphere(subdivisions=6, radius=0.5),
        ),
        (
            "<ellipsoid><radii>1 2 3</radii></ellipsoid>",
            trimesh.creation.icosphere(subdivisions=6).apply_scale((1, 2, 3)),
        ),
        (
            "<capsule><radius>0.5</radius><length>2</length></capsule>",
            trimesh.creation.capsule(2, 0.5, count=(256, 256)),
        ),
    ],
)
def test_automatic_inertia_is_that_of_the_solid(link, shape, mesh):
    """The oracle is trimesh's integral over a fine mesh of the same shape, placed the same way."""
    content = "<inertial auto='true'><density>200</density></inertial>"
    found = link(content + collision(shape, "<pose>1 0 2 0.3 0.4 0.5</pose>")).inertial
    placed = mesh.copy()
    placed.density = 200
    placed.apply_translation(-placed.bounds.mean(axis=0))
    placed.apply_transform(Transform.from_euler((1, 0, 2), (0.3, 0.4, 0.5)).to_matrix())
    assert found is not None
    assert found.mass == pytest.approx(placed.mass, rel=1e-3)
    np.testing.assert_allclose(found.T_link_inertia.translation, placed.center_mass, atol=1e-3)
    ixx, iyy, izz, ixy, ixz, iyz = found.inertia
    tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    np.testing.assert_allclose(tensor, placed.moment_inertia, atol=1e-3 * tensor.max())


def test_automatic_inertia_of_several_shapes_and_meshes(link, tmp_path):
    """Two boxes side by side are one box, as primitives and as a mesh; a mass scales them."""
    left = "<box><size>1 1 1</size></box>"
    trimesh.creation.box((2, 1, 1)).export(tmp_path / "both.stl")
    automatic = "<inertial auto='1'><density>3</density></inertial>"
    pair = link(
        automatic
        + collision(left, "<pose>-0.5 0 0 0 0 0</pose>", "l")
        + collision(left, "<pose>0.5 0 0 0 0 0</pose><density>3</density>", "r")
    ).inertial
    mesh = link(automatic + collision("<mesh><uri>both.stl</uri></mesh>")).inertial
    for found in (pair, mesh):
        assert found is not None
        assert found.mass == pytest.approx(6)
        np.testing.assert_allclose(found.inertia, (1, 2.5, 2.5, 0, 0, 0), atol=1e-6)
    scaled = link("<inertial auto='1'><mass>12</mass></inertial>" + collision(left)).inertial
    assert scaled is not None
    np.testing.assert_allclose((scaled.mass, *scaled.inertia), (12, 2, 2, 2, 0, 0, 0))


def test_automatic_inertia_without_shapes(load):
    body = "<model name='m'><link name='a'><inertial auto='true'/></link></model>"
    file = load(body)
    assert file.models[0].trees[0].links[0].inertial is not None
    assert "finds no solid shape" in next(iter(file.report)).text


def test_lights_of_links(load):
    body = """<world name='w'><model name='m'><link name='a'><pose>0 0 1 0 0 0</pose>
      <light name='l' type='spot'><pose relative_to='__model__'>0 0 3 0 0 0</pose>
      <direction>0 0 -2</direction><spot><inner_angle>0.1</inner_angle>
      <outer_angle>0.5</outer_angle><falloff>0.8</falloff></spot></light></link></model></world>"""
    (light,) = load(body).worlds[0].models[0].lights
    assert light.link == "m::a"
    assert light.T_parent_light.is_close(Transform((0, 0, 2)))
    assert light.direction == (0, 0, -1)
    assert (light.inner_angle, light.outer_angle, light.falloff) == (0.1, 0.5, 0.8)


def test_a_world(load):
    body = """<world name='w'><gravity>0 0 -1.6</gravity><magnetic_field>1 2 3</magnetic_field>
      <physics name='a'><max_step_size>0.1</max_step_size></physics>
      <physics name='b' type='dart' default='true'><max_step_size>0.002</max_step_size></physics>
      <scene><ambient>0.1 0.2 0.3</ambient><shadows>false</shadows></scene>
      <light name='l' type='directional'><pose>0 0 9 0 0 0</pose></light><wind/><gui/></world>"""
    file = load(body)
    world = file.worlds[0]
    assert world.gravity == (0, 0, -1.6)
    assert world.magnetic_field == (1, 2, 3)
    assert (world.physics.name, world.physics.engine) == ("b", "dart")
    assert world.physics.max_step_size == 0.002
    assert world.ambience.ambient == (0.1, 0.2, 0.3, 1)
    assert not world.ambience.shadows
    assert world.lights[0].T_parent_light.is_close(Transform((0, 0, 9)))
    ignored = [note.culprit for note in file.report.of(NoteKind.IGNORED)]
    assert ignored == ["<wind> in <world>", "<gui> in <world>"]


def test_gravity_stood_in_the_physics_until_1_5(load):
    body = "<world name='w'><physics><gravity>0 0 -3</gravity></physics></world>"
    assert load(body, "1.5").worlds[0].gravity == (0, 0, -3)
    assert load(body, "1.6").worlds[0].gravity == SdfWorld("").gravity


def test_files_that_are_no_sdf(tmp_path, load):
    path = tmp_path / "robot.urdf"
    path.write_text("<robot name='r'/>")
    with pytest.raises(DescriptionError, match="root element is <robot>; this is a URDF robot"):
        load_sdf(path)
    with pytest.raises(DescriptionError, match="No such file"):
        load_sdf(tmp_path / "absent.sdf")
    with pytest.raises(DescriptionError, match="two worlds are called 'w', the other in line 2"):
        load("<world name='w'/>\n<world name='w'/>")
    assert "(read as the nearest one)" in str(load("<world name='w'/>", "2.0").report)
    assert "(taken as 1.12)" in str(load("<world name='w'/>", "new").report)


def test_a_late_declaration_and_odd_prefixes(tmp_path):
    path = tmp_path / "late.world"
    path.write_text(
        "\n<!-- a comment --><?xml version='1.0'?>\n<sdf version='1.6'><model name='m'>"
        "<gz:thing/><a::b/><link name='a'/></model></sdf>"
    )
    assert load_sdf(path).models[0].trees[0].root == "a"


def test_a_missing_package_is_one_remark(load):
    shapes = "".join(visual(f"<mesh><uri>model://box/{k}.stl</uri></mesh>") for k in range(3))
    file = load(f"<model name='m'><link name='a'>{shapes}</link></model>")
    (note,) = file.report.of(NoteKind.WARNING)
    assert note.culprit == "package 'box'"
    assert "was not found below the package roots; 3 files of it are left out; give" in note.text


def test_stray_quotes_are_taken_out_of_numbers(load):
    body = "<model name='m'><link name='a'><inertial><mass>2.5'</mass></inertial></link></model>"
    file = load(body)
    inertial = file.models[0].trees[0].links[0].inertial
    assert inertial is not None
    assert inertial.mass == 2.5
    (note,) = file.report.of(NoteKind.REPAIR)
    assert (note.culprit, note.text) == ("<mass>", "a stray quote was taken out of 2.5'")
    with pytest.raises(DescriptionError, match=r"line 2: <mass>: a stray quote was taken out"):
        load(body, strict=True)


def test_a_broken_mesh_adds_nothing_to_an_automatic_inertia(load, tmp_path):
    (tmp_path / "bad.stl").write_text("solid x\nfacet\nvertex 0 0\nendsolid")
    shapes = collision("<mesh><uri>bad.stl</uri></mesh>") + collision("<box/>").replace(
        "'c'", "'d'"
    )
    body = f"<model name='m'><link name='a'><inertial auto='1'/>{shapes}</link></model>"
    file = load(body)
    inertial = file.models[0].trees[0].links[0].inertial
    assert inertial is not None
    assert inertial.mass == pytest.approx(1000.0)
    assert "an automatic inertia needs all shapes: the mesh file" in str(file.report)
    with pytest.raises(DescriptionError, match="an automatic inertia needs all shapes"):
        load(body, strict=True)
