"""rsl_rl's own runner learns a task from end to end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from horus_sim.rl import Observation, Reward, Task, TaskConfig
from horus_sim.robots.engine import mujoco

pytest.importorskip("rsl_rl", reason="pip install 'horus-sim[rsl]'")

import torch  # pyright: ignore[reportMissingImports]
from rsl_rl.runners import OnPolicyRunner  # pyright: ignore[reportMissingImports]

from horus_sim.rl.adapters.rsl_rl import make_rsl_rl

XML = """
<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody>
<body><joint name="x" type="slide" axis="1 0 0" damping="1"/><geom size=".1" mass="1"/></body>
</worldbody><actuator><motor joint="x" gear="4" ctrlrange="-1 1"/></actuator></mujoco>
"""


class Slider(Task[TaskConfig]):
    """A sledge is to come to the middle and stay there."""

    def build_model(self):
        return mujoco.MjModel.from_xml_string(XML)

    def bind(self):
        self.place, self.speed = self.sim.bind("qpos"), self.sim.bind("qvel")

    def reset(self, ids):
        self.place[ids] = self.random.uniform("place", ids, 1, -1.0, 1.0)

    def observations(self):
        return (
            Observation("place", 1, lambda rows: self.place[rows]),
            Observation("speed", 1, lambda rows: self.speed[rows]),
        )

    def rewards(self):
        return (Reward("near", lambda: 1.0 - np.abs(self.place[:, 0])),)


@pytest.fixture(autouse=True)
def one_thread():
    """Networks this small gain nothing from more."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def settings() -> dict[str, Any]:
    network = {"class_name": "rsl_rl.models.MLPModel", "hidden_dims": [32, 32], "activation": "elu"}
    noise = {"class_name": "rsl_rl.modules.GaussianDistribution", "init_std": 1.0}
    return {
        "num_steps_per_env": 25,
        "save_interval": 1000,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": {**network, "distribution_cfg": noise},
        "critic": network,
        "algorithm": {"class_name": "rsl_rl.algorithms.PPO", "learning_rate": 3e-3},
    }


def mean_reward(envs, act) -> float:
    """Of whole episodes, from the same starts."""
    envs.reset(seed=100)
    rewards = []
    with torch.inference_mode():
        for _ in range(envs.max_episode_length):
            _, reward, _, _ = envs.step(act(envs.get_observations()))
            rewards.append(float(reward.mean()))
    return float(np.mean(rewards))


def test_its_runner_learns_a_task(tmp_path, capsys):
    torch.manual_seed(0)
    config = TaskConfig(physics_steps=5, episode_duration=2.5)
    envs = make_rsl_rl(Slider(config), 64, 1)
    runner = OnPolicyRunner(envs, settings(), str(tmp_path / "log"), "cpu")
    before = mean_reward(envs, runner.get_inference_policy())
    runner.learn(30, init_at_random_ep_len=True)
    policy = runner.get_inference_policy()
    after = mean_reward(envs, policy)
    # A controller by hand, near the best that there is.
    by_hand = mean_reward(
        envs, lambda seen: (-4.0 * seen["policy"][:, :1] - 1.5 * seen["policy"][:, 1:]).clamp(-1, 1)
    )
    assert before < 0.6
    assert after > 0.9 * by_hand
    # What it logs is of our episodes, and what it saves can be read again.
    assert runner.logger.lenbuffer[-1] == envs.max_episode_length == 50
    runner.save(str(tmp_path / "model.pt"))
    other = OnPolicyRunner(envs, settings(), None, "cpu")
    other.load(str(tmp_path / "model.pt"))
    assert mean_reward(envs, other.get_inference_policy()) == pytest.approx(after, abs=1e-6)
    envs.close()
    assert "Learning iteration" in capsys.readouterr().out


def test_lengths_that_the_runner_sets_end_episodes():
    envs = make_rsl_rl(Slider(TaskConfig(physics_steps=5, episode_duration=0.5)), 3, 1)
    assert envs.max_episode_length == 10
    envs.episode_length_buf = torch.tensor([8, 0, 5])
    ends = [envs.step(torch.zeros(3, 1))[2].tolist() for _ in range(10)]
    assert [step for step, done in enumerate(ends, 1) if done[0]] == [2]
    assert [step for step, done in enumerate(ends, 1) if done[1]] == [10]
    assert [step for step, done in enumerate(ends, 1) if done[2]] == [5]
