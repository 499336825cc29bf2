"""How the arm is looked at: rotations of the view, and what is shown beside it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.arm.model.address import SHOWN
from horus_sim.ui.arm.model.arm_model import Changed
from horus_sim.ui.arm.model.readout import joint_lines, tool_lines
from horus_sim.ui.arm.panels.slider_row import slider_row
from horus_sim.ui.kit.controls import mode_button, set_pressed, text_button
from horus_sim.ui.kit.fields import fixed

if TYPE_CHECKING:
    from horus_sim.ui.arm.model.arm_model import ArmModel
    from horus_sim.ui.arm.model.moving_arm import ArmState


def build_turn(model: ArmModel) -> None:
    """Sliders Rx, Ry, Rz and the button that undoes them."""

    def turn(index: int, angle: float) -> None:
        model.turn[index] = max(-180.0, min(180.0, angle))
        apply()

    def apply() -> None:
        model.view.set_turn(model.turn)
        for (_, label), angle in zip(rows, model.turn, strict=True):
            label.text = fixed(angle, 0)

    def show(angles: Sequence[float]) -> None:
        model.turn[:] = angles
        for (slider, _), angle in zip(rows, angles, strict=True):
            slider.value = angle
        apply()

    def reset() -> None:
        show((0.0, 0.0, 0.0))
        model.view.reset_camera()

    rows = [
        slider_row(name, -180.0, 180.0, partial(turn, index), label=name, unit="deg", steps=360)
        for index, name in enumerate(("Rx", "Ry", "Rz"))
    ]
    text_button("Reset View", reset, "restart_alt", look="flat dense")
    show(model.turn)


def build_shown(model: ArmModel) -> None:
    """Buttons for what is shown, in a row."""
    clouded = Changed()

    def paint() -> None:
        model.view.set_shown(model.shown)
        for key, button in buttons.items():
            set_pressed(button, pressed=key in model.shown)

    def toggle(key: str) -> None:
        model.shown ^= {key}
        paint()

    async def cloud() -> None:
        """Points are made only where somebody wants to see them."""
        if "cloud" in model.shown and clouded(model.state.revision):
            await model.thread.show_cloud()

    buttons = {
        key: mode_button(icon, name, partial(toggle, key)) for key, (name, icon) in SHOWN.items()
    }
    paint()
    model.page.every(0.2, cloud)


def build_readout(model: ArmModel) -> None:
    """What is always seen: the pose of the tool, the joints, how well it moves there."""
    with ui.element("div").classes("horus-arm-card"):
        ui.label("End effector").classes("text-weight-bold")
        tool = ui.label().classes("horus-number").props('aria-label="End effector"')
        ui.label("Joints").classes("text-weight-bold q-mt-xs gt-xs")
        joints = ui.label().classes("horus-number").props('aria-label="Joint positions"')
    changed = Changed()

    def refresh(state: ArmState) -> None:
        units = model.page.units
        if changed(state.q.tobytes(), state.revision, units.system):
            tool.text = tool_lines(state, units)
            joints.text = joint_lines(state, units)

    model.listen(refresh)
