"""How good a policy was in an evaluation within training."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace

from horus_sim.rl.training.policy import Policy, load_policy
from horus_sim.rl.training.run_folder import RunFolder, read_rows

_KEY = "evaluation"


@dataclass(frozen=True, slots=True)
class Score:
    """The figures that policies of a training are compared by.

    Attributes:
        success_rate: Share of episodes that solved the task, or None where the task has no success.
        mean_return: Mean sum of rewards.
    """

    success_rate: float | None
    mean_return: float

    @property
    def rank(self) -> tuple[float, float]:
        """Higher for more success, then for a higher return."""
        lost = math.isnan(self.mean_return)
        return self.success_rate or 0.0, -math.inf if lost else self.mean_return

    def signed(self, policy: Policy) -> Policy:
        """The policy with this score in its origin, so that its file tells how good it is."""
        signed = replace(policy, origin={**policy.origin, _KEY: asdict(self)})
        return signed if policy.contract is None else signed.with_contract(policy.contract)


def best_score(run: RunFolder) -> Score | None:
    """Score of the policy that a folder keeps as the best, or None where there is none.

    Raises:
        PolicyError: The file holds no policy.
        TrainingError: The evaluations cannot be read.
    """
    if not run.policy.exists():
        return None
    told = load_policy(run.policy).origin.get(_KEY)
    if told is not None:
        return Score(told["success_rate"], told["mean_return"])
    # A file from before policies told their score.
    rows = read_rows(run.evaluations)
    scores = [Score(_rate(row["success_rate"]), row["mean_return"]) for row in rows]
    return max(scores, key=lambda score: score.rank, default=None)


def _rate(cell: float) -> float | None:
    return None if math.isnan(cell) else cell
