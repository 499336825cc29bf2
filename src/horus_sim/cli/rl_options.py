"""The options that commands of `horus-sim rl` share, and the tasks that they name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="Name of a task.")]
TasksOption = Annotated[
    Path | None, typer.Option("--tasks", help="YAML file that defines tasks of your own.")
]


PolicyOption = Annotated[
    str | None,
    typer.Option(
        "--policy",
        help="A policy.npz, the folder of a training, a file of another tool (.onnx, .zip, .pt), "
        "or 'random'; else the shipped one.",
    ),
]
ContractOption = Annotated[
    Path | None,
    typer.Option(
        "--contract", help="Contract of a file of another tool; else the .json beside it."
    ),
]


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """Changes to a task, and where tasks come from."""

    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="A setting of the task, such as lidar.rays=36."
        ),
    ] = None
    tasks: TasksOption = None

    def require(self, task: str) -> None:
        """Reads the tasks.

        Raises:
            TaskError: None of them has this name.
        """
        from horus_sim.rl.task_files.definitions import task_bases

        load_tasks(self.tasks)
        task_bases(task)


@dataclass(frozen=True, slots=True)
class EpisodeOptions(TaskOptions):
    """Who acts in which episodes of a task, and a film of them."""

    policy: PolicyOption = None
    contract: ContractOption = None
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Seed of the first episode; else one never trained."),
    ] = None
    video: Annotated[
        Path | None, typer.Option("--video", help="Write pictures there, .mp4 or .gif.")
    ] = None


def load_tasks(tasks: Path | None) -> None:
    """Makes the shipped tasks known, and those of a file."""
    import horus_sim.rl

    if tasks is not None:
        horus_sim.rl.load_tasks(tasks)
