"""Drives to points beside the poles, left and right in turns, by its pose in the world."""

import math

SPEED = 0.35
POINTS = [(0.6 * k + 0.6, 0.22 if k % 2 == 0 else -0.22) for k in range(5)] + [(3.6, 0.0)]


class Controller:
    """Steers to the next point; stops behind the last."""

    def __init__(self, sim):
        self.sim = sim
        self.drive = sim.drive
        self.next = 0

    def step(self, sensors, dt):
        """Turns towards the point, slower the more it has to turn."""
        if self.next == len(POINTS):
            self.drive.drive(0.0, 0.0)
            return
        x, y, theta = self.sim.pose
        goal_x, goal_y = POINTS[self.next]
        if math.hypot(goal_x - x, goal_y - y) < 0.08:
            self.next += 1
            return
        turn = math.remainder(math.atan2(goal_y - y, goal_x - x) - theta, 2.0 * math.pi)
        self.drive.drive(SPEED * max(0.2, math.cos(turn)), 4.0 * turn)

    def get_state(self):
        """What a new version of this file needs to go on."""
        return self.next

    def set_state(self, state):
        """Goes on where the old version was."""
        self.next = state
