"""Hand-written controllers of the 2D environments, over all environments at once."""

from __future__ import annotations

import numpy as np

RANGE_NEAR = 0.3
RAYS = 24


def navigate(observations, columns):
    """Heads for the ray that is nearest to the goal among those that are free far enough."""
    nearness = observations[:, columns["lidar"]].astype(np.float64)
    ranges = RANGE_NEAR / nearness - RANGE_NEAR
    goal = observations[:, columns["goal"]].astype(np.float64)
    distance = goal[:, 2:3] * 4.0
    angles = 2.0 * np.pi * np.arange(RAYS) / RAYS
    # A way is as free as the least free of it and its neighbours, which are 15 degrees aside.
    free = np.minimum(ranges, np.minimum(np.roll(ranges, 1, axis=1), np.roll(ranges, -1, axis=1)))
    wider = np.minimum(np.roll(ranges, 2, axis=1), np.roll(ranges, -2, axis=1))
    free = np.minimum(free, 1.6 * wider)
    towards = goal[:, :1] * np.cos(angles) + goal[:, 1:2] * np.sin(angles)
    heading = np.cos(angles)
    enough = np.minimum(distance + 0.05, 0.55)
    score = towards + 0.25 * heading + 2.0 * np.minimum(free - enough, 0.0)
    chosen = score.argmax(axis=1)
    rows = np.arange(len(observations))
    turn = np.arctan2(np.sin(angles[chosen]), np.cos(angles[chosen]))
    aimed = free[rows, chosen] >= distance[:, 0]
    turn = np.where(aimed & (towards[rows, chosen] > 0.9), np.arctan2(goal[:, 1], goal[:, 0]), turn)
    ahead = np.clip(1.0 - 1.5 * np.abs(turn), 0.0, 1.0) * np.clip(2.0 * ranges[:, 0], 0.2, 1.0)
    front = np.minimum(ranges[:, 0], np.minimum(ranges[:, 1], ranges[:, -1]))
    ahead = np.where(front < 0.17, 0.0, ahead)
    return np.stack([2.0 * ahead - 1.0, np.clip(turn, -1.0, 1.0)], axis=1).astype(np.float32)


class FollowLine:
    """Steers to where the line is; where it is lost, to the side where it was seen last."""

    def __init__(self, num_envs):
        self.place = np.zeros(num_envs)

    def __call__(self, observations, columns):
        seen = np.maximum(observations[:, columns["line"]].astype(np.float64) - 0.2, 0.0)
        total = seen.sum(axis=1)
        mean = seen @ np.array([2.0, 1.0, 0.0, -1.0, -2.0]) / np.maximum(total, 1e-9)
        lost = np.where(np.abs(self.place) > 0.5, 2.5 * np.sign(self.place), self.place)
        self.place = np.where(total > 0.1, mean, lost)
        ahead = 0.3 / (1.0 + 0.5 * np.abs(self.place))
        turn = 0.1 * self.place
        return np.stack([ahead - turn, ahead + turn], axis=1).astype(np.float32)
