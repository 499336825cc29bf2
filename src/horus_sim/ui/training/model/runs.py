"""Curves of a training, read from its folder while it goes on."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from horus_sim.errors import TrainingError
from horus_sim.installation import command
from horus_sim.rl.training.run_folder import RunFolder, read_rows

if TYPE_CHECKING:
    from pathlib import Path

# Longer than an update of any shipped training takes.
_QUIET_S = 60.0
_MOST_POINTS = 600
Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Curves:
    """A training so far; points are (steps, value).

    Attributes:
        task: Name of the task.
        algorithm: How it learns.
        steps: Steps made so far.
        seconds: Time spent [s].
        is_live: Whether it has written lately.
        is_over: Whether it has written its last policy and picture.
        success: Share of episodes in training that succeeded, with exploration.
        returns: Mean return of episodes in training.
        evaluated_success: Share of episodes in evaluations that succeeded, without exploration.
        evaluated_returns: Mean return of episodes in evaluations.
        policies: Files of policies that there are: policy.npz, last_policy.npz.
    """

    task: str
    algorithm: str
    steps: int
    seconds: float
    is_live: bool
    is_over: bool
    success: Points
    returns: Points
    evaluated_success: Points
    evaluated_returns: Points
    policies: tuple[str, ...]


class RunWatch:
    """The folder of a training, here or of another program.

    Args:
        path: The folder.

    Raises:
        TrainingError: It holds no training.
    """

    def __init__(self, path: Path) -> None:
        self.run = RunFolder(path)
        try:
            about = json.loads(self.run.config.read_text(encoding="utf-8"))
            self._task, self._algorithm = str(about["task"]), str(about["algorithm"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise TrainingError(
                f"'{path}' holds no training (no config.json of one); give a folder that "
                f"'{command('rl train')}' made, such as runs/NavigationOpen-ppo-0"
            ) from error
        self._seen: tuple[object, ...] = ()
        self._curves: Curves | None = None

    def read(self) -> Curves:
        """The curves of now; files that did not change are not read again.

        Raises:
            TrainingError: They cannot be read, or the folder is gone.
        """
        run = self.run
        files = (run.progress, run.evaluations, run.policy, run.last_policy, run.curve, run.config)
        written = [_written_ns(path) for path in files]
        if not written[-1]:
            raise TrainingError(f"'{run.path}' is gone; watch another folder")
        is_live = not run.curve.exists() and time.time() - max(written) / 1e9 < _QUIET_S
        seen = (*written, is_live)
        if self._curves is None or seen != self._seen:
            self._seen, self._curves = seen, self._read(is_live=is_live)
        return self._curves

    def _read(self, *, is_live: bool) -> Curves:
        run = self.run
        try:
            progress, evaluations = read_rows(run.progress), read_rows(run.evaluations)
        except (OSError, ValueError) as error:
            raise TrainingError(
                f"the files of '{run.path}' cannot be read ({error}); they may be of another "
                "program"
            ) from error
        last = progress[-1] if progress else {}
        return Curves(
            self._task,
            self._algorithm,
            int(last.get("steps", 0)),
            float(last.get("seconds", 0.0)),
            is_live,
            run.curve.exists(),
            _points(progress, "success_rate"),
            _points(progress, "mean_return"),
            _points(evaluations, "success_rate"),
            _points(evaluations, "mean_return"),
            tuple(path.name for path in (run.policy, run.last_policy) if path.exists()),
        )


def _written_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _points(rows: list[dict[str, float]], key: str) -> Points:
    """Pairs of steps and value; of long trainings only some, and surely the last."""
    stride = max(1, -(-len(rows) // _MOST_POINTS))
    # A row that is being written may lack its end.
    pairs = [(row.get("steps"), row.get(key)) for row in rows[::-1][::stride][::-1]]
    return tuple((x, y) for x, y in pairs if x is not None and y is not None and x == x and y == y)
