"""Services of ROS 2: the definitions of what is asked and what is answered, and their hash."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from horus_sim.errors import MessageError
from horus_sim.files.names import did_you_mean
from horus_sim.hub.ros.definition import (
    Definition,
    FieldDefinition,
    definition_of,
    parse_definition,
    referenced,
    register,
    type_names,
)
from horus_sim.hub.ros.type_hash import hash_of

_REQUEST, _RESPONSE, _EVENT = "_Request", "_Response", "_Event"
_SEPARATOR = "---"
# ROS hashes its `char` as `uint8`, which the hash of every service shows.
_EVENT_INFO = parse_definition(
    "service_msgs/msg/ServiceEventInfo",
    """
    uint8 event_type
    builtin_interfaces/msg/Time stamp
    uint8[16] client_gid
    int64 sequence_number
    """,
)


@dataclass(frozen=True, slots=True)
class ServiceType:
    """A type of services.

    Attributes:
        name: Full name, such as ``std_srvs/srv/SetBool``.
        request: What a client sends.
        response: What it gets back.
    """

    name: str
    request: Definition
    response: Definition


def service_type(name: str) -> ServiceType:
    """The type of a service by its full name.

    Raises:
        MessageError: The type is unknown; the text proposes close ones.
    """
    # Only what is asked for exactly is found: a request alone is no service.
    if not isinstance(name, str) or name not in service_type_names():
        hint = did_you_mean(str(name), service_type_names())
        raise MessageError(f"{name!r:.100} is not a known service type; {hint}")
    return ServiceType(name, definition_of(name + _REQUEST), definition_of(name + _RESPONSE))


def service_type_names() -> list[str]:
    """Full names of all service types that are known, sorted."""
    known = {*type_names()}
    return sorted(
        name.removesuffix(_REQUEST)
        for name in known
        if name.endswith(_REQUEST) and name.removesuffix(_REQUEST) + _RESPONSE in known
    )


def register_service(name: str, text: str) -> ServiceType:
    """Makes a service type of one's own known.

    Args:
        name: Full name, such as ``my_package/srv/Name``.
        text: A ``.srv`` file: fields of the request, a line ``---``, fields of the response.

    Raises:
        MessageError: The text does not fit, or there is another type of that name.
    """
    if "/srv/" not in name:
        raise MessageError(f"'{name}' is not a service type; write it like 'my_package/srv/Name'")
    lines = text.splitlines()
    borders = [number for number, line in enumerate(lines) if line.strip() == _SEPARATOR]
    if len(borders) != 1:
        raise MessageError(
            f"{name}: {len(borders)} lines '{_SEPARATOR}'; a service has one, between the request "
            "and the response"
        )
    at = borders[0]
    request = parse_definition(name + _REQUEST, "\n".join(lines[:at]))
    response = parse_definition(name + _RESPONSE, "\n".join(lines[at + 1 :]))
    register(request)
    register(response)
    return ServiceType(name, request, response)


@functools.cache
def service_hash(name: str) -> str:
    """``RIHS01_`` and 64 hexadecimal digits of a service type.

    Raises:
        MessageError: The type is unknown.
    """
    found = service_type(name)
    event = Definition(
        name + _EVENT,
        (
            _one("info", _EVENT_INFO.name),
            _at_most_one("request", found.request.name),
            _at_most_one("response", found.response.name),
        ),
    )
    whole = Definition(
        name,
        (
            _one("request_message", found.request.name),
            _one("response_message", found.response.name),
            _one("event_message", event.name),
        ),
    )
    # Nobody sends an event, so it is not among the known types.
    inside = referenced(event) | {event.name: event, _EVENT_INFO.name: _EVENT_INFO}
    return hash_of(whole, inside)


def _one(name: str, kind: str) -> FieldDefinition:
    return FieldDefinition(name, kind, kind)


def _at_most_one(name: str, kind: str) -> FieldDefinition:
    return FieldDefinition(name, kind, kind, "sequence", 1)
