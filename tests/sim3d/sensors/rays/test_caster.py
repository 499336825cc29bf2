"""Rays against closed forms and against MuJoCo's own."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from horus_sim.robots.engine import mujoco
from horus_sim.sim3d import Scene, World
from horus_sim.sim3d.sensors.rays.caster import RayCaster, seen_geoms
from horus_sim.tf import Transform

ROUND_AND_FLAT = """
<mujoco>
  <asset>
    <mesh name="lump" vertex="0 0 0  1 0 0  0 1 0  0 0 1  0.6 0.7 0.5"/>
    <hfield name="hills" nrow="6" ncol="8" size="1 0.8 0.5 0.2"/>
  </asset>
  <worldbody>
    <body mocap="true" pos="0 0 -4"><geom type="plane" size="6 5 1"/></body>
    <body mocap="true" pos="1 2 0" euler="10 20 30"><geom type="box" size="0.5 0.3 0.8"/></body>
    <body mocap="true" pos="-2 1 1" euler="50 0 10"><geom type="cylinder" size="0.4 0.7"/></body>
    <body mocap="true" pos="2 -2 -1"><geom type="hfield" hfield="hills" euler="5 9 70"/></body>
    <body mocap="true" pos="0 -3 1" euler="0 70 10"><geom type="mesh" mesh="lump"/></body>
    <body pos="3 1 1"><freejoint/><geom type="sphere" size="0.6"/></body>
    <body pos="-3 -1 -1" euler="30 60 9"><freejoint/><geom type="capsule" size="0.3 0.6"/></body>
    <body pos="1 0 3" euler="9 8 7"><freejoint/><geom type="ellipsoid" size="0.3 0.6 0.9"/></body>
    <body pos="-1 3 -2" euler="80 8 7"><freejoint/><geom type="box" size="0.3 0.6 0.9"/></body>
    <body pos="-1 -2 -2" euler="1 2 3"><freejoint/><geom type="mesh" mesh="lump"/></body>
    <body pos="0 1 -3" euler="40 50 7"><freejoint/><geom type="cylinder" size="0.8 0.2"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def state() -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec.from_string(ROUND_AND_FLAT)
    spec.hfields[0].userdata = np.random.default_rng(1).random(48)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return model, data


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def mujoco_rays(model, data, origins, directions):
    """The oracle: one ray after the other, with normals."""
    distances, geoms, normals = [], [], []
    for origin, direction in zip(
        np.broadcast_to(origins, directions.shape), directions, strict=True
    ):
        geom, normal = np.zeros(1, np.int32), np.zeros(3)
        found = mujoco.mj_ray(model, data, origin, direction, None, 1, -1, geom, normal)
        distances.append(np.inf if found < 0 else found)
        geoms.append(geom[0])
        normals.append(normal)
    return np.array(distances), np.array(geoms), np.array(normals)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), common=st.booleans())
def test_every_shape_is_met_where_mujoco_meets_it(state, seed, common):
    model, data = state
    rng = np.random.default_rng(seed)
    # On a sphere around everything, so that no ray starts inside the height field.
    origins = 7.0 * unit(rng.normal(size=(300, 3)))
    origins = origins[0] if common else origins
    directions = unit(rng.uniform(-3.5, 3.5, (300, 3)) - origins)
    caster = RayCaster(model, np.arange(model.ngeom))
    hits = caster.cast(data, origins, directions)
    distances, geoms, normals = mujoco_rays(model, data, origins, directions)
    np.testing.assert_allclose(hits.distances, distances, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(hits.geoms, geoms)
    met = geoms >= 0
    cosines = np.abs(np.einsum("ij,ij->i", normals, directions))
    np.testing.assert_allclose(hits.cosines[met], cosines[met], atol=1e-6)


def test_all_shapes_are_among_those_met(state):
    model, data = state
    origins = 7.0 * unit(np.random.default_rng(2).normal(size=(4000, 3)))
    hits = RayCaster(model, np.arange(model.ngeom)).cast(data, origins, unit(-origins + 2.0))
    far = RayCaster(model, np.arange(model.ngeom)).cast(data, origins, unit(-origins - 1.0))
    assert set(hits.geoms) | set(far.geoms) == set(range(-1, model.ngeom))


@pytest.mark.parametrize("kind", ["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"])
def test_a_ray_from_inside_meets_the_way_out(state, kind):
    model, data = state
    number = int(getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}"))
    geom = int(np.flatnonzero(model.geom_type == number)[-1])
    origin = data.geom_xpos[geom].copy()
    directions = unit(np.random.default_rng(3).normal(size=(200, 3)))
    hits = RayCaster(model, np.array([geom])).cast(data, origin, directions)
    expected = mujoco_rays(model, data, origin, directions)[0]
    np.testing.assert_allclose(hits.distances, expected, rtol=0, atol=1e-9)


def scene_world(*objects: dict) -> World:
    return World.load(Scene.model_validate({"objects": list(objects)}))


def cast(world: World, origin, directions, **options) -> np.ndarray:
    caster = RayCaster(world.model, seen_geoms(world.model), **options)
    directions = unit(np.atleast_2d(np.asarray(directions, float)))
    return caster.cast(world.data, np.asarray(origin, float), directions).distances


def test_closed_forms():
    world = scene_world(
        {"name": "ground", "shape": {"kind": "plane"}},
        {"name": "box", "shape": {"kind": "box", "size": [1, 1, 1]}, "pose": {"xyz": [3, 0, 0.5]}},
        {
            "name": "pillar",
            "shape": {"kind": "cylinder", "radius": 0.25, "length": 2.0},
            "pose": {"xyz": [0, 4, 1]},
        },
        {"name": "ball", "shape": {"kind": "sphere", "radius": 0.5}, "pose": {"xyz": [-3, 0, 1]}},
    )
    down = np.deg2rad(30.0)
    directions = [
        (1, 0, 0), (np.cos(down), -0.001, -np.sin(down)), (0, 1, 0), (0.05, 1, 0), (-1, 0, 0),
        (0, -1, 1e-3), (0, -1, -1e-3),
    ]  # fmt: skip
    t = unit(np.array((0.05, 1.0)))
    beside = 4.0 * t[0]
    expected = [
        2.5,
        1.0 / unit(np.array(directions[1]))[2] * -1.0,
        3.75,
        4.0 * t[1] - np.sqrt(0.25**2 - beside**2),
        2.5,
        np.inf,
        np.inf,  # 1 km away, where the plane is not drawn any more
    ]
    np.testing.assert_allclose(cast(world, (0, 0, 1.0), directions), expected, rtol=0, atol=1e-9)


def test_no_ray_slips_through_the_diagonals_of_a_box():
    world = scene_world(
        {"name": "box", "shape": {"kind": "box", "size": [2, 2, 2]}, "pose": {"xyz": [3, 0, 0]}}
    )
    share = np.linspace(-0.999, 0.999, 2001)
    for sign in (-1.0, 1.0):
        directions = np.column_stack((np.full(2001, 2.0), share, sign * share))
        expected = np.linalg.norm(directions, axis=1)
        np.testing.assert_allclose(cast(world, (0, 0, 0), directions), expected, atol=1e-9)
    np.testing.assert_allclose(cast(world, (0, 0, 0), [(1, 0, 0)]), [2.0], rtol=0, atol=1e-12)


def test_a_mesh_is_met_as_its_triangles_say(tmp_path):
    mesh = trimesh.creation.box((1.0, 2.0, 3.0))
    mesh.export(tmp_path / "block.stl")
    for dynamic in ("false", "true"):
        (tmp_path / "scene.yaml").write_text(
            "objects: [{name: block, shape: {kind: mesh, file: block.stl}, "
            f"pose: {{xyz: [4, 0, 0]}}, dynamic: {dynamic}}}]"
        )
        world = World.load(tmp_path / "scene.yaml")
        angles = np.linspace(-0.2, 0.2, 41)
        directions = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(41)))
        expected = 3.5 / np.cos(angles)
        np.testing.assert_allclose(cast(world, (0, 0, 0), directions), expected, rtol=0, atol=1e-9)


def test_nothing_farther_than_the_longest_distance():
    world = scene_world({"name": "ground", "shape": {"kind": "plane"}})
    caster = RayCaster(world.model, seen_geoms(world.model))
    down = np.array([[0.0, 0.0, -1.0]])
    hits = caster.cast(world.data, np.array((0.0, 0.0, 5.0)), down, max_distance=4.9)
    assert hits.distances[0] == np.inf
    assert hits.geoms[0] == -1
    assert hits.cosines[0] == 0.0


def test_what_is_moved_is_met_where_it_is():
    world = scene_world(
        {"name": "wall", "shape": {"kind": "box", "size": [0.2, 4, 4]}, "pose": {"xyz": [2, 0, 0]}},
        {"name": "far", "shape": {"kind": "box", "size": [0.2, 9, 9]}, "pose": {"xyz": [50, 0, 0]}},
    )
    caster = RayCaster(world.model, seen_geoms(world.model))
    forward = np.array([[1.0, 0.0, 0.0]])
    for x in (2.0, 3.0, 4.5, 4.5, 6.0, 7.0, 8.0, 1.0, 60.0):
        world.move("wall", Transform((x, 0.0, 0.0)))
        distance = caster.cast(world.data, np.zeros(3), forward).distances[0]
        assert distance == pytest.approx(min(x, 50.0) - 0.1, abs=1e-12)
    assert len(caster._standing) == 1


def test_which_geoms_are_seen():
    world = World.load(
        Scene.model_validate(
            {
                "materials": {"air": {"rgba": [1, 1, 1, 0]}},
                "objects": [
                    {"name": "both", "shape": {"kind": "box", "size": [1, 1, 1]}},
                    {
                        "name": "hidden",
                        "shape": {"kind": "sphere", "radius": 1},
                        "visible": False,
                    },
                    {
                        "name": "ghost",
                        "shape": {"kind": "sphere", "radius": 1},
                        "collides": False,
                    },
                    {
                        "name": "clear",
                        "shape": {"kind": "sphere", "radius": 1},
                        "material": "air",
                        "collides": False,
                    },
                ],
            }
        )
    )
    names = {
        see: {world.model.geom(int(i)).name for i in seen_geoms(world.model, see)}
        for see in ("auto", "visual", "collision")
    }
    assert names["visual"] == {"both#visual0", "ghost#visual0"}
    assert names["collision"] == {"both#collision0", "hidden#collision0"}
    assert names["auto"] == {"both#visual0", "ghost#visual0", "hidden#collision0"}


def test_a_height_field_that_is_carried_about_is_met_where_it_is(state):
    model, data = state
    geom = int(np.flatnonzero(model.geom_type == int(mujoco.mjtGeom.mjGEOM_HFIELD))[0])
    origins = 7.0 * unit(np.random.default_rng(4).normal(size=(300, 3)))
    directions = unit(data.geom_xpos[geom] - origins + 0.3)
    stands = RayCaster(model, np.array([geom])).cast(data, origins, directions)
    carried = RayCaster(model, np.array([geom]), [int(model.geom_bodyid[geom])])
    moves = carried.cast(data, origins, directions)
    assert np.isfinite(moves.distances).mean() > 0.5
    np.testing.assert_allclose(moves.distances, stands.distances, rtol=0, atol=1e-9)
