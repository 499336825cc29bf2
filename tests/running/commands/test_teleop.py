"""Driving by hand: who drives, for how long, and what stops the robot."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from horus_sim.errors import CommandError
from horus_sim.running import RunningWorld
from horus_sim.running.commands.teleop import PATIENCE_S, Teleop
from horus_sim.sim3d import World


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def speed(world: RunningWorld) -> float:
    linear, _ = world.world.robots["burger"].velocity
    return float((linear[0] ** 2 + linear[1] ** 2) ** 0.5)


@pytest.fixture(scope="module")
def driven() -> World:
    return World.load("warehouse")


@pytest.fixture
def world(driven: World) -> Iterator[RunningWorld]:
    driven.reset()
    with RunningWorld(driven) as running:
        yield running


def run(world: RunningWorld, teleop: Teleop, clock: Clock, seconds: float) -> None:
    for _ in range(round(seconds * 240)):
        teleop.update(world)
        world.step()
        clock.now += 1 / 240


def test_a_wish_that_is_repeated_drives(world: RunningWorld):
    clock = Clock()
    teleop = Teleop(clock)
    for _ in range(10):
        teleop.drive(1, "burger", 0.2, 0.0)
        run(world, teleop, clock, 0.05)
    assert speed(world) > 0.08


def test_a_wish_that_is_not_repeated_ends_in_time(world: RunningWorld):
    clock = Clock()
    teleop = Teleop(clock)
    teleop.drive(1, "burger", 0.2, 0.0)
    run(world, teleop, clock, PATIENCE_S)
    assert speed(world) > 0.05
    run(world, teleop, clock, 0.2)
    assert speed(world) < 0.02


def test_who_leaves_stops_what_he_drove_and_nothing_else(world: RunningWorld):
    clock = Clock()
    teleop = Teleop(clock)
    teleop.drive(1, "burger", 0.2, 0.0)
    run(world, teleop, clock, 0.12)
    teleop.release(2)
    teleop.drive(1, "burger", 0.2, 0.0)
    run(world, teleop, clock, 0.1)
    assert speed(world) > 0.05
    teleop.release(1)
    run(world, teleop, clock, 0.2)
    assert speed(world) < 0.02


def test_unknown_robots_are_left_alone(world: RunningWorld):
    clock = Clock()
    teleop = Teleop(clock)
    teleop.drive(1, "nobody", 0.2, 0.0)
    run(world, teleop, clock, 0.05)


def test_nonsense_is_refused():
    with pytest.raises(CommandError, match="not finite"):
        Teleop().drive(1, "burger", float("nan"), 0.0)
