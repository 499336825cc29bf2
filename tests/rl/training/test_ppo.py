"""PPO: gradients are autograd's, advantages those of the definition, threads change no bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horus_sim.errors import TaskError
from horus_sim.interruption import Interruption
from horus_sim.rl.training import load_policy, train, train_config
from horus_sim.rl.training.config import PpoConfig
from horus_sim.rl.training.rollout import Rollout, advantages
from horus_sim.rl.training.run_folder import RunFolder
from horus_sim.rl.training.running_statistics import RunningStatistics

pytest.importorskip("torch", reason="pip install 'horus-sim[train]'")

import torch  # pyright: ignore[reportMissingImports]
from torch import nn  # pyright: ignore[reportMissingImports]

from horus_sim.rl.training.gaussian_loss import Batch, log_density, loss_gradient
from horus_sim.rl.training.monitor import TrainingMonitor
from horus_sim.rl.training.perceptron import Perceptron
from horus_sim.rl.training.ppo import Ppo

SMALL: dict[str, Any] = {
    "num_envs": 16,
    "total_steps": 1024,
    "evaluation_episodes": 2,
    "settings": {"episode_duration": 1.0},
    "network": (16,),
}
MODULES = {"tanh": nn.Tanh, "relu": nn.ReLU, "elu": nn.ELU}


def pytorch_like(network: Perceptron, sizes: list[int], activation: str) -> nn.Sequential:
    """PyTorch's own layers with the same parameters."""
    layers: list[nn.Module] = []
    for weight, bias in network.layers():
        linear = nn.Linear(*weight.shape)
        linear.weight.data[:] = torch.from_numpy(weight.T.copy())
        linear.bias.data[:] = torch.from_numpy(bias)
        layers += [linear, MODULES[activation]()]
    assert len(layers) == 2 * (len(sizes) - 1)
    return nn.Sequential(*layers[:-1])


@pytest.mark.parametrize("activation", MODULES)
@pytest.mark.parametrize("sizes", [[5, 3], [7, 16, 2], [4, 32, 16, 8, 3]])
def test_a_perceptron_and_its_gradient_are_pytorchs(activation, sizes):
    random = torch.Generator().manual_seed(1)
    network = Perceptron(sizes, activation)
    network.live_in(torch.zeros(network.count))
    network.begin(1.0, random)
    twin = pytorch_like(network, sizes, activation)
    inputs = torch.randn(50, sizes[0], generator=random)
    gradient = torch.randn(50, sizes[-1], generator=random)
    work = network.workspace(64)
    for _ in range(2):  # memory of an earlier pass changes nothing
        outputs = network.forward(inputs, work)
        torch.testing.assert_close(outputs, twin(inputs), atol=1e-6, rtol=1e-5)
        network.backward(inputs, gradient, work)
    gradients = torch.autograd.grad(twin(inputs), list(twin.parameters()), gradient)
    expected = torch.cat([values.flatten() for values in gradients])
    torch.testing.assert_close(work.gradient, expected, atol=1e-5, rtol=1e-4)


def test_weights_begin_orthogonal():
    network = Perceptron([8, 16, 4], "tanh")
    network.live_in(torch.zeros(network.count))
    network.begin(0.01, torch.Generator().manual_seed(0))
    (first, bias), (last, _) = network.layers()
    np.testing.assert_allclose(first @ first.T, 2 * np.eye(8), atol=1e-5)
    np.testing.assert_allclose(last.T @ last, 1e-4 * np.eye(4), atol=1e-8)
    assert not bias.any()


def textbook_loss(
    means: Any, log_std: Any, values: Any, batch: Batch, config: PpoConfig, old: Any
) -> Any:
    """The loss as it is written in papers, by PyTorch's own distributions."""
    now = torch.distributions.Normal(means, log_std.exp())
    before = torch.distributions.Normal(batch.means, old.exp())
    ratio = (now.log_prob(batch.actions).sum(1) - before.log_prob(batch.actions).sum(1)).exp()
    clip = config.clip_range
    gains = torch.min(ratio * batch.advantages, ratio.clamp(1 - clip, 1 + clip) * batch.advantages)
    errors = (values[:, 0] - batch.returns) ** 2
    if config.value_clip is not None:
        moved = batch.values + (values[:, 0] - batch.values).clamp(
            -config.value_clip, config.value_clip
        )
        errors = torch.max(errors, (moved - batch.returns) ** 2)
    divergence = torch.distributions.kl_divergence(before, now).sum(1).mean()
    clipped = ((ratio - 1).abs() > clip).float().mean()
    entropy = now.entropy().sum(1).mean()
    loss = -gains.mean() + config.value_weight * errors.mean() - config.entropy * entropy
    return loss, torch.stack([-gains.mean(), errors.mean(), clipped, divergence])


@settings(max_examples=40)
@given(
    st.integers(0, 2**31),
    st.sampled_from([None, 0.1, 1.0]),
    st.sampled_from([0.05, 0.2]),
    st.floats(0, 0.1),
)
def test_the_gradient_of_the_loss_is_autograds(seed, value_clip, clip_range, entropy):
    config = PpoConfig(value_clip=value_clip, clip_range=clip_range, entropy=entropy)
    random = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> Any:
        return torch.randn(shape, generator=random, dtype=torch.float64)

    old_log_std, rows = 0.3 * draw(3), 40
    old_means = draw(rows, 3)
    actions = old_means + old_log_std.exp() * draw(rows, 3)
    densities = log_density(actions, old_means, old_log_std)
    batch = Batch(actions, old_means, densities, draw(rows), draw(rows), draw(rows))
    means = (old_means + 0.3 * draw(rows, 3)).requires_grad_()
    log_std = (old_log_std + 0.1 * draw(3)).requires_grad_()
    values = draw(rows, 1).requires_grad_()
    loss, figures = textbook_loss(means, log_std, values, batch, config, old_log_std)
    expected = torch.autograd.grad(loss, (means, log_std, values))
    with torch.no_grad():
        found = loss_gradient(means, log_std, values, batch, old_log_std, 1 / rows, config)
    for one, other in zip((found.means, found.log_std, found.values), expected, strict=True):
        torch.testing.assert_close(one, other)
    torch.testing.assert_close(found.figures, figures, atol=1e-6, rtol=1e-6)


@given(st.integers(0, 2**31), st.floats(0.5, 1.0), st.floats(0.0, 1.0))
def test_advantages_are_sums_of_what_follows(seed, discount, gae_lambda):
    random = np.random.default_rng(seed)
    steps, envs = 6, 4
    rewards, values, next_values = random.normal(size=(3, steps, envs)).astype(np.float32)
    done = random.random((steps, envs)) < 0.3
    terminated = done & (random.random((steps, envs)) < 0.5)
    found = advantages(rewards, values, next_values, terminated, done, discount, gae_lambda)
    for env in range(envs):
        for first in range(steps):
            total, factor = 0.0, 1.0
            for step in range(first, steps):
                after = 0.0 if terminated[step, env] else float(next_values[step, env])
                error = float(rewards[step, env]) + discount * after - float(values[step, env])
                total += factor * error
                factor *= discount * gae_lambda
                if done[step, env]:
                    break
            assert found[first, env] == pytest.approx(total, abs=1e-5)


def test_a_time_limit_is_worth_what_the_critic_expects_after_it():
    rollout = Rollout(3, 2, 1, 1)
    rollout.values[:] = [[0, 1], [2, 3], [4, 5], [6, 7]]
    rollout.begin()
    rollout.keep_last(1, np.array([1]), np.array([[0.5]], np.float32))
    rollout.keep_last(2, np.array([0, 1]), np.array([[0.25], [0.75]], np.float32))
    np.testing.assert_array_equal(rollout.last_observations(), [[0.5], [0.25], [0.75]])
    followed = rollout.next_values(np.array([50, 60, 70], np.float32))
    np.testing.assert_array_equal(followed, [[2, 3], [4, 50], [60, 70]])
    rollout.begin()
    assert rollout.last_observations().shape == (0, 1)


@given(st.integers(0, 2**31), st.integers(1, 5))
def test_statistics_are_those_of_all_rows(seed, parts):
    random = np.random.default_rng(seed)
    rows = random.normal(random.normal(size=3), 2.0, (parts * 10, 3)).astype(np.float32)
    seen = RunningStatistics(3)
    for part in np.split(rows, parts):
        seen.update(part)
    np.testing.assert_allclose(seen.mean, rows.mean(0), atol=1e-4)
    np.testing.assert_allclose(seen.variance, rows.var(0), rtol=1e-3)
    out = np.zeros((4, 3), np.float32)
    seen.normalize(rows[:4] + 1e6, out)
    np.testing.assert_array_equal(out, np.full((4, 3), 10.0))


def learned(folder, **values) -> Ppo:
    learner = Ppo(train_config("NavigationOpen", **(SMALL | values)))
    run = RunFolder(folder)
    run.create(learner.config)
    monitor = TrainingMonitor(learner, run, 0.0, None, Interruption(), None)
    learner.learn(monitor)
    monitor.close()
    learner.close()
    return learner


def weights(learner: Ppo) -> bytes:
    return b"".join(weight.tobytes() + bias.tobytes() for weight, bias in learner.export().layers)


def test_threads_change_no_bit(tmp_path, monkeypatch):
    monkeypatch.setattr("horus_sim.rl.training.ppo._PIECE", 48)
    one, three, other = (
        learned(tmp_path / str(number), torch_threads=threads, threads=threads, seed=seed)
        for number, (threads, seed) in enumerate([(1, 0), (3, 0), (1, 1)])
    )
    assert weights(one) == weights(three) != weights(other)


@pytest.mark.parametrize("activation", MODULES)
@pytest.mark.parametrize("normalized", [True, False])
def test_the_exported_policy_is_the_network(tmp_path, activation, normalized):
    changed: dict[str, Any] = {
        "activation": activation,
        "normalize_observations": normalized,
        "network": (32, 16),
    }
    learner = learned(tmp_path / "run", **changed)
    learner.export().save(tmp_path / "policy.npz")
    policy = load_policy(tmp_path / "policy.npz")
    seen = np.random.default_rng(0).normal(size=(500, 31)).astype(np.float32)
    given = np.zeros_like(seen)
    learner._normalize(seen, given)
    twin = pytorch_like(learner._networks[0], [31, 32, 16, 2], activation)
    expected = twin(torch.from_numpy(given)).detach().numpy().clip(-1, 1)
    np.testing.assert_allclose(policy.act(seen), expected, atol=1e-5)
    assert np.ptp(expected) > 0


def test_deviations_stay_within_their_bounds(tmp_path):
    ppo = {"initial_std": 0.5, "std_bounds": (0.499, 0.501)}
    learner = learned(tmp_path / "run", ppo=ppo, learning_rate=0.1, schedule="constant")
    std = learner._log_std.exp()
    assert ((std >= 0.4989) & (std <= 0.5011)).all()
    assert (std != 0.5).any()
    with pytest.raises(TaskError, match=r"initial_std 1.0 is not within std_bounds \(0.1, 0.5\)"):
        train_config("NavigationOpen", ppo={"std_bounds": (0.1, 0.5)})


@pytest.mark.parametrize(("desired", "sign"), [(1e-6, -1), (1e6, 1)])
def test_the_learning_rate_follows_the_divergence(tmp_path, desired, sign):
    values: dict[str, Any] = {"schedule": "adaptive", "ppo": {"desired_kl": desired}}
    learner = learned(tmp_path / "run", **values)
    assert np.sign(learner._rate - learner.config.learning_rate) == sign
    assert 1e-5 <= learner._rate <= 1e-2
    with pytest.raises(TaskError, match="schedule 'adaptive' is for ppo, and algorithm is 'sac'"):
        train_config("NavigationOpen", algorithm="sac", schedule="adaptive")


def test_an_update_stops_where_it_diverges(tmp_path):
    free = learned(tmp_path / "free", learning_rate=0.01)
    held = learned(tmp_path / "held", learning_rate=0.01, ppo={"target_kl": 1e-5})
    before = Ppo(free.config)
    moved = [
        sum(float(np.abs(a[0] - b[0]).sum()) for a, b in zip(x, y, strict=True))
        for x, y in ((learner.export().layers, before.export().layers) for learner in (free, held))
    ]
    assert moved[1] < moved[0]


def test_it_learns_to_reach_a_goal(tmp_path):
    values: dict[str, Any] = {"num_envs": 64, "normalize_rewards": True}
    values |= {"total_steps": 60_000, "evaluation_episodes": 40}
    values |= {"settings": {"goal_distance": (0.3, 0.8), "episode_duration": 8.0}}
    values |= {"ppo": {"batch_size": 512}}
    result = train(train_config("NavigationOpen", **values), tmp_path / "run")
    assert result.success_rate is not None
    assert result.success_rate > 0.9
