"""256 robots look for their goals among boxes: a Gymnasium vector environment in the plane."""

from __future__ import annotations

import gymnasium
import numpy as np

import horus_sim.rl  # noqa: F401 - registers the environments

envs = gymnasium.make_vec("HorusSim/Navigation2D-v0", num_envs=256)
observations, _ = envs.reset(seed=0)
columns = envs.unwrapped.columns  # pyright: ignore[reportAttributeAccessIssue]
angles = 2.0 * np.pi * np.arange(24) / 24

ended = {"goal": 0, "collision": 0, "time limit": 0}
for _ in range(200):
    ranges = 0.3 / observations[:, columns["lidar"]] - 0.3
    goal = observations[:, columns["goal"]]
    free = np.minimum(ranges, np.minimum(np.roll(ranges, 1, 1), np.roll(ranges, -1, 1)))
    towards = goal[:, :1] * np.cos(angles) + goal[:, 1:2] * np.sin(angles)
    best = (towards + 2.0 * np.minimum(free - 0.5, 0.0)).argmax(axis=1)
    turn = np.arctan2(np.sin(angles[best]), np.cos(angles[best]))
    ahead = np.clip(1.0 - np.abs(turn), 0.0, 1.0)
    actions = np.stack([2.0 * ahead - 1.0, np.clip(turn, -1.0, 1.0)], axis=1)
    observations, rewards, terminated, truncated, info = envs.step(actions)
    for cause in info["cause"][terminated | truncated]:
        ended[envs.unwrapped.causes[cause]] += 1  # pyright: ignore[reportAttributeAccessIssue]
print(", ".join(f"{cause}: {count}" for cause, count in ended.items()))
envs.close()
