"""The joints: sliders that move them at once, fields to type into, and where they are."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from nicegui import ui

from horus_sim.ui.arm.model.address import from_shown, to_shown
from horus_sim.ui.arm.model.arm_model import Changed
from horus_sim.ui.arm.model.moving_arm import MovingArm
from horus_sim.ui.arm.panels.slider_row import on_slide
from horus_sim.ui.kit.controls import icon_button, text_button
from horus_sim.ui.kit.fields import NumberField, numbers
from horus_sim.ui.kit.messages import message_label

if TYPE_CHECKING:
    from horus_sim.arm import Arm
    from horus_sim.ui.arm.model.arm_model import ArmModel
    from horus_sim.ui.arm.model.moving_arm import ArmState

_DIGITS = 3
_TURNS = 2.0 * math.pi


class JointRows:
    """A row for each joint of the arm.

    Args:
        model: What the panels share.
    """

    def __init__(self, model: ArmModel) -> None:
        self._model = model
        self._built = Changed()
        self._goals = Changed()
        self._fields: list[NumberField] = []
        self._sliders: list[ui.slider] = []
        self._rows = ui.column().classes("full-width gap-1")
        with ui.row().classes("full-width gap-2 no-wrap"):
            apply = text_button("Apply Joint Angles", self.apply, look="unelevated dense")
            apply.classes("col")
            icon_button("home", "Home", self.go_home, "Go to the initial configuration")
            icon_button("stop", "Stop", self.stop, "Stop where it is")
        self._wrong = message_label("Joints message")
        model.listen(self.refresh)

    async def apply(self) -> None:
        """Moves the joints to what the fields say; a wrong one says why, and nothing moves."""
        values = numbers(*self._fields)
        if values is None:
            return
        q = from_shown(self._model.state.arm, values, self._model.page.units.per_metre)
        await self._model.order(lambda moving: moving.move_joints(q), self._wrong)

    async def go_home(self) -> None:
        """Moves to the initial configuration."""
        await self._model.order(lambda moving: moving.move_joints(moving.arm.initial), self._wrong)

    async def stop(self) -> None:
        """Stops where it is."""
        await self._model.order(lambda moving: moving.stop(), self._wrong)

    def refresh(self, state: ArmState) -> None:
        """Follows what was commanded; what somebody types stays until then."""
        metre = self._model.page.units.per_metre
        if self._built(state.revision, metre):
            self._rebuild(state)
        if not self._goals(state.goals, state.revision, metre):
            return
        shown = to_shown(state.arm, state.goal, metre)
        for index, (field, slider) in enumerate(zip(self._fields, self._sliders, strict=True)):
            field.show(shown[index], _DIGITS)
            if state.goal_by != f"slider {index}":
                slider.value = float(state.goal[index])

    def _rebuild(self, state: ArmState) -> None:
        self._rows.clear()
        self._fields.clear()
        self._sliders.clear()
        with self._rows:
            for index in range(state.arm.dof):
                self._add(state.arm, index)

    def _add(self, arm: Arm, index: int) -> None:
        joint, units = arm.description.joints[index], self._model.page.units
        name, unit = joint.name, units.system if joint.is_prismatic else "deg"
        low, high = (to_shown(arm, q, units.per_metre)[index] for q in (arm.lower, arm.upper))
        lower, upper = float(arm.lower[index]), float(arm.upper[index])
        if not np.isfinite(lower):
            lower, upper = -_TURNS, _TURNS
        with ui.row().classes("items-center no-wrap full-width gap-2"):
            with ui.column().classes("col gap-0").style("min-width:0"):
                with ui.row().classes("full-width justify-between no-wrap text-caption"):
                    ui.label(name).classes("ellipsis text-weight-medium")
                    if math.isfinite(low):
                        ui.label(f"{low:.4g} … {high:.4g}").classes("text-grey horus-number").style(
                            "white-space:nowrap"
                        )
                step, value = (upper - lower) / 1000, float(arm.initial[index])
                slider = ui.slider(min=lower, max=upper, step=step, value=value)
                slider.props(f'dense aria-label="Jog {name}" color=orange-8')
                on_slide(slider, partial(self._jog, index))
            field = NumberField(name, 0.0, *_outward(low, high))
            field.element.props(f'hide-bottom-space suffix="{unit}"').props(remove="label")
            field.element.classes(remove="col").style("width:7.2em")
            field.element.on("keydown.enter", self.apply)
        self._fields.append(field)
        self._sliders.append(slider)

    def _jog(self, index: int, value: float) -> None:
        arm = self._model.state.arm
        if index < arm.dof:
            goal = float(np.clip(value, arm.lower[index], arm.upper[index]))
            order = partial(MovingArm.jog, index=index, value=goal, by=f"slider {index}")
            self._model.thread.post("jog", order)


def _outward(low: float, high: float) -> tuple[float, float]:
    """Limits rounded away from each other: what is shown is rounded, and must be taken again."""
    if not math.isfinite(low):
        return low, high
    scale = 10.0**_DIGITS
    return math.floor(low * scale) / scale, math.ceil(high * scale) / scale
