"""Where the tool shall go: a point or a pose, typed in; and what inverse kinematics says of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.tf import Transform
from horus_sim.ui.arm.panels.workplace import Changed
from horus_sim.ui.kit.fields import NumberField, fixed, numbers
from horus_sim.ui.kit.messages import message_label

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from horus_sim.ui.arm.model.bench import BenchState, Method, Mode
    from horus_sim.ui.arm.panels.workplace import Workplace

_FARTHEST = 1e6
_MODES = {"position": "Point", "pose": "Pose"}
_METHODS = {"robust": "robust", "dls": "damped least squares"}
_PATHS = {"joints": "joints together", "line": "straight line"}


class TargetPanel:
    """Fields for the target, the button, and the answer.

    Args:
        place: The page.
    """

    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._changed = Changed()
        self._shown_mode = place.state.mode
        self._mode = ui.toggle(
            _MODES, value=place.state.mode, on_change=lambda event: self._choose_mode(event.value)
        ).classes("full-width")
        self._mode.props('dense no-caps unelevated spread aria-label="Target is"')
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
        self._path = ui.select(_PATHS, value="joints", label="Path").classes("full-width")
        self._path.props('dense outlined aria-label="Path"')
        self._shown_method = place.state.method
        self._method = ui.select(
            _METHODS,
            value=place.state.method,
            label="Solver",
            on_change=lambda event: self._choose_method(event.value),
        ).classes("full-width")
        self._method.props('dense outlined aria-label="Solver"')
        self._method.tooltip(
            "Damped least squares has the parameters simulation.ik of the arm's file"
        )
        with ui.row().classes("full-width gap-2 no-wrap items-center"):
            button = ui.button("Move To XYZ", icon="my_location", on_click=self.move)
            button.props('no-caps unelevated dense aria-label="Move To XYZ"').classes("col")
            take = ui.button(icon="push_pin", on_click=self._take)
            take.props('flat dense round aria-label="Take pose of the tool"')
            take.tooltip("Fill in where the tool is now")
        self._wrong = message_label("Target message")
        with ui.row().classes("items-start no-wrap gap-2 full-width"):
            self._icon = ui.icon("check_circle", size="sm")
            self._result = ui.label().classes("text-body2 horus-number")
            self._result.props('role="status" aria-label="Result"')
            self._result.style("white-space:pre-line;overflow-wrap:anywhere")
        place.listen(self.refresh)

    async def move(self) -> None:
        """Moves the tool to what the fields say; a wrong one says why, and nothing moves."""
        mode: Mode = "pose" if self._mode.value == "pose" else "position"
        values = numbers(*self._position, *(self._turn if mode == "pose" else ()))
        if values is None:
            return
        xyz = self._place.page.units.read(values[:3])
        rpy = [math.radians(angle) for angle in values[3:] or (0.0, 0.0, 0.0)]
        T_world_target = Transform.from_euler(xyz, rpy)
        path = "line" if self._path.value == "line" else "joints"
        await self._place.order(
            lambda bench: bench.move_to(T_world_target, mode, path), self._wrong
        )

    def refresh(self, state: BenchState) -> None:
        """Follows what was commanded; what somebody types stays until then."""
        unit = self._place.page.units.system
        if not self._changed(state.goals, state.revision, unit):
            return
        for field, axis in zip(self._position, "XYZ", strict=True):
            field.element.props(f'label="{axis} [{unit}]"')
        if state.goal_by not in {"mode", "method"}:
            self._show(state.T_world_target)
        self._shown_mode = self._mode.value = state.mode
        self._shown_method = self._method.value = state.method
        self._turn_row.visible = state.mode == "pose"
        self._wrong.text = ""
        text, icon, color = describe_answer(state, self._place.metre, unit)
        self._result.text = text
        self._icon.name = icon
        self._icon.props(f"color={color}")

    def _show(self, T_world: Transform) -> None:
        shown = self._place.page.units.show(T_world.translation)
        for field, value in zip(self._position, shown, strict=True):
            field.show(value, 4 if self._place.metre == 1.0 else 1)
        for field, angle in zip(self._turn, T_world.to_euler(), strict=True):
            field.show(math.degrees(angle), 2)

    def _take(self) -> None:
        self._show(self._place.state.T_world_tool)

    def _choose_mode(self, value: str | None) -> Awaitable[object] | None:
        mode: Mode = "pose" if value == "pose" else "position"
        if mode == self._shown_mode:
            return None
        return self._place.order(lambda bench: bench.set_mode(mode))

    def _choose_method(self, value: str | None) -> Awaitable[object] | None:
        method: Method = "dls" if value == "dls" else "robust"
        if method == self._shown_method:
            return None
        return self._place.order(lambda bench: bench.set_method(method))


def describe_answer(state: BenchState, metre: float, unit: str) -> tuple[str, str, str]:
    """What there is to say of the target: text, icon and colour.

    Args:
        state: Of the bench.
        metre: How many of the chosen units of length a metre is.
        unit: Their name.
    """
    answer = state.answer
    if answer is None:
        return "no target: the joints were commanded", "tune", "grey"
    left = f"residual {fixed(answer.position_error * metre, 4 if metre == 1.0 else 2)} {unit}"
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
