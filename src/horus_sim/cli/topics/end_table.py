"""The ends of topics and services as text."""

from __future__ import annotations

import dataclasses
import json
import time
from typing import TYPE_CHECKING, Any

import typer

from horus_sim.cli.terminal import print_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from horus_sim.hub import EndInfo, Hub, QoS

_POLL_S = 0.05


def ends_after(hub: Hub, wait: float, is_found: Callable[[list[EndInfo]], bool]) -> list[EndInfo]:
    """All ends, as soon as what is sought is among them, or after a while.

    Args:
        hub: The connection.
        wait: Longest wait [s].
        is_found: Whether enough is known.
    """
    end = time.monotonic() + wait
    while True:
        found = hub.ends()
        if is_found(found) or time.monotonic() >= end:
            return found
        time.sleep(_POLL_S)


def print_ends(ends: Sequence[EndInfo], *, of_node: bool) -> None:
    """Prints a table of ends.

    Args:
        ends: The ends.
        of_node: Whether they belong to one node; else to one topic.
    """
    rows = [
        (
            end.role,
            f"/{end.name}" if of_node else end.node,
            end.ros_type,
            *_qos_cells(end.qos),
            end.type_hash,
        )
        for end in ends
    ]
    what = "name" if of_node else "node"
    print_table(("role", what, "type", "reliability", "durability", "depth", "hash"), rows)


def print_json(ends: Sequence[EndInfo]) -> None:
    """Prints the ends as JSON."""
    typer.echo(json.dumps([_record(end) for end in ends], indent=2))


def disagreement(ends: Sequence[EndInfo]) -> str:
    """What keeps the ends of a topic or service from understanding each other; empty for nothing.

    Args:
        ends: The ends of one topic or service.
    """
    types = sorted({end.ros_type for end in ends})
    if _is_unheard(ends):
        return f"they have several types, {', '.join(types)}; those of another type hear nothing"
    for each in types:
        if len({end.type_hash for end in ends if end.ros_type == each}) > 1:
            return (
                f"they have several definitions of {each}, as their hashes show; use the same "
                "release of the message package"
            )
    return ""


def _is_unheard(ends: Sequence[EndInfo]) -> bool:
    """Whether a type is given that somebody does not take; a node may take several."""
    given = {end.ros_type for end in ends if end.role in ("publisher", "server")}
    taken: dict[str, set[str]] = {}
    for end in ends:
        if end.role in ("subscription", "client"):
            taken.setdefault(end.node, set()).add(end.ros_type)
    if not taken:
        return len(given) > 1
    by_all = set.intersection(*taken.values())
    return not by_all or not given <= by_all


def _qos_cells(qos: QoS) -> tuple[str, str, str]:
    reliability = "reliable" if qos.reliable else "best effort"
    return reliability, "transient local" if qos.latched else "volatile", str(qos.depth)


def _record(end: EndInfo) -> dict[str, Any]:
    record = dataclasses.asdict(end)
    del record["qos"]["max_age"]
    return record
