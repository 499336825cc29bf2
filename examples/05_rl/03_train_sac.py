"""SAC on the same task, with an own network; fewer steps, more gradients for each."""

from pathlib import Path
from tempfile import TemporaryDirectory

from horus_sim.rl.training import evaluate, load_policy, train, train_config

config = train_config(
    "NavigationOpen",
    algorithm="sac",
    num_envs=16,
    total_steps=1024,
    network=[64, 64],
    evaluation_episodes=10,
    sac={"learning_starts": 256, "batch_size": 256, "gradient_steps": 2},
)
with TemporaryDirectory() as scratch:
    result = train(config, Path(scratch) / "run")
    report = evaluate(load_policy(result.folder), config.task, episodes=20)
print(f"{result.steps} steps of {config.num_envs} robots")
print(report.text())
