"""2D worlds have the same bits from every compiler, on every processor, in any batch."""

from __future__ import annotations

import numpy as np
import pytest

from horus_sim.sim2d import BatchSimulator, Randomization, Scenario, Simulator, scenario_names

from ..sim2d.makers import body, crowded, scenario
from .digest import Digest


def commands(random: np.random.Generator, worlds: int, motors: int) -> np.ndarray:
    return 2.0 * random.random((worlds, motors)) - 1.0


def add_world(digest: Digest, sim: Simulator) -> None:
    digest.add(sim.time, sim.states(), sim.wheels(), sim.raw_readings())


def jointed(height: int = 8) -> Scenario:
    """A robot that pulls a chain of hinges with limits, soft and hard rods, and rigid corners."""
    bodies, joints = [body()], []
    for k in range(height):
        bodies.append(body(f"link_{k}", mass=0.2, inertia=0.001, pose=[-0.3 * (k + 1), 0, 0]))
        kinds = (
            {"type": "hinge", "lower_limit": -0.8, "upper_limit": 0.6},
            {"type": "distance", "stiffness": 800.0, "damping": 2.0},
            {"type": "rigid", "stiffness": 5000.0},
            {"type": "hinge", "stiffness": 1e9},
        )
        joints.append(
            {
                "name": f"joint_{k}",
                "parent": bodies[k]["name"],
                "child": f"link_{k}",
                "anchor_parent": [-0.1 if k % 4 == 1 else -0.15, 0.0],
                "anchor_child": [0.15, 0.0],
                **kinds[k % 4],
            }
        )
    world = {"bounds": {"min_x": -4, "min_y": -1.5, "max_x": 2, "max_y": 1.5}}
    return scenario(world, bodies=bodies, joints=joints)


def heap(count: int = 120) -> Scenario:
    """Balls and boxes that fall into a box."""
    objects = []
    for k in range(count):
        pose = [0.16 * (k % 12) - 0.9, 0.17 * (k // 12), 0.37 * k % 3]
        small = [[x / 2, y / 2] for x, y in body()["points"]]
        outline = {"radius": 0.05} if k % 2 else {"points": small}
        material = {"friction": 0.4 + 0.01 * (k % 9), "restitution": 0.1 * (k % 4)}
        config = {"name": f"o{k}", "mass": 1 + 0.1 * (k % 5), "pose": pose, "material": material}
        objects.append({"name": f"o{k}", "body": config | outline})
    world = {
        "gravity": [0, -9.81],
        "shape_objects": objects,
        "bounds": {"min_x": -1.1, "min_y": -0.3, "max_x": 1.1, "max_y": 4},
    }
    return scenario(world)


@pytest.mark.parametrize("name", scenario_names())
def test_shipped_scenarios(name):
    random, digest = np.random.default_rng(1), Digest()
    spread = Randomization(
        mass=(0.7, 1.4),
        friction=(0.5, 1.5),
        grip=(0.8, 1.2),
        noise=(0, 2),
        x=(-0.1, 0.1),
        theta=(-1, 1),
    )
    batches = [BatchSimulator(name, 5, k, seed=4, randomize=spread) for k in (1, 3)]
    for _ in range(30):
        given = commands(random, 5, len(batches[0].motors))
        for batch in batches:
            batch.step(given, n=10)
        one, other = ((b.poses, b.velocities, b.readings()) for b in batches)
        assert all((a.tobytes() == b.tobytes()) for a, b in zip(one, other, strict=True))
        digest.add(*one)
    digest.check(f"sim2d: {name}")


def test_a_robot_among_objects_for_a_hundred_thousand_steps():
    random, digest = np.random.default_rng(2), Digest()
    sim = Simulator(crowded(), 3)
    batch = BatchSimulator(crowded(), 2, 2, seed=2)
    for k in range(500):
        left, right = commands(random, 1, 2)[0]
        sim.robots["robot"].drive.set(left, right)
        assert sim.step(n=200)
        add_world(digest, sim)
        if k < 20:
            batch.step([[0.0, 0.0], [left, right]], n=200)
            assert batch.snapshot(1).world == sim.snapshot().world
    assert sim.steps == 100_000
    digest.check("sim2d: a hundred thousand steps")


def test_joints():
    random, digest = np.random.default_rng(3), Digest()
    sim = Simulator(jointed(), 1)
    for _ in range(100):
        sim.robots["robot"].drive.set(*commands(random, 1, 2)[0])
        sim.bodies["robot/link_5"].apply_force(*(5.0 * commands(random, 1, 3)[0]))
        assert sim.step(n=25)
        add_world(digest, sim)
    digest.check("sim2d: joints")


def test_a_heap():
    digest = Digest()
    sim = Simulator(heap(), 1, top_down=False)
    for _ in range(60):
        assert sim.step(n=10)
        add_world(digest, sim)
        for touch in sim.contacts:
            digest.add(touch.a, touch.b, touch.point, touch.normal, touch.impulse)
    digest.check("sim2d: a heap")
