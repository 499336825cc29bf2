"""Teaching: sliders for the pose of the tool, which the arm follows while they are moved."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.tf import Transform
from horus_sim.ui.arm.model.arm_model import Changed
from horus_sim.ui.arm.panels.slider_row import slider_row
from horus_sim.ui.kit.controls import choice
from horus_sim.ui.kit.fields import fixed
from horus_sim.ui.kit.panel import hint

if TYPE_CHECKING:
    from horus_sim.ui.arm.model.arm_model import ArmModel
    from horus_sim.ui.arm.model.moving_arm import ArmState

_NAMES = ("X", "Y", "Z", "Roll", "Pitch", "Yaw")


class TeachSliders:
    """Six sliders; those for the rotation come with pose targets.

    Args:
        model: What the panels share.
    """

    def __init__(self, model: ArmModel) -> None:
        self._model = model
        self._built = Changed()
        self._goals = Changed()
        self._sliders: list[tuple[ui.slider, ui.label]] = []
        hint("The arm follows at once; so it does when the target is dragged.")
        with ui.row().classes("items-center gap-2 no-wrap full-width"):
            ui.label("Handles").classes("text-caption")
            handles = {"move": "Shift", "rotate": "Turn"}
            self._handles = choice("Handles", handles, "move", self._choose_handles)
        self._rows = ui.column().classes("full-width gap-0")
        model.listen(self.refresh)

    async def _choose_handles(self) -> None:
        mode = "rotate" if self._handles.value == "rotate" else "move"
        self._model.view.set_handles(mode)
        if mode == "rotate":
            # A point has no rotation to turn.
            await self._model.order(lambda moving: moving.set_mode("pose"))

    def refresh(self, state: ArmState) -> None:
        """Follows the target, but for the slider that moves it."""
        units = self._model.page.units
        if self._built(state.revision, units.system, state.mode):
            self._rebuild(state)
        if not self._goals(state.goals, state.revision, units.system, state.mode):
            return
        values = self._values(state.T_world_target)
        for index, (slider, label) in enumerate(self._sliders):
            digits = 1 if index > 2 or units.system == "mm" else 3
            label.text = fixed(values[index], digits)
            if state.goal_by != f"teach {index}":
                slider.value = values[index]

    def _values(self, T_world_target: Transform) -> list[float]:
        xyz = self._model.page.units.show(T_world_target.translation)
        return [*xyz, *(math.degrees(angle) for angle in T_world_target.to_euler())]

    def _rebuild(self, state: ArmState) -> None:
        units = self._model.page.units
        self._rows.clear()
        half = state.arm.reach * units.per_metre
        middle = units.show(state.arm.description.T_world_base.translation)
        ranges = [(value - half, value + half, units.system) for value in middle]
        if state.mode == "pose":
            ranges += [(-180.0, 180.0, "deg")] * 3
        with self._rows:
            self._sliders = [
                slider_row(
                    name, low, high, partial(self._teach, index), label=f"Teach {name}", unit=unit
                )
                for index, (name, (low, high, unit)) in enumerate(zip(_NAMES, ranges, strict=False))
            ]

    def _teach(self, index: int, value: float) -> None:
        values = self._values(self._model.state.T_world_target)
        if len(self._sliders) == len(_NAMES):
            # Angles of a matrix jump where pitch passes 90 degrees; those of the sliders do not.
            values[3:] = [float(slider.value or 0.0) for slider, _ in self._sliders[3:]]
        values[index] = value
        xyz = self._model.page.units.read(values[:3])
        rpy = [math.radians(angle) for angle in values[3:]]
        self._model.thread.drag(Transform.from_euler(xyz, rpy), f"teach {index}")
