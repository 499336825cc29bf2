"""Scenes, thumbnails, snapshots and prints of the 2D runner, without a process."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.sim2d import Simulator, load_scenario, scenario_names
from horus_sim.ui.runner.model.drafts import Drafts
from horus_sim.ui.runner.model.prints import PrintBuffer
from horus_sim.ui.runner.model.timeline import Timeline
from horus_sim.ui.runner.model.trace import Trace
from horus_sim.ui.stream.frames2d import trace_2d
from horus_sim.ui.stream.scene2d import scene_of
from horus_sim.ui.views.thumbnail2d import thumbnail


@pytest.mark.parametrize("name", scenario_names())
def test_a_scene_has_everything_once_and_where_it_is(name: str):
    sim = Simulator.load(name, controllers=False)
    scene = json.loads(json.dumps(scene_of(sim.scenario, sim.layout)))
    ids = [item["id"] for key in ("bodies", "strokes", "devices", "joints") for item in scene[key]]
    assert len(ids) == len(set(ids))
    for body in scene["bodies"]:
        if body["kind"] != "patch":
            assert body["pose"] == pytest.approx(sim.bodies[body["id"]].pose)
    moving = {i for i, k in sim.layout.bodies.items() if sim.layout.configs[k].can_move}
    assert set(scene["moving"]) == moving
    bodies = {body["id"] for body in scene["bodies"]}
    assert {device["body"] for device in scene["devices"]} <= bodies
    for device in scene["devices"]:
        full = device["id"].replace("/motors/", "/").replace("/sensors/", "/")
        if device["kind"] == "motor":
            assert device["wheel"] == sim.layout.motors[full].index
        else:
            assert device["first"] == sim.layout.sensors[full].first
    empty = scene_of(sim.scenario, sim.layout, ignore_terrain=True)
    assert all(body["robot"] for body in empty["bodies"])


def test_thumbnails_are_pictures():
    for name in scenario_names():
        root = ET.fromstring(thumbnail(scene_of(load_scenario(name))))  # noqa: S314 - our own text
        assert root.tag == "svg"
        assert len(root[0]) > 0
    assert ET.fromstring(thumbnail(None)).tag == "svg"  # noqa: S314


def test_traces_carry_counts_and_points():
    paths = [np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32), np.zeros((0, 2), np.float32)]
    values = np.frombuffer(trace_2d(paths, 5, 1.5), dtype=np.float32, offset=12)
    assert values.tolist() == [2, 2, 1, 2, 3, 4, 0]


@given(st.lists(st.floats(0.0, 100.0), min_size=1, max_size=60), st.floats(0.0, 100.0))
def test_history_is_ordered_and_finds_the_nearest(times: list[float], wanted: float):
    history = Timeline()
    alive: list[float] = []
    for time in times:
        history.add(time, b"%f" % time)
        alive = [*(t for t in alive if t < time), time]
    assert history.span == (alive[0], alive[-1])
    found = history.at(wanted)
    assert found is not None
    assert abs(found.time - wanted) == min(abs(t - wanted) for t in alive)
    assert history.newest is not None
    assert history.newest.time == times[-1]


def test_history_stays_small_and_keeps_what_was_kept():
    history = Timeline()
    history.keep(0.5, b"first")
    for number in range(1000):
        history.add(float(number), b"x" * 1000)
    assert history.span is not None
    assert history.span[1] - history.span[0] < 400
    history.restart()
    assert history.span is None
    assert history.at(1.0) is None
    assert [moment.data for moment in history.kept] == [b"first"]
    history.forget(history.kept[0].name)
    assert history.kept == []


@given(st.lists(st.text(max_size=50), max_size=30))
def test_prints_are_lines(texts: list[str]):
    buffer = PrintBuffer()
    for text in texts:
        buffer.write(text)
    buffer.write("\n")
    lines, left_out = buffer.take()
    every = "".join(texts).split("\n")
    if all(len(line) < 400 for line in every):
        assert lines == every[-20:]
        assert left_out == len(every) - len(lines)
    assert buffer.take() == ([], 0)


def test_prints_without_end_stay_small():
    buffer = PrintBuffer()
    for _ in range(1000):
        buffer.write("x" * 10_000)
    lines, left_out = buffer.take()
    assert len(lines) == 20
    assert max(len(line) for line in lines) <= 400
    assert left_out == 980


def test_drafts_are_kept_until_saved_and_know_of_conflicts(tmp_path: Path):
    path = tmp_path / "controller.py"
    path.write_text("old")
    drafts = Drafts()
    assert drafts.text(path) == "old"
    drafts.set(path, "new")
    assert drafts.is_unsaved(path)
    assert drafts.text(path) == "new"
    assert not drafts.conflict(path)
    path.write_text("other")
    assert drafts.conflict(path)
    drafts.save(path, "new")
    assert path.read_text() == "new"
    assert not drafts.is_unsaved(path)
    drafts.set(path, "x")
    drafts.set(path, "new")
    assert not drafts.is_unsaved(path)


@pytest.mark.parametrize(
    ("robots", "steps", "most"), [(1, 9000, 4000), (40, 1300, 500), (900, 160, 50)]
)
def test_paths_are_bounded_and_reach_from_the_start_to_now(robots: int, steps: int, most: int):
    bodies = [SimpleNamespace(pose=(0.0, float(k), 0.0)) for k in range(robots)]
    known = {str(k): SimpleNamespace(bodies={"body": body}) for k, body in enumerate(bodies)}
    sim = SimpleNamespace(robots=known, time=0.0)
    trace = Trace(cast("Any", sim))
    for step in range(steps):
        for k, body in enumerate(bodies):
            body.pose = (0.02 * step, float(k), 0.0)
        trace.add()
    values = np.frombuffer(trace.frame(revision=1), np.float32, offset=12)
    assert values[0] == robots
    place = 1
    for k in range(robots):
        count = int(values[place])
        points = values[place + 1 : place + 1 + 2 * count].reshape(-1, 2)
        place += 1 + 2 * count
        assert most // 2 < count <= most
        assert points[0] == pytest.approx((0.0, k))
        assert points[-1] == pytest.approx((0.02 * (steps - 1), k), rel=1e-6)
        assert (np.diff(points[:, 0]) > 0.0).all()
    assert place == len(values)
