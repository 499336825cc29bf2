"""How the world is looked at: camera, view modes, which frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from nicegui import ui

if TYPE_CHECKING:
    from horus_sim.ui.shell import Page
    from horus_sim.ui.view3d import View3d

_MODES: tuple[tuple[Literal["tf", "collision", "sensors", "physics"], str, str], ...] = (
    ("tf", "3d_rotation", "Frames"),
    ("collision", "category", "Collision shapes"),
    ("sensors", "sensors", "Sensors"),
    ("physics", "open_with", "Physics"),
)
_FILTERS = {"all": "all frames", "robot": "robots", "sensors": "sensors", "custom": "custom"}


def build_view_modes(page: Page, view: View3d) -> None:
    """Buttons in a row."""
    cameras = {"orbit": "Orbit", "follow": "Follow", "top": "Top"}
    camera = ui.toggle(cameras, value="orbit", on_change=lambda event: view.set_camera(event.value))
    camera.props('dense no-caps flat aria-label="Camera"')
    for mode, icon, name in _MODES:
        _mode_button(view, mode, icon, name)
    _filter(view)
    _video(page, view)


def _mode_button(
    view: View3d, mode: Literal["tf", "collision", "sensors", "physics"], icon: str, name: str
) -> None:
    def toggle() -> None:
        shown = mode not in view.modes
        view.set_mode(mode, shown=shown)
        button.props(f'aria-pressed="{str(shown).lower()}" color={"primary" if shown else "grey"}')

    button = ui.button(icon=icon, on_click=toggle)
    button.props(f'flat round dense color=grey aria-label="{name}" aria-pressed="false"')
    button.tooltip(name)


def _filter(view: View3d) -> None:
    with (
        ui.button(icon="filter_list").props('flat round dense aria-label="Frame filter"'),
        ui.menu(),
        ui.column().classes("q-pa-md"),
    ):
        kind = ui.radio(_FILTERS, value="all").props('aria-label="Which frames"')
        text = ui.input("Parts of names").props('dense aria-label="Parts of names"')

    def apply() -> None:
        view.set_frame_filter(kind.value, text.value or "")

    kind.on_value_change(apply)
    text.on_value_change(apply)


def _video(page: Page, view: View3d) -> None:
    recording = False

    def toggle() -> None:
        nonlocal recording
        recording = not recording
        view.run_method("startVideo" if recording else "stopVideo")
        name = "Stop video" if recording else "Record video"
        button.props(f'aria-label="{name}" color={"negative" if recording else "grey"}')
        page.session.log.add("video: recording" if recording else "video: downloaded")

    button = ui.button(icon="videocam", on_click=toggle)
    button.props('flat round dense color=grey aria-label="Record video"')
