"""Sensors of a running world: the newest reading, when it was taken, and by which preset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from horus_sim.sim2d.engine.handle import Handle
from horus_sim.sim2d.scenario.devices import DEFAULT_SENSOR_PRESETS, EncoderReading, ImuReading

if TYPE_CHECKING:
    from horus_sim._native import Sim2dWorld
    from horus_sim.sim2d.engine.layout import SensorSlot

# A float, an array, an ImuReading or an EncoderReading, by the kind of the sensor.
Value: TypeAlias = Any
_TUPLES = {"imu": ImuReading, "encoder": EncoderReading}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sensor has seen.

    Attributes:
        value: A number, an array, an `ImuReading` or an `EncoderReading`, by the sensor's kind.
        stamp: When it was taken, in simulated time [s].
        preset: Name of the preset of the sensor.
    """

    value: Value
    stamp: float
    preset: str


class Sensor(Handle):
    """A sensor of the world, read live.

    Attributes:
        name: Local name.
        kind: 'distance', 'line', 'line_array', 'imu' or 'encoder'.
        preset: Name of its preset in `SENSOR_PRESETS`; single values may differ from it.
        slot: Where its readings are.
    """

    def __init__(self, world: Sim2dWorld, slot: SensorSlot) -> None:
        self._world = world
        self.slot = slot
        self.name = slot.config.name
        self.kind = slot.config.type
        self.preset = slot.params.preset or DEFAULT_SENSOR_PRESETS[self.kind]

    @property
    def value(self) -> Value:
        """The newest value, as the sensor's kind gives it."""
        values = self._world.reading(self.slot.first, self.slot.value_width)
        if self.kind in _TUPLES:
            return _TUPLES[self.kind](*values.tolist())
        return float(values[0]) if self.slot.is_number else values

    def read(self) -> Reading:
        """The newest reading; before the first step, what the sensor sees at the start.

        Reading changes nothing: neither the world nor later readings.
        """
        return Reading(self.value, self._world.stamp(self.slot.index), self.preset)

    def __repr__(self) -> str:
        return f"Sensor('{self.name}', kind='{self.kind}', preset='{self.preset}')"
