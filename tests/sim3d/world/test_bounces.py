"""Bounces against their closed form: they keep the share e of the speed and gain nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from horus_sim.sim3d import Scene, World

HALF = 0.05
SHAPES: dict[str, dict[str, Any]] = {
    "sphere": {"kind": "sphere", "radius": HALF},
    "box": {"kind": "box", "size": [2 * HALF] * 3},
}


def falling(shape: str, restitution: float, height: float, **pose: Any) -> World:
    item = {
        "name": "it",
        "shape": SHAPES[shape],
        "dynamic": True,
        "pose": {"xyz": [0, 0, HALF + height], **pose},
        "surface": {"restitution": restitution},
    }
    floor = {"name": "floor", "shape": {"kind": "plane"}}
    return World.load(Scene.model_validate({"objects": [floor, item]}))


def first_rebound(world: World) -> float:
    item = world.objects["it"]
    highest, has_hit = 0.0, False
    for _ in range(1000):
        world.step()
        speed = item.velocity[0][2]
        has_hit = has_hit or speed > 0.0
        if has_hit:
            highest = max(highest, float(item.pose.translation[2]) - HALF)
            if speed < 0.0:
                break
    return highest


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("restitution", [0.5, 0.7, 0.8, 0.9])
@pytest.mark.parametrize("height", [0.5, 1.0, 1.03, 2.0])
def test_the_first_rebound_is_that_of_the_closed_form(
    shape: str, restitution: float, height: float
):
    rebound = first_rebound(falling(shape, restitution, height))
    assert rebound / height == pytest.approx(restitution**2, rel=0.03)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("height", [0.3, 1.0, 1.03, 3.0])
def test_a_weak_bounce_is_right_within_a_hundredth_of_the_fall(shape: str, height: float):
    assert first_rebound(falling(shape, 0.3, height)) / height == pytest.approx(0.09, abs=0.01)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rpy_deg", [[0, 0, 0], [20, 35, 10]])
def test_no_bounce_gains_energy(shape: str, rpy_deg: list[float]):
    world = falling(shape, 1.0, 1.0, rpy_deg=rpy_deg)
    start = world.energy
    total = start.potential + start.kinetic
    energies = []
    for _ in range(20 * 24):
        world.step(10)
        now = world.energy
        energies.append((now.potential + now.kinetic) / total)
    # Within one flight the steps alone let the energy swing by |v| h, a fiftieth here.
    assert max(energies) < 1.02
    later = np.array(energies).reshape(4, -1).max(axis=1)
    assert (np.diff(later) < 0.0).all()
    assert energies[-1] > 0.8
