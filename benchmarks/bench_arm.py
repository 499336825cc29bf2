"""Kinematics of arms from Python: our figures beside the peers', in one run.

Reachable targets from configurations drawn uniformly within limits; single solves are native calls
with prepared arrays, and `Arm.ik` as users call it; one thread, CPU time. Every answer is checked
with forward kinematics: an answer that claims success outside the tolerances is a false success.

    pip install 'horus-sim[bench]'
    python benchmarks/bench_arm.py [--targets 10000] [--unreachable 100]

Prints tables and writes benchmarks/results/bench_arm.json.
"""

from __future__ import annotations

import argparse
import json
import runpy
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from arm_peers import PEERS, POSITION_M, ROTATION_RAD, Solve
from measure import cpu_ns
from rich.console import Console
from rich.table import Table
from scipy.optimize import least_squares

from horus_sim.arm import Arm, random_configurations

ARMS = ("puma560", "ur5e", "panda", "robot_arm")
POINT = False
RESULTS = Path(__file__).parent / "results" / "bench_arm.json"
_TESTS = Path(__file__).parents[1] / "tests"
random_arm = runpy.run_path(str(_TESTS / "arm" / "random_arms.py"))["random_arm"]


@dataclass
class Row:
    """How one solver did on one set of targets."""

    solver: str
    arm: str
    mode: str
    start: str
    targets: int
    solved_percent: float
    false_successes: int
    limit_violations: int
    median_us: float
    p95_us: float


def judge(
    arm: Arm, T: np.ndarray, q: np.ndarray, claims: np.ndarray, *, is_pose: bool
) -> tuple[float, int, int]:
    """Share solved [%], false successes, violations of limits: measured anew."""
    reached = arm.fk_batch(q)
    good = np.linalg.norm((reached - T)[:, :3, 3], axis=1) <= POSITION_M * (1 + 1e-9)
    if is_pose:
        chord = np.linalg.norm((reached - T)[:, :3, :3], axis=(1, 2))
        good &= 2 * np.arcsin(np.clip(chord / np.sqrt(8), 0, 1)) <= ROTATION_RAD * (1 + 1e-6)
    inside = ((q >= arm.lower - 1e-12) & (q <= arm.upper + 1e-12)).all(axis=1)
    solved = 100.0 * float((good & inside & claims).mean())
    return solved, int((claims & ~good).sum()), int((~inside).sum())


def ours(arm: Arm) -> Solve:
    """Our native call with prepared arrays."""
    solve = arm._solver.solve

    def run(T: np.ndarray, start: np.ndarray, is_pose: bool) -> tuple[np.ndarray, bool]:  # noqa: FBT001
        answer = solve(T, start, is_pose, POSITION_M, ROTATION_RAD, 0.0, 0, 0)
        return answer[0], answer[1] == 0

    return run


def ours_from_python(arm: Arm) -> Solve:
    """`Arm.ik`, as users call it."""

    def run(T: np.ndarray, start: np.ndarray, is_pose: bool) -> tuple[np.ndarray, bool]:  # noqa: FBT001
        answer = arm.ik(
            T,
            start,
            "pose" if is_pose else "position",
            position_tolerance=POSITION_M,
            rotation_tolerance=ROTATION_RAD,
        )
        return answer.q, answer.success

    return run


def measure(
    name: str, solve: Solve, arm: Arm, n: int, start: str, *, is_pose: bool, flat: bool
) -> Row:
    """Solve n targets one by one."""
    T = arm.fk_batch(random_configurations(arm, n, seed=1))
    starts = random_configurations(arm, n, seed=2)
    if start == "home":
        starts = np.tile(arm.initial, (n, 1))
    targets = list(T)
    if flat:
        targets = list(T.reshape(n, 16) if is_pose else np.ascontiguousarray(T[:, :3, 3]))
    solve(targets[0], starts[0], is_pose)
    clock = time.thread_time_ns
    empty = float(np.median([-(clock() - clock()) for _ in range(1000)]))
    times, found, claims = np.empty(n), np.empty((n, arm.dof)), np.empty(n, bool)
    for k in range(n):
        begin = clock()
        answer = solve(targets[k], starts[k], is_pose)
        times[k] = clock() - begin
        found[k], claims[k] = answer
    times = (times - empty) / 1e3
    return Row(
        name,
        arm.name,
        "pose" if is_pose else "position",
        start,
        n,
        *judge(arm, T, found, claims, is_pose=is_pose),
        float(np.median(times)),
        float(np.percentile(times, 95)),
    )


def throughput(arm: Arm, n: int = 20_000) -> dict[str, float]:
    """Batched figures on one thread [1/s]."""
    q = random_configurations(arm, n, seed=3)
    T = arm.fk_batch(q)
    P = np.ascontiguousarray(T[:, :3, 3])
    options = {"position_tolerance": POSITION_M, "rotation_tolerance": ROTATION_RAD, "threads": 1}
    return {
        "forward": 1e9 / cpu_ns(lambda: arm.fk_batch(q, threads=1), n, repeats=9),
        "positions": 1e9 / cpu_ns(lambda: arm.ik_batch(P, **options), n, repeats=5),
        "poses": 1e9 / cpu_ns(lambda: arm.ik_batch(T, **options), n, repeats=5),
        "positions from home": 1e9
        / cpu_ns(lambda: arm.ik_batch(P, arm.initial, **options), n, repeats=5),
        "poses from home": 1e9
        / cpu_ns(lambda: arm.ik_batch(T, arm.initial, **options), n, repeats=5),
    }


def random_arms(count: int = 100, targets: int = 1000) -> dict[str, float]:
    """Share of targets solved over random arms of 3 to 7 joints [%]."""
    rng = np.random.default_rng(2024)
    shares: dict[str, list[float]] = {"position": [], "pose": []}
    wrong = 0
    for _ in range(count):
        arm = random_arm(rng)
        T = arm.fk_batch(random_configurations(arm, targets, seed=4))
        starts = random_configurations(arm, targets, seed=5)
        for mode, is_pose in (("position", False), ("pose", True)):
            answers = arm.ik_batch(
                T if is_pose else T[:, :3, 3],
                starts,
                position_tolerance=POSITION_M,
                rotation_tolerance=ROTATION_RAD,
            )
            solved, false, outside = judge(arm, T, answers.q, answers.success, is_pose=is_pose)
            shares[mode].append(solved)
            wrong += false + outside
    return {mode: float(np.mean(values)) for mode, values in shares.items()} | {
        "false or outside limits": float(wrong)
    }


def unreachable(cases: int, starts: int = 30) -> dict[str, float]:
    """How we compare with bounded least squares from many starts on targets out of reach."""
    rng = np.random.default_rng(3)
    behind, worse, slowest, times = [], 0, 0.0, []
    for index in range(cases):
        arm = LOADED[ARMS[index % len(ARMS)]]
        while True:
            direction = rng.normal(size=3)
            share = rng.uniform(0.2, 1.6) if rng.random() < 0.5 else rng.uniform(0.0, 0.9)
            target = direction / np.linalg.norm(direction) * share * arm.reach
            begin = time.thread_time_ns()
            answer = arm._solver.solve(target, None, POINT, POSITION_M, ROTATION_RAD, 0.0, 0, 0)
            took = (time.thread_time_ns() - begin) / 1e3
            if answer[1] != 0:
                break
        times.append(took)
        slowest = max(slowest, took)
        best = min(
            float(
                np.linalg.norm(
                    least_squares(
                        lambda q, a=arm, t=target: a.fk(q).translation - t,
                        rng.uniform(arm.lower, arm.upper),
                        jac=lambda q, a=arm: a.jacobian(q)[:3],  # pyright: ignore[reportArgumentType]
                        bounds=(arm.lower, arm.upper),
                    ).fun
                )
            )
            for _ in range(starts)
        )
        behind.append(answer[2] - best)
        worse += answer[2] > best + 1e-3
    return {
        "cases": cases,
        "within 1 mm of SciPy or closer [%]": 100.0 * (1 - worse / cases),
        "closer by more than 1 mm": float(np.sum(np.array(behind) < -1e-3)),
        "median [us]": float(np.median(times)),
        "slowest [us]": slowest,
    }


LOADED = {name: Arm.load(name) for name in ARMS}


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--targets", type=int, default=10_000)
    parser.add_argument("--unreachable", type=int, default=100)
    arguments = parser.parse_args()
    console = Console(width=140)
    rows: list[Row] = []
    for arm in LOADED.values():
        for is_pose in (False, True):
            for start in ("home", "random"):
                options = {"is_pose": is_pose, "start": start}
                rows.append(
                    measure("ours", ours(arm), arm, arguments.targets, flat=True, **options)
                )
                rows.append(
                    measure(
                        "Arm.ik",
                        ours_from_python(arm),
                        arm,
                        arguments.targets,
                        flat=False,
                        **options,
                    )
                )
                for name, (build, most) in PEERS.items():
                    n = min(most, arguments.targets)
                    try:
                        rows.append(measure(name, build(arm), arm, n, flat=False, **options))
                    except ImportError as error:
                        console.print(f"{name} left out: {error}")
    table = Table(
        "solver", "arm", "mode", "start", "n", "solved %", "false", "outside", "us", "p95"
    )
    for r in rows:
        table.add_row(
            *(r.solver, r.arm, r.mode, r.start, str(r.targets), f"{r.solved_percent:.2f}"),
            *(str(r.false_successes), str(r.limit_violations)),
            *(f"{r.median_us:.1f}", f"{r.p95_us:.1f}"),
        )
    console.print(table)
    rates = {name: throughput(arm) for name, arm in LOADED.items()}
    table = Table("arm, one thread", *(f"{title} [K/s]" for title in rates[ARMS[0]]))
    for name, values in rates.items():
        table.add_row(name, *(f"{value / 1e3:.0f}" for value in values.values()))
    console.print(table)
    others = {"random arms": random_arms()}
    if arguments.unreachable:
        others["unreachable"] = unreachable(arguments.unreachable)
    for title, values in others.items():
        console.print(title, {key: round(value, 4) for key, value in values.items()})
    RESULTS.parent.mkdir(exist_ok=True)
    content = {"rows": [asdict(row) for row in rows], "throughput": rates, **others}
    RESULTS.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    console.print(f"written: {RESULTS}")


if __name__ == "__main__":
    main()
