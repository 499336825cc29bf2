"""The folder of a training: what lies where."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from horus_sim.errors import TrainingError
from horus_sim.rl.training.config import TrainConfig


class RunFolder:
    """Paths of the files of a training.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def config(self) -> Path:
        """Settings, JSON."""
        return self.path / "config.json"

    @property
    def progress(self) -> Path:
        """A row for each update, CSV."""
        return self.path / "progress.csv"

    @property
    def evaluations(self) -> Path:
        """A row for each evaluation, CSV."""
        return self.path / "evaluations.csv"

    @property
    def policy(self) -> Path:
        """The policy that did best in an evaluation."""
        return self.path / "policy.npz"

    @property
    def last_policy(self) -> Path:
        """The policy as it was at the last evaluation, in the end as it was then."""
        return self.path / "last_policy.npz"

    @property
    def curve(self) -> Path:
        """Picture of the learning curve."""
        return self.path / "curve.png"

    @property
    def tensorboard(self) -> Path:
        """Logs for TensorBoard."""
        return self.path / "tensorboard"

    def checkpoint(self, steps: int) -> Path:
        """File of the checkpoint after that many steps."""
        return self.path / "checkpoints" / f"step_{steps:012d}.pt"

    def checkpoints(self) -> tuple[Path, ...]:
        """All checkpoints, the oldest first."""
        return tuple(sorted((self.path / "checkpoints").glob("step_*.pt")))

    def create(self, config: TrainConfig) -> None:
        """Makes the folder and writes the settings.

        Raises:
            TrainingError: It exists and is not empty, or cannot be made.
        """
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise TrainingError(
                f"'{self.path}' exists already; choose another folder, or resume the training in it"
            )
        try:
            (self.path / "checkpoints").mkdir(parents=True, exist_ok=True)
            self.config.write_text(config.model_dump_json(indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise TrainingError(
                f"'{self.path}' cannot be made: {error}; choose another folder"
            ) from error

    def read_config(self) -> TrainConfig:
        """The settings that the training began with.

        Raises:
            TrainingError: The folder holds no training.
        """
        try:
            return TrainConfig.model_validate(json.loads(self.config.read_text(encoding="utf-8")))
        except (OSError, ValueError, ValidationError) as error:
            raise TrainingError(
                f"'{self.path}' holds no training that can go on ({error}); give a folder that "
                "'horus-sim rl train' made"
            ) from error


def append_row(path: Path, row: Mapping[str, Any]) -> None:
    """Adds a row to a CSV file; the first one writes the headings."""
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(row))
        if new:
            writer.writeheader()
        writer.writerow(row)


def read_rows(path: Path) -> list[dict[str, float]]:
    """Rows of a CSV file of numbers; empty cells are not a number."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [
            {key: float(value) if value else float("nan") for key, value in row.items()}
            for row in csv.DictReader(file)
        ]
