"""Names of topics and what is known about them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from horus_sim.errors import HubError

_FIT = re.compile(r"[A-Za-z0-9_.~-]+(/[A-Za-z0-9_.~-]+)*")


@dataclass(frozen=True, slots=True)
class TopicInfo:
    """One topic of a session.

    Attributes:
        name: The topic.
        kinds: Names of the message types that its publishers send.
        publishers: Number of publishers.
        subscriptions: Number of subscriptions.
        wanted: Names of the message types that its subscriptions read.
    """

    name: str
    kinds: tuple[str, ...]
    publishers: int
    subscriptions: int
    wanted: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, sent: Sequence[str], wanted: Sequence[str]) -> TopicInfo:
        """A topic by its ends.

        Args:
            name: The topic.
            sent: Name of the message type of each publisher.
            wanted: Name of the message type of each subscription.
        """
        kinds, wanted_kinds = tuple(sorted(set(sent))), tuple(sorted(set(wanted)))
        return cls(name, kinds, len(sent), len(wanted), wanted_kinds)


def topic_name(name: str, what: str = "topic") -> str:
    """A topic's name as it is kept: one leading slash is dropped, so ``/tf`` and ``tf`` are one.

    Args:
        name: The name.
        what: What it names, for the error: a topic or a service.

    Raises:
        HubError: The name is empty or holds other characters than letters, digits, ``_ . ~ -``.
    """
    bare = name.removeprefix("/") if isinstance(name, str) else ""
    if not _FIT.fullmatch(bare):
        raise HubError(
            f"{name!r} is not a {what} name; use letters, digits and _ . ~ - in parts joined by "
            "'/', such as 'robot1/cmd_vel'"
        )
    return bare
