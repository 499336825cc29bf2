"""Signals: a live plot of the chosen ones, and all of them to a CSV file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.kit.orders import obey
from horus_sim.ui.views.view2d.plot2d import Plot2d

if TYPE_CHECKING:
    from horus_sim.ui.runner.panels.context import Context

_REFRESH_S = 0.4


def build_signals(context: Context) -> None:
    """The plot and the log."""
    runner = context.runner
    last: Path | None = None

    async def watch() -> None:
        names = list(chosen.value or [])
        if names != runner.status.get("watched"):
            await obey(runner.log, lambda: runner.ask("watch", names=names), "", chosen)

    async def toggle_log() -> None:
        nonlocal last
        if runner.status.get("log"):
            rows = await obey(runner.log, lambda: runner.ask("log", path=""))
            if rows is not None and last is not None:
                runner.log.add(f"{rows} rows are in {last}")
            return
        place = runner.place
        name = "signals" if place is None else place.folder.name
        path = runner.scenarios.folder / f"{name}_{time.strftime('%Y%m%d_%H%M%S')}.csv"
        if await obey(runner.log, lambda: runner.ask("log", path=str(path))) is not None:
            last = path

    def download() -> None:
        if last is not None:
            ui.download.file(last)

    chosen = ui.select([], multiple=True, label="Plotted signals", with_input=True)
    chosen.props('dense use-chips options-dense aria-label="Plotted signals"').classes("full-width")
    chosen.on_value_change(watch)
    Plot2d(f"{context.run.channel}_plot").style("height:240px")
    ui.separator()
    with ui.row().classes("items-center full-width no-wrap"):
        button = ui.button("Record CSV", icon="fiber_manual_record", on_click=toggle_log)
        button.props('dense no-caps unelevated aria-label="Record CSV"').classes("q-px-sm")
        note = ui.label("Every step, all signals.").classes("text-caption col")
        note.props('aria-label="State of the log"').style("overflow-wrap:anywhere")
        get = ui.button("Download", icon="download", on_click=download)
        get.props('dense no-caps flat aria-label="Download CSV"')

    def refresh() -> None:
        if chosen.options != runner.columns[1:]:
            chosen.set_options(runner.columns[1:], value=runner.status.get("watched", []))
        path = runner.status.get("log", "")
        is_on = bool(path)
        button.text = "Stop" if is_on else "Record CSV"
        name = "Stop recording" if is_on else "Record CSV"
        button.props(
            f'aria-label="{name}" color={"negative" if is_on else "primary"} '
            f"icon={'stop' if is_on else 'fiber_manual_record'}"
        )
        get.set_visibility(not is_on and last is not None)
        if is_on:
            note.text = f"{runner.status['logged']} rows in {Path(path).name}"
        elif last is not None:
            note.text = f"{runner.status['logged']} rows are in {last.name}"

    context.page.every(_REFRESH_S, refresh)
