"""What holds the simulation up, over the view: an error, a call without end, or its own end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from horus_sim.ui.kit.controls import text_button

if TYPE_CHECKING:
    from horus_sim.ui.runner.model.runner_model import RunnerModel

_REFRESH_S = 0.25
_LONGEST = 160


def build_banner(model: RunnerModel) -> None:
    """Notes that come and go."""
    runner = model.runner

    async def stop() -> None:
        await run.io_bound(runner.stop_controller)

    stuck = _note("bg-negative", "Not responding", "Stop it", stop)
    held = _note("bg-deep-orange-9", "Held by an error", "Show the error", model.show_error)
    ended = _note("bg-grey-8", "Stopped", "Start it again", ui.navigate.reload)

    def refresh() -> None:
        now, error = runner.stuck, runner.status.error
        texts = dict.fromkeys((stuck, held, ended), "")
        if runner.is_closed:
            texts[ended] = "This run was stopped."
        elif now is not None:
            where = f" (line {now.line} of {Path(now.file).name})" if now.line else ""
            what = "The expression" if now.file == "<console>" else "The controller"
            texts[stuck] = f"{what} does not return{where}, for {now.seconds:.0f} s."
        elif error:
            text = f"{error['robot']}: {error['text']}"
            texts[held] = text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."
        for note, text in texts.items():
            note.text = text

    refresh()
    model.page.every(_REFRESH_S, refresh)


def _note(color: str, name: str, action: str, act: Callable[[], Any]) -> ui.label:
    """A note that is seen while its label has a text."""
    row = ui.row().classes(f"{color} text-white items-center no-wrap q-px-md q-py-xs rounded")
    row.style(
        "position:absolute;top:10px;left:0;right:0;margin:auto;width:fit-content;z-index:5;"
        "max-width:94%;box-shadow:0 2px 8px rgba(0,0,0,.3)"
    )
    with row:
        label = ui.label().props(f'role="alert" aria-label="{name}"')
        text_button(action, act, look="dense no-wrap outline color=white")
    row.bind_visibility_from(label, "text", bool)
    return label
