"""The selected thing: where it is, moved by numbers or handles, deleted; and undo."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from nicegui import background_tasks, ui

from horus_sim.tf import Transform
from horus_sim.ui.editing import pose_of
from horus_sim.ui.panels.fields import NumberField, numbers
from horus_sim.ui.panels.frame import hint
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
    chosen.props('outlined dense aria-label="Selected"').classes("full-width")
    empty = hint("Click a thing in the view, or choose it here.")
    with ui.column().classes("full-width").style("gap:10px") as content:
        with ui.row().classes("no-wrap full-width gap-2"):
            position = [
                NumberField(f"{axis} [m]", 0.0, -1e6, 1e6, name=f"{axis} position")
                for axis in "XYZ"
            ]
        with ui.row().classes("no-wrap full-width gap-2"):
            turn = [
                NumberField(f"{name} [deg]", 0.0, -360.0, 360.0)
                for name in ("Roll", "Pitch", "Yaw")
            ]
        with ui.row().classes("no-wrap full-width gap-2 items-center"):
            mover = ui.button("Move").props('unelevated no-caps aria-label="Move"')
            deleter = ui.button("Delete").props(
                'outline no-caps color=negative aria-label="Delete"'
            )
            ui.space()
            handles = ui.toggle({"move": "Shift", "rotate": "Turn"}, value="move")
            handles.classes("horus-choice")
            handles.props('dense no-caps unelevated toggle-color=primary aria-label="Handles"')
            handles.tooltip("What the handles on the view do")
    with ui.row().classes("no-wrap full-width gap-2"):
        undo_button = ui.button("Undo", icon="undo")
        redo_button = ui.button("Redo", icon="redo")
        for button, label in ((undo_button, "Undo"), (redo_button, "Redo")):
            button.props(f'flat dense no-caps aria-label="{label}"').classes("col")
    content.set_visibility(False)

    def label_units() -> None:
        for field, axis in zip(position, "XYZ", strict=True):
            field.element.props(f'label="{axis} [{page.units.system}]"')

    async def show_pose() -> None:
        name = chosen.value
        if not name:
            return
        pose = await asyncio.wrap_future(session.simulation.call(lambda world: _pose(world, name)))
        if pose is None:
            return
        for field, value in zip(position, page.units.show(pose.translation), strict=True):
            field.show(value, 3 if page.units.system == "m" else 0)
        for field, angle in zip(turn, pose.to_euler(), strict=True):
            field.show(math.degrees(angle), 1)

    async def select(name: str | None) -> None:
        view.set_selected(name or "")
        empty.set_visibility(not name)
        # Not before its numbers are known: they would replace what somebody types.
        await show_pose()
        content.set_visibility(bool(chosen.value))

    async def move() -> None:
        values = numbers(*position, *turn)
        if not chosen.value or values is None:
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
    mover.on_click(move)
    deleter.on_click(delete)
    undo_button.on_click(undo)
    redo_button.on_click(redo)
    handles.on_value_change(lambda event: view.set_gizmo(event.value))

    async def follow_units() -> None:
        label_units()
        await show_pose()

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
    view.on_moved(show_pose)
    page.on_units(lambda: background_tasks.create(follow_units()))
    page.every(_REFRESH_S, refresh)


def _names(world: World) -> list[str]:
    return sorted((*world.robots, *world.objects))


def _pose(world: World, name: str) -> Transform | None:
    known = name in world.robots or name in world.objects
    return pose_of(world, name) if known else None
