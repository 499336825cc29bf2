"""Training and evaluation of policies.

Policies and their evaluation need the extra ``[rl]`` alone; training needs ``[train]``.
"""

from __future__ import annotations

from horus_sim.rl.training.config import TrainConfig, train_config
from horus_sim.rl.training.evaluation import evaluate
from horus_sim.rl.training.policy import Policy, load_policy, policy_names
from horus_sim.rl.training.report import EvaluationReport, wilson_interval
from horus_sim.rl.training.training import TrainResult, resume, train

__all__ = [
    "EvaluationReport",
    "Policy",
    "TrainConfig",
    "TrainResult",
    "evaluate",
    "load_policy",
    "policy_names",
    "resume",
    "train",
    "train_config",
    "wilson_interval",
]
