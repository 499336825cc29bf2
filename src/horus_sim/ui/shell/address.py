"""The state of a page in its address, so that a link reopens it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from nicegui import ui

_LONGEST = 300


class Address:
    """Keys and values behind the question mark.

    Args:
        path: Path of the page.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        request = ui.context.client.request
        given = {} if request is None else dict(request.query_params)
        self._values: dict[str, str] = {
            key: value for key, value in given.items() if len(value) <= _LONGEST
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
        self.replace(self._values | values)

    def link_with(self, **values: str | None) -> str:
        """The address with other values, which are not set."""
        return self._link(self._values | values)

    def replace(self, values: Mapping[str, str | None]) -> None:
        """Changes all values."""
        kept = _kept(values)
        if kept != self._values:
            self._values = kept
            ui.navigate.history.replace(self.link)

    @property
    def link(self) -> str:
        """The address as it is now."""
        return self._link(self._values)

    def _link(self, values: Mapping[str, str | None]) -> str:
        kept = _kept(values)
        return self._path + (f"?{urlencode(kept)}" if kept else "")


def _kept(values: Mapping[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in values.items() if value}
