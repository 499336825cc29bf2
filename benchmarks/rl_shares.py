"""Where the time of a training goes: physics, tasks, policy and gradients.

Run it on an idle machine:  python benchmarks/rl_shares.py [TASK ...]
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from horus_sim.errors import MissingExtraError
from horus_sim.interruption import Interruption
from horus_sim.rl.training import train_config
from horus_sim.rl.training.config import TrainConfig
from horus_sim.rl.training.run_folder import RunFolder

TASKS = (
    "Navigation",
    "NavigationFar",
    "ArmReach",
    "Racing",
    "Manipulation",
    "ManipulationLift",
    "Navigation2D",
    "LineFollower2D",
    "HalfCheetah",
    "Ant",
)
PARTS = ("physics", "task", "policy", "gradients", "rest")


class Stopwatch:
    """Wall and CPU time within calls of some methods, without calls of others inside them [s]."""

    def __init__(self) -> None:
        self.wall: dict[str, float] = dict.fromkeys(PARTS, 0.0)
        self.cpu: dict[str, float] = dict.fromkeys(PARTS, 0.0)
        self._inner = [(0.0, 0.0)]

    def watch(self, owner: Any, method: str, part: str) -> None:  # noqa: ANN401 - any object
        """Counts calls of a method to a part."""
        setattr(owner, method, self.counted(getattr(owner, method), part))

    def counted(self, function: Callable[..., Any], part: str) -> Callable[..., Any]:
        """The function, counted to a part."""

        def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the function
            begin, begin_cpu = time.perf_counter(), time.process_time()
            self._inner.append((0.0, 0.0))
            try:
                return function(*args, **kwargs)
            finally:
                wall, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
                inner_wall, inner_cpu = self._inner.pop()
                self.wall[part] += wall - inner_wall
                self.cpu[part] += cpu - inner_cpu
                outer_wall, outer_cpu = self._inner[-1]
                self._inner[-1] = outer_wall + wall, outer_cpu + cpu

        return call


def shares(config: TrainConfig) -> dict[str, Any]:
    """Time of each part of a training without evaluations, a step of one environment [us]."""
    from horus_sim.rl.training.learner import make_learner
    from horus_sim.rl.training.monitor import TrainingMonitor

    learner: Any = make_learner(config)
    watch = Stopwatch()
    runner = learner.vector._runner
    for method in ("step", "reset", "forward", "set_const"):
        watch.watch(runner.backend, method, "physics")
    watch.watch(learner.vector, "step", "task")
    watch.watch(learner._team, "forward", "policy")
    watch.watch(learner, "_update", "gradients")
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder(Path(folder) / "run")
        run.create(config)
        monitor = TrainingMonitor(learner, run, 0.0, None, Interruption(), None)
        try:
            watch.counted(learner.learn, "rest")(monitor)
        finally:
            monitor.close()
            learner.close()
    steps = learner.steps
    return {
        "steps": steps,
        "wall_us": {part: 1e6 * spent / steps for part, spent in watch.wall.items()},
        "cpu_us": {part: 1e6 * spent / steps for part, spent in watch.cpu.items()},
    }


def training_shares(console: Console, tasks: tuple[str, ...] = TASKS) -> dict[str, Any]:
    """A table of where the time of trainings goes."""
    results: dict[str, Any] = {}
    table = Table(title="Trainings as they are: share of wall time (of CPU time)")
    for column in ("task", "steps/s", "CPU us a step", *PARTS):
        table.add_column(column, justify="left" if column == "task" else "right")
    for name in tasks:
        config = train_config(name)
        rollout = config.num_envs * config.ppo.rollout_steps
        steps = max(3 * rollout, 60_000)
        limits = {"total_steps": steps, "evaluate_every": 10**9, "checkpoint_every": 10**9}
        try:
            found = results[name] = shares(train_config(name, **limits))
        except MissingExtraError as error:
            console.print(f"Trainings not measured: {error}")
            return {}
        wall, cpu = found["wall_us"], found["cpu_us"]
        total, busy = sum(wall.values()), sum(cpu.values())
        parts = [f"{wall[part] / total:.0%} ({cpu[part] / busy:.0%})" for part in PARTS]
        table.add_row(name, f"{1e6 / total:,.0f}", f"{busy:.1f}", *parts)
    console.print(table)
    return results


def main() -> None:
    """Measures the tasks that are named, or all; prints a table and writes JSON."""
    console = Console()
    found = training_shares(console, tuple(sys.argv[1:]) or TASKS)
    path = Path(__file__).parent / "results" / "rl_shares.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(found, indent=2) + "\n")
    console.print(f"Written to {path}")


if __name__ == "__main__":
    main()
