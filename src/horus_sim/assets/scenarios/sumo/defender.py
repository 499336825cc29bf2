"""Drives about in the ring and turns away from its edge."""


class Controller:
    """Wanders."""

    def __init__(self, sim):
        self.drive = sim.drive
        self.turning = 0.0

    def step(self, sensors, dt):
        """Straight on; a turn where a sensor sees the edge."""
        if max(sensors["edge_left"], sensors["edge_right"]) > 0.5:
            self.turning = 0.8
        self.turning -= dt
        if self.turning > 0.0:
            self.drive.drive(-0.1, 3.0)
        else:
            self.drive.drive(0.2, 0.3)
