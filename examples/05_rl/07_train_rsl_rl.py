"""rsl_rl's own runner teaches a robot on four legs to walk as it is told.

Two iterations with few robots run here; `--iterations 300 --envs 1024` is a training.
"""

import argparse
import contextlib
import io
import tempfile

import numpy as np
import torch
from rsl_rl.runners import OnPolicyRunner

from horus_sim.rl.adapters.rsl_rl import RslRlVecEnv, make_rsl_rl

parser = argparse.ArgumentParser()
parser.add_argument("--task", default="Quadruped")
parser.add_argument("--envs", type=int, default=32)
parser.add_argument("--iterations", type=int, default=2)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--folder", help="where checkpoints and logs go; else nowhere")
args = parser.parse_args()

network = {
    "class_name": "rsl_rl.models.MLPModel",
    "hidden_dims": [128, 64],
    "activation": "elu",
    "obs_normalization": True,
}
noise = {"class_name": "rsl_rl.modules.GaussianDistribution", "init_std": 0.5}
settings = {
    "num_steps_per_env": 24,
    "save_interval": 100,
    "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
    "actor": {**network, "distribution_cfg": noise},
    "critic": network,
    "algorithm": {
        "class_name": "rsl_rl.algorithms.PPO",
        "learning_rate": 1e-3,
        "schedule": "adaptive",
        "desired_kl": 0.01,
        "entropy_coef": 0.002,
        "num_learning_epochs": 5,
        "num_mini_batches": 4,
    },
}


def survival(envs: RslRlVecEnv, runner: OnPolicyRunner) -> tuple[float, float]:
    """Share of robots that do not fall in 200 steps, and their mean reward a step."""
    policy, rewards = runner.get_inference_policy(), []
    fell = torch.zeros(envs.num_envs, dtype=torch.bool)
    envs.reset()
    with torch.inference_mode():
        for _ in range(200):
            _, reward, done, _ = envs.step(policy(envs.get_observations()))
            fell |= done.bool()
            rewards.append(float(reward.mean()))
    return 1.0 - float(fell.float().mean()), float(np.mean(rewards))


torch.set_num_threads(1)  # networks this small gain nothing from more
torch.manual_seed(args.seed)
with tempfile.TemporaryDirectory() as spare, contextlib.redirect_stdout(io.StringIO()):
    envs = make_rsl_rl(args.task, args.envs)
    runner = OnPolicyRunner(envs, settings, args.folder or spare, "cpu")
    before = survival(envs, runner)
    runner.learn(args.iterations, init_at_random_ep_len=True)
    after = survival(envs, runner)
    envs.close()
steps = args.iterations * args.envs * settings["num_steps_per_env"]
for when, (standing, reward) in (("before", before), ("after", after)):
    print(f"{when}: {standing:.0%} did not fall, reward {reward:.4f} a step")
print(f"{steps:,} steps of {args.task}")
