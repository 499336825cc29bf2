"""Who is on a topic: waiting for publishers and subscriptions, and saying who is not there."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import typer

from horus_sim.cli.terminal import progress
from horus_sim.errors import HubError
from horus_sim.files.names import did_you_mean
from horus_sim.hub.message_types import find_type
from horus_sim.hub.ros.binding import ros_type
from horus_sim.hub.topic import topic_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.hub import Hub, TopicInfo

_POLL_S = 0.05


def published_type(hub: Hub, topic: str, chosen: str | None, wait: float) -> type:
    """The type of a topic's messages; waits for a publisher.

    Args:
        hub: The connection.
        topic: Name of the topic.
        chosen: Name of the type if it is known, else None.
        wait: Longest wait [s].

    Raises:
        HubError: Nobody publishes there, or several types are published.
        MessageError: The type is not known here.
    """
    name = topic_name(topic)
    found = _await_topic(hub, name, wait, lambda info: info.publishers > 0)
    if found is None:
        raise HubError(_no_publisher(hub, name, wait))
    if chosen is not None:
        return find_type(chosen)
    if len(found.kinds) != 1:
        raise HubError(
            f"topic '{name}' carries several types, {', '.join(found.kinds)}; choose one with "
            "--type, and give each a topic of its own"
        )
    return find_type(found.kinds[0])


def are_latched(hub: Hub, topic: str) -> bool:
    """Whether all publishers of a topic keep messages for late listeners."""
    name = topic_name(topic)
    ends = [end for end in hub.ends() if end.name == name and end.role == "publisher"]
    return bool(ends) and all(end.qos.latched for end in ends)


def _await_topic(
    hub: Hub, name: str, wait: float, is_fit: Callable[[TopicInfo], bool]
) -> TopicInfo | None:
    end = time.monotonic() + wait
    with progress(f"looking for topic '{name}'", wait):
        while True:
            for info in hub.topics():
                if info.name == name and is_fit(info):
                    return info
            if time.monotonic() >= end:
                return None
            time.sleep(_POLL_S)


def await_subscription(hub: Hub, name: str, kind: type, wait: float) -> None:
    """Waits for someone to listen, and warns when nobody does or when they expect another type.

    Args:
        hub: The connection.
        name: Name of the topic.
        kind: Type that will be sent.
        wait: Longest wait [s].
    """
    found = _await_topic(hub, name, wait, lambda info: info.subscriptions > 0)
    if found is None:
        typer.echo(
            f"warning: nobody subscribed to '{name}' within {wait:g} s; sending all the same",
            err=True,
        )
        return
    sent = ros_type(kind)
    others = [other for other in found.wanted if other != sent]
    # One that understands both types is told by both.
    if others and sent not in found.wanted:
        typer.echo(
            f"warning: '{name}' is subscribed to as {', '.join(others)}; such subscriptions refuse "
            f"a {sent}",
            err=True,
        )


def _no_publisher(hub: Hub, name: str, wait: float) -> str:
    topics = [info for info in hub.topics() if info.publishers > 0]
    known = [info.name for info in topics]
    where = f"topic '{name}' has no publisher in session '{hub.session}' after {wait:g} s"
    if not known:
        return f"{where}, where nothing is published; start the program, or choose its --session"
    return f"{where}; {did_you_mean(name, known)}"


def no_such_topic(hub: Hub, name: str, wait: float) -> str:
    """The text about a topic at which nobody is.

    Args:
        hub: The connection.
        name: Name of the topic.
        wait: How long it was looked for [s].
    """
    where = f"nobody is at topic '{name}' in session '{hub.session}' after {wait:g} s"
    known = [info.name for info in hub.topics()]
    if not known:
        return f"{where}, which has no topics; start the program, or choose its --session"
    return f"{where}; {did_you_mean(name, known)}"
