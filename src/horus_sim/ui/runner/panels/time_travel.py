"""The bar under the view: a slider over the last snapshots, and those that were kept."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.errors import HorusError
from horus_sim.ui.kit.fields import slid_to
from horus_sim.ui.kit.orders import complain, obey

if TYPE_CHECKING:
    from nicegui.events import GenericEventArguments

    from horus_sim.ui.runner.panels.context import Context

_REFRESH_S = 0.25
_HANDS_OFF_S = 0.7


def build_time_travel(context: Context) -> None:
    """The bar."""
    runner = context.runner
    touched = 0.0
    listed: list[str] = []

    async def travel(event: GenericEventArguments) -> None:
        nonlocal touched
        touched = time.monotonic()
        wanted = slid_to(event)
        future = None if wanted is None else runner.restore(wanted)
        if future is not None:
            await obey(runner.log, lambda: future)

    async def keep() -> None:
        await obey(runner.log, runner.keep)

    async def back(name: str) -> None:
        try:
            await obey(runner.log, lambda: runner.restore_kept(name), f"back at snapshot {name}")
        except HorusError as error:
            complain(runner.log, str(error))

    with ui.row().classes("items-center full-width no-wrap gap-2 q-px-md"):
        ui.icon("history").classes("text-grey").tooltip("The last moments: drag to go back")
        first = ui.label().classes("horus-number text-caption").style("white-space:nowrap")
        slider = ui.slider(min=0.0, max=0.1, step=0.01, value=0.0).props(
            'dense aria-label="Time travel"'
        )
        slider.classes("q-mx-xs")
        slider.on("update:model-value", travel, throttle=0.08, args=None)
        last = ui.label().classes("horus-number text-caption").style("white-space:nowrap")
        ui.button(icon="add_a_photo", on_click=keep).props(
            'flat round dense aria-label="Keep a snapshot"'
        ).tooltip("Keep a snapshot of now")
        with ui.button(icon="bookmarks").props('flat round dense aria-label="Kept snapshots"'):
            badge = ui.badge("0").props("floating")
            with ui.menu(), ui.column().classes("q-pa-sm gap-0").style("min-width:220px"):
                empty = ui.label("No snapshot was kept yet.").classes("text-caption")
                column = ui.column().classes("gap-0 full-width")

    def show_kept(names: list[str]) -> None:
        column.clear()
        with column:
            for name in names:
                with ui.row().classes("items-center no-wrap full-width"):
                    ui.button(name, on_click=partial(back, name)).props(
                        f'flat dense no-caps align=left aria-label="Restore snapshot {name}"'
                    ).classes("col")
                    ui.button(icon="close", on_click=partial(runner.history.forget, name)).props(
                        f'flat round dense size=sm aria-label="Forget snapshot {name}"'
                    )
        empty.set_visibility(not names)
        badge.text = str(len(names))
        badge.set_visibility(bool(names))

    def refresh() -> None:
        nonlocal listed
        low, high = runner.history.span or (0.0, 0.0)
        now = runner.status.get("time", 0.0)
        high = max(high, now, low + 0.01)
        first.text, last.text = f"{low:.1f} s", f"{high:.1f} s"
        if time.monotonic() - touched > _HANDS_OFF_S:
            # With a colon they are numbers in the browser, not text.
            slider.props(f":min={low:.3f} :max={high:.3f}")
            slider.value = min(max(now, low), high)
        names = [moment.name for moment in runner.history.kept]
        if names != listed:
            listed = names
            show_kept(names)

    show_kept([])
    refresh()
    context.page.every(_REFRESH_S, refresh)
