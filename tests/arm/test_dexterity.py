"""Manipulability, velocity ellipsoid, singularity and workspace against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.arm import (
    Arm,
    arm_names,
    manipulability,
    random_configurations,
    singularity,
    velocity_ellipsoid,
    workspace_cloud,
)
from horus_sim.errors import ArmError

from . import oracle


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_two_links_have_a_closed_form(q1, q2):
    arm = oracle.planar(0.5, 0.4)
    singular_values = np.linalg.svd(arm.jacobian([q1, q2])[:2], compute_uv=False)
    assert np.prod(singular_values) == pytest.approx(0.5 * 0.4 * abs(np.sin(q2)), abs=1e-12)
    assert manipulability(arm, [q1, q2]) == pytest.approx(0.2 * abs(np.sin(q2)), abs=1e-12)
    ellipsoid = velocity_ellipsoid(arm, [q1, q2])
    np.testing.assert_allclose(ellipsoid.radii, [*singular_values, 0.0], atol=1e-12)
    np.testing.assert_allclose(ellipsoid.axes @ ellipsoid.axes.T, np.eye(3), atol=1e-12)


def test_the_ellipsoid_bounds_the_velocity():
    arm = Arm.load("panda")
    q = arm.initial
    ellipsoid = velocity_ellipsoid(arm, q)
    rng = np.random.default_rng(0)
    rates = rng.normal(size=(1000, 7))
    rates /= np.linalg.norm(rates, axis=1, keepdims=True)
    inside = (rates @ arm.jacobian(q)[:3].T) @ ellipsoid.axes / ellipsoid.radii
    assert (np.linalg.norm(inside, axis=1) <= 1 + 1e-12).all()
    assert np.prod(ellipsoid.radii) == pytest.approx(manipulability(arm, q))


def test_singular_configurations_measure_zero():
    puma = Arm.load("puma560")
    assert singularity(puma, np.radians([0, 45, -180, 0, 0, 0]), mode="pose") < 1e-9
    assert singularity(puma, puma.initial, mode="pose") > 0.01
    assert manipulability(puma, np.radians([0, 45, -180, 0, 0, 0]), mode="pose") < 1e-9
    many = random_configurations(puma, 5)
    values = singularity(puma, many)
    assert isinstance(values, np.ndarray)
    assert values.tolist() == pytest.approx([singularity(puma, q) for q in many])
    assert ((values >= 0) & (values <= 1)).all()
    planar = Arm.load("planar3")
    assert singularity(planar, planar.initial) > 0.1
    assert singularity(planar, (0.3, 0.0, 0.0)) < 1e-9
    with pytest.raises(ArmError, match="mode is 'all'"):
        manipulability(puma, puma.initial, mode="all")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", arm_names())
def test_the_cloud_is_reachable(name):
    arm = Arm.load(name)
    cloud = workspace_cloud(arm, 300, seed=4)
    assert cloud.shape == (300, 3)
    assert np.array_equal(cloud, workspace_cloud(arm, 300, seed=4))
    assert arm.ik_batch(cloud).success.all()
    assert all(arm.reachable(point) for point in cloud[:10])
    with pytest.raises(ArmError, match="n is 0"):
        workspace_cloud(arm, 0)
