"""Every link of every robot of the corpus is where the reference says.

In a running world through `World.tf`, and without physics through `Robot.tf_tree`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from horus_sim.robots import Robot, load_robot
from horus_sim.sim3d import World
from horus_sim.tf import Transform

from ...robots.corpus import ROBOTS


def load(shared_data: Callable[[str], Path], name: str) -> Robot:
    urdf = shared_data("robots/urdf")
    entry = next(
        item for item in json.loads((urdf / "manifest.json").read_text()) if item["name"] == name
    )
    return load_robot(
        urdf / entry["urdf"],
        package_roots=[urdf / root for root in entry["package_roots"]],
        allow_missing=True,
    )


@pytest.mark.parametrize("name", ROBOTS)
def test_every_link_is_where_the_reference_says(name: str, shared_data: Callable[[str], Path]):
    reference = json.loads(shared_data(f"robots/fk_reference/{name}.json").read_text())
    loaded = load(shared_data, name)
    world = World.from_robot(loaded)
    robot = next(iter(world.robots.values()))
    root = reference["root"]
    worst = 0.0
    for config in reference["configs"]:
        robot.set_joint_positions(config["q"])
        tree = loaded.tf_tree(config["q"])
        assert tree.validate().problems == ()
        for link, pose in config["links"].items():
            expected = Transform(tuple(pose["p"]), tuple(pose["q_xyzw"])).to_matrix()
            # A robot of one link has no transforms.
            for frames in (world.tf, tree) if len(loaded.links) > 1 else (world.tf,):
                T_root_link = frames.lookup_transform(link, root)
                worst = max(worst, float(np.abs(T_root_link.to_matrix() - expected).max()))
    assert worst < 1e-8
