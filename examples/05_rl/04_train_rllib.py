"""PPO of RLlib on a local Ray: two processes step 32 robots each; a few updates here.

On a cluster only the address changes: `ray.init("auto")`. See docs/rl.md.
"""

import logging

import ray  # pyright: ignore[reportMissingImports]
from ray.rllib.algorithms.ppo import PPOConfig  # pyright: ignore[reportMissingImports]

from horus_sim.rl.adapters.rllib import rllib_config

ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
config = rllib_config(PPOConfig(), "NavigationOpen", runners=2, num_envs=32)
config.training(train_batch_size_per_learner=2048, minibatch_size=512, num_epochs=4)
algorithm = config.build_algo()
runners = algorithm.env_runner_group
for _ in range(2):
    result = algorithm.train()
    steps = result["num_env_steps_sampled_lifetime"]
    count = runners.num_healthy_remote_workers() if runners else 0
    print(f"{int(steps)} steps by {count} runners")
algorithm.stop()
ray.shutdown()
