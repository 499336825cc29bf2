"""Follows a line with five sensors: steers to where the line is, slower in curves."""

PLACES = (2.0, 1.0, 0.0, -1.0, -2.0)
SPEED = 0.45


class Controller:
    """A proportional and derivative controller on the place of the line."""

    def __init__(self, sim):
        self.drive = sim.drive
        self.place = 0.0
        self.change = 0.0

    def step(self, sensors, dt):
        """Steers by the weighted mean of the sensors that see the line."""
        seen = [max(0.0, value - 0.2) for value in sensors["line"]]
        total = sum(seen)
        if total > 0.1:
            place = sum(w * x for w, x in zip(PLACES, seen)) / total
            self.change = 0.8 * self.change + 0.2 * (place - self.place) / dt
            self.place = place
        elif abs(self.place) > 0.5:
            # Lost in a curve: turn on to the side where it was seen last.
            self.place = 2.5 if self.place > 0 else -2.5
        turn = 2.2 * self.place + 0.04 * self.change
        self.drive.drive(SPEED / (1.0 + 0.5 * abs(self.place)), turn)

    def get_state(self):
        """What a new version of this file needs to go on."""
        return (self.place, self.change)

    def set_state(self, state):
        """Goes on where the old version was."""
        self.place, self.change = state
