"""Policies as files that NumPy alone can read and run.

A file is NumPy's .npz, without pickles: the layers of a perceptron, the statistics of observations,
the bounds of actions, and a JSON text that says which task it is for and how it was made.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.assets import asset_names, asset_path
from horus_sim.errors import PolicyError
from horus_sim.rl.catalogue import task_names
from horus_sim.rl.settings import unknown_name
from horus_sim.rl.training.whole_file import whole_file

FORMAT = 1
_EPSILON = 1e-8
_FOLDER = "policies"
_ACTIVATIONS = ("tanh", "relu")
Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """What to do where: a perceptron, deterministic.

    Attributes:
        task: Name of the task it is for.
        settings: Of the task, with which it learned.
        layers: Weights (inputs, outputs) and biases (outputs,) of each layer, float32.
        activation: After each layer but the last: 'tanh' or 'relu'.
        squash: Whether the output is brought within the bounds by tanh; else it is clipped.
        low: Least action, shape (actions,).
        high: Largest action, shape (actions,).
        mean: Of observations, shape (columns,).
        variance: Of observations, shape (columns,).
        clip: Normalized observations are within plus and minus this.
        origin: How it was made: algorithm, seed, steps and the like.
    """

    task: str
    settings: Mapping[str, Any]
    layers: tuple[tuple[Array, Array], ...]
    activation: str
    squash: bool
    low: Array
    high: Array
    mean: npt.NDArray[np.float64]
    variance: npt.NDArray[np.float64]
    clip: float = 10.0
    origin: Mapping[str, Any] = field(default_factory=dict)

    def act(self, observations: npt.NDArray[Any]) -> Array:
        """Actions, shape (n, actions), float32.

        Args:
            observations: Shape (n, columns).

        Raises:
            PolicyError: The observations have another number of columns.
        """
        columns = len(self.mean)
        if observations.ndim != 2 or observations.shape[1] != columns:
            raise PolicyError(
                f"the policy for '{self.task}' takes observations of shape (n, {columns}), got "
                f"{observations.shape}; use it with the task and settings that it learned"
            )
        scaled = (observations - self.mean) / np.sqrt(self.variance + _EPSILON)
        values = np.clip(scaled, -self.clip, self.clip).astype(np.float32)
        for weight, bias in self.layers[:-1]:
            values = values @ weight + bias
            values = np.tanh(values) if self.activation == "tanh" else np.maximum(values, 0)
        weight, bias = self.layers[-1]
        values = values @ weight + bias
        if self.squash:
            values = self.low + (np.tanh(values) + 1) * ((self.high - self.low) / 2)
            return values.astype(np.float32, copy=False)
        return np.clip(values, self.low, self.high)

    def save(self, path: str | Path) -> None:
        """Writes it to a file, .npz."""
        about = {
            "format": FORMAT,
            "task": self.task,
            "settings": dict(self.settings),
            "layers": len(self.layers),
            "activation": self.activation,
            "squash": self.squash,
            "clip": self.clip,
            "origin": dict(self.origin),
        }
        arrays: dict[str, Any] = {
            "about": np.array(json.dumps(about)),
            "low": self.low,
            "high": self.high,
            "mean": self.mean,
            "variance": self.variance,
        }
        for number, (weight, bias) in enumerate(self.layers):
            arrays[f"weight_{number}"], arrays[f"bias_{number}"] = weight, bias
        with whole_file(Path(path)) as file:
            np.savez_compressed(file, **arrays)


def load_policy(source: str | Path) -> Policy:
    """A policy from a file, from the folder of a training, or a shipped one by the task's name.

    Raises:
        PolicyError: There is none, or the file holds something else.
    """
    path = _find(source)
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
            arrays = {name: saved[name] for name in saved.files}
        about = json.loads(str(arrays["about"]))
        if about["format"] != FORMAT:
            raise PolicyError(
                f"{path} is a policy of format {about['format']} and this version reads {FORMAT}; "
                "install the horus-sim that wrote it, or train anew"
            )
        layers = tuple(
            (arrays[f"weight_{number}"], arrays[f"bias_{number}"])
            for number in range(about["layers"])
        )
        policy = Policy(
            about["task"],
            about["settings"],
            layers,
            about["activation"],
            about["squash"],
            arrays["low"],
            arrays["high"],
            arrays["mean"],
            arrays["variance"],
            about["clip"],
            about["origin"],
        )
    except (OSError, KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, PolicyError):
            raise
        raise PolicyError(
            f"{path} holds no policy ({error}); give the policy.npz of a training"
        ) from error
    _check(policy, path)
    return policy


def shipped_policies() -> tuple[str, ...]:
    """Names of tasks that a policy is shipped for."""
    return asset_names(_FOLDER, (".npz",))


def _find(source: str | Path) -> Path:
    path = Path(source)
    if path.is_dir():
        inside = path / "policy.npz"
        if inside.exists():
            return inside
        raise PolicyError(f"the folder '{path}' has no policy.npz; train into it first")
    if path.exists():
        return path
    shipped = shipped_policies()
    if str(source) in shipped:
        return asset_path(_FOLDER, str(source), (".npz",))
    if path.suffix == ".npz" or len(path.parts) > 1:
        raise PolicyError(f"'{path}' does not exist; give a policy.npz or a folder of a training")
    made = f", which 'horus-sim rl train {source}' makes" if str(source) in task_names() else ""
    raise PolicyError(
        f"{unknown_name('shipped policy', str(source), shipped)}; or give a policy.npz or the "
        f"folder of a training{made}"
    )


def _check(policy: Policy, path: Path) -> None:
    if not policy.layers or policy.activation not in _ACTIVATIONS:
        raise PolicyError(f"{path} holds a policy without layers; train anew")
    widths = [len(policy.mean)]
    for weight, bias in policy.layers:
        if weight.shape != (widths[-1], len(bias)):
            raise PolicyError(
                f"{path}: a layer has shape {weight.shape} where ({widths[-1]}, {len(bias)}) is "
                "wanted; the file is damaged, train anew"
            )
        widths.append(len(bias))
    parts = [array for layer in policy.layers for array in layer]
    if not all(np.isfinite(part).all() for part in (*parts, policy.mean, policy.variance)):
        raise PolicyError(f"{path}: numbers are not finite; the training diverged, train anew")
    if len(policy.low) != widths[-1] or len(policy.high) != widths[-1]:
        raise PolicyError(f"{path}: bounds do not fit the actions; train anew")
