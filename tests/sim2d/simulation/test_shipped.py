"""Every shipped scenario works: its controller does its task, whatever the noise."""

from __future__ import annotations

import itertools
import math

import pytest

from horus_sim.sim2d import Simulator, load_scenario, scenario_names

SEEDS = range(20)


def run(name: str, seed: int, duration: float):
    """The simulator after a run, and the poses of its first robot."""
    sim = Simulator.load(name, seed)
    robot = next(iter(sim.robots.values()))
    path = []
    assert sim.run(duration, lambda _: path.append(robot.pose)), sim.error
    assert [w for w in sim.warnings if w.kind != "slow_controller"] == []
    return sim, path


def test_eight_scenarios_are_shipped():
    assert scenario_names() == (
        "box_pushing", "empty_plane", "line_follower", "line_follower_hard", "maze", "slalom",
        "sumo", "trailer",
    )  # fmt: skip
    for name in scenario_names():
        config = load_scenario(name).config
        assert config.description
        assert config.help


@pytest.mark.parametrize("seed", SEEDS)
def test_empty_plane_drives_a_square(seed):
    _, path = run("empty_plane", seed, 20)
    x, y, theta = path[-1]
    assert math.hypot(x, y) < 0.05
    assert math.remainder(theta, 2 * math.pi) == pytest.approx(0, abs=0.1)
    assert max(p[0] for p in path) == pytest.approx(1, abs=0.06)
    assert max(p[1] for p in path) == pytest.approx(1, abs=0.06)


@pytest.mark.parametrize("seed", SEEDS)
def test_line_follower_makes_laps(seed):
    _, path = run("line_follower", seed, 30)
    angles = [math.atan2(y, x) for x, y, _ in path]
    turned = sum(math.remainder(b - a, 2 * math.pi) for a, b in itertools.pairwise(angles))
    assert turned > 2 * 2 * math.pi
    off = max(abs(math.hypot(x / 1.0, y / 0.6) - 1.0) for x, y, _ in path)
    assert off < 0.15


@pytest.mark.parametrize("seed", SEEDS)
def test_hard_line_follower_passes_gaps_and_crossing(seed):
    _, path = run("line_follower_hard", seed, 60)
    # Through all four corners of the eight in its order, for a lap and a half.
    quarters = []
    for x, y, _ in path:
        if abs(x) > 0.5 and abs(y) > 0.5:
            quarter = (x > 0, y > 0)
            if not quarters or quarters[-1] != quarter:
                quarters.append(quarter)
    lap = [(True, True), (True, False), (False, True), (False, False)]
    assert len(quarters) >= 6
    start = lap.index(quarters[0])
    assert quarters == [lap[(start + k) % 4] for k in range(len(quarters))]


@pytest.mark.parametrize("seed", SEEDS)
def test_maze_is_left(seed):
    _, path = run("maze", seed, 30)
    assert any(x > 2.1 for x, _, _ in path)
    first_out = next(k for k, (x, y, _) in enumerate(path) if not (0 < x < 2 and 0 < y < 2))
    assert 1.5 < path[first_out][1] < 2.0


@pytest.mark.parametrize("seed", SEEDS)
def test_sumo_attacker_wins(seed):
    sim = Simulator.load("sumo", seed)

    def outside(ident: str) -> bool:
        x, y, _ = sim.robots[ident].pose
        return math.hypot(x, y) > 0.65

    assert sim.run(30, lambda _: not (outside("attacker") or outside("defender")))
    assert outside("defender")
    assert not outside("attacker")


@pytest.mark.parametrize("seed", SEEDS)
def test_box_is_pushed_into_the_goal(seed):
    sim, _ = run("box_pushing", seed, 20)
    x, y, _ = sim.bodies["box"].pose
    assert 0.85 < x < 1.15
    assert abs(y) < 0.35


@pytest.mark.parametrize("seed", SEEDS)
def test_slalom_passes_poles_in_turns(seed):
    _, path = run("slalom", seed, 30)
    assert path[-1][0] > 3.5
    for number in range(5):
        x = 0.6 * number + 0.6
        y = min(path, key=lambda p: abs(p[0] - x))[1]
        assert (y > 0.08) if number % 2 == 0 else (y < -0.08)


@pytest.mark.parametrize("seed", SEEDS)
def test_trailer_follows(seed):
    sim = Simulator.load("trailer", seed)
    chassis, trailer = sim.body("chassis"), sim.body("trailer")
    widest = 0.0

    def look(_):
        nonlocal widest
        x, y, a = chassis.pose
        tx, ty, b = trailer.pose
        hitch = (x - 0.1 * math.cos(a), y - 0.1 * math.sin(a))
        ring = (tx + 0.11 * math.cos(b), ty + 0.11 * math.sin(b))
        assert math.dist(hitch, ring) < 1e-3
        widest = max(widest, abs(b - a))

    assert sim.run(40, look)
    assert 0.1 < widest < 1.25
    # Two full circles bring it back.
    assert math.hypot(*chassis.pose[:2]) < 0.2
