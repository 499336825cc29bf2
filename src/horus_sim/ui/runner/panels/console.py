"""The console: expressions against the running simulation, on this machine only."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.kit.controls import text_button
from horus_sim.ui.kit.fields import TextField

if TYPE_CHECKING:
    from nicegui.events import GenericEventArguments

    from horus_sim.ui.runner.model.runner_model import RunnerModel

_MOST_LINES = 200
_LONGEST = 2000
_HELP = (
    "Python expressions; sim, the robots by name, np and math are known, and _ is the last value. "
    "Try: sim.readings, robot.pose, sim.contacts"
)


def build_console(model: RunnerModel) -> None:
    """A field and what was answered."""
    if not model.page.site.is_local:
        ui.label(
            "The console runs Python, so it works only while the server listens on the loopback "
            "address of this machine (without --host)."
        ).classes("text-body2")
        return
    typed: list[str] = []
    place = 0

    async def evaluate() -> None:
        nonlocal place
        text = (field.value or "").strip()
        if not text:
            field.error = "an expression, such as robot.pose"
            return
        if len(text) > _LONGEST:
            field.error = f"at most {_LONGEST} characters"
            return
        answers.push(f">>> {text}", classes="text-primary")
        order = partial(model.runner.ask, "evaluate", text=text)
        result = await model.page.obey(order, field=field)
        if result is None:
            answers.push(str(field.error), classes="text-negative")
            return
        typed.append(text)
        place = len(typed)
        answers.push(result)
        field.value = ""

    def recall(event: GenericEventArguments) -> None:
        nonlocal place
        step = -1 if event.args.get("key") == "ArrowUp" else 1
        if typed:
            place = min(max(place + step, 0), len(typed))
            field.value = typed[place] if place < len(typed) else ""

    ui.label(_HELP).classes("text-caption")
    answers = ui.log(max_lines=_MOST_LINES).classes("full-width col text-caption")
    answers.style("min-height:120px;white-space:pre-wrap;overflow-wrap:anywhere").props(
        'aria-label="Answers"'
    )
    with ui.row().classes("full-width no-wrap items-start"):
        field = TextField("Expression").props(
            'dense aria-label="Expression" autocomplete="off" spellcheck="false"'
        )
        field.classes("col").style("font-family:monospace")
        field.on("keydown.enter", evaluate)
        field.on("keydown.up.prevent", recall)
        field.on("keydown.down.prevent", recall)
        text_button("Evaluate", evaluate, look="dense")
