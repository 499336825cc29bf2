"""What is learned in the same CPU time: ours as shipped, SB3's PPO on Gymnasium's own environment.

    python benchmarks/bench_learner_time.py [HalfCheetah Ant] [--seconds 90] [--seed 0]
        [--only ours | peer]

Ours is `horus-sim rl train`; its settings say how many steps it makes. The peer has
Stable-Baselines3's own settings with normalized observations and rewards, 8 environments, and ends
after as many CPU seconds. Both are measured by episodes of Gymnasium's own environment, without
exploration.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from rich.console import Console
from rich.table import Table

from horus_sim.rl.training import load_policy, train, train_config

TASKS = ("HalfCheetah", "Ant")
# Ours has no forces of contacts, as Ant-v5 has them not with these.
BARE: dict[str, dict[str, Any]] = {
    "Ant": {"include_cfrc_ext_in_observation": False, "contact_cost_weight": 0.0}
}
EPISODES = 20


def measured(task: str, act: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> list[float]:
    """Returns of episodes of Gymnasium's own environment."""
    env = gymnasium.make(f"{task}-v5", **BARE.get(task, {}))
    returns = []
    for episode in range(EPISODES):
        seen, _ = env.reset(seed=10_000 + episode)
        total, is_over = 0.0, False
        while not is_over:
            seen, reward, terminated, truncated, _ = env.step(act(seen[None])[0])
            total += float(reward)
            is_over = terminated or truncated
        returns.append(total)
    env.close()
    return returns


def ours(task: str, seed: int, seconds: float) -> dict[str, Any]:
    """The shipped training."""
    del seconds
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        result = train(train_config(task, seed=seed), Path(folder) / "run")
        spent = time.process_time() - begin
        policy = load_policy(result.policy)
    return {"cpu_s": spent, "steps": result.steps, "returns": measured(task, policy.act)}


def peer(task: str, seed: int, seconds: float) -> dict[str, Any]:
    """Stable-Baselines3's PPO on Gymnasium's own environment."""
    import torch  # pyright: ignore[reportMissingImports]
    from stable_baselines3 import PPO  # pyright: ignore[reportMissingImports]
    from stable_baselines3.common.callbacks import (  # pyright: ignore[reportMissingImports]
        BaseCallback,
    )
    from stable_baselines3.common.env_util import (  # pyright: ignore[reportMissingImports]
        make_vec_env,
    )
    from stable_baselines3.common.vec_env import (  # pyright: ignore[reportMissingImports]
        VecNormalize,
    )

    begin = time.process_time()
    torch.set_num_threads(1)

    class Limit(BaseCallback):
        def _on_step(self) -> bool:
            return time.process_time() - begin < seconds

    envs: Any = VecNormalize(
        make_vec_env(f"{task}-v5", n_envs=8, seed=seed, env_kwargs=BARE.get(task, {}))
    )
    model: Any = PPO("MlpPolicy", envs, n_steps=256, seed=seed, device="cpu")
    model.learn(10**9, callback=Limit())
    spent = time.process_time() - begin

    def act(seen: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return model.predict(envs.normalize_obs(seen), deterministic=True)[0]

    returns = measured(task, act)
    envs.close()
    return {"cpu_s": spent, "steps": model.num_timesteps, "returns": returns}


def main() -> None:
    """Trains, prints a table and writes JSON."""

    def option(name: str, otherwise: str) -> str:
        return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else otherwise

    tasks = [word for word in sys.argv[1:] if word in TASKS] or list(TASKS)
    seconds, seed = float(option("--seconds", "90")), int(option("--seed", "0"))
    only = option("--only", "both")
    console, results = Console(), []
    table = Table(title=f"Returns of {EPISODES} episodes of Gymnasium's environment")
    for column in ("task", "learner", "steps", "CPU s", "return", "least", "largest"):
        table.add_column(column, justify="left" if column in ("task", "learner") else "right")
    for task in tasks:
        for name, run in (("ours", ours), ("peer", peer)):
            if only in ("both", name):
                found = {"task": task, "learner": name, "seed": seed, **run(task, seed, seconds)}
                results.append(found)
                returns = found["returns"]
                figures = np.mean(returns), min(returns), max(returns)
                cells = [task, name, f"{found['steps']:,}", f"{found['cpu_s']:.1f}"]
                table.add_row(*cells, *(f"{figure:,.0f}" for figure in figures))
    console.print(table)
    path = Path(__file__).parent / "results" / "bench_learner_time.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(results, indent=2) + "\n")
    console.print(f"Written to {path}")


if __name__ == "__main__":
    main()
