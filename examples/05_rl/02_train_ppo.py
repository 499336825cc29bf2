"""PPO learns to drive a TurtleBot3 to a goal; a few updates here, a minute for the real thing."""

from pathlib import Path
from tempfile import TemporaryDirectory

from horus_sim.rl.training import evaluate, load_policy, train, train_config

# Leave out total_steps and num_envs, and name a folder of your own, to train in earnest.
config = train_config("NavigationOpen", num_envs=32, total_steps=4096, evaluation_episodes=10)
with TemporaryDirectory() as scratch:
    result = train(config, Path(scratch) / "run")
    report = evaluate(load_policy(result.folder), config.task, episodes=20)
print(f"{result.steps} steps of {config.num_envs} robots")
print(report.text())
