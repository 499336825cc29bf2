"""Policies as ONNX files: normalization, network and bounds in one graph, the contract beside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import horus_sim
from horus_sim.errors import PolicyError
from horus_sim.files.whole_file import whole_file
from horus_sim.rl.contract.contract import Contract
from horus_sim.rl.envs.contracting import task_contract
from horus_sim.rl.policies.extras import require
from horus_sim.rl.training.policy import EPSILON, Policy

CONTRACT_KEY = "horus_sim.contract"
INPUT, OUTPUT = "observation", "action"
TOLERANCE = 1e-6
"""How far the file's actions may be from the policy's."""
# Old enough for runtimes of robots.
_OPSET, _IR_VERSION = 17, 8
_ACTIVATIONS = {"tanh": "Tanh", "relu": "Relu", "elu": "Elu"}
_CHECKED_ROWS = 256


def with_contract(policy: Policy) -> Policy:
    """The policy with a contract: its own, or that of its task where its file has none.

    Raises:
        TaskError: Its task is not known, or does not take its settings.
        PolicyError: It observes another number of columns than its task.
    """
    if policy.contract is not None:
        return policy
    made = task_contract(policy.task, policy.settings)
    if (made.columns, made.action_columns) != (len(policy.mean), len(policy.low)):
        raise PolicyError(
            f"the policy observes {len(policy.mean)} columns and gives {len(policy.low)}, and its "
            f"task '{policy.task}' has {made.columns} and {made.action_columns} in this version; "
            "train anew"
        )
    return policy.with_contract(made)


def export_onnx(policy: Policy, path: str | Path) -> Contract:
    """Writes a policy as an ONNX file, with its contract as metadata.

    The file is checked by ONNX's own checker, and run beside the policy before it is put in place.

    Args:
        policy: The policy.
        path: The file.

    Returns:
        The contract.

    Raises:
        MissingExtraError: The extra [onnx] is not installed.
        PolicyError: The file cannot be written, or does something else than the policy.
    """
    onnx = require("onnx")
    whole = with_contract(policy)
    contract: Any = whole.contract
    model = _model(whole, contract)
    onnx.checker.check_model(model, full_check=True)
    data = model.SerializeToString()
    _check_same(whole, data)
    with whole_file(Path(path), PolicyError) as file:
        file.write(data)
    return contract


def _model(policy: Policy, contract: Contract) -> Any:  # noqa: ANN401 - of onnx
    onnx = require("onnx")
    helper, kinds = onnx.helper, onnx.TensorProto
    graph = _Graph(onnx)
    deviation = np.sqrt(policy.variance + EPSILON)
    # In double precision, as the policy does it: means may be large against deviations.
    wide = graph.add("Cast", INPUT, to=kinds.DOUBLE)
    scaled = graph.add("Sub", wide, graph.constant("mean", policy.mean.astype(np.float64)))
    scaled = graph.add("Div", scaled, graph.constant("deviation", deviation.astype(np.float64)))
    limit = np.float64(policy.clip)
    bounds = graph.constant("lowest", -limit), graph.constant("highest", limit)
    values = graph.add("Cast", graph.add("Clip", scaled, *bounds), to=kinds.FLOAT)
    last = len(policy.layers) - 1
    for number, (weight, bias) in enumerate(policy.layers):
        product = graph.add("MatMul", values, graph.constant(f"weight_{number}", weight))
        values = graph.add("Add", product, graph.constant(f"bias_{number}", bias))
        if number < last:
            values = graph.add(_ACTIVATIONS[policy.activation], values)
    low, high = graph.constant("low", policy.low), graph.constant("high", policy.high)
    if policy.squash:
        half = graph.constant("half", (policy.high - policy.low) / 2)
        risen = graph.add("Add", graph.add("Tanh", values), graph.constant("one", np.float32(1)))
        graph.add("Add", graph.add("Mul", risen, half), low, to_name=OUTPUT)
    else:
        graph.add("Min", graph.add("Max", values, low), high, to_name=OUTPUT)
    shapes = [
        helper.make_tensor_value_info(name, kinds.FLOAT, ["n", size])
        for name, size in ((INPUT, contract.columns), (OUTPUT, contract.action_columns))
    ]
    made = helper.make_graph(graph.nodes, policy.task, shapes[:1], shapes[1:], graph.constants)
    model = helper.make_model(
        made,
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
        producer_name="horus-sim",
        producer_version=horus_sim.__version__,
    )
    helper.set_model_props(model, {CONTRACT_KEY: contract.text()})
    return model


class _Graph:
    """Nodes in their order, and what they multiply and add."""

    def __init__(self, onnx: Any) -> None:  # noqa: ANN401 - the module
        self._onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, values: npt.ArrayLike) -> str:
        array = np.ascontiguousarray(values) if np.ndim(values) else np.asarray(values)
        self.constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def add(self, kind: str, *inputs: str, to_name: str = "", **attributes: int) -> str:
        name = to_name or f"{kind.lower()}_{len(self.nodes)}"
        made = self._onnx.helper.make_node(kind, inputs, [name], name, **attributes)
        self.nodes.append(made)
        return name


def _check_same(policy: Policy, data: bytes) -> None:
    """Refuses a file that acts otherwise than its policy where observations are usual ones."""
    session = open_session(data)
    drawn = np.random.default_rng(0).standard_normal((_CHECKED_ROWS, len(policy.mean)))
    rows = (policy.mean + drawn * np.sqrt(policy.variance)).astype(np.float32)
    off = np.abs(session.run([OUTPUT], {INPUT: rows})[0] - policy.act(rows)).max()
    most = TOLERANCE * max(1.0, float(np.abs(policy.act(rows)).max()))
    if not off <= most:
        raise PolicyError(
            f"as an ONNX file the policy's actions differ by {off:.2g}, more than {most:.1g}; "
            "report this with the policy"
        )


def open_session(model: bytes | str) -> Any:  # noqa: ANN401 - of onnxruntime
    """A network as onnxruntime runs it, on one thread of the processor.

    Args:
        model: The bytes of a file, or its path.

    Raises:
        MissingExtraError: The extra [onnx] is not installed.
    """
    runtime = require("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
