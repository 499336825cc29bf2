"""Keys: undo, copy, delete, save, arrows, and those that end a drawing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
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
from horus_sim.ui.designer.model.content import Content, get

if TYPE_CHECKING:
    from horus_sim.ui.designer.model.designer_model import DesignerModel
    from horus_sim.ui.designer.panels.files import Saving
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


def build_keys(model: DesignerModel, toolbox: Toolbox, saving: Saving) -> None:
    """Listens; keys that are typed into a field do nothing here, but for saving."""
    ui.add_body_html(_NO_SAVE_PAGE)
    with_control: dict[str, Callable[[], object]] = {
        "z": model.undo,
        "Z": model.redo,
        "y": model.redo,
        "Y": model.redo,
        "c": model.copy,
        "x": model.cut,
        "v": model.paste,
        "s": saving.save,
    }
    alone: dict[str, Callable[[], object]] = {
        "Delete": model.delete,
        "Backspace": model.delete,
        "Enter": toolbox.finish,
        "Escape": toolbox.cancel,
    }

    async def pressed(event: events.KeyEventArguments) -> None:
        if not event.action.keydown:
            return
        name, held = event.key.name, event.modifiers
        actions = with_control if held.ctrl or held.meta else alone
        if name in actions:
            done = actions["Z" if name == "z" and held.shift else name]()
            if isinstance(done, Awaitable):
                await done
        elif actions is alone and name in _ARROWS and model.selected:
            step = _FINE_M if held.alt or not model.snap else model.snap
            x, y = _ARROWS[name]
            nudge(model, (x * step, y * step))

    ui.keyboard(pressed, ignore=["input", "select", "textarea"])


def nudge(model: DesignerModel, by: tuple[float, float]) -> None:
    """Moves the selected thing by a little [m], world frame."""
    place = model.selected
    thing = get(model.content, place)

    def edit(content: Content) -> Content:
        if isinstance(thing, Stroke):
            return edits.shift_stroke(content, place, by)
        x, y, theta = edits.world_pose(content, place)
        pose = (x + by[0], y + by[1], theta)
        is_robot = place[0] == "robots" and isinstance(thing, BodyConfig)
        return (edits.move_robot if is_robot else edits.move)(content, place, pose)

    if isinstance(thing, Stroke | PlacedBody | BodyConfig | ActuatorConfig | SensorConfig):
        model.do("nudge", edit, merge=("nudge", place))
