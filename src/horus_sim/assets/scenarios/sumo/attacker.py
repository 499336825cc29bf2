"""Turns until it sees the other robot, then pushes."""


class Controller:
    """Search, attack, and never cross the line alone."""

    def __init__(self, sim):
        self.drive = sim.drive
        self.backing = 0.0
        self.side = 1.0

    def step(self, sensors, dt):
        """Attacks what it sees; backs off from the edge when it sees nothing near."""
        right, ahead, left = sensors["eye"]
        near = min(right, ahead, left)
        on_edge = max(sensors["edge_left"], sensors["edge_right"]) > 0.5
        if on_edge and near > 0.2:
            self.backing = 0.5
        self.backing -= dt
        if self.backing > 0.0:
            self.drive.set(-0.5, -0.3)
        elif near < 1.2:
            if left != right:
                self.side = 1.0 if left < right else -1.0
            turn = 0.0 if ahead == near else 2.0 * self.side
            self.drive.drive(1.0, turn)
        else:
            self.drive.drive(0.0, 3.0 * self.side)
