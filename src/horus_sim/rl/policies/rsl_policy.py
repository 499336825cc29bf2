"""Policies from checkpoints of rsl_rl."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from horus_sim.errors import PolicyError
from horus_sim.rl.contract.contract import Contract
from horus_sim.rl.policies.perceptrons import as_policy, read_tensors, stacked
from horus_sim.rl.training.policy import Policy

# Added to the deviation by rsl_rl's EmpiricalNormalization.
_EPSILON = 1e-2
_USUAL_ACTIVATION = "elu"
# Of versions from 5 on, and of those before.
_STATES = (("actor_state_dict", "mlp."), ("model_state_dict", "actor."))
_SCALES = ("obs_normalizer.", "actor_obs_normalizer.")


def load_rsl_rl(path: Path, contract: Contract) -> Policy:
    """A policy from a checkpoint `model_*.pt`, with the normalizer that it has.

    Its activation, which the file does not tell, is ELU unless the contract's `origin` says
    another one under 'activation'.

    Args:
        path: The checkpoint.
        contract: What its numbers mean.

    Raises:
        MissingExtraError: The extra [train] is not installed.
        PolicyError: It is no such file, or does not fit its contract.
    """
    content = read_tensors(path, path)
    for key, prefix in _STATES:
        tensors = content.get(key)
        if isinstance(tensors, dict):
            layers = stacked(tensors, (prefix,), path)
            activation = contract.origin.get("activation", _USUAL_ACTIVATION)
            if activation not in ("tanh", "relu", "elu"):
                raise PolicyError(
                    f"the contract says activation {activation!r}; tanh, relu and elu are known"
                )
            inside = None
            for scale in _SCALES:
                if f"{scale}_mean" in tensors:
                    mean, deviation = (
                        tensors[f"{scale}{name}"].double().numpy().ravel()
                        for name in ("_mean", "_std")
                    )
                    inside = np.array(mean), np.array(deviation) + _EPSILON
            return as_policy(
                layers, contract, path, activation=activation, squash=False, inside=inside
            )
    raise PolicyError(
        f"{path} is no checkpoint of rsl_rl (it has {', '.join(list(content)[:5]) or 'nothing'}); "
        "give a model_*.pt as its runner saves it"
    )
