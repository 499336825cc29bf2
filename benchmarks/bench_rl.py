"""Steps and resets of reinforcement learning environments, beside the limit and peers in one run.

Run it on an idle machine:  python benchmarks/bench_rl.py [--quick]
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rl_peers import Step, envpool, limit, ours, sb3_adapter, sb3_dummy, sync
from rl_shares import training_shares

import horus_sim.rl as rl
from horus_sim.errors import MissingExtraError

TASKS = (
    "Navigation",
    "NavigationFar",
    "ArmReach",
    "Racing",
    "Manipulation",
    "Navigation2D",
    "LineFollower2D",
)
CORES = len(os.sched_getaffinity(0))
EVERYTHING: dict[str, Any] = {
    "mass": {"kind": "mass", "scale": [0.8, 1.2]},
    "friction": {"kind": "friction", "scale": [0.7, 1.3]},
    "damping": {"kind": "damping", "scale": [0.5, 2.0]},
    "motors": {"kind": "motor_gain", "scale": [0.8, 1.2]},
    "gravity": {"kind": "gravity", "scale": [0.95, 1.05]},
    "centre of mass": {"kind": "centre_of_mass", "shift": [-0.005, 0.005]},
    "restitution": {"kind": "restitution", "restitution": [0.0, 0.3]},
}
SENSORS: dict[str, Any] = {
    "noise": {"kind": "noise", "observation": "lidar", "std": [0.0, 0.02]},
    "dropout": {"kind": "dropout", "observation": "lidar", "probability": 0.01},
    "latency": {"kind": "latency", "observation": "goal", "delay": [0.0, 0.1]},
}


def timed(runs: dict[str, Step], steps: dict[str, int], rounds: int) -> dict[str, dict[str, float]]:
    """Time of one step of each, in turns so that all see the same machine [s].

    Returns:
        For each, `cpu` (least CPU time of all threads) and `wall` (median).
    """
    cpu: dict[str, list[float]] = {name: [] for name in runs}
    wall: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(rounds + 1):
        for name, run in runs.items():
            begin_cpu, begin = time.process_time(), time.perf_counter()
            run(steps[name])
            if turn:
                wall[name].append((time.perf_counter() - begin) / steps[name])
                cpu[name].append((time.process_time() - begin_cpu) / steps[name])
    return {name: {"cpu": min(cpu[name]), "wall": statistics.median(wall[name])} for name in runs}


def locomotion(console: Console, *, quick: bool) -> dict[str, Any]:
    """Ant and HalfCheetah beside the limit and peers."""
    results: dict[str, Any] = {}
    table = Table(title="Ant and HalfCheetah: share of the limit (mj_step in C, all threads)")
    for column in ("task", "environments", "limit, steps/s", "ours", "EnvPool", "SyncVectorEnv"):
        table.add_column(column, justify="left" if column == "task" else "right")
    for name in ("HalfCheetah", "Ant"):
        for count in (1, 64, 1024):
            runs: dict[str, Step] = {"limit": limit(name, count), "ours": ours(name, count)}
            try:
                runs["envpool"] = envpool(name, count)
            except ImportError:
                console.print("EnvPool is not installed; to compare: pip install envpool")
            runs["sync"] = sync(name, count)
            many = max(1, (400 if quick else 4000) // count)
            steps = dict.fromkeys(runs, many) | {"sync": max(1, many // 4)}
            figures = timed(runs, steps, 3 if quick else 7)
            results[f"{name} {count}"] = figures
            best = figures["limit"]
            shares = [
                " ".join(f"{best[kind] / figures[peer][kind]:.2f}" for kind in ("cpu", "wall"))
                if peer in figures
                else "-"
                for peer in ("ours", "envpool", "sync")
            ]
            table.add_row(name, f"{count:,}", f"{count / best['wall']:,.0f}", *shares)
    console.print(table)
    console.print("By CPU time, then by wall time.")
    return results


def navigation(console: Console, *, quick: bool) -> dict[str, Any]:
    """Navigation with 24 rays, 1,024 environments."""
    settings: dict[str, dict[str, Any]] = {
        "1 physics step": {"physics_steps": 1},
        "12 physics steps": {"physics_steps": 12},
        "12, physics randomized": {"physics_steps": 12, "randomization": EVERYTHING},
        "12, all randomized": {"physics_steps": 12, "randomization": {**EVERYTHING, **SENSORS}},
    }
    runs = {title: ours("Navigation", 1024, **values) for title, values in settings.items()}
    steps = {title: 20 if title[:2] == "1 " else 5 for title in runs}
    figures = timed(runs, steps, 3 if quick else 9)
    table = Table(title=f"Navigation, 24 rays, 1,024 environments, {CORES} cores")
    for column in ("case", "steps/s", "physics steps/s", "if CPU time were wall time"):
        table.add_column(column, justify="left" if column == "case" else "right")
    for title, figure in figures.items():
        physics = settings[title]["physics_steps"]
        rate = 1024 / figure["wall"]
        ideal = 1024 / figure["cpu"] * CORES
        table.add_row(title, f"{rate:,.0f}", f"{rate * physics:,.0f}", f"{ideal * physics:,.0f}")
    console.print(table)
    return figures


def every_task(console: Console) -> dict[str, Any]:
    """Steps of every task of ours as they are."""
    runs = {name: ours(name, 1024) for name in TASKS}
    figures = timed(runs, dict.fromkeys(runs, 5), 5)
    table = Table(title=f"Tasks as they are, random actions, 1,024 environments, {CORES} cores")
    table.add_column("task")
    table.add_column("steps/s", justify="right")
    for name, figure in figures.items():
        table.add_row(name, f"{1024 / figure['wall']:,.0f}")
    console.print(table)
    return figures


def adapters(console: Console) -> dict[str, Any]:
    """What the adapter to Stable-Baselines3 adds to a step of 1,024 environments."""
    try:
        runs = {"ours": sb3_adapter(1024), "DummyVecEnv": sb3_dummy(1024)}
    except MissingExtraError as error:
        console.print(f"Adapter not measured: {error}")
        return {}
    figures = timed(runs, {"ours": 160, "DummyVecEnv": 10}, 9)
    for name, figure in figures.items():
        console.print(
            f"Stable-Baselines3, 1,024 environments, {name}: {figure['wall'] * 1e6:,.0f} us a step"
        )
    return figures


def least(run: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Least wall and CPU time of a call [s]."""
    wall, cpu = [], []
    for _ in range(repeats):
        begin_cpu, begin = time.process_time(), time.perf_counter()
        run()
        wall.append(time.perf_counter() - begin)
        cpu.append(time.process_time() - begin_cpu)
    return min(wall), min(cpu)


def resets(console: Console) -> dict[str, float]:
    """Building and resetting 1,024 environments with randomized physics."""
    rl.make_vector("Navigation", 2).close()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.perf_counter()
    envs = rl.make_vector("Navigation", 1024, randomization=EVERYTHING)
    envs.reset(seed=0)
    built = time.perf_counter() - begin
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    mask = np.zeros(1024, np.bool_)
    mask[::103] = True
    some, _ = least(lambda: envs.reset(options={"reset_mask": mask}), 200)
    every, _ = least(envs.reset, 10)
    console.print(f"1,024 environments built and reset in {built:.2f} s, {memory:.1f} KB each")
    each = every / 1024 * 1e6
    console.print(f"reset of {mask.sum()}: {some * 1e6:.0f} us; of all: {each:.1f} us each")
    return {"build_s": built, "kb_each": memory, "ten_us": some * 1e6, "all_us": each}


def main() -> None:
    """Measures, prints tables and writes JSON."""
    quick = "--quick" in sys.argv
    console = Console()
    # Memory first: the high-water mark only rises.
    results: dict[str, Any] = {"resets": resets(console)}
    results["navigation"] = navigation(console, quick=quick)
    results["tasks"] = every_task(console)
    results["adapters"] = adapters(console)
    results["shares"] = {} if quick else training_shares(console)
    results["locomotion"] = locomotion(console, quick=quick)
    path = Path(__file__).parent / "results" / "bench_rl.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(results, indent=2) + "\n")
    console.print(f"Written to {path}")


if __name__ == "__main__":
    main()
