"""Pulls a trailer through an S: a left circle, then a right one, counted by the gyroscope."""

import math

SPEED = 0.25
TURN = 0.5


class Controller:
    """One full turn to the left, one to the right, then it stops."""

    def __init__(self, sim):
        motors = sim.motors
        self.left, self.right = motors["left"], motors["right"]
        self.track = 0.12
        self.turned = 0.0
        self.phase = 0

    def step(self, sensors, dt):
        """Adds up the yaw rate and changes the direction after a full turn."""
        self.turned += sensors["imu"].wz * dt
        if abs(self.turned) >= 2.0 * math.pi:
            self.phase += 1
            self.turned = 0.0
        turn = (TURN, -TURN, 0.0)[min(self.phase, 2)]
        speed = SPEED if self.phase < 2 else 0.0
        top = self.left.radius * self.left.max_omega
        return {
            "left": (speed - 0.5 * self.track * turn) / top,
            "right": (speed + 0.5 * self.track * turn) / top,
        }

    def get_state(self):
        """What a new version of this file needs to go on."""
        return (self.turned, self.phase)

    def set_state(self, state):
        """Goes on where the old version was."""
        self.turned, self.phase = state
