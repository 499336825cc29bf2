"""Readings of 2D sensors as messages."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.hub.messages import Encoder, Imu, LaserScan, Range, Reflectance
from horus_sim.running.naming import topic_part
from horus_sim.running.topic_plan import SensorTopics

if TYPE_CHECKING:
    from horus_sim.hub.message import Message
    from horus_sim.sim2d.engine.frames import Frames
    from horus_sim.sim2d.engine.layout import SensorSlot
    from horus_sim.sim2d.simulation.simulator import Simulator

TICKS_PER_REVOLUTION = 4096


class ReadingMessages:
    """Turns readings that are new into messages, on the topics ``{robot}/{sensor}``.

    Args:
        sim: The simulator.
        frames: Frames of its sensors.
    """

    def __init__(self, sim: Simulator, frames: Frames) -> None:
        self._sensors = dict(zip(sim.layout.sensors, sim.sensors.values(), strict=True))
        self._topics = {name: topic_part(name) for name in self._sensors}
        self._frames = frames.sensors
        self._stamps: dict[str, float] = {}

    def topics(self) -> Iterator[SensorTopics]:
        """What the sensors publish."""
        for name, sensor in self._sensors.items():
            yield SensorTopics(name, name, {self._topics[name]: _kind(sensor.slot)})

    def take(self) -> list[tuple[str, str, Message]]:
        """Readings since this was last called: sensor, topic, message."""
        found: list[tuple[str, str, Message]] = []
        for name, sensor in self._sensors.items():
            reading = sensor.read()
            if reading.stamp != self._stamps.get(name):
                self._stamps[name] = reading.stamp
                message = _message(sensor.slot, reading.value, reading.stamp, self._frames[name])
                found.append((name, self._topics[name], message))
        return found

    def restart(self) -> None:
        """Every reading is new, as when a run begins."""
        self._stamps.clear()


def _kind(slot: SensorSlot) -> type[Message]:
    if slot.config.type == "distance":
        return Range if slot.params.count == 1 else LaserScan
    return {"imu": Imu, "encoder": Encoder}.get(slot.config.type, Reflectance)


def _message(slot: SensorSlot, value: object, stamp: float, frame: str) -> Message:
    stamp_ns = round(stamp * 1e9)
    params = slot.params
    values: np.ndarray = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if slot.config.type == "imu":
        ax, ay, wz = values[:3].tolist()
        return Imu(stamp_ns, frame, (0.0, 0.0, wz), (ax, ay, 0.0))
    if slot.config.type == "encoder":
        omega, angle = values.tolist()
        ticks = math.floor(angle / (2 * math.pi) * TICKS_PER_REVOLUTION)
        return Encoder(stamp_ns, frame, ticks, TICKS_PER_REVOLUTION, omega)
    if slot.config.type != "distance":
        return Reflectance(stamp_ns, frame, values)
    # As in ROS, infinity says that nothing is near enough.
    ranges = np.where(values >= params.range_max, np.inf, values)
    if params.count == 1:
        return Range(stamp_ns, frame, 0.0, 0.0, params.range_max, float(ranges[0]))
    angles = (-params.fov / 2, params.ray_spacing)
    return LaserScan(stamp_ns, frame, *angles, 0.0, params.range_max, ranges.astype(np.float32))
