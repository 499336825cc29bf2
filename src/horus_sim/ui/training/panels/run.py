"""A training that goes on, here or elsewhere: which one, its curves, its newest policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from horus_sim.installation import command
from horus_sim.ui.kit.controls import select
from horus_sim.ui.kit.messages import complaining
from horus_sim.ui.kit.panel import facts, hint
from horus_sim.ui.training.panels.path_field import path_field

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from nicegui.elements.mixins.validation_element import ValidationElement
    from nicegui.events import ValueChangeEventArguments

    from horus_sim.ui.training.model.runs import Curves, Points
    from horus_sim.ui.training.model.training_model import TrainingModel

_REFRESH_S = 3.0
_NONE = ""
_STEPS = "v => v >= 1e6 ? v / 1e6 + ' M' : v >= 1e3 ? v / 1e3 + ' k' : v"
_COLORS = ("#2f6fed", "#e8930c")
_FACTS = ("State", "Task", "Steps", "Time", "Steps a second")


def build_run(model: TrainingModel) -> None:
    """Choice of a run, and how far it is."""

    async def watch(name: str, field: ValidationElement) -> None:
        with complaining(model.page, field):
            await model.watch_run(name)
            model.follows_run = bool(name and follow.value)
            await follow_run()
        refresh()

    async def follow_run() -> None:
        if model.follows_run:
            await model.show_newest()

    # What to do is decided at once: a moment later the list may follow something else.
    def choose(event: ValueChangeEventArguments) -> Awaitable[None] | None:
        return watch(str(event.value or ""), run) if event.value != model.run else None

    async def set_follow(event: ValueChangeEventArguments) -> None:
        model.follows_run = bool(model.run and event.value)
        with complaining(model.page, run):
            await follow_run()

    run = select("Training run", {_NONE: "none"}, _NONE).props("options-dense")
    wanted = "the folder of a training, such as runs/mine"
    path_field("Another folder", "visibility", "Watch this folder", watch, wanted)
    follow = ui.switch("Show the newest policy", value=model.follows_run or not model.run)
    follow.props('dense aria-label="Show the newest policy"').on_value_change(set_follow)
    empty = hint(
        f"Trainings below the folder 'runs' are listed; start one with: {command('rl train')}"
    )
    labels = facts(_FACTS)

    def refresh() -> None:
        runs = dict.fromkeys(model.library.runs())
        options = {_NONE: "none"} | {name: name.removeprefix("runs/") for name in runs}
        options.setdefault(model.run, model.run)
        if options != run.options or run.value != model.run:
            run.set_options(options, value=model.run)
        if model.run and follow.value != model.follows_run:
            follow.value = model.follows_run
        empty.set_visibility(model.curves is None)
        for name, text in describe(model.curves).items():
            labels[name].text = text

    refresh()
    run.on_value_change(choose)
    model.on_curves.append(refresh)
    model.page.every(_REFRESH_S, refresh)


def describe(curves: Curves | None) -> dict[str, str]:
    """How far a training is, as text by name."""
    if curves is None:
        return dict.fromkeys(_FACTS, "-")
    state = "over" if curves.is_over else "running" if curves.is_live else "quiet for a minute"
    minutes, seconds = divmod(round(curves.seconds), 60)
    rate = curves.steps / curves.seconds if curves.seconds > 0 else 0.0
    values = (
        state,
        f"{curves.task} ({curves.algorithm})",
        f"{curves.steps:,}",
        f"{minutes}:{seconds:02d} min",
        f"{rate:,.0f}",
    )
    return dict(zip(_FACTS, values, strict=True))


def build_curves(model: TrainingModel) -> None:
    """Success and return over steps, below the view, while a run is watched."""
    row = ui.element("div").classes("horus-curves")
    row.props('role="region" aria-label="Curves"')
    with row:
        charts = [_chart("Success rate", is_share=True), _chart("Return", is_share=False)]
        empty = hint("The first points come with the first update of the training.")
        empty.classes("horus-curves-empty")

    def refresh() -> None:
        curves = model.curves
        row.set_visibility(curves is not None)
        if curves is None:
            return
        empty.set_visibility(not curves.returns)
        pairs = (
            (curves.success, curves.evaluated_success),
            (curves.returns, curves.evaluated_returns),
        )
        for (chart, label), (training, evaluated) in zip(charts, pairs, strict=True):
            chart.options["series"][0]["data"] = [list(point) for point in training]
            chart.options["series"][1]["data"] = [list(point) for point in evaluated]
            chart.update()
            label.text = _last(training, evaluated, is_share=training is curves.success)

    def paint(dark: bool) -> None:  # noqa: FBT001 - as `on_dark` calls it
        for chart, _ in charts:
            _color(chart.options, "#c6d0dc" if dark else "#3c4858")
            chart.update()

    refresh()
    model.page.on_dark(paint)
    model.on_curves.append(refresh)


def _chart(name: str, *, is_share: bool) -> tuple[ui.echart, ui.label]:
    options: dict[str, Any] = {
        "animation": False,
        "color": list(_COLORS),
        "grid": {"left": 46, "right": 14, "top": 12, "bottom": 24},
        "tooltip": {"trigger": "axis", "confine": True, ":valueFormatter": "v => v.toFixed(3)"},
        "xAxis": {"type": "value", "splitLine": {"show": False}, "splitNumber": 4},
        "yAxis": {"type": "value", "scale": not is_share, "splitNumber": 4},
        "series": [
            {"name": "training", "type": "line", "showSymbol": False, "data": []},
            {"name": "evaluation", "type": "line", "symbolSize": 6, "data": []},
        ],
    }
    if is_share:
        options["yAxis"] |= {"min": 0, "max": 1, "interval": 0.25}
    _color(options, "#6b7788")
    with ui.element("div").classes("horus-curve"):
        with ui.row().classes("no-wrap items-baseline gap-2").style("padding-left:14px"):
            ui.label(name).classes("text-weight-medium")
            label = ui.label().classes("horus-fact").props(f'aria-label="{name} of the run"')
        chart = ui.echart(options, renderer="svg").classes("full-width")
        chart.style("height:150px").props(f'role="img" aria-label="Curve of {name.lower()}"')
    return chart, label


def _color(options: dict[str, Any], ink: str) -> None:
    for axis in ("xAxis", "yAxis"):
        options[axis]["axisLabel"] = {"color": ink, "fontSize": 11}
        options[axis]["axisLine"] = {"lineStyle": {"color": ink}}
    options["xAxis"]["axisLabel"][":formatter"] = _STEPS
    options["yAxis"]["splitLine"] = {"lineStyle": {"color": ink, "opacity": 0.2}}


def _last(training: Points, evaluated: Points, *, is_share: bool) -> str:
    def text(points: Points) -> str:
        value = points[-1][1]
        return f"{value:.1%}" if is_share else f"{value:.2f}"

    parts = [f"training {text(training)}"] if training else []
    parts += [f"evaluation {text(evaluated)}"] if evaluated else []
    return ", ".join(parts)
