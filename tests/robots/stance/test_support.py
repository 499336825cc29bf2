"""Polygons of support against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.robots.stance.support import margin, roundness, support_polygon

SQUARE = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
numbers = st.floats(-10.0, 10.0, allow_nan=False)


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ((0.0, 0.0), 1.0),
        ((0.5, 0.2), 0.5),
        ((1.0, 0.0), 0.0),
        ((2.0, 0.0), -1.0),
        ((4.0, 5.0), -5.0),
    ],
)
def test_the_margin_in_a_square(point: tuple[float, float], expected: float):
    polygon = support_polygon(SQUARE)
    assert margin(polygon, np.array(point)) == pytest.approx(expected)
    assert roundness(polygon) == pytest.approx(1.0)


def test_a_triangle_is_as_round_as_its_inscribed_circle():
    corners = np.array([(math.cos(turn), math.sin(turn)) for turn in (0.0, 2.0944, -2.0944)])
    assert roundness(support_polygon(corners)) == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize(
    "points", [[(0.0, 0.0)], [(0.0, 0.0), (1.0, 0.0)], [(0, 0), (1, 1), (2, 2)]]
)
def test_nothing_is_inside_a_point_or_a_line(points: list[tuple[float, float]]):
    polygon = support_polygon(np.array(points, dtype=float))
    assert roundness(polygon) == 0.0
    assert margin(polygon, np.array(points[0], dtype=float)) == pytest.approx(0.0)
    assert margin(polygon, np.array((0.0, -3.0))) == pytest.approx(-3.0)


@given(st.lists(st.tuples(numbers, numbers), min_size=3, max_size=30))
def test_every_point_is_in_the_hull_and_its_corners_are_points(points: list[tuple[float, float]]):
    cloud = np.array(points)
    polygon = support_polygon(cloud)
    for corner in polygon:
        assert np.abs(cloud - corner).sum(axis=1).min() < 1e-9
    if roundness(polygon) > 1e-6:
        assert min(margin(polygon, point) for point in cloud) > -1e-6
