"""How the world is looked at: camera, view modes, which frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.kit.controls import choice, mode_button, set_pressed
from horus_sim.ui.kit.fields import TextField
from horus_sim.ui.world.model.view_modes import VIEW_MODES, ViewMode

if TYPE_CHECKING:
    from horus_sim.ui.views.view3d import View3d

_FILTERS = {"all": "all frames", "robot": "robots", "sensors": "sensors", "custom": "custom"}


def build_view_modes(view: View3d) -> None:
    """Buttons in a row."""
    with ui.element("div").classes("horus-group"):
        cameras = {"orbit": "Orbit", "follow": "Follow", "top": "Top"}
        choice("Camera", cameras, "orbit", lambda event: view.set_camera(event.value))
    with ui.element("div").classes("horus-group"):
        for mode in VIEW_MODES:
            _mode_button(view, mode)
        _filter(view)


def _mode_button(view: View3d, mode: ViewMode) -> None:
    def toggle() -> None:
        shown = mode.name not in view.modes
        view.set_mode(mode.name, shown=shown)
        set_pressed(button, pressed=shown)

    button = mode_button(mode.icon, mode.label, toggle, f"Show {mode.label.lower()}")
    set_pressed(button, pressed=False)


def _filter(view: View3d) -> None:
    with (
        mode_button("filter_list", "Frame filter", tip="Which frames are shown"),
        ui.menu(),
        ui.column().classes("q-pa-md gap-1"),
    ):
        ui.label("Frames to show").classes("text-weight-medium")
        kind = ui.radio(_FILTERS, value="all").props('dense aria-label="Which frames"')
        text = TextField("Parts of names").props('outlined dense aria-label="Parts of names"')
        text.bind_visibility_from(kind, "value", value="custom")

    def apply() -> None:
        view.set_mode_options("tf", filter=kind.value, text=text.value or "")

    kind.on_value_change(apply)
    text.on_value_change(apply)
