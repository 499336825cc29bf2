"""Which policies a page offers for a task, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import PolicyError
from horus_sim.rl.policies.loading import FOREIGN, load_any_policy
from horus_sim.rl.task_files.definitions import task_bases
from horus_sim.rl.training.policy import load_policy, policy_names

if TYPE_CHECKING:
    from horus_sim.rl.training.evaluation import Acting

RANDOM = "random"
RUNS = "runs"


class RandomActions:
    """Actions that know nothing: uniform within the bounds of the task.

    Args:
        space: Actions of one environment, a `gymnasium.spaces.Box`.
        seed: Seed of the random numbers.
    """

    def __init__(self, space: Any, seed: int) -> None:  # noqa: ANN401 - gymnasium is optional
        self._low = np.maximum(np.asarray(space.low, np.float64), -1e3)
        self._high = np.minimum(np.asarray(space.high, np.float64), 1e3)
        self._random = np.random.default_rng(seed)

    def act(self, observations: npt.NDArray[Any], /) -> npt.NDArray[np.float32]:
        """Actions, a row for each observation."""
        shape = (len(observations), *self._low.shape)
        return self._random.uniform(self._low, self._high, shape).astype(np.float32)


@dataclass(frozen=True, slots=True)
class FoundPolicy:
    """A policy that was found.

    Attributes:
        policy: What acts, or None for random actions.
        settings: Settings of the task with which it learned.
        learned: Name of the task that it learned, '' for none.
        path: Its file, if it may change while it is watched.
        changed_ns: When that file was written.
    """

    policy: Acting | None
    settings: Mapping[str, Any]
    learned: str = ""
    path: Path | None = None
    changed_ns: int = 0


class PolicyLibrary:
    """Policies by the names that addresses have: of a shipped one, 'random', or a path.

    Args:
        folder: Paths are relative to it.
        is_local: Whether paths outside of it may be named.
    """

    def __init__(self, folder: Path, *, is_local: bool) -> None:
        self._folder = folder
        self._is_local = is_local

    def default(self, task: str) -> str:
        """The shipped policy of a task or of one that it is based on; else 'random'."""
        shipped = policy_names()
        return next((name for name in task_bases(task) if name in shipped), RANDOM)

    def options(self, task: str) -> dict[str, str]:
        """Names that a page offers, with what they are called there."""
        bases = task_bases(task)
        shipped = {name: f"{name} (shipped)" for name in policy_names() if name in bases}
        found = {}
        for run in self.runs():
            for file, kind in (("policy.npz", "best"), ("last_policy.npz", "newest")):
                if (self._folder / run / file).exists():
                    found[f"{run}/{file}"] = f"{run}: {kind}"
        return shipped | found | {RANDOM: "random actions"}

    def runs(self) -> list[str]:
        """Folders of trainings below `runs`, the newest first, relative to the folder."""
        found = [path.parent for path in (self._folder / RUNS).glob("*/config.json")]
        found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        return [path.relative_to(self._folder).as_posix() for path in found]

    def resolve(self, name: str) -> Path:
        """Where a path leads.

        Raises:
            PolicyError: It leads out of the folder, and the page is reached from elsewhere.
        """
        path = (self._folder / Path(name).expanduser()).resolve()
        if not self._is_local and not path.is_relative_to(self._folder):
            raise PolicyError(
                f"'{name}' is outside of the folder of the program, which pages on other machines "
                "may not read; copy it there"
            )
        return path

    def find(self, name: str) -> FoundPolicy:
        """A policy by its name.

        Raises:
            PolicyError: There is none, or the file holds something else.
        """
        if name == RANDOM:
            return FoundPolicy(None, {})
        if name in policy_names() and not (self._folder / name).exists():
            policy = load_policy(name)
            return FoundPolicy(policy, policy.settings, policy.task)
        path = self.resolve(name)
        if path.is_dir():
            path = path / "policy.npz" if (path / "policy.npz").exists() else path
        is_file = Path(name).suffix in (".npz", *FOREIGN)
        if not path.exists() and len(Path(name).parts) == 1 and not is_file:
            load_policy(name)  # says which names there are
        policy = load_any_policy(path)
        return FoundPolicy(policy, policy.settings, policy.task, path, path.stat().st_mtime_ns)
