"""The bar under the view: a slider over the last snapshots, and those that were kept."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.kit.controls import icon_button, text_button
from horus_sim.ui.kit.fields import slid_to

if TYPE_CHECKING:
    from nicegui.events import GenericEventArguments

    from horus_sim.ui.runner.model.runner_model import RunnerModel

_REFRESH_S = 0.25
_HANDS_OFF_S = 0.7


def build_time_travel(model: RunnerModel) -> None:
    """The bar."""
    page, runner = model.page, model.runner
    touched = 0.0
    listed: list[str] = []

    async def travel(event: GenericEventArguments) -> None:
        nonlocal touched
        touched = time.monotonic()
        wanted = slid_to(event)
        if wanted is not None:
            await page.obey(lambda: runner.restore(wanted))

    async def keep() -> None:
        await page.obey(lambda: runner.ask("snapshot"))

    async def back(name: str) -> None:
        await page.obey(lambda: runner.restore_kept(name), f"back at snapshot {name}")

    def time_label() -> ui.label:
        return ui.label().classes("horus-number text-caption").style("white-space:nowrap")

    with ui.row().classes("items-center full-width no-wrap gap-2 q-px-md"):
        ui.icon("history").classes("text-grey").tooltip("The last moments: drag to go back")
        first = time_label()
        slider = ui.slider(min=0.0, max=0.1, step=0.01, value=0.0).classes("q-mx-xs")
        slider.props('dense aria-label="Time travel"')
        slider.on("update:model-value", travel, throttle=0.08, args=None)
        last = time_label()
        icon_button("add_a_photo", "Keep a snapshot", keep, "Keep a snapshot of now")
        with icon_button("bookmarks", "Kept snapshots", tip=""):
            badge = ui.badge("0").props("floating")
            with ui.menu(), ui.column().classes("q-pa-sm gap-0").style("min-width:220px"):
                empty = ui.label("No snapshot was kept yet.").classes("text-caption")
                column = ui.column().classes("gap-0 full-width")

    def show_kept(names: list[str]) -> None:
        column.clear()
        with column:
            for name in names:
                with ui.row().classes("items-center no-wrap full-width"):
                    button = text_button(name, partial(back, name), look="flat dense align=left")
                    button.props(f'aria-label="Restore snapshot {name}"').classes("col")
                    forget = partial(runner.history.forget, name)
                    icon_button("close", f"Forget snapshot {name}", forget, "", props="size=sm")
        empty.set_visibility(not names)
        badge.text = str(len(names))
        badge.set_visibility(bool(names))

    def refresh() -> None:
        nonlocal listed
        low, high = runner.history.span or (0.0, 0.0)
        now = runner.status.time
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
    page.every(_REFRESH_S, refresh)
