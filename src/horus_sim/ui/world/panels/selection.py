"""The selected thing: where it is, moved by numbers or handles, deleted; and undo."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui

from horus_sim.tf import Transform
from horus_sim.ui.kit.controls import choice, select, set_options, text_button
from horus_sim.ui.kit.fields import NumberField, numbers
from horus_sim.ui.kit.panel import hint
from horus_sim.ui.world.model.editing import pose_of

if TYPE_CHECKING:
    from horus_sim.sim3d import World
    from horus_sim.ui.world.model.world_model import WorldModel

_REFRESH_S = 0.5


def build_selection(model: WorldModel) -> None:
    """Choice, pose, deletion, undo and redo."""
    page, view, editor = model.page, model.view, model.session.editor
    chosen = select("Selected", clearable=True, with_input=True)
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
            mover = text_button("Move")
            deleter = text_button("Delete", look="outline color=negative")
            ui.space()
            options = {"move": "Shift", "rotate": "Turn"}
            handles = choice("Handles", options, "move", lambda event: view.set_gizmo(event.value))
            handles.tooltip("What the handles on the view do")
    with ui.row().classes("no-wrap full-width gap-2"):
        undo = text_button("Undo", lambda: go(editor.undo, "undone: {}"), "undo", look="flat dense")
        redo = text_button(
            "Redo", lambda: go(editor.redo, "done again: {}"), "redo", look="flat dense"
        )
        for button in (undo, redo):
            button.classes("col")
    content.set_visibility(False)

    async def show_pose() -> None:
        pose = await model.ask(lambda world: _pose(world, chosen.value))
        if pose is None:
            return
        for field, value in zip(position, page.units.show(pose.translation), strict=True):
            field.show(value, 3 if page.units.system == "m" else 0)
        for field, angle in zip(turn, pose.to_euler(), strict=True):
            field.show(math.degrees(angle), 1)

    async def show(name: str | None) -> None:
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
        await page.obey(lambda: editor.move(chosen.value, pose), f"'{chosen.value}' was moved")

    async def delete() -> None:
        if name := chosen.value:
            await go(lambda: editor.remove(name), f"'{name}' was deleted")

    async def go(order: Callable[[], Future[Any]], done: str) -> None:
        await page.obey(order, done)
        await refresh()
        await show_pose()

    chosen.on_value_change(lambda event: show(event.value))
    mover.on_click(move)
    deleter.on_click(delete)

    async def follow_units() -> None:
        for field, axis in zip(position, "XYZ", strict=True):
            field.element.props(f'label="{axis} [{page.units.system}]"')
        await show_pose()

    async def refresh() -> None:
        set_options(chosen, await model.ask(lambda world: sorted((*world.robots, *world.objects))))
        undo.set_enabled(editor.can_undo)
        redo.set_enabled(editor.can_redo)

    def pick(name: str) -> None:
        if not name or name in chosen.options:
            chosen.value = name or None

    view.on_pick(pick)
    view.on_moved(show_pose)
    page.on_units(lambda: background_tasks.create(follow_units()))
    page.every(_REFRESH_S, refresh)


def _pose(world: World, name: str | None) -> Transform | None:
    known = name in world.robots or name in world.objects
    return pose_of(world, name) if name and known else None
