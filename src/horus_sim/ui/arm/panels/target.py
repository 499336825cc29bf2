"""Where the tool shall go: a point or a pose, typed in; and what inverse kinematics says of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.tf import Transform
from horus_sim.ui.arm.model.arm_model import Changed
from horus_sim.ui.arm.model.moving_arm import METHODS
from horus_sim.ui.kit.controls import choice, icon_button, select, text_button
from horus_sim.ui.kit.fields import NumberField, fixed, numbers
from horus_sim.ui.kit.messages import message_label

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from horus_sim.ui.arm.model.arm_model import ArmModel
    from horus_sim.ui.arm.model.moving_arm import ArmState, Method, Mode
    from horus_sim.ui.shell.units import Units

_FARTHEST = 1e6
_MODES = {"position": "Point", "pose": "Pose"}
_PATHS = {"joints": "joints together", "line": "straight line"}


class TargetPanel:
    """Fields for the target, the button, and the answer.

    Args:
        model: What the panels share.
    """

    def __init__(self, model: ArmModel) -> None:
        self._model = model
        self._changed = Changed()
        self._shown_mode = model.state.mode
        self._mode = choice("Target is", _MODES, model.state.mode, self._choose_mode)
        self._mode.props("spread").classes("full-width")
        with ui.row().classes("no-wrap full-width gap-2"):
            self._position = [NumberField(axis, 0.0, -_FARTHEST, _FARTHEST) for axis in "XYZ"]
        self._turn_row = ui.row().classes("no-wrap full-width gap-2")
        with self._turn_row:
            names = ("Roll", "Pitch", "Yaw")
            self._turn = [NumberField(name, 0.0, -360.0, 360.0) for name in names]
            for field, name in zip(self._turn, names, strict=True):
                field.element.props(f'label="{name} [deg]"')
        for field in (*self._position, *self._turn):
            field.element.props("hide-bottom-space")
            field.element.on("keydown.enter", self.move)
        self._path = select("Path", _PATHS, "joints")
        self._shown_method = model.state.method
        self._method = select("Solver", METHODS, model.state.method, self._choose_method)
        self._method.tooltip(
            "Damped least squares has the parameters simulation.ik of the arm's file"
        )
        with ui.row().classes("full-width gap-2 no-wrap items-center"):
            button = text_button("Move To XYZ", self.move, "my_location", look="unelevated dense")
            button.classes("col")
            icon_button(
                "push_pin", "Take pose of the tool", self._take, "Fill in where the tool is now"
            )
        self._wrong = message_label("Target message")
        with ui.row().classes("items-start no-wrap gap-2 full-width"):
            self._icon = ui.icon("check_circle", size="sm")
            self._result = ui.label().classes("text-body2 horus-number")
            self._result.props('role="status" aria-label="Result"')
            self._result.style("white-space:pre-line;overflow-wrap:anywhere")
        model.listen(self.refresh)

    async def move(self) -> None:
        """Moves the tool to what the fields say; a wrong one says why, and nothing moves."""
        mode: Mode = "pose" if self._mode.value == "pose" else "position"
        values = numbers(*self._position, *(self._turn if mode == "pose" else ()))
        if values is None:
            return
        xyz = self._model.page.units.read(values[:3])
        rpy = [math.radians(angle) for angle in values[3:] or (0.0, 0.0, 0.0)]
        T_world_target = Transform.from_euler(xyz, rpy)
        path = "line" if self._path.value == "line" else "joints"
        await self._model.order(
            lambda moving: moving.move_to(T_world_target, mode, path), self._wrong
        )

    def refresh(self, state: ArmState) -> None:
        """Follows what was commanded; what somebody types stays until then."""
        units = self._model.page.units
        if not self._changed(state.goals, state.revision, units.system):
            return
        for field, axis in zip(self._position, "XYZ", strict=True):
            field.element.props(f'label="{axis} [{units.system}]"')
        if state.goal_by not in {"mode", "method"}:
            self._show(state.T_world_target)
        self._shown_mode = self._mode.value = state.mode
        self._shown_method = self._method.value = state.method
        self._turn_row.visible = state.mode == "pose"
        self._wrong.text = ""
        text, icon, color = describe_answer(state, units)
        self._result.text = text
        self._icon.name = icon
        self._icon.props(f"color={color}")

    def _show(self, T_world: Transform) -> None:
        units = self._model.page.units
        for field, value in zip(self._position, units.show(T_world.translation), strict=True):
            field.show(value, 4 if units.system == "m" else 1)
        for field, angle in zip(self._turn, T_world.to_euler(), strict=True):
            field.show(math.degrees(angle), 2)

    def _take(self) -> None:
        self._show(self._model.state.T_world_tool)

    def _choose_mode(self) -> Awaitable[None] | None:
        mode: Mode = "pose" if self._mode.value == "pose" else "position"
        if mode == self._shown_mode:
            return None
        return self._model.order(lambda moving: moving.set_mode(mode))

    def _choose_method(self) -> Awaitable[None] | None:
        method: Method = "dls" if self._method.value == "dls" else "robust"
        if method == self._shown_method:
            return None
        return self._model.order(lambda moving: moving.set_method(method))


def describe_answer(state: ArmState, units: Units) -> tuple[str, str, str]:
    """What there is to say of the target: text, icon and colour."""
    answer = state.answer
    if answer is None:
        return "no target: the joints were commanded", "tune", "grey"
    distance = fixed(answer.position_error * units.per_metre, 4 if units.system == "m" else 2)
    left = f"residual {distance} {units.system}"
    if state.mode == "pose":
        left += f", {fixed(math.degrees(answer.rotation_error), 2)} deg"
    text = f"{answer.reason}\n{left}"
    if not answer.success:
        if answer.limits_active:
            text += f"\nat a limit: {', '.join(answer.limits_active)}"
        return text, "error", "negative"
    if state.notice:
        return f"{text}\n{state.notice}", "warning", "warning"
    return text, "check_circle", "positive"
