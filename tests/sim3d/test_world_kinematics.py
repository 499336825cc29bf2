"""Every link of every robot of the corpus is where the reference says, through `World.tf`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from horus_sim.sim3d import World, load_robot
from horus_sim.tf import Transform

from .importers.corpus import ROBOTS


def load(shared_data: Callable[[str], Path], name: str) -> World:
    urdf = shared_data("robots/urdf")
    entry = next(
        item for item in json.loads((urdf / "manifest.json").read_text()) if item["name"] == name
    )
    robot = load_robot(
        urdf / entry["urdf"],
        package_roots=[urdf / root for root in entry["package_roots"]],
        allow_missing=True,
    )
    return World.from_robot(robot)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_link_is_where_the_reference_says(name: str, shared_data: Callable[[str], Path]):
    reference = json.loads(shared_data(f"robots/fk_reference/{name}.json").read_text())
    world = load(shared_data, name)
    robot = next(iter(world.robots.values()))
    root = reference["root"]
    worst = 0.0
    for config in reference["configs"]:
        robot.set_joint_positions(config["q"])
        for link, pose in config["links"].items():
            T_root_link = world.tf.lookup_transform(link, root)
            expected = Transform(tuple(pose["p"]), tuple(pose["q_xyzw"]))
            offset = np.abs(T_root_link.to_matrix() - expected.to_matrix()).max()
            worst = max(worst, float(offset))
    assert worst < 1e-8
