"""How an end of a topic is known to all processes of a session."""

from __future__ import annotations

import threading
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


class Announcements:
    """What other connections of a session announce.

    Asking for it is not enough: while links between processes are being made, an answer may lack
    what was there before (zenoh 1.10). Who listens from the start misses nothing.

    Args:
        zenoh: The module.
        session: The zenoh session.
        keys: Expression of the keys of announcements.
    """

    def __init__(self, zenoh: Any, session: Any, keys: str) -> None:  # noqa: ANN401
        self._put = zenoh.SampleKind.PUT
        self._session = session
        self._keys = keys
        self._own_names = f"/{session.zid()}-"
        self._heard: set[str] = set()
        self._lock = threading.Lock()
        self._listener = session.liveliness().declare_subscriber(keys, self._hear, history=True)

    def get(self) -> set[str]:
        """Keys that are announced now; those of this connection may be among them."""
        replies = self._session.liveliness().get(self._keys)
        found = {str(reply.ok.key_expr) for reply in replies if reply.ok is not None}
        with self._lock:
            return found | self._heard

    def _hear(self, sample: Any) -> None:  # noqa: ANN401 - a zenoh sample
        key = str(sample.key_expr)
        if self._own_names in key:
            return
        with self._lock:
            if sample.kind == self._put:
                self._heard.add(key)
            else:
                self._heard.discard(key)
