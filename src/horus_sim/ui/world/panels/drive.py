"""Driving by hand: which robot, how fast, and how it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.kit.controls import select, set_options
from horus_sim.ui.kit.fields import NumberField
from horus_sim.ui.kit.panel import hint

if TYPE_CHECKING:
    from horus_sim.sim3d import World
    from horus_sim.ui.world.model.world_model import WorldModel

_LINEAR, _ANGULAR = 0.2, 1.0
_FASTEST_LINEAR, _FASTEST_ANGULAR = 20.0, 10.0


def drivable(world: World) -> list[str]:
    """Names of the robots that go from place to place."""
    return [
        robot.name
        for robot in world.robots.values()
        if robot.has_control and robot.control.drive is not None
    ]


def build_drive(model: WorldModel) -> None:
    """Choice of the robot and of its speeds."""
    view = model.view
    empty = hint("No robot of this scene drives. Add one below, or open another scene.")
    with ui.column().classes("full-width").style("gap:10px") as content:
        chosen = select("Robot", on_change=lambda event: view.set_robot(event.value or ""))
        with ui.row().classes("no-wrap full-width gap-2"):
            linear = NumberField("Speed [m/s]", _LINEAR, high=_FASTEST_LINEAR, above=0.0)
            angular = NumberField("Turning [rad/s]", _ANGULAR, high=_FASTEST_ANGULAR, above=0.0)
        hint("Keys W A S D or arrows, R and F for up and down, or the pad on the view.")
    content.set_visibility(False)

    def apply() -> None:
        forward, turn = linear.number, angular.number
        if forward is not None and turn is not None:
            view.set_speeds((forward, turn, forward))

    for field in (linear, angular):
        field.element.on_value_change(apply)
    apply()

    async def refresh() -> None:
        found = await model.ask(drivable)
        set_options(chosen, found, next(iter(found), None))
        empty.set_visibility(not found)
        content.set_visibility(bool(found))

    model.page.every(1.0, refresh)
