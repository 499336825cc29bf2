"""The selected thing: where it is, moved by numbers or handles, deleted; and undo."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.tf import Transform
from horus_sim.ui.editing import pose_of
from horus_sim.ui.panels.fields import NumberField, numbers
from horus_sim.ui.panels.orders import obey

if TYPE_CHECKING:
    from horus_sim.sim3d import World
    from horus_sim.ui.shell import Page
    from horus_sim.ui.view3d import View3d

_REFRESH_S = 0.5


def build_selection(page: Page, view: View3d) -> None:
    """Choice, pose, deletion, undo and redo."""
    session, editor, log = page.session, page.session.editor, page.session.log
    chosen = ui.select([], label="Selected", clearable=True, with_input=True)
    chosen.props('dense aria-label="Selected"').classes("full-width")
    with ui.row().classes("no-wrap full-width gap-2"):
        position = [NumberField(f"{axis} position", 0.0, -1e6, 1e6) for axis in "XYZ"]
    with ui.row().classes("no-wrap full-width gap-2"):
        turn = [
            NumberField(f"{name} [deg]", 0.0, -360.0, 360.0) for name in ("Roll", "Pitch", "Yaw")
        ]

    async def show_pose() -> None:
        name = chosen.value
        if not name:
            return
        pose = await asyncio.wrap_future(session.simulation.call(lambda world: _pose(world, name)))
        if pose is None:
            return
        for field, value in zip(position, page.units.show(pose.translation), strict=True):
            field.show(value)
        for field, angle in zip(turn, pose.to_euler(), strict=True):
            field.show(math.degrees(angle), 1)

    async def select(name: str | None) -> None:
        view.set_selected(name or "")
        await show_pose()

    async def move() -> None:
        values = numbers(*position, *turn)
        if not chosen.value:
            chosen.props('error error-message="select something first"')
            return
        if values is None:
            return
        xyz = page.units.read(values[:3])
        pose = Transform.from_euler(xyz, tuple(math.radians(angle) for angle in values[3:]))
        await obey(log, lambda: editor.move(chosen.value, pose), f"'{chosen.value}' was moved")

    async def delete() -> None:
        name = chosen.value
        if name:
            await obey(log, lambda: editor.remove(name), f"'{name}' was deleted")
            await refresh()

    async def undo() -> None:
        await obey(log, editor.undo, "undone: {}")
        await refresh()
        await show_pose()

    async def redo() -> None:
        await obey(log, editor.redo, "done again: {}")
        await refresh()
        await show_pose()

    chosen.on_value_change(lambda event: select(event.value))
    with ui.row().classes("gap-1"):
        ui.button("Move", on_click=move).props('dense no-caps aria-label="Move"')
        ui.button("Delete", on_click=delete).props(
            'dense no-caps color=negative aria-label="Delete"'
        )
        undo_button = ui.button(icon="undo", on_click=undo).props('dense flat aria-label="Undo"')
        redo_button = ui.button(icon="redo", on_click=redo).props('dense flat aria-label="Redo"')
        handles = ui.toggle({"move": "Shift", "rotate": "Turn"}, value="move")
        handles.props('dense no-caps aria-label="Handles"')
        handles.on_value_change(lambda event: view.set_gizmo(event.value))

    async def refresh() -> None:
        names = await asyncio.wrap_future(session.simulation.call(_names))
        if names != chosen.options:
            chosen.set_options(names, value=chosen.value if chosen.value in names else None)
        undo_button.set_enabled(editor.can_undo)
        redo_button.set_enabled(editor.can_redo)

    def pick(name: str) -> None:
        if not name or name in chosen.options:
            chosen.value = name or None

    view.on_pick(pick)
    page.every(_REFRESH_S, refresh)


def _names(world: World) -> list[str]:
    return sorted((*world.robots, *world.objects))


def _pose(world: World, name: str) -> Transform | None:
    known = name in world.robots or name in world.objects
    return pose_of(world, name) if known else None
