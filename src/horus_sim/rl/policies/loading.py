"""Any policy by one call: ours, ONNX, Stable-Baselines3, rsl_rl."""

from __future__ import annotations

from pathlib import Path

from horus_sim.errors import PolicyError
from horus_sim.rl.contract.contract import Contract, read_contract
from horus_sim.rl.envs.contracting import check_task
from horus_sim.rl.policies.network_policy import NetworkPolicy
from horus_sim.rl.policies.onnx_policy import load_onnx
from horus_sim.rl.policies.rsl_policy import load_rsl_rl
from horus_sim.rl.policies.sb3_policy import load_sb3
from horus_sim.rl.training.policy import Policy, load_policy

FOREIGN = (".onnx", ".zip", ".pt")
"""Endings of files of other tools."""
_CONTRACT = "contract.json"


def load_any_policy(
    source: str | Path, contract: str | Path | None = None
) -> Policy | NetworkPolicy:
    """A policy from a file of ours or of another tool.

    Args:
        source: As `load_policy` takes it; or an ONNX file (.onnx), what Stable-Baselines3 saved
            (.zip), or a checkpoint of rsl_rl (.pt).
        contract: The file of its contract. Unless given, that of the same name with .json is
            taken, else 'contract.json' beside it; our files and ONNX files may have one inside.

    Raises:
        MissingExtraError: The extra that reads it is not installed.
        PolicyError: There is none, or the file holds something else, or has no contract.
    """
    path = Path(source)
    if path.suffix.lower() not in FOREIGN:
        if contract is not None:
            raise PolicyError(
                f"'{source}' has its contract inside; --contract is for {', '.join(FOREIGN)}"
            )
        return load_policy(source)
    if not path.is_file():
        raise PolicyError(f"'{path}' does not exist; give a file that a tool saved")
    policy = _load(path, _contract_of(path, contract))
    if policy.contract is not None:
        check_task(policy.contract, str(path))
    return policy


def _load(path: Path, found: Contract | None) -> Policy | NetworkPolicy:
    if path.suffix.lower() == ".onnx":
        return load_onnx(path, found)
    if found is None:
        raise PolicyError(
            f"'{path}' has no contract, which says what its numbers mean; write one with "
            f"'rl export TASK --contract {path.with_suffix('.json')}', which is then found, or "
            "name it with --contract"
        )
    return (load_sb3 if path.suffix.lower() == ".zip" else load_rsl_rl)(path, found)


def _contract_of(path: Path, given: str | Path | None) -> Contract | None:
    if given is not None:
        return read_contract(given)
    beside = [path.with_suffix(".json")]
    if path.suffix.lower() != ".onnx":
        beside.append(path.with_name(_CONTRACT))
    return next((read_contract(file) for file in beside if file.is_file()), None)
