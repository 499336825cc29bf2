"""What happened, newest last."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from nicegui import ui

if TYPE_CHECKING:
    from horus_sim.ui.shell import Page

_COLORS = {"info": "", "warning": "text-warning", "error": "text-negative"}
_MOST_LINES = 200


def build_log(page: Page) -> None:
    """The lines of the log."""
    lines = ui.log(max_lines=_MOST_LINES).classes("horus-log")
    lines.props('aria-label="Log"')
    seen = 0

    def refresh() -> None:
        nonlocal seen
        for event in page.session.log.since(seen):
            seen = event.number
            clock = time.strftime("%H:%M:%S", time.localtime(event.wall_s))
            lines.push(f"{clock} {event.text}", classes=_COLORS[event.level])

    refresh()
    page.every(0.5, refresh)
