"""Policies from zip files of Stable-Baselines3."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

from horus_sim.errors import PolicyError
from horus_sim.rl.contract.contract import Contract
from horus_sim.rl.policies.perceptrons import as_policy, read_tensors, stacked
from horus_sim.rl.training.policy import Policy

_WEIGHTS, _DATA = "policy.pth", "data"
_LARGEST_MEMBER = 256_000_000
# Of each family of algorithms: layers by the names of their tensors, the activation unless the
# file says another one, and whether the output goes through tanh.
_FAMILIES: dict[str, tuple[tuple[str, ...], str, bool]] = {
    "action_net.weight": (("mlp_extractor.policy_net.", "action_net"), "tanh", False),
    "actor.latent_pi.0.weight": (("actor.latent_pi.", "actor.mu"), "relu", True),
    "actor.mu.0.weight": (("actor.mu.",), "relu", True),
}
_ACTIVATIONS = {"Tanh": "tanh", "ReLU": "relu", "ELU": "elu"}


def load_sb3(path: Path, contract: Contract) -> Policy:
    """A policy of PPO, A2C, SAC, TD3 or DDPG with an MlpPolicy.

    Its tensors and plain values are read, and none of the pickles that stand beside them. What
    `VecNormalize` keeps is in another file: say it in the contract's `normalization`.

    Args:
        path: The zip file.
        contract: What its numbers mean.

    Raises:
        MissingExtraError: The extra [train] is not installed.
        PolicyError: It is no such file, or does not fit its contract.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            weights, data = (_member(archive, name, path) for name in (_WEIGHTS, _DATA))
        said = json.loads(data)
    except (zipfile.BadZipFile, ValueError, KeyError, OSError) as error:
        if isinstance(error, PolicyError):
            raise
        raise PolicyError(
            f"{path} is no policy of Stable-Baselines3 ({error}); give what model.save() wrote"
        ) from None
    tensors = read_tensors(io.BytesIO(weights), path)
    for name, (prefixes, usual, squash) in _FAMILIES.items():
        if name in tensors:
            layers = stacked(tensors, prefixes, path)
            if _is_true(said, "use_sde"):
                raise PolicyError(
                    f"{path} explores by states (use_sde), which is not read; export it as ONNX"
                )
            activation = _activation(said, usual, path)
            return as_policy(layers, contract, path, activation=activation, squash=squash)
    raise PolicyError(
        f"{path} has no network of an MlpPolicy of PPO, A2C, SAC, TD3 or DDPG; export it as ONNX"
    )


def _member(archive: zipfile.ZipFile, name: str, path: Path) -> bytes:
    info = archive.getinfo(name)
    if info.file_size > _LARGEST_MEMBER:
        raise PolicyError(f"{path}: '{name}' has more than {_LARGEST_MEMBER:,} bytes")
    return archive.read(info)


def _is_true(said: Any, key: str) -> bool:  # noqa: ANN401 - JSON of the file
    return isinstance(said, dict) and said.get(key) is True


def _activation(said: Any, usual: str, path: Path) -> str:  # noqa: ANN401 - JSON of the file
    options = said.get("policy_kwargs") if isinstance(said, dict) else None
    told = options.get("activation_fn") if isinstance(options, dict) else None
    if told is None:
        return usual
    name = str(told).rstrip("'>").rpartition(".")[2]
    if name not in _ACTIVATIONS:
        raise PolicyError(
            f"{path} has the activation {name}; {', '.join(_ACTIVATIONS)} are read: export it as "
            "ONNX"
        )
    return _ACTIVATIONS[name]
