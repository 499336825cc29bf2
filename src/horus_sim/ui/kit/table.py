"""A table of names and values; of very many rows it shows some, and finds the others by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import TypeVar

from nicegui import ui

from horus_sim.ui.kit.fields import TextField

MOST_ROWS = 40
_Value = TypeVar("_Value")


class Table:
    """Names and values, two columns.

    Args:
        name: Accessible name.
    """

    def __init__(self, name: str) -> None:
        self._filter = TextField(placeholder="A part of the name").props(
            f'dense clearable aria-label="Find in {name}"'
        )
        self._note = ui.label().classes("text-caption").props(f'aria-label="Rows of {name}"')
        for part in (self._filter, self._note):
            part.set_visibility(False)
        self._grid = ui.element("div").style(
            "display:grid;grid-template-columns:minmax(6em,auto) 1fr;gap:2px 12px;width:100%"
        )
        self._grid.props(f'role="table" aria-label="{name}"')
        self._labels: dict[str, ui.label] = {}

    def show(self, rows: Mapping[str, _Value], text: Callable[[_Value], str]) -> None:
        """Shows rows; those that are not seen cost nothing.

        Args:
            rows: Values by name.
            text: What is written for a value.
        """
        is_long = len(rows) > MOST_ROWS
        wanted = (self._filter.value or "").strip().lower() if is_long else ""
        found = [name for name in rows if wanted in name.lower()] if wanted else rows
        names = list(islice(found, MOST_ROWS))
        self._filter.set_visibility(is_long)
        self._note.set_visibility(is_long)
        self._note.text = f"{len(names)} of {len(rows)} are shown"
        if names != list(self._labels):
            self._make(names)
        for name in names:
            self._labels[name].text = text(rows[name])

    def _make(self, names: list[str]) -> None:
        self._grid.clear()
        self._labels = {}
        with self._grid:
            for name in names:
                ui.label(name).classes("text-caption text-grey")
                value = ui.label().classes("text-caption horus-number")
                value.style("white-space:pre-wrap;overflow-wrap:anywhere")
                self._labels[name] = value.props(f'aria-label="{name}"')
