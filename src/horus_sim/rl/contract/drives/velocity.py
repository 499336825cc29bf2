"""Robots that drive at a velocity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from horus_sim.files.config import Positive
from horus_sim.hub.message import Message
from horus_sim.hub.messages import CmdVel
from horus_sim.rl.contract.drives.drive import Commands, Drive
from horus_sim.rl.contract.sources.source import Inputs
from horus_sim.rl.engines.interface import Floats


class _Base(Drive):
    topic: str = "cmd_vel"

    def topics(self) -> dict[str, type[Message]]:
        """The velocity."""
        return {self.topic: CmdVel}

    def stop(self, inputs: Inputs) -> Commands:
        """No velocity."""
        del inputs
        return {self.topic: CmdVel(0.0, 0.0)}


class VelocityDrive(_Base):
    """A base that drives ahead and turns.

    Attributes:
        kind: 'velocity'.
        topic: Topic of the velocity.
        forward: Name of the part that is the speed ahead [m/s].
        turning: Name of the part that is the rate of turning left [rad/s].
    """

    kind: Literal["velocity"] = "velocity"
    forward: str = "forward"
    turning: str = "turning"

    def parts(self) -> tuple[str, ...]:
        """Both."""
        return self.forward, self.turning

    def commands(self, values: Mapping[str, Floats], period: float, inputs: Inputs) -> Commands:
        """The velocity."""
        del period, inputs
        forward, turning = float(values[self.forward][0]), float(values[self.turning][0])
        return {self.topic: CmdVel(forward, turning)}


class SteeringDrive(_Base):
    """A car, whose yaw rate follows from speed and steering.

    Attributes:
        kind: 'steering'.
        topic: Topic of the velocity.
        speed: Name of the part that is the speed of the middle of the rear axle [m/s].
        steering: Name of the part that is the angle of a wheel in the middle of the front axle,
            positive to the left [rad].
        wheelbase: From axle to axle [m].
    """

    kind: Literal["steering"] = "steering"
    speed: str = "speed"
    steering: str = "steering"
    wheelbase: Positive

    def parts(self) -> tuple[str, ...]:
        """Both."""
        return self.speed, self.steering

    def commands(self, values: Mapping[str, Floats], period: float, inputs: Inputs) -> Commands:
        """The velocity on that circle."""
        del period, inputs
        speed, steering = float(values[self.speed][0]), float(values[self.steering][0])
        return {self.topic: CmdVel(speed, speed * float(np.tan(steering)) / self.wheelbase)}
