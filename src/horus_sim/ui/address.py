"""The state of a page in its address, so that a link reopens it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from nicegui import ui

_LONGEST = 300
_SECRETS = ("token",)


class Address:
    """Keys and values behind the question mark.

    Args:
        path: Of the page.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        request = ui.context.client.request
        given = {} if request is None else dict(request.query_params)
        self._values: dict[str, str] = {
            key: value
            for key, value in given.items()
            if len(value) <= _LONGEST and key not in _SECRETS
        }

    def get(self, key: str, default: str = "") -> str:
        """A value, or the default."""
        return self._values.get(key, default)

    def number(self, key: str, default: float) -> float:
        """A number, or the default where there is none."""
        try:
            return float(self._values[key])
        except (KeyError, ValueError):
            return default

    def set(self, **values: str | None) -> None:
        """Changes values; '' and None take a key away."""
        changed = {**self._values, **{k: v or "" for k, v in values.items()}}
        self.replace(changed)

    def replace(self, values: Mapping[str, str]) -> None:
        """Changes all values."""
        kept = {key: value for key, value in values.items() if value}
        if kept != self._values:
            self._values = kept
            ui.navigate.history.replace(self.link)

    @property
    def link(self) -> str:
        """The address as it is now."""
        return self._path + (f"?{urlencode(self._values)}" if self._values else "")
