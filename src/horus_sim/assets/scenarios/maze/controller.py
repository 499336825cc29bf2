"""Follows the wall on the right side out of a maze."""

WANTED_M = 0.22
SPEED = 0.3


class Controller:
    """Keeps the distance to the right wall; turns left in front of walls, right around corners."""

    def __init__(self, sim):
        self.drive = sim.drive

    def step(self, sensors, dt):
        """Chooses speed and turn from three distances."""
        front, right, between = sensors["front"], sensors["right"], sensors["ahead_right"]
        if front < 0.2 or between < 0.14:
            self.drive.drive(0.0, 2.5)
        elif right > 0.32 and between > 0.34:
            # The wall ends: around its corner.
            self.drive.drive(0.2, -1.15)
        else:
            # Both rays show the same distance when it drives along the wall.
            error = 0.5 * (min(right, 0.4) + min(0.707 * between, 0.4)) - WANTED_M
            self.drive.drive(SPEED, max(-1.5, min(1.5, -8.0 * error)))
