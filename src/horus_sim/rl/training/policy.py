"""Policies as files that NumPy alone can read and run.

A file is NumPy's .npz, without pickles: the layers of a perceptron, the statistics of observations,
the bounds of actions, and a JSON text that says which task it is for and how it was made.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from horus_sim.assets import asset_names, asset_path
from horus_sim.errors import PolicyError, UnknownPolicyError
from horus_sim.files.arrays import read_arrays
from horus_sim.files.document import Document
from horus_sim.files.explaining import explain
from horus_sim.files.names import propose
from horus_sim.files.whole_file import whole_file
from horus_sim.installation import command
from horus_sim.rl.contract.contract import Contract, Normalization, contract_of_text
from horus_sim.rl.task_files.definitions import task_names

FORMAT = 1
EPSILON = 1e-8
_FOLDER = "policies"
_REMEDY = "give the policy.npz of a training"
_MOST_LAYERS = 100
# OpenBLAS multiplies in one thread up to this many products of two numbers.
_LARGEST_PRODUCT = 2**18
_VECTORS = ("low", "high", "mean", "variance")
Array = npt.NDArray[np.float32]


def _product(values: Array, weight: Array) -> Array:
    """`values @ weight`, in parts for which BLAS starts no threads.

    These would take longer to meet than to multiply, a hundred times so on a busy machine.
    """
    rows = max(1, _LARGEST_PRODUCT // weight.size)
    if len(values) <= rows:
        return values @ weight
    product = np.empty((len(values), weight.shape[1]), np.float32)
    for start in range(0, len(values), rows):
        part = slice(start, start + rows)
        np.matmul(values[part], weight, out=product[part])
    return product


def _elu(values: Array) -> Array:
    return np.where(values > 0, values, np.expm1(np.minimum(values, 0)))


_ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "tanh": np.tanh,
    "relu": lambda values: np.maximum(values, 0),
    "elu": _elu,
}


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """What to do where: a perceptron, deterministic.

    Attributes:
        task: Name of the task it is for.
        settings: Settings of the task with which it learned.
        layers: Weights (inputs, outputs) and biases (outputs,) of each layer, float32.
        activation: After each layer but the last: 'tanh', 'relu' or 'elu'.
        squash: Whether the output is brought within the bounds by tanh; else it is clipped.
        low: Least action, shape (actions,).
        high: Largest action, shape (actions,).
        mean: Mean of observations, shape (columns,).
        variance: Variance of observations, shape (columns,).
        clip: Normalized observations are within plus and minus this.
        origin: How it was made: algorithm, seed, steps and the like.
        contract: What its numbers mean; None in a file from before policies had one.
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
    contract: Contract | None = None

    @property
    def normalization(self) -> Normalization:
        """How it scales observations."""
        mean, variance = (tuple(map(float, part)) for part in (self.mean, self.variance))
        return Normalization(
            place="inside", mean=mean, variance=variance, epsilon=EPSILON, clip=self.clip
        )

    def with_contract(self, contract: Contract) -> Policy:
        """The same with a contract, which tells what it scales by and how it was made."""
        told = {"normalization": self.normalization, "origin": dict(self.origin)}
        return replace(self, contract=contract.model_copy(update=told))

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
        scaled = (observations - self.mean) / np.sqrt(self.variance + EPSILON)
        values = np.clip(scaled, -self.clip, self.clip).astype(np.float32)
        for weight, bias in self.layers[:-1]:
            values = _ACTIVATIONS[self.activation](_product(values, weight) + bias)
        weight, bias = self.layers[-1]
        values = _product(values, weight) + bias
        if self.squash:
            values = self.low + (np.tanh(values) + 1) * ((self.high - self.low) / 2)
            return values.astype(np.float32, copy=False)
        return np.clip(values, self.low, self.high)

    def save(self, path: str | Path) -> None:
        """Writes it to a file, .npz.

        Raises:
            PolicyError: The file cannot be written.
        """
        about = {name: getattr(self, name) for name in _About.model_fields}
        if self.contract is not None:
            # What it scales by stands in the arrays.
            about["contract"] = self.contract.model_dump(mode="json", exclude={"normalization"})
        about |= {"format": FORMAT, "layers": len(self.layers)}
        arrays: dict[str, Any] = {"about": np.array(json.dumps(about, default=dict))}
        arrays |= {name: getattr(self, name) for name in _VECTORS}
        for number, (weight, bias) in enumerate(self.layers):
            arrays[f"weight_{number}"], arrays[f"bias_{number}"] = weight, bias
        with whole_file(Path(path), PolicyError) as file:
            np.savez_compressed(file, **arrays)


def load_policy(source: str | Path) -> Policy:
    """A policy from a file, from the folder of a training, or a shipped one by the task's name.

    Raises:
        PolicyError: There is none, or the file holds something else.
    """
    path = _find(source)
    arrays = read_arrays(path, PolicyError, f"policy; {_REMEDY}")
    about = _about(arrays, path)
    try:
        layers = tuple(
            (arrays[f"weight_{number}"], arrays[f"bias_{number}"]) for number in range(about.layers)
        )
        vectors: dict[str, Any] = {name: arrays[name] for name in _VECTORS}
    except KeyError as error:
        raise PolicyError(f"{path} holds no policy (it has no {error}); {_REMEDY}") from None
    given = about.model_dump(exclude={"layers", "contract"})
    policy = Policy(**given, layers=layers, **vectors)
    _check(policy, path)
    return policy if about.contract is None else _with_contract(policy, about.contract, path)


def _with_contract(policy: Policy, text: Mapping[str, Any], path: Path) -> Policy:
    """The policy with its contract, if that is for a network of this form."""
    contract = contract_of_text(json.dumps(text), f"the contract in {path}")
    columns, actions = len(policy.mean), len(policy.low)
    if (contract.columns, contract.action_columns) != (columns, actions):
        raise PolicyError(
            f"{path} observes {columns} columns and gives {actions}, and its contract is for "
            f"{contract.columns} and {contract.action_columns}; the file is damaged, train anew"
        )
    return policy.with_contract(contract)


class _About(BaseModel):
    """What a file says about its arrays."""

    model_config = ConfigDict(strict=True, frozen=True)

    task: str
    settings: dict[str, Any]
    layers: Annotated[int, Field(ge=1, le=_MOST_LAYERS)]
    activation: Literal["tanh", "relu", "elu"]
    squash: bool
    clip: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    origin: dict[str, Any]
    contract: dict[str, Any] | None = None


def _about(arrays: Mapping[str, npt.NDArray[Any]], path: Path) -> _About:
    if "about" not in arrays:
        raise PolicyError(f"{path} holds no policy (it has no 'about'); {_REMEDY}")
    try:
        values = json.loads(str(arrays["about"]))
        version = values["format"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise PolicyError(
            f"{path} holds no policy (its 'about' is not JSON with a 'format'); {_REMEDY}"
        ) from error
    if version != FORMAT:
        raise PolicyError(
            f"{path} is a policy of format {version!r:.20} and this version reads {FORMAT}; "
            "install the horus-sim that wrote it, or train anew"
        )
    try:
        return _About.model_validate(values)
    except ValidationError as error:
        raise PolicyError(
            f"{path} holds no policy (in 'about', {explain(error, _About, Document(values))}); "
            f"{_REMEDY}"
        ) from None


def policy_names() -> tuple[str, ...]:
    """Names of tasks that a policy is shipped for."""
    return asset_names(_FOLDER, (".npz",))


def _find(source: str | Path) -> Path:
    path = Path(source)
    # These take any text for a path, also what no file can be called.
    if os.path.isdir(path):  # noqa: PTH112
        inside = path / "policy.npz"
        if inside.exists():
            return inside
        raise PolicyError(f"the folder '{path}' has no policy.npz; train into it first")
    if os.path.exists(path):  # noqa: PTH110
        return path
    shipped = policy_names()
    if str(source) in shipped:
        return asset_path(_FOLDER, str(source), (".npz",))
    if path.suffix == ".npz" or len(path.parts) > 1:
        raise PolicyError(f"'{path}' does not exist; give a policy.npz or a folder of a training")
    made = f", which '{command(f'rl train {source}')}' makes" if str(source) in task_names() else ""
    raise UnknownPolicyError(
        f"{propose(str(source), shipped, 'horus_sim.rl', 'policy')}; or give a policy.npz or the "
        f"folder of a training{made}"
    )


def _check(policy: Policy, path: Path) -> None:
    low, high, inputs = policy.low, policy.high, np.size(policy.mean)
    named: dict[str, tuple[npt.NDArray[Any], tuple[int, ...]]] = {}
    named |= {"mean": (policy.mean, (inputs,)), "variance": (policy.variance, (inputs,))}
    for number, (weight, bias) in enumerate(policy.layers):
        outputs = (0, *weight.shape)[-1]
        named[f"weight_{number}"] = weight, (inputs, outputs)
        named[f"bias_{number}"] = bias, (outputs,)
        inputs = outputs
    learned = [array for array, _ in named.values()]
    named |= {"low": (low, (inputs,)), "high": (high, (inputs,))}
    for name, (array, shape) in named.items():
        if array.dtype.kind != "f" or array.shape != shape:
            raise PolicyError(
                f"{path}: '{name}' has type {array.dtype} and shape {array.shape} where floats of "
                f"shape {shape} are wanted; the file is damaged, train anew"
            )
    if not all(np.isfinite(array).all() for array in learned) or (policy.variance < 0).any():
        raise PolicyError(
            f"{path}: numbers are not finite, or a variance is below 0; the training diverged, "
            "train anew"
        )
    # A bound may be infinite, where it only clips.
    if not (low <= high).all() or np.isposinf(low).any() or np.isneginf(high).any():
        raise PolicyError(f"{path}: bounds of actions are not in order; train anew")
    with np.errstate(over="ignore", invalid="ignore"):
        widths = high - low
    if policy.squash and not np.isfinite(widths).all():
        raise PolicyError(
            f"{path}: actions are squashed into bounds that are infinite or too far apart; train "
            "anew with an action_bounds() of finite numbers"
        )
