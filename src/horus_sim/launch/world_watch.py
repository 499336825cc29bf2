"""Sees when the world of a launch is on its topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from horus_sim.hub import Hub


class WorldWatch:
    """A connection to the session of a launch, open as long as the launch runs.

    Args:
        name: Name of the world's connection.
        session: The session.
        url: Transport of the topics; None is the usual one.

    Raises:
        HubError: Another program runs a world in the session, or topics are not to be had.
    """

    def __init__(self, name: str, session: str, url: str | None) -> None:
        from horus_sim.hub import connect
        from horus_sim.running.joining import DEFAULT_URL, require_alone

        self._name = name
        self._hub: Hub = connect(url or DEFAULT_URL, session, name="launch", remap={})
        try:
            require_alone(self._hub)
        except BaseException:
            self._hub.close()
            raise

    def is_up(self) -> bool:
        """Whether the world runs and tells how it is."""
        from horus_sim.running.topic_plan import STATUS_TOPIC

        return self._name in self._hub.publishers_of(STATUS_TOPIC)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._hub.close()
