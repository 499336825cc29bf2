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
    """

    def __init__(self, world: Sim2dWorld, slot: SensorSlot) -> None:
        self._world = world
        self._slot = slot
        self.name = slot.name
        self.kind = slot.kind
        self.preset = slot.params.preset or DEFAULT_SENSOR_PRESETS[slot.kind]

    def read(self) -> Reading:
        """The newest reading; before the first step, what the sensor sees at the start.

        Reading changes nothing: neither the world nor later readings.
        """
        stamp = self._world.stamp(self._slot.index)
        return Reading(value_of(self._world, self._slot), stamp, self.preset)

    def __repr__(self) -> str:
        return f"Sensor('{self.name}', kind='{self.kind}', preset='{self.preset}')"


def value_of(world: Sim2dWorld, slot: SensorSlot) -> Value:
    """The newest value of a sensor as its kind gives it."""
    values = world.reading(slot.first, _width(slot))
    if slot.kind == "imu":
        return ImuReading(*values.tolist())
    if slot.kind == "encoder":
        return EncoderReading(*values.tolist())
    return float(values[0]) if _is_number(slot) else values


def columns_of(slot: SensorSlot) -> int | slice:
    """Where a sensor's value is among all readings of a world; an index where it is a number."""
    return slot.first if _is_number(slot) else slice(slot.first, slot.first + _width(slot))


def reflectivity_columns(slot: SensorSlot) -> slice:
    """Where a distance sensor's reflectivities are among all readings of a world."""
    return slice(slot.first + slot.params.count, slot.first + 2 * slot.params.count)


def _width(slot: SensorSlot) -> int:
    # Reflectivities come after the distances.
    return slot.params.count if slot.kind == "distance" else slot.width


def _is_number(slot: SensorSlot) -> bool:
    return slot.kind == "line" or (slot.kind == "distance" and slot.params.count == 1)
