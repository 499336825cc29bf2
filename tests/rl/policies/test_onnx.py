"""Policies as ONNX files: the same actions, the contract inside, strict about what they read."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import MissingExtraError, PolicyError
from horus_sim.rl.envs.contracting import task_contract
from horus_sim.rl.policies.loading import load_any_policy
from horus_sim.rl.training import Policy, evaluate, load_policy, policy_names

TASK = "NavigationOpen"


@pytest.fixture(scope="module")
def contract():
    return task_contract(TASK)


def made(contract, hidden=(24, 16), activation="tanh", *, squash=False) -> Policy:
    random = np.random.default_rng(3)
    sizes = (contract.columns, *hidden, contract.action_columns)
    layers = tuple(
        (
            (random.standard_normal((a, b)) / np.sqrt(a)).astype(np.float32),
            (0.1 * random.standard_normal(b)).astype(np.float32),
        )
        for a, b in pairwise(sizes)
    )
    return Policy(
        TASK,
        {},
        layers,
        activation,
        squash,
        low=-np.ones(2, np.float32),
        high=np.ones(2, np.float32),
        mean=random.standard_normal(contract.columns),
        variance=random.uniform(0.1, 2.0, contract.columns),
        clip=2.0,
        origin={"algorithm": "ppo", "seed": 3},
    ).with_contract(contract)


class TestWithOnnx:
    @pytest.fixture(autouse=True)
    def _extra(self):
        pytest.importorskip("onnx", reason="pip install 'horus-sim[onnx]'")
        pytest.importorskip("onnxruntime", reason="pip install 'horus-sim[onnx]'")

    @pytest.mark.parametrize("activation", ["tanh", "relu", "elu"])
    @pytest.mark.parametrize("squash", [False, True])
    def test_a_file_acts_as_its_policy(self, tmp_path, contract, activation, squash):
        from horus_sim.rl.policies.onnx_export import export_onnx

        policy = made(contract, activation=activation, squash=squash)
        export_onnx(policy, tmp_path / "p.onnx")
        found = load_any_policy(tmp_path / "p.onnx")
        # Far ones too, which are clipped before the network and after it.
        seen = 4 * np.random.default_rng(0).standard_normal((500, contract.columns))
        seen = seen.astype(np.float32)
        np.testing.assert_allclose(found.act(seen), policy.act(seen), rtol=0, atol=1e-6)
        assert found.act(seen[:1]).shape == (1, 2)

    def test_shipped_policies_go_there_and_back(self, tmp_path):
        from horus_sim.rl.policies.onnx_export import export_onnx

        for name in policy_names():
            policy = load_policy(name)
            told = export_onnx(policy, tmp_path / "p.onnx")
            found = load_any_policy(tmp_path / "p.onnx")
            assert found.contract == told
            assert found.settings == policy.settings
            seen = policy.mean + np.sqrt(policy.variance) * np.random.default_rng(
                0
            ).standard_normal((300, len(policy.mean)))
            off = found.act(seen) - policy.act(seen.astype(np.float32))
            assert np.abs(off).max() < 1e-6

    def test_the_contract_is_metadata_that_others_can_read(self, tmp_path, contract):
        import onnx

        from horus_sim.rl.policies.onnx_export import export_onnx

        policy = made(contract)
        export_onnx(policy, tmp_path / "p.onnx")
        model = onnx.load(tmp_path / "p.onnx")
        onnx.checker.check_model(model, full_check=True)
        told = json.loads(
            {item.key: item.value for item in model.metadata_props}["horus_sim.contract"]
        )
        assert told["task"] == TASK
        assert [part["name"] for part in told["observations"]] == [
            "lidar",
            "goal",
            "motion",
            "action",
        ]
        assert told["normalization"]["place"] == "inside"
        np.testing.assert_allclose(told["normalization"]["mean"], policy.mean)
        assert told["origin"] == {"algorithm": "ppo", "seed": 3}

    def test_an_evaluation_takes_it_as_any_policy(self, tmp_path):
        from horus_sim.rl.policies.onnx_export import export_onnx

        policy = load_policy(TASK)
        export_onnx(policy, tmp_path / "p.onnx")
        found = load_any_policy(tmp_path / "p.onnx")
        one = evaluate(found, TASK, 8, policy_settings=found.settings)
        assert one.causes == evaluate(policy, TASK, 8, policy_settings=policy.settings).causes

    def foreign(self, path, columns: int, rows="n", outputs=("mean", "value")) -> None:
        """What another tool may write: no contract, another name, an output more."""
        import onnx

        helper, kind = onnx.helper, onnx.TensorProto.FLOAT
        weight = np.eye(columns, 2, dtype=np.float32)
        nodes = [helper.make_node("MatMul", ["obs", "w"], [name]) for name in outputs]
        graph = helper.make_graph(
            nodes,
            "policy",
            [helper.make_tensor_value_info("obs", kind, [rows, columns])],
            [helper.make_tensor_value_info(name, kind, [rows, 2]) for name in outputs],
            [onnx.numpy_helper.from_array(weight, "w")],
        )
        opsets = [helper.make_opsetid("", 17)]
        onnx.save(helper.make_model(graph, ir_version=8, opset_imports=opsets), path)

    @pytest.mark.parametrize("rows", ["n", 1, 4])
    def test_a_network_of_another_tool_needs_a_contract(self, tmp_path, contract, rows):
        path = tmp_path / "other.onnx"
        self.foreign(path, contract.columns, rows)
        with pytest.raises(PolicyError, match=r"has no contract.*rl export TASK --contract"):
            load_any_policy(path)
        scaled = {"place": "before", "mean": [1.0] * 31, "variance": [4.0] * 31, "epsilon": 0.0}
        text = json.loads(contract.text()) | {"normalization": scaled | {"clip": 5.0}}
        path.with_suffix(".json").write_text(json.dumps(text))
        seen = np.random.default_rng(0).uniform(-1, 1, (6, 31)).astype(np.float32)
        acted = load_any_policy(path).act(seen)
        np.testing.assert_allclose(acted, np.clip((seen[:, :2] - 1) / 2, -1, 1), atol=1e-6)

    def test_what_does_not_fit_is_told(self, tmp_path, contract):
        path = tmp_path / "other.onnx"
        self.foreign(path, 7)
        contract.write(tmp_path / "other.json")
        with pytest.raises(PolicyError, match=r"shape \('n', 7\), and its contract says \(n, 31\)"):
            load_any_policy(path)
        path.write_bytes(b"nonsense")
        with pytest.raises(PolicyError, match="no network that onnxruntime can run"):
            load_any_policy(path)
        with pytest.raises(PolicyError, match=r"'absent\.onnx' does not exist"):
            load_any_policy("absent.onnx")
        with pytest.raises(PolicyError, match=r"has its contract inside; --contract is for \.onnx"):
            load_any_policy(TASK, tmp_path / "other.json")
        self.foreign(path, contract.columns)
        policy = load_any_policy(path)
        with pytest.raises(PolicyError, match=r"takes observations of shape \(n, 31\), got"):
            policy.act(np.zeros((1, 30)))


def test_without_the_extra_the_line_that_installs_it_is_told(tmp_path, contract, monkeypatch):
    from horus_sim.rl.policies.onnx_export import export_onnx

    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r"onnx is not installed; run: .*onnx"):
        export_onnx(made(contract), tmp_path / "p.onnx")
    assert not (tmp_path / "p.onnx").exists()


def test_a_policy_file_keeps_its_contract(tmp_path, contract):
    policy = made(contract)
    policy.save(tmp_path / "p.npz")
    found: Any = load_policy(tmp_path / "p.npz")
    assert found.contract == policy.contract
    assert found.contract.normalization.mean == tuple(policy.mean.tolist())
    other = replace(policy, contract=task_contract("Racing"))
    other.save(tmp_path / "other.npz")
    with pytest.raises(PolicyError, match="observes 31 columns and gives 2, and its contract is"):
        load_policy(tmp_path / "other.npz")
