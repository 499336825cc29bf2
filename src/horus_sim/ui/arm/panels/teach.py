"""Teaching: sliders for the pose of the tool, which the arm follows while they are moved."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.tf import Transform
from horus_sim.ui.arm.panels.workplace import Changed
from horus_sim.ui.kit.fields import fixed, slid_to

if TYPE_CHECKING:
    from nicegui.events import GenericEventArguments

    from horus_sim.ui.arm.model.bench import BenchState
    from horus_sim.ui.arm.panels.workplace import Workplace

_NAMES = ("X", "Y", "Z", "Roll", "Pitch", "Yaw")
_SLIDER_S = 0.04
_STEPS = 500


class TeachSliders:
    """Six sliders; those for the rotation come with pose targets.

    Args:
        place: The page.
    """

    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._built = Changed()
        self._goals = Changed()
        self._sliders: list[ui.slider] = []
        self._labels: list[ui.label] = []
        ui.label("The arm follows at once; so it does when the target is dragged.").classes(
            "text-caption text-grey"
        )
        with ui.row().classes("items-center gap-2 no-wrap full-width"):
            ui.label("Handles").classes("text-caption")
            self._handles = ui.toggle({"move": "Shift", "rotate": "Turn"}, value="move")
            self._handles.props('dense no-caps unelevated aria-label="Handles"')
            self._handles.on("update:model-value", lambda _: self._choose_handles())
        self._rows = ui.column().classes("full-width gap-0")
        place.listen(self.refresh)

    async def _choose_handles(self) -> None:
        mode = "rotate" if self._handles.value == "rotate" else "move"
        self._place.view.set_handles(mode)
        if mode == "rotate":
            # A point has no rotation to turn.
            await self._place.order(lambda bench: bench.set_mode("pose"))

    def refresh(self, state: BenchState) -> None:
        """Follows the target, but for the slider that moves it."""
        if self._built(state.revision, self._place.metre, state.mode):
            self._rebuild(state)
        if not self._goals(state.goals, state.revision, self._place.metre, state.mode):
            return
        values = self._values(state.T_world_target)
        for index, (slider, label) in enumerate(zip(self._sliders, self._labels, strict=True)):
            digits = 1 if index > 2 or self._place.metre > 1.0 else 3
            label.text = fixed(values[index], digits)
            if state.goal_by != f"teach {index}":
                slider.value = values[index]

    def _values(self, T_world_target: Transform) -> list[float]:
        xyz = self._place.page.units.show(T_world_target.translation)
        return [*xyz, *(math.degrees(angle) for angle in T_world_target.to_euler())]

    def _rebuild(self, state: BenchState) -> None:
        self._rows.clear()
        self._sliders.clear()
        self._labels.clear()
        middle = self._place.page.units.show(state.arm.description.T_world_base.translation)
        half = state.arm.reach * self._place.metre
        ranges = [(value - half, value + half) for value in middle]
        if state.mode == "pose":
            ranges += [(-180.0, 180.0)] * 3
        with self._rows:
            for index, (low, high) in enumerate(ranges):
                self._add(index, low, high)

    def _add(self, index: int, low: float, high: float) -> None:
        unit = "deg" if index > 2 else self._place.page.units.system
        with ui.row().classes("items-center no-wrap full-width gap-3"):
            ui.label(_NAMES[index]).classes("text-caption").style("width:2.6em")
            slider = ui.slider(min=low, max=high, step=(high - low) / _STEPS, value=0.0)
            slider.props(f'dense aria-label="Teach {_NAMES[index]}"').classes("col")
            slider.on("update:model-value", partial(self._teach, index), throttle=_SLIDER_S)
            label = ui.label().classes("text-caption horus-number text-right")
            label.style("min-width:4em")
            ui.label(unit).classes("text-caption text-grey").style("width:1.8em")
        self._sliders.append(slider)
        self._labels.append(label)

    def _teach(self, index: int, event: GenericEventArguments) -> None:
        value = slid_to(event)
        if value is None:
            return
        state = self._place.state
        values = self._values(state.T_world_target)
        if len(self._sliders) == len(_NAMES):
            # Angles of a matrix jump where pitch passes 90 degrees; those of the sliders do not.
            values[3:] = [float(slider.value or 0.0) for slider in self._sliders[3:]]
        values[index] = value
        xyz = self._place.page.units.read(values[:3])
        rpy = [math.radians(angle) for angle in values[3:]]
        self._place.desk.drag(Transform.from_euler(xyz, rpy), f"teach {index}")
