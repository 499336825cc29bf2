"""All runs of the 2D runner: what they do, a way to them, and a button that ends them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.kit.controls import icon_button

if TYPE_CHECKING:
    from horus_sim.ui.runner.model.runner import Runner
    from horus_sim.ui.runner.model.runner_model import RunnerModel
    from horus_sim.ui.runner.model.runs import Runs
    from horus_sim.ui.shell.page import Page

_REFRESH_S = 0.5


def build_runs(model: RunnerModel) -> None:
    """A button that shows the list."""
    with icon_button("dynamic_feed", "Runs"):
        badge = ui.badge().props("floating")
        with ui.menu(), ui.column().classes("q-pa-md gap-1").style("min-width:300px"):
            ui.label("Runs").classes("text-weight-bold")
            RunList(model.page, model.runs, model.runner)
            ui.label("Each goes on when its page is closed, until others need its place.").classes(
                "text-caption"
            )

    def count() -> None:
        number = len(model.runs.sessions)
        badge.text = str(number)
        badge.set_visibility(number > 1)

    count()
    model.page.every(_REFRESH_S, count)


class RunList:
    """One line for each run.

    Args:
        page: Page on which it is.
        runs: What is listed.
        here: The run that the page shows, if it shows one.
    """

    def __init__(self, page: Page, runs: Runs, here: Runner | None = None) -> None:
        self._runs, self._here = runs, here
        self._states: dict[str, ui.label] = {}
        self._titles: list[tuple[str, str]] = []
        self._column = ui.column().classes("gap-1 full-width").props('aria-label="List of runs"')
        self._refresh()
        page.every(_REFRESH_S, self._refresh)

    def _refresh(self) -> None:
        runs = tuple(self._runs.sessions.values())
        titles = sorted((run.channel, run.address.title) for run in runs)
        if titles != self._titles:
            # Only then: a button that is made anew while it is pressed does nothing.
            self._titles = titles
            self._column.clear()
            with self._column:
                self._states = {channel: self._line(channel, title) for channel, title in titles}
        for run in runs:
            if run.channel in self._states:
                self._states[run.channel].text = state_of(run)

    def _line(self, channel: str, title: str) -> ui.label:
        run = self._runs.sessions[channel]
        with ui.row().classes("items-center no-wrap full-width gap-2"):
            with ui.column().classes("col gap-0"):
                if run is self._here:
                    ui.label(f"{title}, on this page").classes("text-weight-medium")
                else:
                    ui.link(title, run.address.link)
                state = ui.label().classes("text-caption horus-number")
            stop = icon_button("stop", "Stop", partial(self._runs.leave, run), "Stop this run")
            # Not as a text of properties: names of folders may have quotes.
            stop.props["aria-label"] = f"Stop {title}"
        return state


def state_of(run: Runner) -> str:
    """What a run does, in a few words."""
    if run.stuck is not None:
        doing = "does not return"
    elif run.status.error:
        doing = "held by an error"
    else:
        doing = "running" if run.status.is_running else "paused"
    pages = run.pages
    seen = {0: "no page", 1: "1 page"}.get(pages, f"{pages} pages")
    return f"{run.status.time:.1f} s, {doing}, {seen}"
