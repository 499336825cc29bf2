"""What the sensors of a 3D world publish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from horus_sim.hub.message import Message
from horus_sim.hub.messages import CameraInfo, DepthImage, Image, RgbdImage
from horus_sim.running.topic_plan import SensorTopics, topic_part

if TYPE_CHECKING:
    from horus_sim.sim3d.sensors import Sensor


def sensor_topics(sensor: Sensor[Any, Any]) -> SensorTopics:
    """The topics of a sensor."""
    topic, kind = topic_part(sensor.topic), message_type_of(sensor)
    kinds: dict[str, type | None] = {topic: kind}
    if hasattr(sensor, "info"):
        kinds[f"{topic}/camera_info"] = CameraInfo
    if kind is RgbdImage:
        # Recordings hold it in two parts.
        kinds |= {f"{topic}/image": Image, f"{topic}/depth": DepthImage}
    return SensorTopics(sensor.name, sensor.topic, kinds)


def message_type_of(sensor: Sensor[Any, Any]) -> type[Message] | None:
    """The type of a sensor's messages, as its class states it; None where it does not."""
    for kind in type(sensor).__mro__:
        for base in getattr(kind, "__orig_bases__", ()):
            for argument in get_args(base):
                if isinstance(argument, type) and issubclass(argument, Message):
                    return argument
    return None
