"""Boxes against spheres and boxes, as MuJoCo measures their distance."""

from __future__ import annotations

import mujoco
import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from horus_sim.running.services.overlap import overlaps_box, overlaps_sphere
from horus_sim.running.world.entity import Box
from horus_sim.tf import Transform

_CLOSE = 1e-4
places = st.tuples(*[st.floats(-2, 2)] * 3)
sizes = st.tuples(*[st.floats(0.05, 1)] * 3)
angles = st.tuples(*[st.floats(-3, 3)] * 3)


def distance(shape: str, size: str, half, T_world_box: Transform, at) -> float:
    """Distance [m] between a box and another shape, negative where they overlap."""
    x, y, z, w = T_world_box.rotation
    text = f"""<mujoco><worldbody>
      <geom name="a" type="box" size="{half[0]} {half[1]} {half[2]}"
        pos="{" ".join(map(str, T_world_box.translation))}" quat="{w} {x} {y} {z}"/>
      <geom name="b" type="{shape}" size="{size}" pos="{at[0]} {at[1]} {at[2]}"/>
    </worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return mujoco.mj_geomDistance(model, data, 0, 1, 100.0, None)


def around(half, middle) -> Box:
    lower, upper = np.subtract(middle, half), np.add(middle, half)
    return Box((lower[0], lower[1], lower[2]), (upper[0], upper[1], upper[2]))


@given(places, angles, sizes, places, sizes, places)
def test_two_boxes(at, turned, half, middle, other_half, other_at):
    T_world_entity = Transform.from_euler(at, turned)
    T_world_box = T_world_entity @ Transform(middle)
    found = distance("box", " ".join(map(str, other_half)), half, T_world_box, other_at)
    assume(abs(found) > _CLOSE)
    lower, upper = np.subtract(other_at, other_half), np.add(other_at, other_half)
    box = around(half, middle)
    assert overlaps_box(box, T_world_entity, lower, upper) == (found < 0)


@given(places, angles, sizes, places, st.floats(0.05, 2), places)
def test_a_box_and_a_sphere(at, turned, half, middle, radius, center):
    T_world_entity = Transform.from_euler(at, turned)
    T_world_box = T_world_entity @ Transform(middle)
    found = distance("sphere", str(radius), half, T_world_box, center)
    assume(abs(found) > _CLOSE)
    box = around(half, middle)
    assert overlaps_sphere(box, T_world_entity, np.array(center), radius) == (found < 0)
