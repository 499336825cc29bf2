"""Keys: undo, copy, delete, save, arrows, and those that end a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import events, ui

from horus_sim.sim2d.scenario.schema import (
    ActuatorConfig,
    BodyConfig,
    PlacedBody,
    SensorConfig,
    Stroke,
)
from horus_sim.ui.designer.model import edits
from horus_sim.ui.designer.model.content import Content, Place, get

if TYPE_CHECKING:
    from horus_sim.ui.designer.panels.board import Board
    from horus_sim.ui.designer.panels.files import Saving
    from horus_sim.ui.designer.panels.toolbar import Actions
    from horus_sim.ui.designer.panels.tools import Toolbox

_FINE_M = 0.001
_ARROWS = {
    "ArrowLeft": (-1.0, 0.0),
    "ArrowRight": (1.0, 0.0),
    "ArrowUp": (0.0, 1.0),
    "ArrowDown": (0.0, -1.0),
}
_NO_SAVE_PAGE = """
<script>
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") event.preventDefault();
});
</script>
"""


def build_keys(board: Board, toolbox: Toolbox, actions: Actions, saving: Saving) -> None:
    """Listens; keys that are typed into a field do nothing here, but for saving."""
    ui.add_body_html(_NO_SAVE_PAGE)

    async def pressed(event: events.KeyEventArguments) -> None:
        if not event.action.keydown:
            return
        name = event.key.name
        if event.modifiers.ctrl or event.modifiers.meta:
            is_redo = name in ("y", "Y") or (name in ("z", "Z") and event.modifiers.shift)
            if is_redo:
                actions.redo()
            elif name in ("z", "Z"):
                actions.undo()
            elif name == "c":
                actions.copy()
            elif name == "x":
                actions.cut()
            elif name == "v":
                actions.paste()
            elif name == "s":
                await saving.save()
        elif name in ("Delete", "Backspace"):
            actions.delete()
        elif name == "Enter":
            toolbox.finish()
        elif name == "Escape":
            toolbox.cancel()
        elif name in _ARROWS and board.selected:
            step = _FINE_M if event.modifiers.alt or not board.snap else board.snap
            x, y = _ARROWS[name]
            nudge(board, (x * step, y * step))

    ui.keyboard(pressed, ignore=["input", "select", "textarea"])


def nudge(board: Board, by: tuple[float, float]) -> None:
    """Moves the selected thing by a little [m], world frame."""
    place = board.selected
    thing = get(board.content, place)

    def edit(content: Content) -> Content:
        if isinstance(thing, Stroke):
            return edits.shift_stroke(content, place, by)
        x, y, theta = edits.world_pose(content, place)
        pose = (x + by[0], y + by[1], theta)
        is_robot = place[0] == "robots" and isinstance(thing, BodyConfig)
        return (edits.move_robot if is_robot else edits.move)(content, place, pose)

    if isinstance(thing, Stroke | PlacedBody | BodyConfig | ActuatorConfig | SensorConfig):
        board.do("nudge", edit, merge=("nudge", _key(place)))


def _key(place: Place) -> str:
    return "/".join(str(part) for part in place)
