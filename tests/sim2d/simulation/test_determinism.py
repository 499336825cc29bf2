"""The same seed gives the same bits: twice, in another process, from a snapshot, in a batch."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from horus_sim.errors import BatchError, Sim2dError, SnapshotError, UnknownPartError
from horus_sim.sim2d import (
    BatchSimulator,
    Randomization,
    Simulator,
    Snapshot,
    load_scenario,
    scenario_names,
)

from ..makers import crowded, scenario


def commands_at(step: int, worlds: int = 1) -> np.ndarray:
    """Commands that differ between worlds and change now and then."""
    return np.random.default_rng([step // 10, worlds]).uniform(-1, 1, (worlds, 2))


def drive(sim: Simulator, steps: int) -> bytes:
    for _ in range(steps):
        command = commands_at(sim.steps)[0]
        sim.robots["robot"].drive.set(*command)
        assert sim.step()
    return sim.snapshot().world


def test_two_runs_are_equal():
    assert drive(Simulator(crowded(), 5), 600) == drive(Simulator(crowded(), 5), 600)


def test_seeds_differ_in_their_noise_only():
    one, two = Simulator(crowded(), 1), Simulator(crowded(), 2)
    drive(one, 50)
    drive(two, 50)
    assert (one.readings["line"] != two.readings["line"]).any()
    assert one.bodies["robot/chassis"].pose == two.bodies["robot/chassis"].pose


@pytest.mark.parametrize("name", ["line_follower", "sumo", "maze", "trailer"])
def test_a_replay_from_a_snapshot_is_equal(name):
    sim = Simulator.load(name, 3)
    sim.run(2.0)
    snapshot = sim.snapshot()
    sim.run(3.0)
    first = sim.snapshot()
    sim.apply_snapshot(snapshot)
    assert sim.snapshot().world == snapshot.world
    sim.run(3.0)
    assert sim.snapshot().world == first.world
    # In another simulator too.
    other = Simulator.load(name, 99)
    other.apply_snapshot(snapshot)
    other.run(3.0)
    assert other.snapshot().world == first.world


def test_another_process_gives_the_same_bytes():
    program = (
        "import hashlib; from horus_sim.sim2d import Simulator; "
        "s = Simulator.load('sumo', 4); s.run(5.0); "
        "print(hashlib.sha256(s.snapshot().world).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    sim = Simulator.load("sumo", 4)
    sim.run(5.0)
    assert done.stdout.strip() == hashlib.sha256(sim.snapshot().world).hexdigest()


def test_snapshots_of_other_worlds_are_refused():
    sim = Simulator(crowded())
    before = sim.snapshot()
    with pytest.raises(SnapshotError, match="does not belong to this world"):
        sim.apply_snapshot(Simulator.load("maze").snapshot())
    for bad, cause in (
        (b"", "do not begin as one"),
        (before.world[:-1], r"have \d+ bytes of content instead of"),
        (before.world[:-1] + bytes([before.world[-1] ^ 1]), "altered: the checksum does not fit"),
    ):
        with pytest.raises(SnapshotError, match=f"no state of a 2D world: they .*{cause}.*; take"):
            sim.apply_snapshot(Snapshot(bad))
        with pytest.raises(SnapshotError, match="hold no state of a 2D world"):
            BatchSimulator(crowded(), 1, 1).apply_snapshot(0, Snapshot(bad))
    assert sim.snapshot().world == before.world


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_batch_equals_single_worlds(threads):
    worlds, steps = 5, 240
    batch = BatchSimulator(crowded(), worlds, threads, seed=10)
    for step in range(steps):
        batch.step(commands_at(step, worlds))
    for i in range(worlds):
        sim = Simulator(crowded(), 10 + i)
        for step in range(steps):
            sim.robots["robot"].drive.set(*commands_at(step, worlds)[i])
            sim.step()
        assert batch.snapshot(i).world == sim.snapshot().world
        states = np.array([[*body.pose, *body.velocity] for body in sim.bodies.values()])
        assert (batch.poses[i] == states[:, :3]).all()
        assert (batch.velocities[i] == states[:, 3:]).all()


@pytest.mark.parametrize("name", scenario_names())
def test_batch_and_single_have_the_same_bytes_and_readings(name):
    batch = BatchSimulator(name, 2, 2, seed=4)
    sim = Simulator.load(name, 5, controllers=False)
    for step in range(25):
        commands = np.random.default_rng([step // 5]).uniform(-1, 1, (2, len(batch.motors)))
        for motor, value in zip(batch.layout.motors.values(), commands[1], strict=True):
            sim.robots[motor.robot].command(motor.config.name, value)
        batch.step(commands)
        sim.step()
        assert batch.snapshot(1).world == sim.snapshot().world
    assert (batch.readings()[1] == sim.raw_readings()).all()
    assert batch.snapshot(1).world == sim.snapshot().world


def test_readings_are_of_the_time_after_the_step():
    encoder = {"name": "e", "type": "encoder", "body": "chassis", "params": {"preset": "ideal"}}
    sim = Simulator(scenario(sensors=[encoder]))
    sim.robots["robot"].drive.set(1, 1)
    sim.run(0.5)
    assert sim.readings["e"].angle == sim._world.wheel_states()[0, 2]


def test_a_snapshot_of_a_like_scenario_is_refused():
    sim = Simulator.load("line_follower_hard")
    before = sim.snapshot()
    with pytest.raises(SnapshotError, match="does not belong to this world"):
        sim.apply_snapshot(Simulator.load("line_follower").snapshot())
    assert sim.snapshot() == before


def test_many_steps_at_once_equal_single_ones():
    one, other = BatchSimulator(crowded(), 3, 1), BatchSimulator(crowded(), 3, 2)
    command = commands_at(0, 3)
    one.step(command, n=50)
    for _ in range(50):
        other.step(command)
    assert all(one.snapshot(i).world == other.snapshot(i).world for i in range(3))


def test_randomization_is_drawn_anew_and_does_not_compound():
    spread = Randomization(
        mass=(0.5, 2.0),
        friction=(0.5, 1.5),
        grip=(0.8, 1.2),
        noise=(0, 2),
        x=(-0.2, 0.2),
        theta=(-1, 1),
    )
    one = BatchSimulator(crowded(), 4, 1, randomize=spread)
    two = BatchSimulator(crowded(), 4, 2, randomize=spread)
    start = one.poses[:, 0]
    assert len(np.unique(start[:, 0])) == 4
    assert (abs(start[:, 0]) <= 0.2).all()
    for batch in (one, two):
        batch.step(np.ones((4, 2)), n=20)
        batch.reset([1, 3])
        batch.step(np.ones((4, 2)), n=20)
    assert (one.poses == two.poses).all()
    assert one.times == pytest.approx([40 / 120, 20 / 120, 40 / 120, 20 / 120])
    one.reset()
    assert (one.poses[:, 0] == start).all()


def test_a_reset_starts_new_noise():
    batch = BatchSimulator(scenario(), 2, 1)
    first = batch.readings("line").copy()
    batch.reset([0])
    second = batch.readings("line")
    assert (first[0] != second[0]).any()
    assert (first[1] == second[1]).all()


def test_batch_arguments_are_checked():
    with pytest.raises(BatchError, match="num_worlds must be at least 1"):
        BatchSimulator(scenario(), 0)
    with pytest.raises(BatchError, match="threads must be from 1"):
        BatchSimulator(scenario(), 1, -1)
    assert BatchSimulator(scenario(), 2).threads >= 1
    batch = BatchSimulator(scenario(), 3, 1)
    with pytest.raises(BatchError, match=r"shape \(3, 2\) \(worlds, motors\), got \(2, 2\)"):
        batch.step(np.zeros((2, 2)))
    with pytest.raises(BatchError, match="commands of world 1 are not finite"):
        batch.step([[0, 0], [0, np.nan], [0, 0]])
    with pytest.raises(BatchError, match="there is no world 3"):
        batch.reset([3])
    with pytest.raises(UnknownPartError, match="no sensor is called 'lin'; did you mean 'line'"):
        batch.readings("lin")
    with pytest.raises(SnapshotError, match="does not belong"):
        batch.apply_snapshot(0, Simulator(crowded()).snapshot())
    with pytest.raises(Sim2dError, match="the seed must be an integer"):
        BatchSimulator(scenario(), 1, seed=-1)


def test_masks_choose_worlds_to_reset():
    batch = BatchSimulator(scenario(), 3, 1)
    batch.step(n=2)
    batch.reset(np.array([True, False, True]))
    assert (batch.times > 0).tolist() == [False, True, False]
    batch.step()
    batch.reset([])
    assert (batch.times > 0).all()
    with pytest.raises(BatchError, match="a mask of worlds must have 3 values, got 2"):
        batch.reset([True, False])
    seeds = list(batch._seeds)
    for bad in ([0.7], "01", [[0]]):
        with pytest.raises(BatchError, match="ids must be a list of whole numbers or a mask"):
            batch.reset(bad)  # type: ignore[arg-type]
    with pytest.raises(BatchError, match="there is no world 3; there are 3"):
        batch.reset([0, 3])
    assert batch._seeds == seeds


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"mass": (0, 0)}, r"^mass\[0\]: it is 0; it must be greater than 0"),
        ({"mass": (-1, -1)}, r"mass\[0\]: it is -1; it must be greater than 0"),
        ({"grip": (-0.1, 1)}, r"grip\[0\]: it is -0.1; it must be greater than or equal to 0"),
        ({"friction": (1.2, 0.8)}, r"friction: the first end must not be above the second"),
        ({"x": (0, np.nan)}, r"x\[1\]: it is nan; every number must be finite"),
        ({"mass": (2, 1)}, r"^mass: the first end .* second, got \(2.0, 1.0\); swap them$"),
        ({"mass": 3}, r"^mass: it is 3; write 2 values, such as \[0, 0\]$"),
        ({"mass": ("a", 1)}, r"^mass\[0\]: it is 'a', not a number; write one, such as 0.5$"),
        ({"masss": (1, 1)}, r"^masss: unknown key 'masss'; did you mean 'mass'\?$"),
        ({"theta": (-np.inf, 0)}, r"theta\[0\]: it is -inf; every number must be finite"),
    ],
)
def test_randomization_is_checked(values, text):
    with pytest.raises(BatchError, match=text):
        Randomization(**values)


def test_seeds_of_numpy_are_seeds():
    assert Simulator(scenario(), np.int64(3)).seed == 3  # type: ignore[arg-type]
    with pytest.raises(Sim2dError, match="the seed must be an integer from 0"):
        Simulator(scenario(), np.float64(3))  # type: ignore[arg-type]


def test_batch_of_a_shipped_scenario():
    batch = BatchSimulator(load_scenario("sumo"), 2, 1)
    assert batch.motors == ("attacker/left", "attacker/right", "defender/left", "defender/right")
    batch.step(np.ones((2, 4)), n=10)
    assert batch.readings("attacker/eye").shape == (2, 3)
    assert batch.touching("attacker/chassis").tolist() == [False, False]
