"""What a world looks like: shapes are where the physics has them, and sinks get them in time."""

from __future__ import annotations

import numpy as np
import pytest

from horus_sim.hub import connect
from horus_sim.robots.engine import mujoco
from horus_sim.running import RunningWorld
from horus_sim.running.recording import McapFile, McapRecorder, Player
from horus_sim.sim3d import World
from horus_sim.sim3d.exchange.shapes import scene_shapes
from horus_sim.sim3d.rendering.render import COLLISION_GROUP
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.shapes import BoxShape, CapsuleShape, SphereShape


@pytest.mark.parametrize("scene", ["warehouse", "tabletop"])
def test_every_visible_geom_is_where_the_physics_has_it(scene):
    world = World.load(scene)
    world.step(50)
    model, data = world.model, world.data
    found = [
        (world.tf.lookup_transform(frame, "world") @ shape.T_frame_shape).translation
        for frame, shapes in scene_shapes(world).of_frame.items()
        for shape in shapes
    ]
    places = np.array(found)
    planes = int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_CAPSULE)
    for geom in range(model.ngeom):
        if model.geom_group[geom] != COLLISION_GROUP and model.geom_type[geom] not in planes:
            assert np.linalg.norm(places - data.geom_xpos[geom], axis=1).min() < 1e-9


def test_sizes_are_those_of_the_scene():
    world = World.load("empty_world")
    pose = PoseConfig(xyz=(0.0, 0.0, 2.0))
    world.spawn(ObjectConfig(name="box", shape=BoxShape(size=(0.2, 0.3, 0.4)), pose=pose))
    world.spawn(ObjectConfig(name="ball", shape=SphereShape(radius=0.25), pose=pose))
    world.spawn(ObjectConfig(name="pill", shape=CapsuleShape(radius=0.1, length=0.6), pose=pose))
    shapes = scene_shapes(world).of_frame
    (box,), (ball,) = shapes["box"], shapes["ball"]
    assert (box.kind, box.size) == ("box", pytest.approx((0.2, 0.3, 0.4)))
    assert (ball.kind, ball.size) == ("sphere", pytest.approx((0.5, 0.5, 0.5)))
    assert [shape.kind for shape in shapes["pill"]] == ["cylinder", "sphere", "sphere"]
    ends = [shape.T_frame_shape.translation[2] for shape in shapes["pill"][1:]]
    assert ends == pytest.approx([-0.3, 0.3])
    (ground,) = shapes["ground"]
    assert ground.T_frame_shape.translation[2] + ground.size[2] / 2 == pytest.approx(0.0)


def test_the_ground_of_a_height_field_is_where_rays_hit_it():
    world = World.load("rough_terrain")
    frame, mesh = next(
        (frame, shape)
        for frame, shapes in scene_shapes(world).of_frame.items()
        for shape in shapes
        if shape.kind == "mesh" and shape.vertices is not None and len(shape.vertices) > 1000
    )
    assert mesh.vertices is not None
    T = world.tf.lookup_transform(frame, "world") @ mesh.T_frame_shape
    vertices = mesh.vertices[:: len(mesh.vertices) // 40] * (0.999, 0.999, 1.0)
    names = [world.model.geom(i).type[0] for i in range(world.model.ngeom)]
    field = names.index(int(mujoco.mjtGeom.mjGEOM_HFIELD))
    hits = 0
    for point in vertices:
        x, y, z = T.transform_point(point)
        above = np.array((x, y, 50.0))
        distance = mujoco.mj_rayHfield(
            world.model, world.data, field, above, np.array((0.0, 0.0, -1.0)), None
        )
        if distance >= 0:
            assert 50.0 - distance == pytest.approx(z, abs=0.05)
            hits += 1
    assert hits > 20


def test_recordings_hold_the_scene_for_foxglove_and_what_changed(tmp_path):
    world = World.load("empty_world")
    with RunningWorld(world) as running:
        running.add_outlet(McapRecorder(tmp_path / "run.mcap"))
        running.step(5)
        running.spawn(ObjectConfig(name="box", shape=BoxShape(size=(0.2, 0.3, 0.4))))
        running.step(5)
        running.remove("box")
        running.step(5)
    found = list(McapFile(tmp_path / "run.mcap").read(["scene"]))
    assert [message.schema for message in found] == ["foxglove.SceneUpdate"] * 3
    assert len({message.stamp_ns for message in found}) == 3
    with connect() as hub:
        played = Player(McapFile(tmp_path / "run.mcap"), hub, speed=None).play()
    assert not played.unknown


def test_a_part_that_left_is_gone_from_the_next_message():
    world = World.load("empty_world")
    world.spawn(ObjectConfig(name="box", shape=BoxShape(size=(0.2, 0.3, 0.4))))
    before = scene_shapes(world)
    world.remove("box")
    after = scene_shapes(world, before)
    assert after.gone == ("box",)
    assert "box" not in after.of_frame
