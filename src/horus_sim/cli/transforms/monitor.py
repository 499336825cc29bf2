"""The rows of `horus-sim tf monitor`, and the table that shows them live."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from horus_sim.files.printable import printable
from horus_sim.hub.transforms.findings import YEAR_NS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table

    from horus_sim.hub.transforms.watch import Watch, WatchedFrame

HEADINGS = ("frame", "parent", "rate [Hz]", "delay [s]", "publisher", "samples")
_WINDOW_S = 5.0
_REFRESH_S = 0.25


def monitor_rows(
    frames: Sequence[WatchedFrame],
    publishers: Mapping[str, set[str]],
    now_s: float,
    wall_ns: int,
) -> list[tuple[str, ...]]:
    """One row for each frame, under `HEADINGS`.

    The delay is that of the newest stamp: against wall time where stamps are of wall time, else
    against the newest stamp of all.

    Args:
        frames: What was received.
        publishers: For each frame, the connections that published it.
        now_s: Time of the monotonic clock [s].
        wall_ns: Wall time [ns].
    """
    simulated = [
        frame.newest_ns
        for frame in frames
        if frame.newest_ns is not None and abs(wall_ns - frame.newest_ns) > YEAR_NS
    ]
    newest_ns = max(simulated, default=0)
    return [
        (
            frame.name,
            frame.parent,
            _rate(frame, now_s),
            _delay(frame, newest_ns, wall_ns),
            ", ".join(sorted(publishers.get(frame.name, ()))),
            str(frame.received),
        )
        for frame in frames
    ]


def rows_now(watch: Watch) -> list[tuple[str, ...]]:
    """The rows at this moment."""
    return monitor_rows(
        watch.buffer.watched(), watch.publishers(), time.monotonic(), time.time_ns()
    )


def show_live(watch: Watch, duration: float | None) -> None:
    """Shows the table on the terminal.

    Args:
        watch: What is shown.
        duration: How long [s]; None for ever.
    """
    from rich.live import Live

    end = None if duration is None else time.monotonic() + duration
    with Live(_table(watch), auto_refresh=False, screen=False) as live:
        while end is None or time.monotonic() < end:
            time.sleep(_REFRESH_S)
            live.update(_table(watch), refresh=True)


def _table(watch: Watch) -> Table:
    from rich.table import Table
    from rich.text import Text

    rows = rows_now(watch)
    table = Table(
        title=f"session '{watch.hub.session}': {len(rows)} frames, Ctrl-C ends",
        title_justify="left",
    )
    for heading in HEADINGS:
        # Text, because rich would read the brackets as markup
        table.add_column(Text(heading), overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def _rate(frame: WatchedFrame, now_s: float) -> str:
    if frame.is_static:
        return "static"
    recent = [arrival for arrival in tuple(frame.arrivals_s) if arrival >= now_s - _WINDOW_S]
    if len(recent) < 2 or recent[-1] == recent[0]:
        return "-"
    return f"{(len(recent) - 1) / (recent[-1] - recent[0]):.1f}"


def _delay(frame: WatchedFrame, newest_ns: int, wall_ns: int) -> str:
    if frame.is_static or frame.newest_ns is None:
        return "-"
    if abs(wall_ns - frame.newest_ns) > YEAR_NS:
        return f"{(newest_ns - frame.newest_ns) / 1e9:.3f} (newest)"
    return f"{(wall_ns - frame.newest_ns) / 1e9:.3f} (wall)"
