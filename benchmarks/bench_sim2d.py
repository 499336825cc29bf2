"""Steps of the 2D simulator: batches, single worlds and crowds, beside pymunk and Box2D in one run.

    pip install 'horus-sim[bench]'
    python benchmarks/bench_sim2d.py [--only steps|crowds|heap|gas|chains|fast_circles|rays ...]

Run it on an idle machine. Prints tables and writes benchmarks/results/bench_sim2d.json and
bench_sim2d_crowds.json.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from measure import call_ns
from rich.console import Console
from rich.table import Table
from sim2d_crowds import ROWS, crowds_table, growth, measure_crowds
from sim2d_peers import PEERS
from sim2d_worlds import arena_scenario, empty_scenario, pile_scenario

from horus_sim.rl import make_vector
from horus_sim.sim2d import BatchSimulator, Scenario, Simulator

RESULTS = Path(__file__).parent / "results"
REPEATS = 7
SETTLING_STEPS = 480


@dataclass
class Case:
    """A row: what was measured, the goal, our figure and the peers' [ns]."""

    title: str
    goal_ns: float
    ours_ns: float
    peers: dict[str, float] = field(default_factory=dict)


def batch_ns(
    scenario: Scenario, worlds: int, steps: int, *, top_down: bool = True, settle: int = 0
) -> float:
    """Median CPU time of one world-step in one thread [ns]; commands change every ten steps."""
    batch = BatchSimulator(scenario, worlds, 1, top_down=top_down)
    random = np.random.default_rng(0)
    shape = (worlds, len(batch.motors))
    batch.step(n=settle)
    times = []
    for _ in range(REPEATS):
        commands = [random.uniform(-0.4, 1.0, shape) for _ in range(steps // 10)]
        start = time.thread_time_ns()
        for command in commands:
            batch.step(command, n=10)
        times.append((time.thread_time_ns() - start) / (worlds * steps))
    return statistics.median(times)


def peer_ns(name: str, case: str, worlds: int, steps: int, settle: int = 0) -> float:
    """Median CPU time of one world-step of a peer [ns]."""
    made = [PEERS[name](case) for _ in range(worlds)]
    random = np.random.default_rng(0)
    for step in made:
        for _ in range(settle):
            step(0.0, 0.0)
    times = []
    for _ in range(REPEATS):
        spent = 0
        for _ in range(steps // 10):
            commands = random.uniform(-0.4, 1.0, (worlds, 2)).tolist()
            start = time.thread_time_ns()
            for step, (left, right) in zip(made, commands, strict=True):
                for _ in range(10):
                    step(left, right)
            spent += time.thread_time_ns() - start
        times.append(spent / (worlds * steps))
    return statistics.median(times)


def thread_scaling(worlds: int = 1024, steps: int = 120) -> float:
    """How many times as fast two threads are as one (wall time, median of pairs)."""
    ratios = []
    batches = [BatchSimulator(arena_scenario(), worlds, threads) for threads in (1, 2)]
    commands = np.random.default_rng(0).uniform(-0.4, 1.0, (worlds, 2))
    for _ in range(REPEATS):
        spent = []
        for batch in batches:
            start = time.perf_counter()
            batch.step(commands, n=steps)
            spent.append(time.perf_counter() - start)
        ratios.append(spent[0] / spent[1])
    return statistics.median(ratios)


def environment_steps(num_envs: int = 1024, steps: int = 60) -> dict[str, float]:
    """Environment steps a second of Navigation2D on all cores, and the CPU time of one [ns]."""
    envs = make_vector("Navigation2D", num_envs, copy=False)
    envs.reset(seed=0)
    random = np.random.default_rng(0)
    actions = [random.uniform(-1.0, 1.0, (num_envs, 2)).astype(np.float32) for _ in range(10)]
    rates, spent = [], []
    for _ in range(REPEATS):
        start, cpu = time.perf_counter(), time.process_time_ns()
        for k in range(steps):
            envs.step(actions[k % 10])
        rates.append(steps * num_envs / (time.perf_counter() - start))
        spent.append((time.process_time_ns() - cpu) / (steps * num_envs))
    return {"steps_per_s": statistics.median(rates), "cpu_ns": statistics.median(spent)}


def crowd_ns(bodies: int, steps: int = 30) -> float:
    """CPU time of a step of one world in which that many bodies lie in a heap [ns]."""
    return batch_ns(pile_scenario(bodies), 1, steps, top_down=False, settle=SETTLING_STEPS)


def write(console: Console, name: str, results: object) -> None:
    """Writes results as JSON."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / name).write_text(json.dumps(results, indent=2) + "\n")
    console.print(f"Written to {RESULTS / name}")


def crowds(console: Console, rows: tuple[str, ...]) -> None:
    """Measures, prints and writes the crowds."""
    found = measure_crowds(rows)
    console.print(crowds_table(found))
    console.print(
        "growth: exponents of ours, then the peers'. net: without the calls from Python, measured "
        "in an empty world; the ratio is that of the net times."
    )
    for crowd in found:
        for name, count in crowd.lost.items():
            if count:
                console.print(f"{crowd.title}, {crowd.bodies:,}: {name} lost {count:,} bodies.")
    results = [
        asdict(crowd) | {"ratio": crowd.ratio, "target": crowd.target}
        | {"growth": growth(found, crowd)}
        for crowd in found
    ]  # fmt: skip
    write(console, "bench_sim2d_crowds.json", results)


def steps(console: Console) -> None:
    """Measures, prints and writes the steps of batches and single worlds."""
    cases = {
        "a": Case(
            "(a) robot and 12 boxes, 1,024 worlds", 900, batch_ns(arena_scenario(), 1024, 240)
        ),
        "b": Case(
            "(b) heap of 100 bodies, 64 worlds",
            35_000,
            batch_ns(pile_scenario(), 64, 40, top_down=False, settle=SETTLING_STEPS),
        ),
        "c": Case("(c) robot alone, 1,024 worlds", 200, batch_ns(empty_scenario(), 1024, 240)),
    }
    for name in PEERS:
        try:
            for case, worlds, steps in (("a", 64, 240), ("b", 8, 40), ("c", 64, 120)):
                settle = SETTLING_STEPS if case == "b" else 0
                cases[case].peers[name] = peer_ns(name, case, worlds, steps, settle)
        except ImportError:
            print(f"{name} is not installed; to compare: pip install 'horus-sim[bench]'")
    sim = Simulator(empty_scenario(with_sensors=True))
    sim.robots["robot"].drive.drive(0.3, 0.1)
    cases["single"] = Case(
        "Simulator.step(), drive, IMU, 2 encoders, line array", 8_000, call_ns(sim.step)
    )
    scaling = thread_scaling()
    table = Table(title="2D simulator: CPU time of one world-step, one core")
    for column in ("case", "ours", "goal", "", *PEERS):
        table.add_column(column, justify="left" if column == "case" else "right")
    for case in cases.values():
        peers = [
            f"{case.peers[n]:,.0f} ({case.peers[n] / case.ours_ns:.1f}x)"
            if n in case.peers
            else "-"
            for n in PEERS
        ]
        verdict = "reached" if case.ours_ns <= case.goal_ns else "missed"
        table.add_row(
            case.title, f"{case.ours_ns:,.0f} ns", f"{case.goal_ns:,.0f}", verdict, *peers
        )
    console.print(table)
    console.print(f"Two threads are {scaling:.2f} times as fast as one (goal 1.8; wall time).")
    navigation = environment_steps()
    console.print(
        f"Navigation2D, 1,024 environments: {navigation['steps_per_s']:,.0f} steps a second "
        f"(goal 150,000), {navigation['cpu_ns']:,.0f} ns of CPU time each."
    )
    heaps = {count: crowd_ns(count) for count in (125, 250, 500, 1000)}
    console.print(
        "One heap of "
        + ", ".join(f"{count}: {ns / 1000:,.0f} us" for count, ns in heaps.items())
        + " a step."
    )
    results = {key: asdict(case) for key, case in cases.items()} | {
        "two_threads": scaling,
        "navigation_2d": navigation,
        "heaps_ns": heaps,
    }
    write(console, "bench_sim2d.json", results)


def main() -> None:
    """Measures, prints and writes what is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="+", choices=("steps", "crowds", *ROWS), metavar="TABLE")
    chosen = parser.parse_args().only or ["steps", "crowds"]
    console = Console(width=150)
    if "steps" in chosen:
        steps(console)
    rows = tuple(row for row in ROWS if row in chosen or "crowds" in chosen)
    if rows:
        crowds(console, rows)


if __name__ == "__main__":
    main()
