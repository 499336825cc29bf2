"""Policies of Stable-Baselines3 and rsl_rl do what these tools do with them."""

from __future__ import annotations

import zipfile
from typing import Any

import numpy as np
import pytest

from horus_sim.errors import PolicyError
from horus_sim.rl.envs.contracting import task_contract
from horus_sim.rl.policies.loading import load_any_policy

torch = pytest.importorskip("torch", reason="pip install 'horus-sim[train]'")
sb3 = pytest.importorskip("stable_baselines3", reason="pip install 'horus-sim[train]'")

TASK = "NavigationOpen"
SEEN = np.random.default_rng(0).uniform(-1, 1, (64, 31)).astype(np.float32)


@pytest.fixture(scope="module")
def envs():
    from horus_sim.rl.adapters.sb3 import make_sb3

    made = make_sb3(TASK, num_envs=2)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        ("PPO", {}),
        ("PPO", {"net_arch": [16, 8], "activation_fn": torch.nn.ELU}),
        ("SAC", {"net_arch": [16]}),
        ("TD3", {"net_arch": [16, 16]}),
    ],
)
def test_a_zip_of_stable_baselines_acts_as_there(tmp_path, envs, algorithm, options):
    model = getattr(sb3, algorithm)("MlpPolicy", envs, policy_kwargs=options, device="cpu")
    path = tmp_path / "model.zip"
    model.save(path)
    with pytest.raises(PolicyError, match=r"has no contract.*rl export TASK --contract"):
        load_any_policy(path)
    task_contract(TASK).write(tmp_path / "contract.json")
    wanted, _ = model.predict(SEEN, deterministic=True)
    np.testing.assert_allclose(load_any_policy(path).act(SEEN), wanted, atol=2e-6)


def test_a_checkpoint_of_rsl_rl_acts_as_there(tmp_path):
    pytest.importorskip("rsl_rl", reason="pip install 'horus-sim[rsl]'")
    from rsl_rl.models import MLPModel  # pyright: ignore[reportMissingImports]
    from tensordict import TensorDict  # pyright: ignore[reportMissingImports]

    seen = TensorDict({"policy": torch.as_tensor(SEEN)}, batch_size=[len(SEEN)])
    noise = {"class_name": "rsl_rl.modules.GaussianDistribution", "init_std": 1.0}
    torch.manual_seed(0)
    model: Any = MLPModel(
        seen,
        {"actor": ["policy"]},
        "actor",
        2,
        (16, 8),
        "elu",
        obs_normalization=True,
        distribution_cfg=noise,
    )
    model.obs_normalizer.train()
    model.obs_normalizer.update(torch.as_tensor(3 * SEEN + 1))
    model.eval()
    path = tmp_path / "model_100.pt"
    torch.save({"actor_state_dict": model.state_dict(), "iter": 100, "infos": None}, path)
    task_contract(TASK).write(tmp_path / "model_100.json")
    with torch.inference_mode():
        wanted = model(seen).clamp(-1, 1).numpy()
    np.testing.assert_allclose(load_any_policy(path).act(SEEN), wanted, atol=2e-6)


def test_what_is_no_policy_is_told(tmp_path):
    task_contract(TASK).write(tmp_path / "contract.json")
    (tmp_path / "text.zip").write_text("nonsense")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a", "b")
    for name in ("text.zip", "other.zip"):
        with pytest.raises(PolicyError, match="is no policy of Stable-Baselines3"):
            load_any_policy(tmp_path / name)
    (tmp_path / "text.pt").write_text("nonsense")
    with pytest.raises(PolicyError, match="no tensors that can be read without running code"):
        load_any_policy(tmp_path / "text.pt")
    torch.save({"weights": torch.zeros(2)}, tmp_path / "other.pt")
    with pytest.raises(PolicyError, match=r"no checkpoint of rsl_rl \(it has weights\)"):
        load_any_policy(tmp_path / "other.pt")
    torch.save(
        {"actor_state_dict": {"mlp.0.weight": torch.zeros(2, 5), "mlp.0.bias": torch.zeros(2)}},
        tmp_path / "small.pt",
    )
    with pytest.raises(PolicyError, match="observes 5 columns and gives 2, and its contract says"):
        load_any_policy(tmp_path / "small.pt")
