"""Drives a square of 1 m: straight and turn in turns, counted by the encoders."""

import math

SIDE_M = 1.0
WHEEL_RADIUS_M = 0.03
TRACK_M = 0.12
SLOW_DOWN = 4.0


class Controller:
    """Four times: a side, then a left turn of 90 degrees."""

    def __init__(self, sim):
        self.drive = sim.drive
        self.leg = 0
        self.start = None

    def step(self, sensors, dt):
        """Goes on with the current side or turn; stops after the last."""
        left = sensors["left_encoder"].angle * WHEEL_RADIUS_M
        right = sensors["right_encoder"].angle * WHEEL_RADIUS_M
        if self.start is None:
            self.start = (left, right)
        left, right = left - self.start[0], right - self.start[1]
        if self.leg == 8:
            self.drive.drive(0.0, 0.0)
        elif self.leg % 2 == 0:
            rest = SIDE_M - 0.5 * (left + right)
            # What the wheels turned differently is steered back.
            self.drive.drive(min(0.4, SLOW_DOWN * rest), 5.0 * (left - right) / TRACK_M)
            self._next_if(rest < 0.002)
        else:
            rest = 0.5 * math.pi - (right - left) / TRACK_M
            self.drive.drive(0.0, min(2.0, SLOW_DOWN * rest))
            self._next_if(rest < 0.01)

    def _next_if(self, done):
        if done:
            self.leg += 1
            self.start = None

    def get_state(self):
        """What a new version of this file needs to go on."""
        return (self.leg, self.start)

    def set_state(self, state):
        """Goes on where the old version was."""
        self.leg, self.start = state
