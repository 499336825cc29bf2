"""Messages as they are typed on a command line: by our fields, or by those of ROS."""

from __future__ import annotations

from typing import Any

import yaml

from horus_sim.errors import MessageError
from horus_sim.hub.json_form import from_plain
from horus_sim.hub.ros.binding import binding_of
from horus_sim.hub.ros.definition import definition_of
from horus_sim.hub.services.values import to_bytes


def message_of(kind: type, text: str) -> Any:  # noqa: ANN401 - any message
    """A message from the text of its fields.

    Args:
        kind: Its type.
        text: JSON or YAML of the fields of our class, or of those of its ROS type; in the latter
            what is left out has its default.

    Raises:
        MessageError: The text cannot be read, or the fields fit neither.
    """
    try:
        fields = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise MessageError(
            f"the fields of {kind.__name__} are neither JSON nor YAML: "
            f"""{" ".join(str(error).split())}; write them in single quotes, such as """
            """'{"linear": 0.5}'"""
        ) from error
    try:
        return from_plain(kind, fields)
    except MessageError as ours:
        if not isinstance(fields, dict) or issubclass(kind, dict):
            raise
        binding = binding_of(kind)
        try:
            return binding.decode(to_bytes(definition_of(binding.name), fields))
        except MessageError as theirs:
            raise MessageError(f"{ours}; by the fields of ROS: {theirs}") from theirs
