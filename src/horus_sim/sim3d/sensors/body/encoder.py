"""Wheel encoder: the angle of a joint in ticks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.hub.messages import Encoder
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld
from horus_sim.sim3d.sensors.mount import joint_above, robot_of
from horus_sim.sim3d.sensors.noise import NoiseChannel, NoiseConfig, NoiseWithoutDropout
from horus_sim.sim3d.sensors.sensor import Rate, Sensor, SensorConfig


class EncoderConfig(SensorConfig):
    """An encoder on a joint.

    Attributes:
        joint: Which joint; the one that moves the mount's link unless given.
        ticks_per_revolution: Ticks in a full turn of the joint; of a sliding joint, in a metre.
        is_reversed: Whether it counts backwards.
        noise: Of the angle [rad], before it is counted.
        velocity_noise: Of the angular velocity [rad/s].
    """

    kind: Literal["encoder"] = "encoder"
    name: Name = "encoder"
    rate_hz: Rate = 50.0
    joint: str | None = None
    ticks_per_revolution: Annotated[int, Field(gt=0)] = 4096
    is_reversed: bool = False
    noise: NoiseWithoutDropout = NoiseConfig()
    velocity_noise: NoiseConfig = NoiseConfig()

    def build(self, world: MeasuredWorld) -> EncoderSensor:
        """The sensor, in a world."""
        return EncoderSensor(world, self)


class EncoderSensor(Sensor[EncoderConfig, Encoder]):
    """Counts the ticks of a joint from its position zero on, without ever wrapping.

    Attributes:
        joint: Name of the joint.
    """

    def _bind(self) -> None:
        robot = robot_of(self.mount, self.name)
        self.joint = self.config.joint or joint_above(self.mount, self.name)
        index = robot.joint_index(self.joint)
        self._qpos = int(robot.qpos_addresses[index])
        self._dof = int(robot.dof_addresses[index])
        self._unit = 2.0 * math.pi if robot.coordinates[index].is_angle else 1.0
        self._sign = -1.0 if self.config.is_reversed else 1.0

    def measure(self) -> Encoder:
        """Ticks and angular velocity [rad/s] of the joint now."""
        return self._count(self._sign * float(self.world.data.qpos[self._qpos]))

    def _count(self, position: float) -> Encoder:
        resolution = self.config.ticks_per_revolution
        return Encoder(
            self.world.stamp_ns,
            self.frame,
            int(ticks_from_positions(position, resolution, self._unit)),
            resolution,
            self._sign * float(self.world.data.qvel[self._dof]),
        )

    def _make_channels(self) -> Mapping[str, NoiseChannel]:
        return {
            "position": NoiseChannel(self.config.noise),
            "velocity": NoiseChannel(self.config.velocity_noise),
        }

    def _disturb(self, message: Encoder, dt: float) -> Encoder:
        changed: dict[str, Any] = {}
        position, velocity = self._channels["position"], self._channels["velocity"]
        if position.is_active:
            ideal = self._sign * float(self.world.data.qpos[self._qpos])
            changed["ticks"] = self._count(float(position.apply(ideal, dt, self.rng))).ticks
        if velocity.is_active:
            changed["velocity"] = float(velocity.apply(message.velocity, dt, self.rng))
        return replace(message, **changed) if changed else message


def ticks_from_positions(
    positions: npt.ArrayLike, ticks_per_revolution: int, revolution: float = 2.0 * math.pi
) -> npt.NDArray[np.int64]:
    """Counts of encoders: the nearest tick, never wrapped.

    Args:
        positions: Of joints [rad] or [m], any shape, such as (n_env, n_wheels).
        ticks_per_revolution: Resolution.
        revolution: What a full turn is [rad] or [m].
    """
    turns = np.asarray(positions, dtype=np.float64) / revolution
    return np.floor(turns * ticks_per_revolution + 0.5).astype(np.int64)
