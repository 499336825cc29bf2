"""Readings of 2D sensors as messages."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.hub.messages import Encoder, Imu, LaserScan, Range, Reflectance
from horus_sim.running.topic_plan import SensorTopics, topic_part

if TYPE_CHECKING:
    from horus_sim.hub.message import Message
    from horus_sim.sim2d.engine.layout import SensorSlot
    from horus_sim.sim2d.simulation.simulator import Simulator

TICKS_PER_REVOLUTION = 4096
_NEVER = -1.0


class ReadingMessages:
    """Turns readings that are new into messages, on the topics ``{robot}/{sensor}``.

    Args:
        sim: The simulator.
    """

    def __init__(self, sim: Simulator) -> None:
        self._slots = [(sim.sensor_of(name), slot) for name, slot in sim.layout.sensors.items()]
        names = sim.layout.sensors
        bodies = sim.layout.bodies
        self._names = [(name, topic_part(name), sensor_frame(name, bodies)) for name in names]
        self._stamps = [_NEVER] * len(self._slots)

    def topics(self) -> Iterator[SensorTopics]:
        """What the sensors publish."""
        for (name, topic, _), (_, slot) in zip(self._names, self._slots, strict=True):
            yield SensorTopics(name, name, {topic: _kind(slot)})

    def take(self) -> list[tuple[str, str, Message]]:
        """Readings since this was last called: sensor, topic, message."""
        found: list[tuple[str, str, Message]] = []
        for i, (sensor, slot) in enumerate(self._slots):
            reading = sensor.read()
            if reading.stamp == self._stamps[i]:
                continue
            self._stamps[i] = reading.stamp
            name, topic, frame = self._names[i]
            found.append((name, topic, _message(slot, reading.value, reading.stamp, frame)))
        return found

    def restart(self) -> None:
        """Every reading is new, as when a run begins."""
        self._stamps = [_NEVER] * len(self._slots)


def sensor_frame(name: str, bodies: dict[str, int]) -> str:
    """Frame of a sensor; one that is called as a body has '_sensor' behind it."""
    return f"{name}_sensor" if name in bodies else name


def _kind(slot: SensorSlot) -> type[Message]:
    if slot.kind == "distance":
        return Range if slot.params.count == 1 else LaserScan
    return {"imu": Imu, "encoder": Encoder}.get(slot.kind, Reflectance)


def _message(slot: SensorSlot, value: object, stamp: float, frame: str) -> Message:
    stamp_ns = round(stamp * 1e9)
    params = slot.params
    values: np.ndarray = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if slot.kind == "imu":
        ax, ay, wz = values[:3].tolist()
        return Imu(stamp_ns, frame, (0.0, 0.0, wz), (ax, ay, 0.0))
    if slot.kind == "encoder":
        omega, angle = values.tolist()
        ticks = math.floor(angle / (2 * math.pi) * TICKS_PER_REVOLUTION)
        return Encoder(stamp_ns, frame, ticks, TICKS_PER_REVOLUTION, omega)
    if slot.kind != "distance":
        return Reflectance(stamp_ns, frame, values)
    # As in ROS, infinity says that nothing is near enough.
    ranges = np.where(values >= params.max_range, np.inf, values)
    if params.count == 1:
        return Range(stamp_ns, frame, 0.0, 0.0, params.max_range, float(ranges[0]))
    step = params.fov / (params.count - 1)
    first = -params.fov / 2
    return LaserScan(stamp_ns, frame, first, step, 0.0, params.max_range, ranges.astype(np.float32))
