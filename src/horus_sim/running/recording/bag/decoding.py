"""Messages of bags, as the classes of `horus_sim.hub.messages` where there is one."""

from __future__ import annotations

import functools
from typing import Any

from horus_sim.errors import MessageError
from horus_sim.hub import messages
from horus_sim.hub.message_types import find_type
from horus_sim.hub.messages import CompressedImage, Image
from horus_sim.hub.ros.binding import Binding, binding_of, ros_message, ros_type
from horus_sim.hub.transforms.broadcaster import TF_STATIC_TOPIC
from horus_sim.running.recording.bag.definitions import full_name, learn_definition
from horus_sim.running.recording.foxglove.compression import unpack
from horus_sim.tf import StaticTransformStamped, TFMessage

CDR = "cdr"
_MSG = "ros2msg"


def decode_cdr(topic: str, name: str, definition: tuple[str, bytes], kind: str, data: bytes) -> Any:  # noqa: ANN401 - any message
    """A message of a bag.

    Args:
        topic: Name as on the hub.
        name: Its ROS type.
        definition: Its schema: encoding, such as ``ros2msg``, and text; both may be empty.
        kind: Class of ours that was written; empty where it is not known.
        data: The bytes.

    Returns:
        The message; that of a ROS type without a class here is a dict, see `ros_message`. A picture
        that no class of ours takes is one, too. On ``tf_static`` it is a tuple of static
        transforms. None where the type is not known.

    Raises:
        MessageError: The bytes are not such a message.
    """
    try:
        readers = _readers(full_name(name), *definition, kind)
    except MessageError:
        return None
    value = _decoded(readers, data)
    if topic == TF_STATIC_TOPIC and isinstance(value, TFMessage):
        return tuple(
            StaticTransformStamped(each.parent_frame, each.child_frame, each.transform)
            for each in value.transforms
        )
    if kind == Image.NAME and isinstance(value, CompressedImage):
        encoding = value.format.partition(";")[0]
        return Image(
            value.stamp_ns, value.frame_id, unpack(value.data.tobytes(), encoding), encoding
        )
    return value


@functools.lru_cache(maxsize=1024)
def _readers(name: str, encoding: str, text: bytes, kind: str) -> tuple[Binding, ...]:
    """What reads messages of a type: the first that takes one has it."""
    # First of all, so that no recording decides what our own types are.
    own = [each for each in _own_classes() if ros_type(each) == name]
    if encoding == _MSG and text:
        learn_definition(name, text.decode())
    if kind == dict.__name__:
        return (binding_of(dict),)
    fitting = [each for each in own if each.__name__ == kind]
    if not fitting:
        fitting = [find_type(name), *own]
    return tuple(binding_of(each) for each in dict.fromkeys((*fitting, ros_message(name))))


@functools.cache
def _own_classes() -> tuple[type, ...]:
    found = tuple(getattr(messages, each) for each in messages.__all__)
    for kind in found:
        binding_of(kind)
    return found


def _decoded(readers: tuple[Binding, ...], data: bytes) -> Any:  # noqa: ANN401
    *preferred, last = readers
    for reader in preferred:
        try:
            return reader.decode(data)
        except MessageError:
            pass
    return last.decode(data)
