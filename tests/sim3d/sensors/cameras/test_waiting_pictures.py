"""Pictures that nobody listens for are drawn when somebody looks, and are then the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from horus_sim.sim3d import World
from horus_sim.sim3d.rendering import render_worker
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.shapes import BoxShape, SphereShape
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.tf import Transform

from ...rendering.test_render import needs_gl

pytestmark = needs_gl
KINDS: dict[str, dict[str, Any]] = {
    "camera": {"noise": NoiseConfig(std=3.0, bias_std=5.0)},
    "depth_camera": {"noise": NoiseConfig(std=0.01, dropout=0.01), "range_max": 10.0},
    "rgbd_camera": {"noise": NoiseConfig(std=0.01), "colour_noise": NoiseConfig(std=2.0)},
    "segmentation_camera": {},
}
STEPS = 61


@pytest.fixture
def drawn(monkeypatch) -> list[int]:
    """A number for each time that something was drawn."""
    counted: list[int] = []
    original = render_worker.worker.draw

    def draw(*arguments):
        counted.append(len(counted))
        return original(*arguments)

    monkeypatch.setattr(render_worker.worker, "draw", draw)
    return counted


def room(kind: str, **fields: Any) -> World:
    """A ball that falls before a camera."""
    world = World.load("empty_world")
    ball = ObjectConfig(name="ball", shape=SphereShape(radius=0.3), dynamic=True, mass=1.0)
    world.spawn(ball, pose=Transform((2.0, 0.0, 3.0)))
    world.sensors.add(
        {"kind": kind, "name": "eye", "mount": "world", "pose": {"xyz": [0, 0, 1.0]}}
        | {"width": 64, "height": 48, "rate_hz": 30.0} | KINDS[kind] | fields
    )  # fmt: skip
    return world


def same(one: Any, other: Any) -> None:
    assert one.stamp_ns == other.stamp_ns
    for field in ("data", "depth", "labels"):
        if hasattr(one, field):
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_those_that_a_listener_hears(kind: str, drawn: list[int]):
    heard: dict[int, Any] = {}
    listened, looked, seldom = room(kind), room(kind), room(kind)
    listened.sensors["eye"].listeners.append(
        lambda _, message: heard.update({message.stamp_ns: message})
    )
    listened.step(STEPS)
    count = len(drawn)
    assert len(heard) == listened.sensors["eye"].sequence > 5
    for _ in range(STEPS):
        looked.step()
        eye = looked.sensors["eye"]
        if eye.has_new:
            same(eye.read(), heard[eye.read().stamp_ns])
    assert len(drawn) == 2 * count
    seldom.step(STEPS)
    assert len(drawn) == 2 * count
    same(seldom.sensors["eye"].read(), list(heard.values())[-1])
    assert seldom.sensors["eye"].sequence == len(heard)
    assert seldom.snapshot().to_bytes() == looked.snapshot().to_bytes()


def test_nobody_looks(drawn: list[int]):
    world = room("camera")
    world.step(240)
    assert world.sensors["eye"].sequence == 30
    assert not drawn
    first = world.sensors["eye"].read()
    assert len(drawn) == 1
    assert world.sensors["eye"].read() is first
    assert len(drawn) == 1


def test_all_sensors_of_a_world_may_be_heard(drawn: list[int]):
    world = room("camera")
    names: list[str] = []
    world.sensors.listeners.append(lambda sensor, _: names.append(sensor.name))
    world.step(24)
    assert names == ["eye"] * 3
    assert len(drawn) == 3


@pytest.mark.parametrize(
    "fields",
    [{"latency": 0.05}, {"loss": 0.5}, {"noise": NoiseConfig(std=1.0, bias_walk=1.0)}],
)
def test_what_the_next_picture_needs_is_drawn_at_once(drawn: list[int], fields: dict[str, Any]):
    room("camera", **fields).step(24)
    assert len(drawn) == 3


def test_what_came_later_is_not_seen(drawn: list[int]):
    world, other = room("camera"), room("camera")
    other.sensors["eye"].listeners.append(lambda *_: None)
    for each in (world, other):
        each.step(10)
        each.spawn(
            ObjectConfig(name="wall", shape=BoxShape(size=(0.1, 5.0, 5.0))),
            pose=Transform((1.0, 0.0, 1.0)),
        )
    before = world.sensors["eye"].read()
    same(before, other.sensors["eye"].read())
    world.step(16)
    assert (world.sensors["eye"].read().data != before.data).mean() > 0.5


def test_a_snapshot_has_the_picture_and_a_reset_none():
    world = room("camera")
    world.step(30)
    saved = world.snapshot()
    picture = world.sensors["eye"].read()
    world.step(30)
    world.apply_snapshot(saved)
    same(world.sensors["eye"].read(), picture)
    world.step(30)
    world.reset()
    assert world.sensors["eye"].read().stamp_ns == 0
