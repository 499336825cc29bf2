"""The controller that a robot gets when it is saved without one."""

from __future__ import annotations

from horus_sim.sim2d.scenario.schema import RobotConfig

_LINE_FOLLOWER = '''"""Follows a line: steers to where the sensors see it."""

SPEED = 0.25  # m/s
GAIN = 4.0  # rad/s when the line is at the edge of the array


class Controller:
    """Steers by the place of the line, from 1 (left) to -1 (right)."""

    def __init__(self, sim):
        self.drive = sim.drive
        self.place = 0.0

    def step(self, sensors, dt):
        """Turns towards the line; where it is lost, on to the side where it was."""
        seen = [max(0.0, float(value) - 0.2) for value in sensors[{sensor!r}]]
        total = sum(seen)
        if total > 0.1:
            last = len(seen) - 1
            places = [1.0 - 2.0 * k / last if last else 0.0 for k in range(len(seen))]
            self.place = sum(p * x for p, x in zip(places, seen)) / total
        self.drive.drive(SPEED / (1.0 + abs(self.place)), GAIN * self.place)
'''
_MOTORS = '''"""Drives ahead; change it to what your robot should do."""


class Controller:
    """Sets the commands of the motors, from -1 to 1."""

    def __init__(self, sim):
        self.motors = sim.motors

    def step(self, sensors, dt):
        """Called in every step with the readings by name."""
        return {name: 0.2 for name in self.motors}
'''


def starter_controller(robot: RobotConfig) -> str:
    """A controller in Python that does something sensible with the robot."""
    arrays = [sensor.name for sensor in robot.sensors if sensor.type == "line_array"]
    if len(robot.actuators) == 2 and arrays:
        return _LINE_FOLLOWER.replace("{sensor!r}", repr(arrays[0]))
    return _MOTORS
