"""Wheel encoder: the angle of a joint in ticks."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from horus_sim.files.config import Positive
from horus_sim.hub.messages import Encoder
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.mount import joint_above, robot_of
from horus_sim.sim3d.sensors.noise import NoiseConfig, NoiseWithoutDropout
from horus_sim.sim3d.sensors.sensor import Sensor, SensorConfig


class EncoderConfig(SensorConfig):
    """An encoder on a joint.

    Attributes:
        joint: Which joint; the one that moves the mount's link unless given.
        ticks_per_revolution: Ticks in a full turn of the joint; of a sliding joint, in a metre.
        is_reversed: Whether it counts backwards.
        noise: Noise of the angle [rad], before it is counted.
        velocity_noise: Noise of the angular velocity [rad/s].
    """

    kind: Literal["encoder"] = "encoder"
    name: Name = "encoder"
    rate_hz: Positive = 50.0
    joint: str | None = None
    ticks_per_revolution: Annotated[int, Field(gt=0)] = 4096
    is_reversed: bool = False
    noise: NoiseWithoutDropout = NoiseConfig()
    velocity_noise: NoiseConfig = NoiseConfig()


class EncoderSensor(Sensor[EncoderConfig, Encoder], config=EncoderConfig):
    """Counts the ticks of a joint from its position zero on, without ever wrapping.

    Attributes:
        joint: Name of the joint.
    """

    NOISE: ClassVar = {"position": "noise", "velocity": "velocity_noise"}

    def _bind(self) -> None:
        self._robot = robot = robot_of(self.mount, self.name)
        self.joint = self.config.joint or joint_above(self.mount, self.name)
        self._index = robot.joint_index(self.joint)
        self._unit = 2.0 * math.pi if robot.coordinates[self._index].is_angle else 1.0
        self._sign = -1.0 if self.config.is_reversed else 1.0

    def measure(self) -> Encoder:
        """Ticks and angular velocity [rad/s] of the joint now."""
        velocity = self._sign * float(self._robot.joint_velocities()[self._index])
        ticks, resolution = self._ticks(self._position()), self.config.ticks_per_revolution
        return Encoder(self.world.stamp_ns, self.frame, ticks, resolution, velocity)

    def _position(self) -> float:
        return self._sign * float(self._robot.joint_positions()[self._index])

    def _ticks(self, position: float) -> int:
        """The nearest tick, never wrapped."""
        return math.floor(position / self._unit * self.config.ticks_per_revolution + 0.5)

    def _disturb(self, message: Encoder, dt: float) -> Encoder:
        if self._channels["position"].is_active:
            position = float(self._noisy("position", self._position(), dt))
            message = replace(message, ticks=self._ticks(position))
        return super()._disturb(message, dt)
