"""Policy files: what NumPy computes is what the network computed; damaged files are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import PolicyError
from horus_sim.rl.training import Policy, load_policy
from horus_sim.rl.training.policy import policy_names


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
    with pytest.raises(PolicyError, match=r"holds no policy \(it has no 'about'\); give the"):
        load_policy(bad)
    np.savez(bad, about=np.array(json.dumps({"format": 99})))
    with pytest.raises(PolicyError, match="format 99 and this version reads 1"):
        load_policy(bad)
    small(mean=np.zeros(5), variance=np.ones(5)).save(bad)
    with pytest.raises(PolicyError, match=r"'weight_0' has .* \(3, 4\) where .* \(5, 4\) are"):
        load_policy(bad)
    small(mean=np.array([np.nan, 0, 0])).save(bad)
    with pytest.raises(PolicyError, match="not finite"):
        load_policy(bad)


def forged(path: Path, **changes: Any) -> None:
    """A sound policy, but for some of what 'about' says and some of its arrays."""
    small().save(path)
    with np.load(path) as saved:
        arrays: dict[str, Any] = dict(saved)
    about = json.loads(str(arrays["about"]))
    about |= {key: value for key, value in changes.items() if key in about}
    arrays |= {key: value for key, value in changes.items() if key not in about}
    arrays["about"] = np.array(json.dumps(about))
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"layers": 10**9}, "layers: it is 1000000000; .*less than or equal to 100"),
        ({"layers": "two"}, "layers: it is 'two', not a whole number"),
        ({"layers": 3}, "it has no 'weight_2'"),
        ({"activation": "sin"}, "activation: it is 'sin'; write 'tanh', 'relu' or 'elu'"),
        ({"clip": float("nan")}, "clip: it is nan; .*finite"),
        ({"settings": []}, r"settings: it is \[\]; write keys and values"),
        ({"task": 3}, "task: it is 3, not text"),
        ({"mean": None}, "it has no 'mean'"),
        ({"mean": np.array(3.0)}, r"'mean' has type float64 and shape \(\) where floats of"),
        ({"bias_0": np.array("x")}, r"'bias_0' has type <U1 and shape \(\) where floats"),
        ({"weight_0": np.zeros(4)}, r"'weight_0' has type float64 and shape \(4,\) where"),
        ({"variance": np.array([1.0, -1.0, 1.0])}, "a variance is below 0; the training diverged"),
        ({"variance": np.ones(4)}, r"'variance' has .* \(4,\) where floats of shape \(3,\)"),
        ({"low": np.array([2.0, 0.0])}, "bounds of actions are not in order"),
        ({"low": np.full(2, np.inf), "high": np.full(2, np.inf)}, "bounds .* not in order"),
        ({"squash": True, "high": np.array([1.0, np.inf])}, "squashed into bounds that are inf"),
        (
            {"squash": True, "low": np.full(2, -3e38, "f"), "high": np.full(2, 3e38, "f")},
            "squashed into bounds that are infinite or too far apart; train anew",
        ),
        ({"high": np.ones(3)}, r"'high' has .* \(3,\) where floats of shape \(2,\)"),
    ],
)
def test_forged_policies_are_refused(tmp_path, changes, text):
    path = tmp_path / "policy.npz"
    forged(path, **changes)
    with pytest.raises(PolicyError, match=text):
        load_policy(path)


def test_policies_that_are_not_there(tmp_path):
    with pytest.raises(PolicyError, match=r"has no policy\.npz; train into it first"):
        load_policy(tmp_path)
    with pytest.raises(PolicyError, match="does not exist; give a policy"):
        load_policy(tmp_path / "nowhere.npz")
    with pytest.raises(PolicyError, match=r"horus_sim.rl has no policy 'Ant'"):
        load_policy("Ant")
    for name in ("n\0l", "n" * 5000):
        with pytest.raises(PolicyError, match=r"horus_sim.rl has no policy"):
            load_policy(name)


@pytest.mark.parametrize("name", policy_names())
def test_shipped_policies_are_of_their_task(name):
    policy = load_policy(name)
    assert policy.task == name
    assert policy.origin["seed"] >= 0
