"""Our PPO beside Stable-Baselines3's: the same environments, settings, steps and seeds.

    python benchmarks/bench_learners.py [TASK:STEPS ...] [--seeds 3]

Both run on the same environments, each in turn, and the same evaluation counts. CPU seconds are
those of the process, so that a busy machine changes them little.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from horus_sim.interruption import Interruption
from horus_sim.rl.adapters.sb3 import make_sb3
from horus_sim.rl.settings import merged
from horus_sim.rl.training import Policy, TrainConfig, evaluate, train_config
from horus_sim.rl.training.learner import make_learner
from horus_sim.rl.training.monitor import TrainingMonitor
from horus_sim.rl.training.run_folder import RunFolder

CASES = {"LineFollower2D": 400_000, "NavigationOpen": 300_000, "HalfCheetah": 500_000}
EPISODES = 100


def ours(config: TrainConfig) -> tuple[Policy, float]:
    """The policy after all steps, and CPU seconds."""
    begin = time.process_time()
    learner = make_learner(config)
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder(Path(folder) / "run")
        run.create(config)
        monitor = TrainingMonitor(learner, run, 0.0, None, Interruption(), None)
        learner.learn(monitor)
        monitor.close()
    spent = time.process_time() - begin
    policy = learner.export()
    learner.close()
    return policy, spent


def sb3(config: TrainConfig) -> tuple[Policy, float]:
    """The same by Stable-Baselines3's PPO and VecNormalize."""
    import torch  # pyright: ignore[reportMissingImports]
    from stable_baselines3 import PPO  # pyright: ignore[reportMissingImports]
    from stable_baselines3.common.vec_env import (  # pyright: ignore[reportMissingImports]
        VecNormalize,
    )

    begin = time.process_time()
    torch.set_num_threads(1)
    settings = merged(config.settings, config.practice)
    raw = make_sb3(config.task, config.num_envs, config.threads, **settings)
    envs: Any = VecNormalize(raw, norm_reward=config.normalize_rewards, gamma=config.discount)
    envs.norm_obs = config.normalize_observations
    first, ppo = config.learning_rate, config.ppo

    def rate(left: float) -> float:
        return first * (0.1 + 0.9 * left) if config.schedule == "linear" else first

    nn = torch.nn
    model: Any = PPO(
        "MlpPolicy",
        envs,
        learning_rate=rate,
        n_steps=ppo.rollout_steps,
        batch_size=ppo.batch_size,
        n_epochs=ppo.epochs,
        gamma=config.discount,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        ent_coef=ppo.entropy,
        vf_coef=ppo.value_weight,
        max_grad_norm=ppo.largest_gradient,
        target_kl=ppo.target_kl,
        policy_kwargs={
            "net_arch": list(config.network),
            "activation_fn": {"tanh": nn.Tanh, "relu": nn.ReLU, "elu": nn.ELU}[config.activation],
            "log_std_init": float(np.log(ppo.initial_std)),
        },
        seed=config.seed,
        device="cpu",
    )
    envs.seed(config.seed * 2**20)
    model.learn(config.total_steps)
    spent = time.process_time() - begin
    network = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    policy = Policy(
        task=config.task,
        settings=config.settings,
        layers=tuple(
            (layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy())
            for layer in network
            if isinstance(layer, nn.Linear)
        ),
        activation=config.activation,
        squash=False,
        low=envs.action_space.low,
        high=envs.action_space.high,
        mean=envs.obs_rms.mean,
        variance=envs.obs_rms.var,
    )
    envs.close()
    return policy, spent


def main() -> None:
    """Trains, prints a table and writes JSON."""
    words = [word for word in sys.argv[1:] if ":" in word]
    cases = {name: int(steps) for name, steps in (word.split(":") for word in words)} or CASES
    seeds = int(sys.argv[sys.argv.index("--seeds") + 1]) if "--seeds" in sys.argv else 3
    console, results = Console(), []
    table = Table(title=f"PPO after the same steps: median of {seeds} seeds (least to largest)")
    for column in ("task", "steps", "learner", "return", "success", "CPU s"):
        table.add_column(column, justify="left" if column in ("task", "learner") else "right")
    for name, steps in cases.items():
        found: dict[str, list[dict[str, Any]]] = {"ours": [], "Stable-Baselines3": []}
        for seed in range(seeds):
            config = train_config(name, seed=seed, total_steps=steps, evaluate_every=10**9)
            for learner, run in zip(found, (ours, sb3), strict=True):
                policy, spent = run(config)
                report = evaluate(policy, name, EPISODES)
                figures = {
                    "task": name,
                    "learner": learner,
                    "seed": seed,
                    "return": report.returns.mean,
                    "success": report.success_rate,
                    "cpu_s": spent,
                }
                console.print(figures)
                found[learner].append(figures)
                results.append(figures)
        for learner, rows in found.items():
            cells = [name, f"{steps:,}", learner]
            for key, form in (("return", ",.1f"), ("success", ".1%"), ("cpu_s", ".1f")):
                values = [row[key] for row in rows]
                if values[0] is None:
                    cells.append("-")
                    continue
                least, middle, most = min(values), statistics.median(values), max(values)
                cells.append(f"{middle:{form}} ({least:{form}} to {most:{form}})")
            table.add_row(*cells)
    console.print(table)
    path = Path(__file__).parent / "results" / "bench_learners.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(results, indent=2) + "\n")
    console.print(f"Written to {path}")


if __name__ == "__main__":
    main()
