"""Policies from ONNX files of any tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import PolicyError
from horus_sim.rl.contract.contract import Contract, contract_of_text
from horus_sim.rl.policies.network_policy import Array, NetworkPolicy
from horus_sim.rl.policies.onnx_export import CONTRACT_KEY, OUTPUT, open_session

_LARGEST_FILE = 256_000_000


def load_onnx(path: Path, contract: Contract | None) -> NetworkPolicy:
    """A policy from an ONNX file.

    Its first input takes observations, float, shape (n, columns); of its outputs the one called
    'action', 'actions' or 'mean' is taken, else the first one.

    Args:
        path: The file.
        contract: What its numbers mean; that in its metadata unless given.

    Raises:
        MissingExtraError: The extra [onnx] is not installed.
        PolicyError: It is no ONNX file, has no contract, or does not fit it.
    """
    if path.stat().st_size > _LARGEST_FILE:
        raise PolicyError(f"{path} has more than {_LARGEST_FILE:,} bytes; give a smaller network")
    try:
        session = open_session(path.read_bytes())
    except ImportError:
        raise
    # onnxruntime raises classes of its own for whatever the bytes lead to.
    except Exception as error:  # noqa: BLE001
        cause = str(error).strip().splitlines()[0][-160:]
        raise PolicyError(
            f"{path} is no network that onnxruntime can run ({cause}); give an .onnx file"
        ) from None
    found = contract or _own_contract(session, path)
    inputs, outputs = session.get_inputs(), [item.name for item in session.get_outputs()]
    seen = inputs[0]
    if len(inputs) != 1 or seen.type not in ("tensor(float)", "tensor(double)"):
        raise PolicyError(
            f"{path} takes {', '.join(f'{item.name}: {item.type}' for item in inputs)}; a policy "
            "takes one input of numbers, shape (n, columns)"
        )
    width = seen.shape[-1] if seen.shape else None
    if len(seen.shape) != 2 or (isinstance(width, int) and width != found.columns):
        raise PolicyError(
            f"{path} takes observations of shape {tuple(seen.shape)}, and its contract says "
            f"(n, {found.columns}); give the contract that belongs to it"
        )
    named = [name for name in (OUTPUT, "actions", "mean") if name in outputs]
    output, kind = (named or outputs)[0], np.float64 if "double" in seen.type else np.float32
    rows = seen.shape[0] if isinstance(seen.shape[0], int) else None

    def run(observations: Array) -> npt.NDArray[Any]:
        given = observations.astype(kind)
        if rows is None:
            return session.run([output], {seen.name: given})[0]
        # A network for so many rows at once: with copies of the last one where there are fewer.
        parts = []
        for start in range(0, len(given), rows):
            part = given[start : start + rows]
            padded = np.concatenate([part, np.repeat(part[-1:], rows - len(part), 0)])
            parts.append(session.run([output], {seen.name: padded})[0][: len(part)])
        return np.concatenate(parts)

    return NetworkPolicy(found, run, path)


def _own_contract(session: Any, path: Path) -> Contract:  # noqa: ANN401 - of onnxruntime
    text = session.get_modelmeta().custom_metadata_map.get(CONTRACT_KEY)
    if text is None:
        raise PolicyError(
            f"{path} has no contract, which says what its numbers mean; write one with "
            f"'rl export TASK --contract {path.with_suffix('.json')}', complete it, and it is "
            "found there, or name it with --contract"
        )
    return contract_of_text(text, f"the contract in {path}")
