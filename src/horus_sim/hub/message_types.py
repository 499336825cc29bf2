"""Message types by name."""

from __future__ import annotations

import importlib

from horus_sim.errors import MessageError
from horus_sim.files.names import did_you_mean
from horus_sim.hub import messages
from horus_sim.hub.message import Message
from horus_sim.hub.ros.binding import is_message_type, ros_message, ros_type

_SECOND = ("CmdVel", "DepthImage", "StaticTransformStamped")


def find_type(name: str) -> type:
    """A message type by its name.

    Args:
        name: A name such as ``CmdVel``, that of a ROS type such as ``geometry_msgs/msg/Twist`` or
            ``geometry_msgs/Twist``, ``dict``, or ``module:Class`` for a class of your own.

    Raises:
        MessageError: There is no such type.
    """
    if name == "dict":
        return dict
    if name in messages.__all__:
        return getattr(messages, name)
    if "/" in name:
        return _ros_type(name)
    module_name, colon, class_name = name.partition(":")
    if colon:
        return _own_type(module_name, class_name)
    known = ["dict", *messages.__all__]
    hint = did_you_mean(name, known)
    raise MessageError(
        f"'{name}' is not a message type of horus-sim; {hint} "
        "(a ROS type is 'package/msg/Name', a class of your own 'module:Class')"
    )


def message_type(name: str) -> type[Message] | None:
    """The message type of horus-sim with a name, or None."""
    found = getattr(messages, name) if name in messages.__all__ else None
    return found if isinstance(found, type) and issubclass(found, Message) else None


def _ros_type(name: str) -> type:
    """The class for a ROS type: ours where there is one, else dicts of its fields."""
    package, _, bare = name.partition("/")
    full = f"{package}/msg/{bare.rpartition('/')[2]}"
    for own in messages.__all__:
        kind = getattr(messages, own)
        # Of two classes of one type, such as CmdVel and Twist, the one with its name.
        if ros_type(kind) == full and own not in _SECOND:
            return kind
    return ros_message(full)


def _own_type(module_name: str, class_name: str) -> type:
    try:
        kind = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise MessageError(
            f"the message type '{module_name}:{class_name}' cannot be loaded: {error}; "
            "is the module on PYTHONPATH?"
        ) from error
    if not is_message_type(kind):
        raise MessageError(
            f"'{module_name}:{class_name}' is not a message type; make the class a frozen dataclass"
        )
    return kind
