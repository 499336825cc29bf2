"""Recordings from the page: what is in the file, and what ends it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from horus_sim.errors import RecordingError, UiError
from horus_sim.running.recording import McapFile
from horus_sim.sim3d import World
from horus_sim.tf import Transform
from horus_sim.ui.shell.site import Site
from horus_sim.ui.world.model.session import WorldSession, WorldSessions


@contextmanager
def shown(scene: str, folder: Path) -> Iterator[WorldSession]:
    """A paused world on a site."""
    with Site(folder=folder) as site:
        yield WorldSessions.of(site).open(World.load(scene), running=False)


def test_a_recording_holds_what_the_world_published_while_it_ran(tmp_path: Path):
    with shown("warehouse", tmp_path) as session:
        recorder, simulation = session.recorder, session.simulation
        simulation.step(240).result(20)
        path = recorder.begin().result(20)
        assert recorder.is_recording
        with pytest.raises(UiError, match="a recording is running already; end it first"):
            recorder.begin().result(20)
        simulation.step(240).result(20)
        text = recorder.end().result(20)
        assert not recorder.is_recording
        simulation.step(240).result(20)
        with pytest.raises(UiError, match="nothing is being recorded"):
            recorder.end().result(20)
    assert path.parent == tmp_path
    assert re.fullmatch(r"warehouse_\d{8}_\d{6}\.mcap", path.name)
    assert re.fullmatch(rf"recorded \d+ messages to {re.escape(str(path))}", text)
    assert text in [event.text for event in session.site.log.since()]
    stamps = {"clock": [], "burger/odom": [], "burger/scan": [], "burger/joint_states": []}
    for recorded in McapFile(path).read([*stamps]):
        stamps[recorded.topic].append(recorded.stamp_ns / 1e9)
    for found in stamps.values():
        assert 1.0 <= found[0] <= 1.21
        assert 1.79 <= found[-1] <= 2.01


def test_another_scene_or_the_end_of_the_program_ends_the_file(tmp_path: Path):
    with shown("warehouse", tmp_path) as session:
        first = session.recorder.begin().result(20)
        session.simulation.step(24).result(20)
        session.simulation.replace(World.load("empty_world")).result(20)
        assert not session.recorder.is_recording
        second = session.recorder.begin().result(20)
        session.simulation.step(24).result(20)
    assert not session.recorder.is_recording
    for path in (first, second):
        assert list(McapFile(path).read())


def test_things_come_and_go_while_recording(tmp_path: Path):
    with shown("empty_world", tmp_path) as session:
        path = session.recorder.begin().result(20)
        name = session.editor.add_robot("turtlebot3_burger", Transform((0, 0, 0.1))).result(20)
        session.simulation.step(48).result(20)
        session.editor.remove(name).result(20)
        session.simulation.step(48).result(20)
        session.editor.undo().result(20)
        session.simulation.step(48).result(20)
        session.recorder.end().result(20)
    stamps = [found.stamp_ns / 1e9 for found in McapFile(path).read([f"{name}/odom"])]
    assert any(stamp < 0.21 for stamp in stamps)
    assert not any(0.23 < stamp < 0.39 for stamp in stamps)
    assert any(stamp > 0.41 for stamp in stamps)


def test_a_reset_begins_another_file(tmp_path: Path):
    with shown("empty_world", tmp_path) as session:
        path = session.recorder.begin().result(20)
        for _ in range(2):
            session.simulation.step(48).result(20)
            session.simulation.reset().result(20)
        session.recorder.end().result(20)
    assert sorted(found.name for found in tmp_path.iterdir()) == [
        path.name,
        f"{path.stem}_2.mcap",
        f"{path.stem}_3.mcap",
    ]


def test_a_folder_that_cannot_be_written_is_said_so(tmp_path: Path):
    with shown("empty_world", tmp_path / "no") as session:
        with pytest.raises(RecordingError, match="cannot be written"):
            session.recorder.begin().result(20)
        assert not session.recorder.is_recording
