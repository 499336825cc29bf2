"""The ground's heights, against rays of MuJoCo and against what its settings say."""

from __future__ import annotations

import numpy as np

from horus_sim.rl.models.terrain import TerrainConfig
from horus_sim.rl.models.walker_model import FLOOR, walker_spec
from horus_sim.robots.engine import mujoco


def test_heights_are_those_that_rays_meet():
    terrain = TerrainConfig(levels=2, cell=0.1).build()
    model = walker_spec("quadruped", 0.005, terrain)[0].compile()
    data = mujoco.MjData(model)
    data.qpos[2] = -50.0
    mujoco.mj_forward(model, data)
    points = np.random.default_rng(0).uniform(-14, 14, (400, 2))
    met, down = np.zeros(1, np.int32), np.array((0.0, 0.0, -1.0))
    for point, height in zip(points, terrain.height(points), strict=True):
        start = np.array((*point, 5.0))
        away = mujoco.mj_ray(model, data, start, down, None, 1, -1, met)
        assert model.geom(met[0]).name == FLOOR
        np.testing.assert_allclose(5.0 - away, height, atol=1e-6)


def test_the_hardest_fields_have_the_steps_and_slopes_that_settings_say():
    config = TerrainConfig(kinds=("steps", "slopes"), levels=4, step=0.05, slope=0.2618)
    terrain = config.build()
    # A field of 8 m is level for half a metre at its edge, and for a metre about its middle.
    steps = np.arange(7)
    on_steps, on_slope = 3.5 - 0.35 * (steps + 0.5), np.linspace(1.2, 3.4, 23)

    def heights(level, column, along):
        middle = terrain.middle(np.array([level]), np.array([column]))[0]
        return terrain.height(middle + np.stack([along, 0 * along], axis=1))

    for level in range(4):
        share = (level + 1) / 4
        np.testing.assert_allclose(heights(level, 0, on_steps), share * 0.05 * steps, atol=1e-6)
        np.testing.assert_allclose(heights(level, 1, on_steps), -share * 0.05 * steps, atol=1e-6)
        rise = -np.diff(heights(level, 2, on_slope)) / np.diff(on_slope)
        np.testing.assert_allclose(rise, np.tan(share * 0.2618), rtol=1e-4)


def test_the_seed_decides_the_rubble():
    one, same, other = (TerrainConfig(kinds=("rubble",), seed=seed).build() for seed in (1, 1, 2))
    points = np.random.default_rng(0).uniform(-8, 8, (2000, 2))
    np.testing.assert_array_equal(one.height(points), same.height(points))
    assert (one.height(points) != other.height(points)).mean() > 0.3
    assert np.abs(one.height(points)).max() <= 0.04 + 1e-6
