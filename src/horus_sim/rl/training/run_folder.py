"""The folder of a training: what lies where."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from horus_sim.errors import TrainingError
from horus_sim.files.names import propose
from horus_sim.files.whole_file import explained, is_part, replacing
from horus_sim.installation import command
from horus_sim.rl.training.config import TrainConfig
from horus_sim.rl.training.folder_lock import held
from horus_sim.rl.training.report import dotted

_LOCK = "training.lock"
# What a training has made before its first checkpoint and policy.
_BEGUN = {"config.json", "progress.csv", "evaluations.csv", "tensorboard", "checkpoints"}


class RunFolder:
    """Paths of the files of a training.

    Attributes:
        path: The folder.
        config: The settings, JSON.
        progress: A row for each update, CSV.
        evaluations: A row for each evaluation, CSV.
        policy: The policy that did best in an evaluation.
        last_policy: The policy as it was at the last evaluation, in the end as it was then.
        curve: A picture of the learning curve.
        tensorboard: Logs for TensorBoard.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.config = self.path / "config.json"
        self.progress = self.path / "progress.csv"
        self.evaluations = self.path / "evaluations.csv"
        self.policy = self.path / "policy.npz"
        self.last_policy = self.path / "last_policy.npz"
        self.curve = self.path / "curve.png"
        self.tensorboard = self.path / "tensorboard"

    def checkpoint(self, steps: int) -> Path:
        """File of the checkpoint after that many steps."""
        return self.path / "checkpoints" / f"step_{steps:012d}.pt"

    def checkpoints(self) -> tuple[Path, ...]:
        """All checkpoints, the oldest first."""
        return tuple(sorted((self.path / "checkpoints").glob("step_*.pt")))

    def find_checkpoint(self, name: str | Path | None = None) -> Path:
        """A checkpoint by its path or by its name in the folder; the newest unless told.

        Raises:
            TrainingError: There is none.
        """
        found = self.checkpoints()
        if not found and name is None:
            raise TrainingError(
                f"'{self.path}' has no checkpoint; train without a resume, which begins it anew"
            )
        if name is None:
            return found[-1]
        for path in (Path(name), self.path / "checkpoints" / name):
            if path.is_file():
                return path
        there = ", ".join(path.name for path in found) or "none"
        raise TrainingError(
            f"there is no checkpoint '{name}', here or in '{self.path}'; name one of: {there}"
        )

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps other processes from training in the folder, which is made where it is absent.

        Raises:
            TrainingError: Another process trains in it, or it cannot be made or written.
        """
        with explained(self.path, TrainingError, "choose another folder"):
            self.path.mkdir(parents=True, exist_ok=True)
        with held(self.path / _LOCK):
            yield

    def check_new(self) -> None:
        """Raises where a training cannot begin in the folder.

        Raises:
            TrainingError: There is something in it, and more than a training that ended before its
                first checkpoint.
        """
        if not self.path.exists():
            return
        inside = self.path.iterdir() if self.path.is_dir() else [self.path]
        names = {path.name for path in inside if not is_part(path)} - {_LOCK}
        has_begun = self.config.exists() and names <= _BEGUN and not self.checkpoints()
        if names and not has_begun:
            raise TrainingError(
                f"'{self.path}' exists already; choose another folder, or resume the training in it"
            )

    def create(self, config: TrainConfig) -> None:
        """Makes the folder and writes the settings.

        What a training left that ended before its first checkpoint is removed.

        Raises:
            TrainingError: It exists and there is something in it, or it cannot be made.
        """
        self.check_new()
        with explained(self.path, TrainingError, "choose another folder"):
            for folder in (self.tensorboard, self.path / "checkpoints"):
                if folder.exists():
                    shutil.rmtree(folder)
            for file in (self.progress, self.evaluations):
                file.unlink(missing_ok=True)
            (self.path / "checkpoints").mkdir(parents=True)
            self.write_config(config)

    def write_config(self, config: TrainConfig) -> None:
        """Writes the settings."""
        _write(self.config, config.model_dump_json(indent=2) + "\n")

    def rewind(self, steps: int) -> None:
        """Forgets what came after that many steps: rows, checkpoints and the end; no policies.

        Raises:
            TrainingError: A row cannot be read, or a file not be written.
        """
        with explained(self.path, TrainingError, "go on with a copy of it"):
            for path in (self.progress, self.evaluations):
                cut_rows(path, steps)
            for path in self.checkpoints():
                if path.name > self.checkpoint(steps).name:
                    path.unlink()
            self.curve.unlink(missing_ok=True)

    def read_config(self) -> TrainConfig:
        """The settings of the training, with the limits of its last resume.

        Raises:
            TrainingError: The folder holds no training.
        """
        try:
            return TrainConfig.model_validate_json(self.config.read_bytes())
        except (OSError, ValueError) as error:
            raise TrainingError(
                f"'{self.path}' holds no training that can go on ({error}); give a folder that "
                f"'{command('rl train')}' made"
            ) from error


def check_agreement(run: RunFolder, task: str, asked: Mapping[str, Any]) -> None:
    """Refuses another task or other options than those of the training in a folder.

    Args:
        run: The folder.
        task: Name of the task that is asked for.
        asked: Fields of `TrainConfig` that are asked for, without the limits that a resume may
            change.

    Raises:
        TrainingError: The folder holds no training, or one of another task or with other options;
            the text names both.
    """
    config = run.read_config()
    if config.task != task:
        raise TrainingError(
            f"'{run.path}' holds a training of '{config.task}', not of '{task}'; resume it by its "
            f"name, or train '{task}' in another folder"
        )
    has, missing = dotted(config.model_dump(mode="json")), "the task's own"
    for name, value in dotted(asked).items():
        if name.partition(".")[0] not in TrainConfig.model_fields:
            raise TrainingError(propose(name, TrainConfig.model_fields, "TrainConfig", "field"))
        if name not in has or has[name] != value:
            raise TrainingError(
                f"'{run.path}' is trained with {name}={has.get(name, missing)}, not {value}, and a "
                "resume changes only steps and minutes; leave the option out, or train in another "
                "folder"
            )


def append_row(path: Path, row: Mapping[str, Any]) -> None:
    """Adds a row to a CSV file; the first one writes the headings."""
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(row))
        if not file.tell():
            writer.writeheader()
        writer.writerow(row)


def read_rows(path: Path) -> list[dict[str, float]]:
    """Rows of a CSV file of numbers; empty cells are not a number.

    A last row without its end is left out: it is being written, or its writer was killed.

    Raises:
        TrainingError: A row has other cells than the headings, or one that is not a number.
    """
    rows = []
    headings, *lines = csv.reader(_whole_lines(path) or [""])
    for cells in lines:
        try:
            values = [float(cell) if cell else float("nan") for cell in cells]
            rows.append(dict(zip(headings, values, strict=True)))
        except ValueError as error:
            raise TrainingError(
                f"'{path}' cannot be read: the row '{','.join(cells)}' is none of "
                f"{','.join(headings)}; remove it"
            ) from error
    return rows


def cut_rows(path: Path, steps: int) -> None:
    """Removes rows of more steps from a CSV file, and a last one without its end.

    Raises:
        TrainingError: A row cannot be read.
    """
    if path.exists():
        headings, *lines = _whole_lines(path) or [""]
        rows = zip(lines, read_rows(path), strict=True)
        _write(path, headings + "".join(line for line, row in rows if row["steps"] <= steps))


def _whole_lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [line for line in file if line.endswith("\n") and line.strip()]


def _write(path: Path, text: str) -> None:
    with replacing(path) as file:
        file.write(text.encode())
