"""What the browser draws is what MuJoCo has: shapes, meshes, poses, velocities, contacts."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import mujoco
import numpy as np
import pytest
from PIL import Image

from horus_sim.robots import load_robot
from horus_sim.sim3d import ObjectConfig, Scene, World, scene_names
from horus_sim.tf import Transform
from horus_sim.ui.stream.frames import cloud_frame, pose_frame, transform_frame
from horus_sim.ui.stream.mesh_export import texture_png
from horus_sim.ui.stream.scene_export import export_scene
from horus_sim.ui.world.model.view_modes import physics_frame


def decode(data: bytes) -> tuple[dict[str, Any], bytes]:
    (length,) = struct.unpack_from("<I", data)
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def array(blob: bytes, where: list[int], kind: type, width: int) -> np.ndarray:
    offset, count = where
    return np.frombuffer(blob, kind, count * width, offset).reshape(count, width)


def split(message: bytes) -> tuple[int, float, np.ndarray]:
    number, time = struct.unpack_from("<Id", message)
    return number, time, np.frombuffer(message, np.float32, offset=12)


@pytest.mark.parametrize("name", scene_names())
def test_every_shipped_scene_is_complete(name: str):
    world = World.load(name)
    document, blob = decode(export_scene(world))
    assert document["name"] == name
    assert len(document["geoms"]) == world.model.ngeom
    assert len(document["bodies"]) == world.model.nbody
    owners = {body["owner"] for body in document["bodies"]} - {""}
    assert owners == {*world.robots, *world.objects}
    for geom in document["geoms"]:
        if geom["kind"] == "mesh":
            mesh = document["meshes"][geom["mesh"]]
            vertices = array(blob, mesh["vertices"], np.float32, 3)
            faces = array(blob, mesh["faces"], np.uint32, 3)
            assert np.isfinite(vertices).all()
            assert faces.max() < len(vertices)


def test_triangles_of_a_mesh_are_those_of_the_model():
    wedge = {
        "name": "wedge",
        "shape": {"kind": "polyline", "outlines": [[[0, 0], [2, 0], [2, 1]]], "height": 1.5},
    }
    world = World.load(Scene.model_validate({"objects": [wedge]}))
    document, blob = decode(export_scene(world))
    mesh = document["meshes"][0]
    vertices = array(blob, mesh["vertices"], np.float32, 3)
    faces = array(blob, mesh["faces"], np.uint32, 3)
    normals = array(blob, mesh["normals"], np.float32, 3)
    start = world.model.mesh_vertadr[0]
    expected = world.model.mesh_vert[start:][world.model.mesh_face[: len(faces)]]
    np.testing.assert_array_equal(vertices[faces], expected)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-5)
    corners = vertices[faces].astype(float)
    volume = np.linalg.det(corners).sum() / 6.0
    assert volume == pytest.approx(1.5)


def test_a_height_field_has_its_heights():
    world = World.load("rough_terrain")
    document, blob = decode(export_scene(world))
    field = next(g for g in document["geoms"] if g["kind"] == "mesh" and g["size"][3:] == [])
    mesh = document["meshes"][field["mesh"]]
    vertices = array(blob, mesh["vertices"], np.float32, 3)
    x, y, top, _ = world.model.hfield_size[0]
    np.testing.assert_allclose(np.abs(vertices[:, 0]).max(), x, rtol=1e-6)
    np.testing.assert_allclose(np.abs(vertices[:, 1]).max(), y, rtol=1e-6)
    np.testing.assert_allclose(vertices[:, 2].max(), world.model.hfield_data.max() * top, rtol=1e-6)


def test_an_image_comes_back_as_it_was():
    world = World.load("empty_world")
    height, width = int(world.model.tex_height[0]), int(world.model.tex_width[0])
    image = np.asarray(Image.open(io.BytesIO(texture_png(world.model, 0))))
    assert image.shape == (height, width, 3)
    np.testing.assert_array_equal(image.reshape(-1), world.model.tex_data[: image.size])


def test_poses_are_those_of_the_transform_tree():
    world = World.load("warehouse")
    world.robots["burger"].command(linear=0.2, angular=1.0)
    world.step(100)
    number, time, values = split(pose_frame(world, 7))
    assert (number, time) == (7, world.time)
    poses = values.reshape(-1, 7)
    document, _ = decode(export_scene(world))
    for body, pose in zip(document["bodies"], poses, strict=True):
        if not body["frame"]:
            continue
        T = world.tf.frame_pose(body["frame"], "world")
        np.testing.assert_allclose(pose[:3], T.translation, atol=1e-5)
        assert abs(np.dot(pose[3:], T.rotation)) == pytest.approx(1.0, abs=1e-5)


def test_velocities_and_contacts_are_those_of_mujoco():
    world = World.from_robot(load_robot("turtlebot3_burger"), ground=True)
    world.robots["turtlebot3_burger"].command(linear=0.2, angular=1.0)
    world.step(60)
    _, _, values = split(physics_frame(world, 0))
    count = int(values[0])
    contacts = values[1 : 1 + 6 * count].reshape(-1, 6)
    assert count == len(world.contacts) > 0
    np.testing.assert_allclose(contacts[:, :3], [c.position for c in world.contacts], atol=1e-6)
    np.testing.assert_allclose(contacts[:, 3:], [c.force for c in world.contacts], rtol=1e-4)
    velocities = values[1 + 6 * count :].reshape(-1, 3)
    data = world.forward()
    found = np.empty(6)
    for i, velocity in enumerate(velocities):
        kind = int(mujoco.mjtObj.mjOBJ_BODY)
        mujoco.mj_objectVelocity(world.model, data, kind, i, found, 0)
        np.testing.assert_allclose(velocity, found[3:], atol=1e-5)


def test_clouds_and_transforms():
    points = np.arange(6.0).reshape(2, 3)
    number, time, values = split(cloud_frame(points, (9.0, 8.0, 7.0), 1.5, 3))
    assert (number, time) == (3, 1.5)
    np.testing.assert_array_equal(values.reshape(-1, 3), [[9, 8, 7], [0, 1, 2], [3, 4, 5]])
    message = transform_frame([Transform((1, 2, 3)), None], 4, 0.5)
    number, time, values = split(message)
    assert (number, time) == (4, 0.5)
    np.testing.assert_array_equal(values[:7], [1, 2, 3, 0, 0, 0, 1])
    assert np.isnan(values[7:]).all()


def test_what_is_added_is_in_the_next_export():
    world = World.load("empty_world")
    ball = {"name": "ball", "shape": {"kind": "sphere", "radius": 0.1}, "dynamic": True}
    world.spawn(ObjectConfig.model_validate(ball))
    document, _ = decode(export_scene(world))
    assert document["generation"] == world.generation == 1
    assert document["bodies"][-1]["owner"] == "ball"
    assert document["bodies"][-1]["kind"] == "object"


def test_sensors_are_where_the_world_has_them():
    world = World.load("warehouse")
    world.step(10)
    document, _ = decode(export_scene(world))
    assert [found["name"] for found in document["sensors"]] == list(world.sensors)
    for found, sensor in zip(document["sensors"], world.sensors.values(), strict=True):
        body = found["body"]
        x, y, z = world.data.xpos[body]
        w, qx, qy, qz = world.data.xquat[body]
        T_world_body = Transform((x, y, z), (qx, qy, qz, w))
        T_world_sensor = T_world_body @ Transform(found["pos"], found["quat"])
        np.testing.assert_allclose(
            T_world_sensor.translation, sensor.T_world_sensor.translation, atol=1e-6
        )
        assert found["kind"] == sensor.config.kind
