"""Training: a policy that drives many environments, and the curves of a run that goes on."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.errors import HorusError, MissingExtraError
from horus_sim.running.loop.pacing import nearest_speed
from horus_sim.ui.kit.log import build_log
from horus_sim.ui.kit.orders import complain
from horus_sim.ui.kit.panel import panel, side_panel
from horus_sim.ui.shell.address import Address
from horus_sim.ui.views.view2d import View2d
from horus_sim.ui.views.view3d import View3d

if TYPE_CHECKING:
    from horus_sim.ui.shell.page import Page
    from horus_sim.ui.training.panels.stand import Stand

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
    from horus_sim.ui.training.model.desk import TrainingDesks
    from horus_sim.ui.training.panels.choosing import build_choosing
    from horus_sim.ui.training.panels.figures import (
        build_environment,
        build_episodes,
        build_rewards,
    )
    from horus_sim.ui.training.panels.run import build_curves, build_run
    from horus_sim.ui.training.panels.stand import Stand
    from horus_sim.ui.training.panels.time_bar import build_camera, build_time, camera_mode

    ui.add_css(STYLE)
    desks = TrainingDesks.of(page.site)
    desk = desks.open()
    ui.context.client.on_delete(lambda: desks.leave(desk))
    address = Address(PATH)
    stand = Stand(page, desk, desks.shelf, address)
    stand.camera = camera_mode(address.get("cam"))
    stand.run = address.get("run")
    stand.follows_run = bool(stand.run) and not address.get("policy")
    drawer = side_panel(page)
    with ui.column().classes("horus-main gap-0 no-wrap"):
        bar = ui.row().classes("horus-bar items-center")
        place = ui.element("div").classes("col full-width").style("min-height:0;position:relative")
        with ui.element("div").classes("full-width"):
            build_curves(stand)
    views = Views(stand, place)
    with bar:
        build_time(stand)
        ui.space()
        build_camera(stand, views.apply)
    with drawer:
        panel("Show", "smart_toy", lambda: build_choosing(stand), is_open=True)
        panel("Episodes", "fact_check", lambda: build_episodes(stand), is_open=True)
        panel("Reward terms", "bar_chart", lambda: build_rewards(stand), is_open=True)
        panel("One environment", "ads_click", lambda: build_environment(stand))
        is_watching = bool(stand.run)
        panel("Training run", "show_chart", lambda: build_run(stand), is_open=is_watching)
        panel("Log", "subject", lambda: build_log(page))
    ui.timer(0.0, lambda: _begin(stand, bar), once=True)


class Views:
    """The view that fits the task: 3D, or the plane from above.

    Args:
        stand: What the page shares.
        place: Where it goes.
    """

    def __init__(self, stand: Stand, place: ui.element) -> None:
        self._stand, self._place = stand, place
        self._view: View2d | View3d | None = None
        self._is_dark = False
        stand.on_show.append(self.apply)
        stand.on_select.append(self.apply)
        stand.page.on_dark(self._set_dark)

    def apply(self) -> None:
        """Shows what is shown now, as it is to be looked at."""
        stand, status = self._stand, self._stand.status
        kind = View2d if status.is_planar else View3d
        if not isinstance(self._view, kind):
            self._place.clear()
            with self._place:
                self._view = self._make_2d() if status.is_planar else self._make_3d()
        view, selected = self._view, stand.selected
        if isinstance(view, View2d):
            head = f"{selected}/{status.head}" if selected else ""
            view.set_selected(head)
            view.set_follow(head if stand.camera == "follow" else "")
        elif view is not None:
            view.set_follows(str(selected or ""))
            view.set_camera(stand.camera)

    def _make_3d(self) -> View3d:
        stand = self._stand
        view = View3d(stand.desk.channel, quality=stand.page.preferences.quality, has_tiles=True)
        view.set_dark(dark=self._is_dark)
        view.on_pick(lambda name: stand.select(int(name) if name.isdecimal() else 0))
        return view

    def _make_2d(self) -> View2d:
        stand = self._stand
        view = View2d(stand.desk.plane)

        def pick(event: dict[str, object]) -> None:
            number = str(event.get("body") or event.get("id") or "").partition("/")[0]
            stand.select(int(number) if number.isdecimal() else 0)

        view.on_event("pick", pick)
        stand.page.on_units(lambda: view.set_units(stand.page.units.system))
        return view

    def _set_dark(self, dark: bool) -> None:  # noqa: FBT001 - as `on_dark` calls it
        self._is_dark = dark
        if isinstance(self._view, View3d):
            self._view.set_dark(dark=dark)


async def _begin(stand: Stand, bar: ui.row) -> None:
    """Shows what the address wants; what it cannot have is said above the view."""
    from horus_sim.ui.training.panels.stand import read_choice

    address, page, run = stand.address, stand.page, stand.run
    wrong: list[str] = []
    speed, paused = address.number("speed", 1.0), address.get("paused") == "1"
    selected = address.get("env")
    choice = stand.choice
    try:
        choice = read_choice(address, stand.shelf)
    except HorusError as error:
        wrong.append(str(error))
    stand.run = ""
    try:
        if run:
            await stand.watch_run(run)
    except HorusError as error:
        wrong.append(str(error))
    try:
        stand.desk.thread.set_speed(nearest_speed(speed))
        if paused:
            stand.desk.thread.play(running=False)
        if stand.follows_run and (newest := stand.newest()) and stand.curves is not None:
            await stand.show(
                task=stand.curves.task, policy=newest, envs=choice.envs, seed=choice.seed
            )
        else:
            await stand.show(
                task=choice.task,
                policy=choice.policy,
                envs=choice.envs,
                seed=choice.seed,
                settings=choice.settings,
            )
    except HorusError as error:
        wrong.append(str(error))
        try:
            await stand.show()
        except HorusError as failure:
            wrong.append(str(failure))
    if selected.isdecimal() and 1 <= int(selected) <= stand.choice.envs:
        stand.select(int(selected))
    for text in wrong:
        page.log.add(text, "error")
    if wrong:
        with bar:
            message = ui.label("; ".join(wrong)).classes("text-negative text-caption full-width")
            message.props('role="alert" aria-label="Address message"')

    async def look() -> None:
        try:
            await stand.look_after()
        except HorusError as error:
            complain(page.log, str(error))

    page.every(_LOOK_S, look)


def _missing(text: str) -> None:
    with ui.column().classes("horus-main items-center justify-center"):
        ui.icon("school", size="48px")
        ui.label(text).classes("text-subtitle1").props('role="alert" aria-label="Missing"')
