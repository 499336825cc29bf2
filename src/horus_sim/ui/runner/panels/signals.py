"""Signals: a live plot of the chosen ones, and all of them to a CSV file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.kit.controls import select, text_button
from horus_sim.ui.views.view2d.plot2d import Plot2d

if TYPE_CHECKING:
    from horus_sim.ui.runner.model.runner_model import RunnerModel

_REFRESH_S = 0.4


def build_signals(model: RunnerModel) -> None:
    """The plot and the log."""
    page, runner = model.page, model.runner
    last: Path | None = None

    async def watch() -> None:
        names = list(chosen.value or [])
        if names != runner.status.watched:
            await page.obey(lambda: runner.ask("watch", names=names), field=chosen)

    async def toggle_log() -> None:
        nonlocal last
        if runner.status.log:
            rows = await page.obey(lambda: runner.ask("log", path=""))
            if rows is not None and last is not None:
                page.log.add(f"{rows} rows are in {last}")
            return
        name = "signals" if runner.place is None else runner.place.folder.name
        path = runner.scenarios.folder / f"{name}_{time.strftime('%Y%m%d_%H%M%S')}.csv"
        if await page.obey(lambda: runner.ask("log", path=str(path))) is not None:
            last = path

    def download() -> None:
        if last is not None:
            ui.download.file(last)

    chosen = select("Plotted signals", on_change=watch, multiple=True, with_input=True)
    chosen.props("use-chips options-dense").classes(remove="col")
    Plot2d(f"{runner.channel}_plot").style("height:240px")
    ui.separator()
    with ui.row().classes("items-center full-width no-wrap"):
        button = text_button("Record CSV", toggle_log, "fiber_manual_record").classes("q-px-sm")
        note = ui.label("Every step, all signals.").classes("text-caption col")
        note.props('aria-label="State of the log"').style("overflow-wrap:anywhere")
        get = text_button("Download", download, "download", look="dense flat")
        get.props('aria-label="Download CSV"')

    def refresh() -> None:
        if chosen.options != runner.columns[1:]:
            chosen.set_options(runner.columns[1:], value=runner.status.watched)
        path, rows = runner.status.log, runner.status.logged
        button.text = "Stop" if path else "Record CSV"
        look = "Stop recording", "negative", "stop"
        look = look if path else ("Record CSV", "primary", "fiber_manual_record")
        button.props('aria-label="{}" color={} icon={}'.format(*look))
        get.set_visibility(not path and last is not None)
        if path:
            note.text = f"{rows} rows in {Path(path).name}"
        elif last is not None:
            note.text = f"{rows} rows are in {last.name}"

    page.every(_REFRESH_S, refresh)
