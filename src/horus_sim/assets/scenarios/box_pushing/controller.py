"""Pushes the box that it sees in front to x = 1 m, by its pose in the world."""

import math

GOAL_X = 0.98
REACH_M = 0.16


class Controller:
    """Keeps the box in front of it; stops when the box is in the goal."""

    def __init__(self, sim):
        self.sim = sim
        self.drive = sim.drive

    def step(self, sensors, dt):
        """Steers to the nearest thing ahead, and back to the line y = 0."""
        x, y, theta = self.sim.pose
        if x + REACH_M > GOAL_X:
            self.drive.drive(0.0, 0.0)
            return
        ranges = sensors["eye"]
        nearest = min(range(5), key=lambda k: ranges[k])
        bearing = (nearest - 2) * 0.15 if ranges[nearest] < 0.8 else 0.0
        home = math.atan2(-y, 0.8) - theta
        self.drive.drive(0.25, 1.5 * bearing + 2.0 * home)
