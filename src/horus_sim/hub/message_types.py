"""Message types by name."""

from __future__ import annotations

import importlib

from horus_sim.errors import MessageError
from horus_sim.files.names import did_you_mean
from horus_sim.hub import Message, messages


def find_type(name: str) -> type:
    """A message type by its name.

    Args:
        name: A name such as ``CmdVel``, ``dict``, or ``module:Class`` for a class of your own.

    Raises:
        MessageError: There is no such type.
    """
    if name == "dict":
        return dict
    if name in messages.__all__:
        return getattr(messages, name)
    module_name, colon, class_name = name.partition(":")
    if colon:
        return _own_type(module_name, class_name)
    known = ["dict", *messages.__all__]
    hint = did_you_mean(name, known)
    raise MessageError(
        f"'{name}' is not a message type of horus-sim; {hint} "
        "(a class of your own is 'module:Class')"
    )


def message_type(name: str) -> type[Message] | None:
    """The message type of horus-sim with a name, or None."""
    found = getattr(messages, name) if name in messages.__all__ else None
    return found if isinstance(found, type) and issubclass(found, Message) else None


def _own_type(module_name: str, class_name: str) -> type:
    try:
        kind = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise MessageError(
            f"the message type '{module_name}:{class_name}' cannot be loaded: {error}; "
            "is the module on PYTHONPATH?"
        ) from error
    if not (isinstance(kind, type) and issubclass(kind, Message)):
        raise MessageError(
            f"'{module_name}:{class_name}' is not a message type; decorate the class with @message"
        )
    return kind
