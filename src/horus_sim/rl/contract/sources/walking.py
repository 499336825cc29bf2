"""What robots on legs go by: an inertial sensor, and the velocity that they are told."""

from __future__ import annotations

from typing import Literal

import numpy as np

from horus_sim.errors import DeployError
from horus_sim.hub.messages import Imu, Twist
from horus_sim.rl.contract.sources.source import Inputs, Need, Source
from horus_sim.rl.engines.interface import Floats
from horus_sim.tf import Transform

_REMEDY = "start the inertial sensor's driver"


class _Imu(Source):
    topic: str = "imu"

    def needs(self) -> tuple[Need, ...]:
        """The inertial sensor."""
        return (Need(self.topic, Imu, _REMEDY),)


class ImuRate(_Imu):
    """Angular velocity, in the frame of the sensor, which is mounted as the robot's base.

    Attributes:
        kind: 'imu_rate'.
        topic: Topic of the inertial sensor.
        scale: Factor [s/rad].
    """

    kind: Literal["imu_rate"] = "imu_rate"
    scale: float = 1.0

    def read(self, inputs: Inputs) -> Floats:
        """About x, y and z."""
        return np.array(inputs.message(self.topic, Imu).angular_velocity) * self.scale


class ImuUp(_Imu):
    """Which way is up, a unit vector in the frame of the sensor; see `ImuRate`."""

    kind: Literal["imu_up"] = "imu_up"

    def read(self, inputs: Inputs) -> Floats:
        """x, y, z: (0, 0, 1) where it stands level."""
        orientation = inputs.message(self.topic, Imu).orientation
        if orientation is None:
            raise DeployError(
                f"topic '{self.topic}' tells no orientation, which the policy observes; let the "
                "driver fuse one (imu_filter_madgwick), or use a sensor that does"
            )
        turn = Transform((0.0, 0.0, 0.0), tuple(orientation.tolist())).inverse()
        return np.asarray(turn.transform_vector((0.0, 0.0, 1.0)), np.float64)


class VelocityCommand(Source):
    """The velocity that somebody wants: ahead, to the left, and of turning left.

    Attributes:
        kind: 'velocity_command'.
        topic: Topic of the command, a Twist.
        scales: Factors [s/m], [s/m], [s/rad].
    """

    kind: Literal["velocity_command"] = "velocity_command"
    topic: str = "cmd_vel"
    scales: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def needs(self) -> tuple[Need, ...]:
        """The command."""
        remedy = "say how to go: horus-sim topic pub cmd_vel Twist, or a teleop"
        return (Need(self.topic, Twist, remedy, is_command=True, is_stream=True),)

    def read(self, inputs: Inputs) -> Floats:
        """The three."""
        wanted = inputs.message(self.topic, Twist)
        return np.array([*wanted.linear[:2], wanted.angular[2]]) * self.scales
