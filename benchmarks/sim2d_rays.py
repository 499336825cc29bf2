"""360 rays from one place among fixed boxes: one reading of our sensor, and the peers' queries.

A peer is asked ray by ray from Python. What such calls cost in an empty world is measured beside
it and taken off, so that the engines are compared and not the ways to call them. pymunk's figure
keeps what it costs to make the objects of hits.
"""

from __future__ import annotations

import importlib
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sim2d_engines import Box2d3, Floats, Pymunk, our_scenario
from sim2d_scenes import Scene, fixed_boxes

from horus_sim.sim2d import BatchSimulator, RobotConfig, Scenario

RAYS = 360
RANGE_M = 100.0
REPEATS = 9
FOV_RAD = 2.0 * math.pi * (RAYS - 1) / RAYS

Ask = Callable[[], list[Any]]
Read = Callable[[list[Any]], Floats]


def _ends() -> list[tuple[float, float]]:
    """Where the rays end [m], in the order of our sensor's readings."""
    angles = [-0.5 * FOV_RAD + 2.0 * math.pi * k / RAYS for k in range(RAYS)]
    return [(RANGE_M * math.cos(a), RANGE_M * math.sin(a)) for a in angles]


def _our_batch(scene: Scene, *, has_sensor: bool) -> BatchSimulator:
    params = {"count": RAYS, "fov": FOV_RAD, "range_max": RANGE_M, "noise": 0.0, "rate_hz": 0.0}
    eye = {"name": "eye", "type": "distance", "body": "seer", "params": params}
    robot = RobotConfig.model_validate(
        {"bodies": [{"name": "seer", "radius": 0.01}], "sensors": [eye] if has_sensor else []}
    )
    return BatchSimulator(Scenario.make(our_scenario(scene).world, robot), 1, 1)


def _pymunk_rays(scene: Scene) -> tuple[Ask, Read]:
    pymunk: Any = importlib.import_module("pymunk")
    space, ends, every = Pymunk(scene).space, _ends(), pymunk.ShapeFilter()

    def ask() -> list[Any]:
        query = space.segment_query_first
        return [query((0.0, 0.0), end, 0.0, every) for end in ends]

    def read(hits: list[Any]) -> Floats:
        return np.array([RANGE_M if hit is None else RANGE_M * hit.alpha for hit in hits])

    return ask, read


def _box2d_3_rays(scene: Scene) -> tuple[Ask, Read]:
    # The world lives as long as what holds it.
    engine, ends = Box2d3(scene), _ends()

    def ask() -> list[Any]:
        query = engine.world.cast_ray_closest
        return [query((0.0, 0.0), end) for end in ends]

    def read(hits: list[Any]) -> Floats:
        return np.array([RANGE_M * hit.fraction if hit.hit else RANGE_M for hit in hits])

    return ask, read


PEERS: dict[str, Callable[[Scene], tuple[Ask, Read]]] = {
    "pymunk": _pymunk_rays,
    "Box2D 3": _box2d_3_rays,
}


def rays_ns(count: int, engines: list[str]) -> tuple[dict[str, float], dict[str, float]]:
    """CPU time of 360 rays among so many boxes [ns], and of the peers' calls in an empty world.

    Args:
        count: Number of boxes.
        engines: Which engines to measure.

    Raises:
        RuntimeError: An engine sees something else than ours.
    """
    scene = fixed_boxes(count)
    seeing, blind = (_our_batch(scene, has_sensor=has_sensor) for has_sensor in (True, False))
    distances = seeing.readings("eye")[0, :RAYS]
    asked = {name: PEERS[name](scene) for name in engines if name in PEERS}
    empty = {name: PEERS[name](Scene(()))[0] for name in asked}
    for name, (ask, read) in asked.items():
        # A ray that grazes a corner may hit in one engine only.
        others = int((np.abs(read(ask()) - distances) > 1e-3).sum())
        if others > 0.01 * RAYS:
            raise RuntimeError(f"{name} sees {others} of {RAYS} rays otherwise, {count} boxes")
    n = max(2, min(50, 20_000 // count))
    spent: dict[str, list[float]] = {name: [] for name in ("ours", *asked)}
    calls: dict[str, list[float]] = {name: [] for name in asked}
    for batch in (seeing, blind):
        batch.step(n=2)
    for _ in range(REPEATS):
        spent["ours"].append((_cpu(lambda: seeing.step(n=n)) - _cpu(lambda: blind.step(n=n))) / n)
        for name, (ask, _) in asked.items():
            spent[name].append(_cpu(ask))
            calls[name].append(_cpu(empty[name]))
    return (
        {name: statistics.median(times) for name, times in spent.items()},
        {name: statistics.median(times) for name, times in calls.items()},
    )


def _cpu(run: Callable[[], object]) -> int:
    """CPU time of this thread [ns]."""
    start = time.thread_time_ns()
    run()
    return time.thread_time_ns() - start
