"""Who missed messages, told to who sent them.

A link that cannot take a message drops it, so that one receiver never holds up the others. zenoh
does not tell the sender; the receiver finds the gap in the numbers and what could not be sent
again, and reports it here.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from horus_sim.hub.subscription import Subscription
    from horus_sim.hub.zenoh.publisher import ZenohPublisher
    from horus_sim.hub.zenoh.transport import ZenohHub

logger = logging.getLogger("horus_sim.hub")

_MOST_RECEIVERS = 1_000


class LossReport(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """What a receiver missed.

    Attributes:
        publisher: Number of the publisher in its connection.
        receiver: Name of the connection that missed it.
        messages: Number of messages.
    """

    publisher: int
    receiver: str
    messages: int


class Losses:
    """Sends reports about messages that this connection missed, and takes in those of others.

    Args:
        hub: The connection.
    """

    def __init__(self, hub: ZenohHub) -> None:
        self._hub = hub
        self._told: dict[tuple[str, str], int] = {}
        own = self._key(hub.zenoh_session.zid())
        self._reports = hub.zenoh_session.declare_subscriber(own, self._take)

    def report(self, subscription: Subscription[Any], miss: Any) -> None:  # noqa: ANN401
        """Counts what a subscription missed for good, and tells its publisher.

        Args:
            subscription: The subscription.
            miss: zenoh's record of it.
        """
        if not subscription.missed:
            logger.warning(
                "topic '%s': %d messages were missed; this program, or the way to it, is too slow "
                "for them",
                subscription.topic,
                miss.nb,
            )
        subscription.missed += miss.nb
        source = miss.source
        report = LossReport(source.eid, self._hub.name, miss.nb)
        self._hub.zenoh_session.put(self._key(source.zid), msgspec.msgpack.encode(report))

    def _key(self, zid: object) -> str:
        return f"@horus/{self._hub.domain}/missed/{zid}"

    def _take(self, sample: Any) -> None:  # noqa: ANN401 - a zenoh sample
        try:
            report = msgspec.msgpack.decode(sample.payload.to_bytes(), type=LossReport)
        except msgspec.MsgspecError as error:
            logger.warning("a report of missed messages is damaged: %s", error)
            return
        publisher = self._hub.publisher_of(report.publisher)
        if publisher is not None and 0 < report.messages <= publisher.sent:
            self._note(publisher, report)

    def _note(self, publisher: ZenohPublisher[Any], report: LossReport) -> None:
        publisher.missed += report.messages
        who = (publisher.topic, report.receiver)
        before = self._told.get(who, 0)
        if not before and len(self._told) >= _MOST_RECEIVERS:
            return
        now = self._told[who] = before + report.messages
        # The first one, then one for each further digit: a slow receiver must not fill the log.
        if len(str(now)) > len(str(before)) or not before:
            logger.warning(
                "topic '%s': '%s' has missed %d messages; it, or the way to it, is too slow for "
                "them",
                publisher.topic,
                report.receiver,
                now,
            )
