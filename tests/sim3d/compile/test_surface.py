"""Surfaces as contact parameters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.robots.description import Surface
from horus_sim.sim3d import PhysicsConfig, Scene, World
from horus_sim.sim3d.compile.surface import contact_parameters
from horus_sim.sim3d.scene.physics import ContactPhysicsConfig

PHYSICS = PhysicsConfig(
    timestep=0.004, contact=ContactPhysicsConfig(time_constant=0.01, friction=0.7)
)


def test_what_is_not_given_is_as_the_scene_says():
    found = contact_parameters(Surface(), PHYSICS, 1.0)
    assert found.friction == (0.7, 0.005, 0.0001)
    assert (found.condim, found.priority, found.solref) == (3, 0, (0.01, 1.0))
    slow = contact_parameters(Surface(), PHYSICS.model_copy(update={"timestep": 0.01}), 1.0)
    assert slow.solref == (0.02, 1.0)


@pytest.mark.parametrize(
    ("surface", "dimensions", "priority"),
    [
        (Surface(friction=0.0), 1, 10),
        (Surface(friction=0.1), 3, 8),
        (Surface(friction=0.1, priority=1), 3, 8),
        (Surface(friction=0.1, priority=2), 3, 2),
        (Surface(friction=0.69), 3, 1),
        (Surface(friction=0.9, priority=1), 3, 1),
        (Surface(friction=0.9), 3, 0),
        (Surface(friction=0.1, priority=-2), 3, -2),
        (Surface(torsional=0.1), 4, 0),
        (Surface(rolling=0.1, torsional=0.1), 6, 0),
        (Surface(rolling=0.1, contact_dimensions=3), 3, 0),
    ],
)
def test_slippery_surfaces_get_a_say(surface: Surface, dimensions: int, priority: int):
    found = contact_parameters(surface, PHYSICS, 1.0)
    assert (found.condim, found.priority) == (dimensions, priority)


@given(st.floats(1.0, 1e15), st.none() | st.floats(0.0, 1e9), st.floats(1e-3, 1e3))
def test_springs_are_never_harder_than_the_scene_s_contacts(
    stiffness: float, damping: float | None, mass: float
):
    surface = Surface(stiffness=stiffness, damping=damping)
    time_constant, ratio = contact_parameters(surface, PHYSICS, mass).solref
    assert time_constant >= 0.01
    assert 0.1 <= ratio <= 10.0


def test_a_soft_contact_sinks_in_by_the_weight_over_its_stiffness():
    ball = {
        "name": "ball",
        "shape": {"kind": "sphere", "radius": 0.2},
        "dynamic": True,
        "mass": 1.0,
        "pose": {"xyz": [0, 0, 0.2]},
        "surface": {"stiffness": 500.0, "damping": 2 * 500.0**0.5, "priority": 1},
    }
    floor = {"name": "floor", "shape": {"kind": "plane"}}
    world = World.load(Scene.model_validate({"objects": [floor, ball]}))
    world.step(960)
    sunk = 0.2 - world.objects["ball"].pose.translation[2]
    # MuJoCo's contacts carry the share d of the load by themselves: a soft one sinks in less.
    assert 0.0 < sunk <= 9.81 / 500.0


@given(st.floats(0.0, 1.0, exclude_min=True))
def test_no_rebound_is_faster_than_the_impact(restitution: float):
    found = contact_parameters(Surface(restitution=restitution), PHYSICS, 1.0)
    stiffness, damping = (-value for value in found.solref)
    h = PHYSICS.timestep
    # One step from speed -1 at the deepest overlap that it can have reached.
    assert -1.0 + h * damping + h * stiffness * h <= 1.0 + 1e-12
    assert found.solimp == (0.9999, 0.9999, 0.001)
