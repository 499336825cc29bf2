"""Policy files: what NumPy computes is what the network computed; damaged files are refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import PolicyError
from horus_sim.rl.training import Policy, load_policy
from horus_sim.rl.training.policy import shipped_policies


def small(**changes) -> Policy:
    rng = np.random.default_rng(0)
    layers = tuple(
        (
            rng.normal(size=shape).astype(np.float32),
            rng.normal(size=shape[1]).astype(np.float32),
        )
        for shape in ((3, 4), (4, 2))
    )
    values: dict[str, Any] = {
        "task": "NavigationOpen",
        "settings": {"physics_steps": 6},
        "layers": layers,
        "activation": "tanh",
        "squash": False,
        "low": np.array([-1, -1], np.float32),
        "high": np.array([1, 1], np.float32),
        "mean": np.array([1.0, 2.0, 3.0]),
        "variance": np.array([4.0, 1.0, 9.0]),
        "origin": {"seed": 3},
    }
    return Policy(**{**values, **changes})


def test_a_file_gives_back_the_policy(tmp_path):
    path = tmp_path / "policy.npz"
    small().save(path)
    again = load_policy(path)
    assert again.task == "NavigationOpen"
    assert again.settings == {"physics_steps": 6}
    assert again.origin == {"seed": 3}
    seen = np.random.default_rng(1).normal(size=(7, 3)).astype(np.float32)
    np.testing.assert_array_equal(again.act(seen), small().act(seen))
    assert again.act(seen).dtype == np.float32
    assert load_policy(tmp_path).task == "NavigationOpen"
    assert [file.name for file in tmp_path.iterdir()] == ["policy.npz"]


def test_actions_by_hand():
    weight, bias = np.array([[2.0]], np.float32), np.array([0.5], np.float32)
    one: dict[str, Any] = {
        "low": np.array([-1], np.float32),
        "high": np.array([3], np.float32),
        "mean": np.zeros(1),
    }
    one |= {"layers": ((weight, bias),), "variance": np.ones(1) - 1e-8}
    seen = np.array([[0.25], [9.0]])
    np.testing.assert_allclose(small(**one).act(seen), [[1.0], [3.0]], rtol=1e-6)
    squashed = small(**one, squash=True).act(seen)
    np.testing.assert_allclose(squashed, [[1 + 2 * np.tanh(1.0)], [3.0]], rtol=1e-6)


def test_observations_of_another_task_are_refused():
    with pytest.raises(PolicyError, match=r"takes observations of shape \(n, 3\), got \(2, 5\)"):
        small().act(np.zeros((2, 5)))


def test_files_that_hold_no_policy(tmp_path):
    bad = tmp_path / "bad.npz"
    bad.write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(PolicyError, match="holds no policy"):
        load_policy(bad)
    np.savez(bad, mean=np.zeros(3))
    with pytest.raises(PolicyError, match=r"holds no policy \('about'\)"):
        load_policy(bad)
    np.savez(bad, about=np.array(json.dumps({"format": 99})))
    with pytest.raises(PolicyError, match="format 99 and this version reads 1"):
        load_policy(bad)
    small(mean=np.zeros(5), variance=np.ones(5)).save(bad)
    with pytest.raises(PolicyError, match=r"a layer has shape \(3, 4\) where \(5, 4\)"):
        load_policy(bad)
    small(mean=np.array([np.nan, 0, 0])).save(bad)
    with pytest.raises(PolicyError, match="not finite"):
        load_policy(bad)


def test_policies_that_are_not_there(tmp_path):
    with pytest.raises(PolicyError, match=r"has no policy\.npz; train into it first"):
        load_policy(tmp_path)
    with pytest.raises(PolicyError, match="does not exist; give a policy"):
        load_policy(tmp_path / "nowhere.npz")
    with pytest.raises(PolicyError, match="no shipped policy is called 'Ant'"):
        load_policy("Ant")


@pytest.mark.parametrize("name", shipped_policies())
def test_shipped_policies_are_of_their_task(name):
    policy = load_policy(name)
    assert policy.task == name
    assert policy.origin["seed"] >= 0
