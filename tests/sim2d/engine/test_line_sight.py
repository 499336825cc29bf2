"""What line sensors see: marks, patches, and bodies that say how strongly they reflect."""

from __future__ import annotations

import numpy as np
import pytest

from horus_sim.errors import SnapshotError
from horus_sim.sim2d import Simulator

from ..makers import body, robot_values, scenario

MARK = {"points": [[-1, 0], [1, 0]], "thickness": 0.1}
RAY = {"name": "ray", "type": "line_array", "body": "chassis", "mount_pose": [0.5, 0, 0],
       "params": {"preset": "ideal", "count": 41, "spacing": 0.02}}  # fmt: skip
POINT = {"name": "point", "type": "line", "body": "chassis", "mount_pose": [0.5, 0, 0],
         "params": {"preset": "ideal", "signal": 2.0}}  # fmt: skip


def thing(name="box", **material):
    return {"name": name, "body": body(name, pose=[0.5, 0, 0], material=material)}


def reading(*things, drawings=(), sensors=(POINT,), **robot):
    world = {"shape_objects": list(things), "drawings": list(drawings)}
    sim = Simulator(scenario(world, sensors=list(sensors), **robot))
    return sim.sensors[sensors[0]["name"]].read().value


@pytest.mark.parametrize(
    ("material", "marks", "seen"),
    [
        ({"reflect_line": 0.7}, [], 1.4),
        ({}, [], 0.0),
        ({}, [MARK], 2.0),
        ({"reflect_line": 0.25}, [MARK], 0.5),
        ({"reflect_line": 0.0}, [MARK], 0.0),
        ({"custom": {"line_intensity": 0.9}, "reflect_line": 0.1}, [], 1.8),
        ({"custom": {"line_intensity": 0.2}, "reflect_line": 0.9}, [MARK], 2.0),
        ({"custom": {"line_intensity": None}, "reflect_line": 0.3}, [], 0.6),
    ],
)
def test_a_body_is_seen_as_strongly_as_its_file_says(material, marks, seen):
    assert reading(thing(**material), drawings=marks) == pytest.approx(seen, abs=1e-12)


def test_the_strongest_of_several_bodies_is_seen():
    assert reading(thing("a", reflect_line=0.3), thing("b", reflect_line=0.4)) == 0.8


def test_the_body_of_the_sensor_is_not_seen_and_others_of_its_robot_are():
    own = body(material={"reflect_line": 0.9})
    on_body = {**POINT, "mount_pose": [0.05, 0, 0]}
    assert reading(sensors=[on_body], bodies=[own]) == 0.0
    arm = body("arm", pose=[0.5, 0, 0], material={"reflect_line": 0.6})
    assert reading(bodies=[own, arm]) == pytest.approx(1.2)


@pytest.mark.parametrize("shape", ["polygon", "circle"])
def test_what_is_covered_is_what_geometry_says(shape):
    rng = np.random.default_rng(5)
    points = [[-0.12, -0.1], [0.15, -0.08], [0.2, 0.1], [-0.05, 0.14]]
    outline = {"points": points} if shape == "polygon" else {"points": [], "radius": 0.13}
    world = {
        "terrain": [{"name": "t", "body": body("t", material={"reflect_line": 1.0}, **outline)}]
    }
    sim = Simulator(scenario(world, sensors=[RAY]))
    ys = (20 - np.arange(41)) * 0.02
    edges = zip(points, [*points[1:], points[0]], strict=True)
    covered = 0
    for _ in range(50):
        # Placed at random; the sensor's points lie on the line x = 0.5.
        sim.reset()
        sim.body("t").set_pose(*(rng.uniform([0.3, -0.4, -7], [0.7, 0.4, 7])))
        local = [sim.body("t").pose.inverse().transform_point((0.5, y)) for y in ys]
        inside = np.hypot(*np.array(local).T) <= 0.13
        if shape == "polygon":
            edges = list(zip(points, [*points[1:], points[0]], strict=True))
            inside = [
                all((b[0] - a[0]) * (y - a[1]) >= (b[1] - a[1]) * (x - a[0]) for a, b in edges)
                for x, y in local
            ]
        assert sim.readings["ray"].tolist() == np.array(inside, float).tolist()
        covered += sum(inside)
    assert covered > 50


def test_a_body_that_is_pushed_takes_what_is_seen_along():
    sim = Simulator(scenario({"shape_objects": [thing(reflect_line=0.5)]}, sensors=[POINT]))
    sim.step()
    assert sim.readings["point"] == 1.0
    sim.body("box").set_pose(0.5, 0.3, 0)
    sim.step()
    assert sim.readings["point"] == 0.0


def test_states_of_worlds_that_are_seen_otherwise_are_refused():
    one, other = (
        Simulator(scenario({"shape_objects": [thing(reflect_line=seen)]}, **robot_values()))
        for seen in (0.5, 0.6)
    )
    with pytest.raises(SnapshotError, match="does not belong to this world"):
        other.apply_snapshot(one.snapshot())
