"""Follows a line with a crossing and gaps."""

PLACES = (2.0, 1.0, 0.0, -1.0, -2.0)
SPEED = 0.3


class Controller:
    """Steers to the line; where it is lost, the last curve goes on; at a crossing, straight."""

    def __init__(self, sim):
        self.drive = sim.drive
        self.place = 0.0
        self.curve = 0.0

    def step(self, sensors, dt):
        """Steers by the sensors that see the line, and remembers how it curved."""
        seen = [max(0.0, value - 0.2) for value in sensors["line"]]
        total = sum(seen)
        yaw_rate = sensors["imu"].wz
        if total > 3.2:
            # All of them: another line crosses, keep the direction.
            turn = 0.5 * self.curve
        elif total > 0.1:
            self.place = sum(w * x for w, x in zip(PLACES, seen)) / total
            self.curve += (yaw_rate - self.curve) * dt / 0.3
            turn = 2.0 * self.place + 0.6 * self.curve
        elif abs(self.place) > 1.2:
            turn = 3.0 if self.place > 0 else -3.0
        else:
            turn = self.curve
        self.drive.drive(SPEED / (1.0 + 0.4 * abs(self.place)), turn)

    def get_state(self):
        """What a new version of this file needs to go on."""
        return (self.place, self.curve)

    def set_state(self, state):
        """Goes on where the old version was."""
        self.place, self.curve = state
