"""Dragging things and pulling handles: an edit that grows until the pointer is let go."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from horus_sim.sim2d.scenario.schema import BodyConfig, Stroke
from horus_sim.ui.designer.model import edits
from horus_sim.ui.designer.model.content import Content, Place, get, put
from horus_sim.ui.designer.model.geometry import Point, snap, tidy
from horus_sim.ui.designer.panels.tools import Toolbox, numbers_of, snapped

if TYPE_CHECKING:
    from horus_sim.ui.designer.model.designer_model import DesignerModel

_SMALLEST_M = 0.001


class Dragging:
    """Listens to the view, and edits while something is dragged.

    Args:
        model: The page.
        toolbox: Whether one is drawing.

    Attributes:
        whole_robots: Whether dragging a body of a robot moves the whole robot.
    """

    def __init__(self, model: DesignerModel, toolbox: Toolbox) -> None:
        self._model = model
        self._toolbox = toolbox
        self._base: Content | None = None
        self._count = 0
        self.whole_robots = True
        model.view.on_event("pick", self._pick)
        model.view.on_event("drag", self._drag)
        model.view.on_event("handle", self._handle)
        model.view.on_event("double", self._double)

    def _pick(self, event: dict[str, Any]) -> None:
        if event.get("kind") != "handle":
            self._model.select(self._model.picked(str(event.get("id", ""))))

    def _drag(self, event: dict[str, Any]) -> None:
        model = self._model
        place = model.picked(str(event.get("id", "")))
        pose, delta = numbers_of(event, "pose", 3), numbers_of(event, "delta", 2)
        if not place or pose is None or delta is None:
            return
        if event.get("phase") == "start" and place != model.selected:
            model.select(place)
        thing = get(model.content, place)
        if isinstance(thing, Stroke):
            by = (snap(delta[0], model.snap), snap(delta[1], model.snap))
            self._pull(event, "move a line", lambda c: edits.shift_stroke(c, place, by))
            return
        is_robot = place[0] == "robots" and isinstance(thing, BodyConfig)
        is_whole = is_robot and self.whole_robots
        edit = edits.move_robot if is_whole else edits.move
        label = "turn" if event.get("turns") else "move"
        what = "the robot" if is_whole else f"'{thing.name}'"
        self._pull(event, f"{label} {what}", lambda c: edit(c, place, (pose[0], pose[1], pose[2])))

    def _handle(self, event: dict[str, Any]) -> None:
        model = self._model
        at = snapped(event)
        kind, _, rest = str(event.get("id", "")).partition("/")
        if at is None or not model.selected:
            return
        edit = self._handle_edit(kind, rest, at, model.selected)
        if edit is not None:
            model.is_pulling = event.get("phase") != "end"
            self._pull(event, f"pull {kind}", edit)
            if not model.is_pulling:
                model.show_handles()

    def _handle_edit(
        self, kind: str, rest: str, at: Point, place: Place
    ) -> Callable[[Content], Content] | None:
        if kind in ("corner", "middle") and rest.isdecimal():
            edit = edits.move_corner if kind == "corner" else edits.add_corner
            return lambda c: edit(c, place, int(rest), at)
        if kind == "radius":
            return lambda c: _set_radius(c, place, at)
        if kind == "anchor" and rest in ("parent", "child", "both"):
            return lambda c: edits.move_anchor(c, place, rest, at)
        if kind == "side":
            return lambda c: _set_corner(c, rest, at)
        return None

    def _double(self, event: dict[str, Any]) -> None:
        """A double click on a corner removes it."""
        kind, _, rest = str(event.get("id", "")).partition("/")
        place = self._model.selected
        if kind == "corner" and rest.isdecimal() and place and self._toolbox.tool == "select":
            self._model.do("remove a corner", lambda c: edits.remove_corner(c, place, int(rest)))

    def _pull(self, event: dict[str, Any], label: str, edit: Callable[[Content], Content]) -> None:
        model = self._model
        phase = event.get("phase")
        if phase == "start" or self._base is None:
            self._count += 1
            self._base = model.content
            model.document.seal()
        base = self._base
        # Always from where it began, so that nothing adds up.
        error = model.do(label, lambda _: edit(base), merge=("pull", id(self), self._count))
        if phase == "end":
            self._base = None
            model.document.seal()
            if error is not None:
                # The view shows it where it was let go.
                model.redraw(str(event.get("id", "")))


def _set_radius(content: Content, place: Place, at: Point) -> Content:
    x, y, _ = edits.world_pose(content, place)
    radius = max(tidy(math.hypot(at[0] - x, at[1] - y)), _SMALLEST_M)
    return put(content, (*edits.body_place(content, place), "radius"), radius)


def _set_corner(content: Content, rest: str, at: Point) -> Content:
    bounds = content.world.bounds
    names = rest.split("/")
    if bounds is None or names[0] not in ("min_x", "max_x") or names[-1] not in ("min_y", "max_y"):
        return content
    content = put(content, ("world", "bounds", names[0]), at[0])
    return put(content, ("world", "bounds", names[-1]), at[1])
