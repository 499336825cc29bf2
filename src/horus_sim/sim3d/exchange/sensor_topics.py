"""What the sensors of a 3D world publish."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, get_args

from horus_sim.hub.message import Message
from horus_sim.hub.messages import (
    CameraInfo,
    DepthImage,
    Image,
    NavSatFix,
    RgbdImage,
    TwistStamped,
)
from horus_sim.running.naming import topic_part
from horus_sim.running.topic_plan import SensorTopics
from horus_sim.sim3d.sensors.body.gps import GpsSensor
from horus_sim.sim3d.sensors.cameras.camera_base import CameraBase

if TYPE_CHECKING:
    from horus_sim.sim3d.sensors import Sensor


def sensor_topics(sensor: Sensor[Any, Any]) -> SensorTopics:
    """The topics of a sensor."""
    topic, kind = topic_part(sensor.topic), message_type_of(sensor)
    kinds: dict[str, type | None] = {topic: kind}
    if isinstance(sensor, CameraBase):
        if kind is RgbdImage:
            kinds = {topic: Image, depth_topic(topic): DepthImage}
        kinds |= {info_topic(images): CameraInfo for images in tuple(kinds)}
    if isinstance(sensor, GpsSensor) and sensor.config.has_velocity:
        kinds[velocity_topic(topic)] = TwistStamped
    return SensorTopics(sensor.name, sensor.topic, kinds)


def sensor_messages(sensor: Sensor[Any, Any], message: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    """What a sensor's reading is on topics: topic and message.

    Cameras also send how they project, beside their images, where ROS looks for it. Colour and
    depth of one camera are two images there. A position on the globe has no place for a velocity
    in ROS, which has a topic of its own, as drivers of receivers have it.
    """
    topic = topic_part(sensor.topic)
    parts = {topic: message}
    if isinstance(message, RgbdImage):
        parts = {
            topic: Image(message.stamp_ns, message.frame_id, message.data),
            depth_topic(topic): DepthImage(message.stamp_ns, message.frame_id, message.depth),
        }
    elif isinstance(message, NavSatFix) and message.velocity is not None:
        east, north, up = message.velocity.tolist()
        parts[velocity_topic(topic)] = TwistStamped(
            message.stamp_ns, message.frame_id, (east, north, up)
        )
    yield from parts.items()
    if isinstance(sensor, CameraBase):
        info = sensor.info()
        for images in parts:
            yield info_topic(images), info


def info_topic(images: str) -> str:
    """Where a camera tells how it projects, by the topic of its images."""
    return _beside(images, "camera_info")


def depth_topic(images: str) -> str:
    """The topic of a camera's depths, by that of its colours."""
    return _beside(images, f"depth/{images.rpartition('/')[2]}")


def velocity_topic(fixes: str) -> str:
    """Where a satellite receiver tells its velocity, by the topic of its positions."""
    return f"{fixes}/velocity"


def _beside(topic: str, name: str) -> str:
    above, slash, _ = topic.rpartition("/")
    return f"{above}{slash}{name}"


def message_type_of(sensor: Sensor[Any, Any]) -> type[Message] | None:
    """The type of a sensor's messages, as its class states it; None where it does not."""
    for kind in type(sensor).__mro__:
        for base in getattr(kind, "__orig_bases__", ()):
            for argument in get_args(base):
                if isinstance(argument, type) and issubclass(argument, Message):
                    return argument
    return None
