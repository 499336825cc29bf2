"""Where the tool shall go: a point or a pose, typed in; and what inverse kinematics says of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.tf import Transform
from horus_sim.ui.panels.arm.messages import message_label
from horus_sim.ui.panels.arm.workplace import Changed
from horus_sim.ui.panels.fields import NumberField, fixed, numbers

if TYPE_CHECKING:
    from horus_sim.ui.arm.bench import BenchState
    from horus_sim.ui.panels.arm.workplace import Workplace

_FARTHEST = 1e6
_MODES = {"position": "Point", "pose": "Pose"}
_PATHS = {"joints": "joints together", "line": "straight line"}
_MM = 1000.0


def build_target(place: Workplace) -> None:
    """Fields, the button and the answer."""
    mode = ui.toggle(_MODES, value=place.state.mode).props(
        'dense no-caps unelevated spread aria-label="Target is"'
    )
    mode.classes("full-width")
    with ui.row().classes("no-wrap full-width gap-2"):
        position = [NumberField(axis, 0.0, -_FARTHEST, _FARTHEST) for axis in "XYZ"]
    turn_row = ui.row().classes("no-wrap full-width gap-2")
    with turn_row:
        turn = [NumberField(name, 0.0, -360.0, 360.0) for name in ("Roll", "Pitch", "Yaw")]
    for field in turn:
        field.element.props(f'label="{field.element.props["label"]} [deg]"')
    for field in (*position, *turn):
        field.element.props("hide-bottom-space")
        field.element.on("keydown.enter", lambda: move())
    path = ui.select(_PATHS, value="joints", label="Path")
    path.props('dense options-dense aria-label="Path"').classes("full-width")
    with ui.row().classes("full-width gap-2 no-wrap items-center"):
        ui.button("Move To XYZ", icon="my_location", on_click=lambda: move()).props(
            'no-caps unelevated dense aria-label="Move To XYZ"'
        ).classes("col")
        ui.button(icon="push_pin", on_click=lambda: take()).props(
            'flat dense round aria-label="Take the tool\'s pose"'
        ).tooltip("Fill in where the tool is now")
    wrong = message_label("Target message")
    with ui.row().classes("items-start no-wrap gap-2 full-width"):
        icon = ui.icon("check_circle", size="sm")
        result = (
            ui.label().classes("text-body2 horus-number").props('role="status" aria-label="Result"')
        )
        result.style("white-space:pre-line;overflow-wrap:anywhere")
    changed = Changed()

    async def move() -> None:
        values = numbers(*position, *(turn if mode.value == "pose" else ()))
        if values is None:
            return
        xyz = place.page.units.read(values[:3])
        rpy = [math.radians(angle) for angle in values[3:] or (0.0, 0.0, 0.0)]
        T_world_target = Transform.from_euler(xyz, rpy)
        await place.order(
            lambda bench: bench.move_to(T_world_target, mode.value, path.value), wrong
        )

    def show(T_world: Transform) -> None:
        for field, value in zip(position, place.page.units.show(T_world.translation), strict=True):
            field.show(value, 4 if place.metre == 1.0 else 1)
        for field, angle in zip(turn, T_world.to_euler(), strict=True):
            field.show(math.degrees(angle), 2)

    def take() -> None:
        show(place.state.T_world_tool)

    async def choose(value: str) -> None:
        turn_row.visible = value == "pose"
        await place.order(lambda bench: bench.set_mode("pose" if value == "pose" else "position"))

    def refresh(state: BenchState) -> None:
        unit = place.page.units.system
        if changed(state.goals, state.revision, unit):
            for field, axis in zip(position, "XYZ", strict=True):
                field.element.props(f'label="{axis} [{unit}]"')
            if state.goal_by != "mode":
                show(state.T_world_target)
            mode.value = state.mode
            turn_row.visible = state.mode == "pose"
            if state.goal_by not in ("target", "mode"):
                wrong.text = ""
        text, name, color = describe_answer(state, place.metre, unit)
        result.text = text
        icon.name = name
        icon.props(f"color={color}")

    mode.on("update:model-value", lambda _: choose(mode.value))
    place.listen(refresh)


def describe_answer(state: BenchState, metre: float, unit: str) -> tuple[str, str, str]:
    """What there is to say of the target: text, icon and colour.

    Args:
        state: Of the bench.
        metre: How many of the chosen units of length a metre is.
        unit: Their name.
    """
    answer = state.answer
    if answer is None:
        return "joints are where they were sent", "settings_ethernet", "grey"
    left = f"residual {fixed(answer.position_error * metre, 4 if metre == 1.0 else 2)} {unit}"
    if state.mode == "pose":
        left += f", {fixed(math.degrees(answer.rotation_error), 2)} deg"
    text = f"{answer.reason}\n{left}"
    if answer.limits_active and not answer.success:
        text += f"\nat a limit: {', '.join(answer.limits_active)}"
    if state.notice:
        text += f"\n{state.notice}"
    if not answer.success:
        return text, "error", "negative"
    return (
        text,
        ("warning", "check_circle")[not state.notice],
        ("warning", "positive")[not state.notice],
    )
