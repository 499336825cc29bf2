"""How the arm is looked at: rotations of the view, and what is shown beside it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.arm.panels.workplace import Changed
from horus_sim.ui.kit.fields import fixed, slid_to

if TYPE_CHECKING:
    from nicegui.events import GenericEventArguments

    from horus_sim.ui.arm.model.bench import BenchState
    from horus_sim.ui.arm.panels.workplace import Workplace

_SHOWN = {
    "arcs": ("Joint ranges", "data_usage"),
    "frames": ("Frames", "3d_rotation"),
    "target": ("Target", "gps_fixed"),
    "path": ("Path of the tool", "timeline"),
    "cloud": ("Workspace", "blur_on"),
    "ellipsoid": ("Manipulability", "egg"),
}
_SLIDER_S = 0.04


def build_turn(place: Workplace) -> None:
    """Sliders Rx, Ry, Rz and the button that undoes them."""
    sliders: list[ui.slider] = []
    labels: list[ui.label] = []

    def turn(index: int, event: GenericEventArguments) -> None:
        angle = slid_to(event)
        if angle is not None:
            place.turn[index] = max(-180.0, min(180.0, angle))
            apply()

    def apply() -> None:
        place.view.set_turn(place.turn)
        for label, angle in zip(labels, place.turn, strict=True):
            label.text = f"{fixed(angle, 0)}°"

    def reset() -> None:
        for slider in sliders:
            slider.value = 0.0
        place.turn[:] = (0.0, 0.0, 0.0)
        apply()
        place.view.reset_camera()

    for index, name in enumerate(("Rx", "Ry", "Rz")):
        with ui.row().classes("items-center no-wrap full-width gap-3"):
            ui.label(name).classes("text-caption").style("width:2em")
            slider = ui.slider(min=-180, max=180, step=1, value=place.turn[index]).props(
                f'dense aria-label="{name}"'
            )
            slider.classes("col").on("update:model-value", partial(turn, index), throttle=_SLIDER_S)
            label = ui.label().classes("text-caption horus-number text-right")
            label.style("min-width:3.5em")
            sliders.append(slider)
            labels.append(label)
    ui.button("Reset View", icon="restart_alt", on_click=reset).props(
        'no-caps flat dense aria-label="Reset View"'
    )
    apply()


def build_shown(place: Workplace) -> None:
    """Buttons for what is shown, in a row."""
    buttons: dict[str, ui.button] = {}
    clouded = Changed()

    def paint() -> None:
        place.view.set_shown(place.shown)
        for key, button in buttons.items():
            on = key in place.shown
            button.props(f'aria-pressed="{str(on).lower()}" color={"primary" if on else "grey"}')

    def toggle(key: str) -> None:
        place.shown ^= {key}
        paint()

    async def cloud() -> None:
        """Points are made only where somebody wants to see them."""
        if "cloud" in place.shown and clouded(place.state.revision):
            await place.desk.show_cloud()

    for key, (name, icon) in _SHOWN.items():
        button = ui.button(icon=icon, on_click=partial(toggle, key))
        button.props(f'flat round dense aria-label="{name}"').tooltip(name)
        buttons[key] = button
    paint()
    place.page.every(0.2, cloud)


def build_readout(place: Workplace) -> None:
    """What is always seen: the pose of the tool, the joints, how well it moves there."""
    from horus_sim.ui.arm.model.readout import joint_lines, tool_lines

    with ui.element("div").classes("horus-arm-card"):
        ui.label("End effector").classes("text-weight-bold")
        tool = ui.label().classes("horus-number").props('aria-label="End effector"')
        ui.label("Joints").classes("text-weight-bold q-mt-xs gt-xs")
        joints = ui.label().classes("horus-number").props('aria-label="Joint positions"')
    changed = Changed()

    def refresh(state: BenchState) -> None:
        if changed(id(state.q), state.revision, place.metre):
            tool.text = tool_lines(state, place.page.units)
            joints.text = joint_lines(state, place.metre, place.page.units.system)

    place.listen(refresh)
