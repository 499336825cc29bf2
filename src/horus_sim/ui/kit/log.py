"""What happened, newest last."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from nicegui import ui

if TYPE_CHECKING:
    from horus_sim.running.loop.event_log import EventLog
    from horus_sim.ui.shell.page import Page

_COLORS = {"info": "", "warning": "text-warning", "error": "text-negative"}
_MOST_LINES = 200


def build_log(page: Page, log: EventLog | None = None, height: str = "") -> None:
    """The lines of a log; that of the page unless another is given."""
    log = log or page.log
    lines = ui.log(max_lines=_MOST_LINES).classes("horus-log")
    if height:
        lines.style(f"height:{height}")
    lines.props('aria-label="Log"')
    seen = 0

    def refresh() -> None:
        nonlocal seen
        for event in log.since(seen):
            seen = event.number
            clock = time.strftime("%H:%M:%S", time.localtime(event.wall_s))
            lines.push(f"{clock} {event.text}", classes=_COLORS[event.level])

    refresh()
    page.every(0.5, refresh)
