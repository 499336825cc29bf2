"""Training: a policy that drives many environments, and the curves of a run that goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.errors import HorusError, MissingExtraError
from horus_sim.running.loop.pacing import nearest_speed
from horus_sim.ui.kit.log import build_log
from horus_sim.ui.kit.messages import complaining, message_label
from horus_sim.ui.kit.panel import panel, side_panel
from horus_sim.ui.kit.time_bar import build_time_bar
from horus_sim.ui.views.view2d import View2d
from horus_sim.ui.views.view3d import View3d

if TYPE_CHECKING:
    from horus_sim.ui.shell.page import Page
    from horus_sim.ui.training.model.training_model import TrainingModel

PATH = "/training"
_LOOK_S = 1.0
STYLE = """
.horus-curves { display: flex; width: 100%; flex: 0 0 auto; padding: 6px 0 2px; gap: 4px;
  border-top: 1px solid var(--edge); position: relative; }
.horus-curve { flex: 1 1 0; min-width: 0; }
.horus-curves-empty { position: absolute; left: 60px; bottom: 40px; }
@media (max-width: 599px) { .horus-curves { flex-direction: column; gap: 0; }
  .horus-curve > .nicegui-echart { height: 110px !important; } }
"""


def build(page: Page) -> None:
    """Fills the page with the state that its address has."""
    if find_spec("gymnasium") is None:
        _missing(str(MissingExtraError("gymnasium", "rl")))
        return
    from horus_sim.ui.training.model.rollout_thread import RolloutThreads
    from horus_sim.ui.training.model.training_model import TrainingModel
    from horus_sim.ui.training.panels.camera import build_camera
    from horus_sim.ui.training.panels.choice import build_choice
    from horus_sim.ui.training.panels.episodes import (
        build_environment,
        build_episodes,
        build_rewards,
    )
    from horus_sim.ui.training.panels.run import build_curves, build_run

    ui.add_css(STYLE)
    threads = RolloutThreads.of(page.site)
    thread = threads.open()
    ui.context.client.on_delete(lambda: threads.leave(thread))
    model = TrainingModel(page, thread, threads.library)
    drawer = side_panel(page)
    with ui.column().classes("horus-main gap-0 no-wrap"):
        bar = ui.row().classes("horus-bar items-center")
        place = ui.element("div").classes("col full-width").style("min-height:0;position:relative")
        with ui.element("div").classes("full-width"):
            build_curves(model)
    views = Views(model, place)
    with bar:
        build_time_bar(
            page,
            thread,
            on_use=model.write_address,
            step_tip="Pause, and one decision of the policy",
            reset_tip="The same episodes from the start",
        )
        ui.space()
        build_camera(model, views.apply)
    with drawer:
        panel("Show", "smart_toy", lambda: build_choice(model), is_open=True)
        panel("Episodes", "fact_check", lambda: build_episodes(model), is_open=True)
        panel("Reward terms", "bar_chart", lambda: build_rewards(model), is_open=True)
        panel("One environment", "ads_click", lambda: build_environment(model))
        panel("Training run", "show_chart", lambda: build_run(model), is_open=bool(model.run))
        panel("Log", "subject", lambda: build_log(page))
    ui.timer(0.0, lambda: _begin(model, bar), once=True)


class Views:
    """The view that fits the task: 3D, or the plane from above.

    Args:
        model: What the page shares.
        place: Where it goes.
    """

    def __init__(self, model: TrainingModel, place: ui.element) -> None:
        self._model, self._place = model, place
        self._view: View2d | View3d | None = None
        self._is_dark = False
        model.on_show.append(self.apply)
        model.on_select.append(self.apply)
        model.page.on_dark(self._set_dark)

    def apply(self) -> None:
        """Shows what is shown now, as it is to be looked at."""
        model, status = self._model, self._model.status
        kind = View2d if status.is_planar else View3d
        if not isinstance(self._view, kind):
            self._place.clear()
            with self._place:
                self._view = self._make_2d() if status.is_planar else self._make_3d()
        view, selected = self._view, model.selected
        if isinstance(view, View2d):
            head = f"{selected}/{status.head}" if selected else ""
            view.set_selected(head)
            view.set_follow(head if model.camera == "follow" else "")
        elif view is not None:
            view.set_follows(str(selected or ""))
            view.set_camera(model.camera)

    def _make_3d(self) -> View3d:
        model = self._model
        view = View3d(model.thread.channel, quality=model.page.preferences.quality, has_tiles=True)
        view.set_dark(dark=self._is_dark)
        view.on_pick(lambda name: model.select(int(name) if name.isdecimal() else 0))
        return view

    def _make_2d(self) -> View2d:
        model = self._model
        view = View2d(model.thread.plane)

        def pick(event: dict[str, object]) -> None:
            number = str(event.get("body") or event.get("id") or "").partition("/")[0]
            model.select(int(number) if number.isdecimal() else 0)

        view.on_event("pick", pick)
        model.page.on_units(lambda: view.set_units(model.page.units.system))
        return view

    def _set_dark(self, dark: bool) -> None:  # noqa: FBT001 - as `on_dark` calls it
        self._is_dark = dark
        if isinstance(self._view, View3d):
            self._view.set_dark(dark=dark)


async def _begin(model: TrainingModel, bar: ui.row) -> None:
    """Shows what the address wants; what it cannot have is said above the view."""
    from horus_sim.ui.training.model.training_model import read_choice

    page, run, choice = model.page, model.run, model.choice
    selected = page.address.get("env")
    wrong: list[str] = []
    model.thread.set_speed(nearest_speed(page.address.number("speed", 1.0)))
    if page.address.get("paused") == "1":
        model.thread.pause()
    with _collecting(wrong):
        choice = read_choice(page.address, model.library)
    model.run = ""
    with _collecting(wrong):
        if run:
            await model.watch_run(run)
    with _collecting(wrong):
        wanted = asdict(choice)
        if model.follows_run and (newest := model.newest()) and model.curves is not None:
            wanted |= {"task": model.curves.task, "policy": newest}
            wanted["settings"] = model.choice.settings
        await model.show(**wanted)
    if model.found is None:
        with _collecting(wrong):
            await model.show()
    if selected.isdecimal() and 1 <= int(selected) <= model.choice.envs:
        model.select(int(selected))
    for text in wrong:
        page.log.add(text, "error")
    if wrong:
        with bar:
            message_label("Address message").text = "; ".join(wrong)

    async def look() -> None:
        with complaining(page):
            await model.look_after()

    page.every(_LOOK_S, look)


@contextmanager
def _collecting(wrong: list[str]) -> Iterator[None]:
    try:
        yield
    except HorusError as error:
        wrong.append(str(error))


def _missing(text: str) -> None:
    with ui.column().classes("horus-main items-center justify-center"):
        ui.icon("school", size="48px")
        ui.label(text).classes("text-subtitle1").props('role="alert" aria-label="Missing"')
