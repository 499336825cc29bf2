"""Perceptrons of learners on torch, as policies that NumPy runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import PolicyError
from horus_sim.rl.contract.contract import Contract
from horus_sim.rl.policies.extras import require
from horus_sim.rl.training.policy import EPSILON, Policy

Layers = tuple[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]], ...]
Tensors = Mapping[str, Any]
# What clips nothing.
_NO_CLIP = float(np.finfo(np.float32).max)


def read_tensors(file: Path | IO[bytes], source: Path) -> dict[str, Any]:
    """What torch saved: tensors and plain values, no pickled objects.

    Raises:
        MissingExtraError: The extra [train] is not installed.
        PolicyError: The file holds something else.
    """
    torch = require("torch", "train")
    try:
        found = torch.load(file, map_location="cpu", weights_only=True)
    # torch.load raises whatever the bytes lead to.
    except Exception as error:  # noqa: BLE001
        cause = str(error).strip().splitlines()[0][:160] or type(error).__name__
        raise PolicyError(
            f"{source} holds no tensors that can be read without running code from it ({cause}); "
            "give a file as its tool saves it"
        ) from None
    if not isinstance(found, dict):
        raise PolicyError(f"{source} holds {type(found).__name__}, and no named tensors")
    return found


def stacked(tensors: Tensors, prefixes: Sequence[str], source: Path) -> Layers:
    """Layers of a perceptron by the names of their tensors, one group behind the other.

    Args:
        tensors: All tensors.
        prefixes: Names before the number of each layer, as 'mlp.', or of one layer, as 'mu'.
        source: The file, for errors.

    Raises:
        PolicyError: One is absent, or they do not fit one another.
    """
    layers: list[Any] = []
    for prefix in prefixes:
        form = re.escape(prefix) + (r"(\d+)\.weight" if prefix.endswith(".") else r"()\.weight")
        matches = [match for name in tensors if (match := re.fullmatch(form, name))]
        for match in sorted(matches, key=lambda match: int(match[1] or 0)):
            name = match[0]
            bias = tensors.get(name.removesuffix("weight") + "bias")
            weight = tensors[name]
            if bias is None or weight.ndim != 2:
                raise PolicyError(f"{source}: '{name}' is no layer with a bias; train a perceptron")
            layers.append((weight.float().numpy().T.copy(), bias.float().numpy().copy()))
    for (before, _), (after, _) in pairwise(layers):
        if before.shape[1] != after.shape[0]:
            raise PolicyError(f"{source}: its layers are not one behind the other")
    if not layers:
        raise PolicyError(
            f"{source} has no layers called {' or '.join(prefixes)}; give a policy that is a "
            "perceptron, or export it as ONNX"
        )
    return tuple(layers)


def as_policy(
    layers: Layers,
    contract: Contract,
    source: Path,
    *,
    activation: str,
    squash: bool,
    inside: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None = None,
) -> Policy:
    """A policy of these layers.

    Args:
        layers: Weights and biases.
        contract: What its numbers mean.
        source: Its file, for errors.
        activation: Between the layers.
        squash: Whether its output goes through tanh.
        inside: Mean and deviation that its own file scales observations by; those of the contract
            where there are none.

    Raises:
        PolicyError: The layers do not fit the contract.
    """
    columns, actions = len(layers[0][0]), len(layers[-1][1])
    if (columns, actions) != (contract.columns, contract.action_columns):
        raise PolicyError(
            f"{source} observes {columns} columns and gives {actions}, and its contract says "
            f"{contract.columns} and {contract.action_columns}; give the contract that belongs "
            "to it"
        )
    parts = contract.actions
    mean, variance, clip = np.zeros(columns), np.full(columns, 1.0 - EPSILON), _NO_CLIP
    scaled = contract.normalization
    if inside is not None:
        mean, variance = inside[0], inside[1] ** 2 - EPSILON
    elif scaled is not None:
        mean, clip = np.array(scaled.mean), scaled.clip
        variance = np.array(scaled.variance) + scaled.epsilon - EPSILON
    policy = Policy(
        task=contract.task,
        settings=contract.settings,
        layers=layers,
        activation=activation,
        squash=squash,
        low=np.concatenate([np.full(part.size, part.least, np.float32) for part in parts]),
        high=np.concatenate([np.full(part.size, part.largest, np.float32) for part in parts]),
        mean=mean,
        variance=np.maximum(variance, 0.0),
        clip=clip,
        origin={**contract.origin, "file": source.name},
    )
    return policy.with_contract(contract)
