"""What holds the simulation up, over the view: an error, a call without end, or its own end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import run, ui

if TYPE_CHECKING:
    from horus_sim.ui.runner.panels.context import Context

_REFRESH_S = 0.25
_LONGEST = 160


def build_banner(context: Context) -> None:
    """Notes that come and go."""
    runner = context.runner

    async def stop() -> None:
        await run.io_bound(runner.stop_controller)

    def show() -> None:
        error = runner.status.get("error") or {}
        if context.tabs is not None:
            context.tabs.set_value("Code")
        if error.get("line"):
            context.reveal(error["file"], error["line"])

    with _note("bg-negative") as stuck:
        stuck_text = ui.label().props('role="alert" aria-label="Not responding"')
        ui.button("Stop it", icon="stop", on_click=stop).props(
            'dense no-caps no-wrap outline color=white aria-label="Stop it"'
        )
    with _note("bg-deep-orange-9") as held:
        held_text = ui.label().props('role="alert" aria-label="Held by an error"')
        ui.button("Show", on_click=show).props(
            'dense no-caps no-wrap outline color=white aria-label="Show the error"'
        )

    with _note("bg-grey-8") as ended:
        ui.label("This run was stopped.").props('role="alert" aria-label="Stopped"')
        ui.button("Start it again", on_click=ui.navigate.reload).props(
            'dense no-caps no-wrap outline color=white aria-label="Start it again"'
        )

    def refresh() -> None:
        ended.set_visibility(runner.is_closed)
        now, error = (
            (None, None) if runner.is_closed else (runner.stuck, runner.status.get("error"))
        )
        stuck.set_visibility(now is not None)
        held.set_visibility(now is None and bool(error))
        if now is not None:
            where = f" (line {now.line} of {Path(now.file).name})" if now.line else ""
            what = "The expression" if now.file == "<console>" else "The controller"
            stuck_text.text = f"{what} does not return{where}, for {now.seconds:.0f} s."
        elif error:
            text = f"{error['robot']}: {error['text']}"
            held_text.text = text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."

    stuck.set_visibility(False)
    held.set_visibility(False)
    ended.set_visibility(False)
    context.page.every(_REFRESH_S, refresh)


def _note(color: str) -> ui.row:
    row = ui.row().classes(f"{color} text-white items-center no-wrap q-px-md q-py-xs rounded")
    return row.style(
        "position:absolute;top:10px;left:0;right:0;margin:auto;width:fit-content;z-index:5;"
        "max-width:94%;box-shadow:0 2px 8px rgba(0,0,0,.3)"
    )
