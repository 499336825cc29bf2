"""Other names for topics and services, given to a program from outside, as ``-r`` does in ROS."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from horus_sim.errors import HubError
from horus_sim.hub.topic import topic_name

REMAP_VARIABLE = "HORUS_REMAP"
_ARROW = ":="
_EXAMPLE = "'scan:=burger/scan cmd_vel:=burger/cmd_vel'"


def checked_remap(given: Mapping[str, str], source: str = "remap") -> dict[str, str]:
    """Names of a program -> names of the session, without leading slashes.

    Args:
        given: The same, with or without a slash.
        source: Where it comes from, for errors.

    Raises:
        HubError: A name is not fit, or stands there twice.
    """
    names: Any = given  # what a user gave
    if not isinstance(names, Mapping):
        raise HubError(
            f"{source} must be names with other names, such as "
            f"{{'scan': 'burger/scan'}}, got {names!r:.80}"
        )
    result: dict[str, str] = {}
    for inside, outside in names.items():
        try:
            name, other = topic_name(inside), topic_name(outside)
        except HubError as error:
            raise HubError(f"{source}: {error}") from None
        if name in result:
            raise HubError(
                f"{source} renames '{name}' twice, to '{result[name]}' and '{other}'; remove one"
            )
        result[name] = other
    return result


def remap_of_environment() -> dict[str, str]:
    """What ``HORUS_REMAP`` in the environment renames: rules ``from:=to`` with spaces between.

    Raises:
        HubError: A rule is malformed.
    """
    names: dict[str, str] = {}
    for rule in os.environ.get(REMAP_VARIABLE, "").split():
        inside, arrow, outside = rule.partition(_ARROW)
        if not arrow:
            raise HubError(
                f"{REMAP_VARIABLE}: {rule!r:.80} is not a rule; write from:=to with spaces "
                f"between rules, such as {_EXAMPLE}"
            )
        rename = checked_remap({inside: outside}, f"{REMAP_VARIABLE}: rule '{rule:.80}'")
        for name, other in rename.items():
            if name in names:
                raise HubError(
                    f"{REMAP_VARIABLE} renames '{name}' twice, to '{names[name]}' and '{other}'; "
                    "remove one"
                )
            names[name] = other
    return names


def remap_text(names: Mapping[str, str]) -> str:
    """What `remap_of_environment` reads."""
    return " ".join(f"{name}{_ARROW}{other}" for name, other in names.items())
