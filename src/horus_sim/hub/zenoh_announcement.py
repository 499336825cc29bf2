"""How an end of a topic is known to all processes of a session."""

from __future__ import annotations

from typing import Any


class Announcement:
    """Stands for a publisher or subscription until it is taken back or its process dies.

    Args:
        session: The zenoh session.
        key: What is announced.
        own: The keys that this connection announces: it need not ask others for them.
    """

    def __init__(self, session: Any, key: str, own: set[str]) -> None:  # noqa: ANN401
        self._key = key
        self._own = own
        self._token = session.liveliness().declare_token(key)
        own.add(key)

    def undeclare(self) -> None:
        """Takes it back."""
        self._own.discard(self._key)
        self._token.undeclare()
