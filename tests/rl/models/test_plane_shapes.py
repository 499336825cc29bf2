"""Rays in the plane against MuJoCo's, constants of masses against MuJoCo's, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from mujoco.batch import Batch

import horus_sim.rl as rl
from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import ALL
from horus_sim.rl.engines.mass_constants import MassConstants
from horus_sim.rl.models.navigation_model import navigation_spec
from horus_sim.rl.models.plane_shapes import Plane
from horus_sim.robots.engine import mujoco

NUM_ENVS, CIRCLES, BOXES, RAYS = 40, 12, 6, 33


def scattered() -> tuple[Plane, np.ndarray, np.ndarray]:
    """Shapes and lidars anywhere, some lidars within shapes, and even rays."""
    random = np.random.default_rng(3)
    plane = Plane(NUM_ENVS, circles=CIRCLES, boxes=BOXES)
    plane.circles[..., :2] = random.uniform(-3, 3, (NUM_ENVS, CIRCLES, 2))
    plane.circles[..., 2] = random.uniform(0.1, 0.5, (NUM_ENVS, CIRCLES))
    plane.boxes[..., :2] = random.uniform(-3, 3, (NUM_ENVS, BOXES, 2))
    plane.boxes[..., 2] = random.uniform(-4, 4, (NUM_ENVS, BOXES))
    plane.boxes[..., 3:] = random.uniform(0.1, 0.6, (NUM_ENVS, BOXES, 2))
    yaw = random.uniform(-np.pi, np.pi, NUM_ENVS)
    places = random.uniform(-2, 2, (NUM_ENVS, 2))
    headings = np.concatenate([places, np.cos(yaw)[:, None], np.sin(yaw)[:, None]], axis=1)
    angles = np.arange(RAYS) * (2 * np.pi / RAYS)
    return plane, headings, np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_rays_are_those_of_mujoco():
    plane, headings, directions = scattered()
    spec = mujoco.MjSpec()
    for kind, count in (("CYLINDER", CIRCLES), ("BOX", BOXES)):
        for _ in range(count):
            shape = getattr(mujoco.mjtGeom, f"mjGEOM_{kind}")
            spec.worldbody.add_geom(
                type=shape, size=(1, 1, 1), pos=(9, 9, 9), quat=(0.8, 0, 0, 0.6)
            )
    batch = Batch(spec.compile(), NUM_ENVS, 1)
    pos, size, quat = (batch.expand(f"geom_{name}") for name in ("pos", "size", "quat"))
    pos[..., 2] = 0.0
    pos[:, :CIRCLES, :2], size[:, :CIRCLES, 0] = plane.circles[..., :2], plane.circles[..., 2]
    pos[:, CIRCLES:, :2], size[:, CIRCLES:, :2] = plane.boxes[..., :2], plane.boxes[..., 3:]
    half_yaw = plane.boxes[..., 2] / 2
    quat[:, CIRCLES:, 0], quat[:, CIRCLES:, 3] = np.cos(half_yaw), np.sin(half_yaw)
    cos, sin = headings[:, 2:3], headings[:, 3:4]
    world = np.zeros((NUM_ENVS, RAYS, 3))
    world[..., 0] = cos * directions[:, 0] - sin * directions[:, 1]
    world[..., 1] = sin * directions[:, 0] + cos * directions[:, 1]
    origins = np.zeros((NUM_ENVS, 1, 3))
    origins[:, 0, :2] = headings[:, :2]
    expected = batch.ray(origins, world)[0]
    seen = plane.rays(ALL, headings, directions)
    np.testing.assert_array_equal(np.isinf(seen), expected < 0)
    hit = expected >= 0
    assert 0.3 < hit.mean() < 1
    np.testing.assert_allclose(seen[hit], expected[hit], atol=1e-9, rtol=0)


def test_threads_choice_of_rows_and_range_change_nothing_else():
    plane, headings, directions = scattered()
    seen = plane.rays(ALL, headings, directions)
    ids = np.array([3, 17, 31])
    np.testing.assert_array_equal(plane.rays(ids, headings[ids], directions), seen[ids])
    near = plane.rays(ALL, headings, directions, max_range=1.0)
    np.testing.assert_array_equal(near, np.where(seen <= 1.0, seen, np.inf))
    many = [Plane(1000, circles=CIRCLES, threads=threads) for threads in (1, 2)]
    for copies in many:
        copies.circles[:] = plane.circles[np.arange(1000) % NUM_ENVS]
    poses = headings[np.arange(1000) % NUM_ENVS]
    one, two = (copies.rays(ALL, poses, directions) for copies in many)
    np.testing.assert_array_equal(one, two)


def test_clearance_is_the_distance_to_the_nearest_edge():
    plane = Plane(2, circles=1, boxes=1, walls=1)
    plane.circles[:] = [(2.0, 0.0, 0.5)]
    plane.boxes[:] = [(0.0, 2.0, np.pi / 2, 0.5, 0.25)]
    plane.walls[:] = [(-3.0, -1.0, -3.0, 1.0)]
    points = [(0.0, 0.0), (-2.0, 2.0)]
    expected = [1.5, np.hypot(1.0, 1.0)]
    np.testing.assert_allclose(plane.clearance(ALL, points), expected)
    assert plane.clearance(np.array([1]), [(2.0, 0.1)])[0] == pytest.approx(-0.4)
    assert plane.clearance(np.array([1]), [(0.0, 0.0)], open_space=0.2)[0] == 0.2


def test_shapes_that_do_not_fit_are_refused():
    plane = Plane(3, circles=1)
    with pytest.raises(TaskError, match=r"headings have shape \(2, 4\); give \(3, 4\)"):
        plane.rays(ALL, np.zeros((2, 4)), [(1.0, 0.0)])
    with pytest.raises(TaskError, match=r"directions have shape \(1, 3\)"):
        plane.rays(ALL, np.zeros((3, 4)), [(1.0, 0.0, 0.0)])
    with pytest.raises(IndexError, match="no environment"):
        plane.clearance(np.array([3]), np.zeros((1, 2)))


def _models() -> dict[str, Any]:
    folder = Path(gymnasium.__file__).parent / "envs/mujoco/assets"
    names = ("ant", "walker2d", "inverted_pendulum")
    models = {n: mujoco.MjModel.from_xml_path(str(folder / f"{n}.xml")) for n in names}
    ball = """<mujoco><worldbody><body pos="1 0 0" euler="10 20 30"><joint type="ball"/>
    <geom type="box" size=".1 .2 .3" pos=".1 .2 .3" euler="40 0 10"/><body pos="0 0 1">
    <joint type="slide" axis="1 2 3"/><geom type="ellipsoid" size=".1 .1 .2"/></body>
    </body></worldbody></mujoco>"""
    models["ball"] = mujoco.MjModel.from_xml_string(ball)
    models["navigation"] = navigation_spec().compile()
    return models


def test_constants_of_masses_are_those_of_mujoco():
    for name, model in _models().items():
        ours, theirs = Batch(model, 4, 1), Batch(model, 4, 1)
        random = np.random.default_rng(0)
        scale = random.uniform(0.5, 1.5, (4, model.nbody))
        shift = random.uniform(-0.02, 0.02, (4, model.nbody, 3))
        for batch in (ours, theirs):
            batch.expand("body_mass")[:] *= scale
            batch.expand("body_inertia")[:] *= scale[..., None]
            batch.expand("body_ipos")[:, 1:] += shift[:, 1:]
        theirs.set_const()
        assert MassConstants.fits(ours)
        MassConstants(ours).update(np.arange(4))
        for field in ("body_subtreemass", "body_invweight0", "dof_M0", "dof_invweight0"):
            expected, got = theirs.expanded(field), ours.expanded(field)
            assert expected is not None
            assert got is not None
            np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-12, err_msg=name + field)
        # So is the motion.
        for batch in (ours, theirs):
            batch.step(None, 20)
        np.testing.assert_allclose(ours.bind("qpos"), theirs.bind("qpos"), atol=1e-8, err_msg=name)


def test_an_inertia_that_is_none_is_refused():
    weight = {"kind": "mass", "scale": [1.0, 1.0]}
    envs = rl.make_vector("Navigation", 3, randomization={"weight": weight})
    envs.reset(seed=0)
    sim = envs.task.sim
    for field in ("body_mass", "body_inertia"):
        sim.expand(field)[1] = 0.0
    with pytest.raises(TaskError, match="inertia of environment 1 is not positive"):
        sim.set_const(np.arange(3))
