"""Real SDF worlds in a running world: every link is where Drake puts it, and then it runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from horus_sim.sim3d import World
from horus_sim.tf import Transform

from ...robots.corpus import SETS


def frame_of(world: World, model: str, link: str) -> str:
    """A model is one robot for each of its trees, called 'model' or 'model#2'."""
    for robot in world.robots.values():
        owner = robot.name.partition("#")[0]
        for inner in robot.link_names:
            if f"{owner}::{inner}" == f"{model}::{link}":
                return robot.frame(inner)
    raise AssertionError(f"no {model}::{link} in {list(world.robots)}")


def test_sensors_of_a_file_are_kept(shared_data: Callable[[str], Path]):
    folder = shared_data("robots/sdf/gz_gpu_lidar_sensor")
    roots = [folder / "models", shared_data("robots/sdf/_common_models")]
    world = World.load(folder / "gpu_lidar_sensor.sdf", package_roots=roots)
    assert {sensor.kind for sensor in world.spec.sensors} == {"gpu_lidar"}
    for sensor in world.spec.sensors:
        assert sensor.mount.partition("/")[0] in world.robots


def test_the_step_is_that_of_the_file_unless_told(shared_data: Callable[[str], Path]):
    file = shared_data("robots/sdf/gz_shapes") / "shapes.sdf"
    roots = [shared_data("robots/sdf/_common_models")]
    assert World.load(file, package_roots=roots).timestep == 0.001
    assert World.load(file, 0, ["physics.timestep=0.005"], roots).timestep == 0.005


@pytest.mark.parametrize("name", SETS)
def test_links_start_where_the_reference_puts_them(name: str, shared_data: Callable[[str], Path]):
    folder = shared_data(f"robots/sdf/{name}")
    roots = [folder / "models", shared_data("robots/sdf/_common_models")]
    reference = json.loads(shared_data(f"robots/sdf_reference/{name}.json").read_text())
    for file, expected in reference["files"].items():
        if name == "sdformat_semantics" and "error" in expected:
            continue
        world = World.load(folder / file, package_roots=roots)
        for entry in expected.get("links", ()):
            T = world.tf.lookup_transform(frame_of(world, entry["model"], entry["link"]), "world")
            assert T.is_close(Transform(tuple(entry["p"]), tuple(entry["q_xyzw"])), 1e-6, 1e-6)
        # The files of libsdformat's own tests put models into each other, which then fly apart.
        if name != "sdformat_semantics":
            world.step(round(0.2 / world.timestep))
            assert world.time == pytest.approx(0.2, abs=world.timestep)
