"""How the world is looked at: camera, view modes, which frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.panels.fields import TextField

if TYPE_CHECKING:
    from horus_sim.ui.view3d import View3d
    from horus_sim.ui.view3d.view3d import ViewMode

_MODES: tuple[tuple[ViewMode, str, str], ...] = (
    ("tf", "account_tree", "Frames"),
    ("collision", "category", "Collision shapes"),
    ("sensors", "sensors", "Sensors"),
    ("physics", "speed", "Physics"),
)
_FILTERS = {"all": "all frames", "robot": "robots", "sensors": "sensors", "custom": "custom"}


def build_view_modes(view: View3d) -> None:
    """Buttons in a row."""
    with ui.element("div").classes("horus-group"):
        cameras = {"orbit": "Orbit", "follow": "Follow", "top": "Top"}
        camera = ui.toggle(cameras, value="orbit")
        camera.on_value_change(lambda event: view.set_camera(event.value))
        camera.classes("horus-choice")
        camera.props('dense no-caps unelevated toggle-color=primary aria-label="Camera"')
    with ui.element("div").classes("horus-group"):
        for mode, icon, name in _MODES:
            _mode_button(view, mode, icon, name)
        _filter(view)


def _mode_button(view: View3d, mode: ViewMode, icon: str, name: str) -> None:
    def toggle() -> None:
        shown = mode not in view.modes
        view.set_mode(mode, shown=shown)
        button.props(f'aria-pressed="{str(shown).lower()}"')
        button.classes(add="on") if shown else button.classes(remove="on")

    button = ui.button(icon=icon, on_click=toggle).classes("horus-mode")
    button.props(f'flat dense color=grey-7 aria-label="{name}" aria-pressed="false"')
    button.tooltip(f"Show {name.lower()}")


def _filter(view: View3d) -> None:
    with (
        ui.button(icon="filter_list")
        .props('flat dense color=grey-7 aria-label="Frame filter"')
        .classes("horus-mode")
        .tooltip("Which frames are shown"),
        ui.menu(),
        ui.column().classes("q-pa-md gap-1"),
    ):
        ui.label("Frames to show").classes("text-weight-medium")
        kind = ui.radio(_FILTERS, value="all").props('dense aria-label="Which frames"')
        text = TextField("Parts of names").props('outlined dense aria-label="Parts of names"')
        text.bind_visibility_from(kind, "value", value="custom")

    def apply() -> None:
        view.set_frame_filter(kind.value, text.value or "")

    kind.on_value_change(apply)
    text.on_value_change(apply)
