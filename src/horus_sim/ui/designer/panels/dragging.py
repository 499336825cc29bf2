"""Dragging things and pulling handles: an edit that grows until the pointer is let go."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from horus_sim.sim2d.scenario.schema import BodyConfig, Stroke
from horus_sim.ui.designer.model import edits
from horus_sim.ui.designer.model.content import Content, Place, get, put
from horus_sim.ui.designer.model.geometry import Point, snap, tidy

if TYPE_CHECKING:
    from horus_sim.ui.designer.panels.board import Board
    from horus_sim.ui.designer.panels.tools import Toolbox

_SMALLEST_M = 0.001


class Pulls:
    """Listens to the view.

    Args:
        board: The page.
        toolbox: Whether one is drawing.

    Attributes:
        whole_robots: Whether dragging a body of a robot moves the whole robot.
    """

    def __init__(self, board: Board, toolbox: Toolbox) -> None:
        self._board = board
        self._toolbox = toolbox
        self._base: Content | None = None
        self._count = 0
        self.whole_robots = True
        board.view.on_event("pick", self._pick)
        board.view.on_event("drag", self._drag)
        board.view.on_event("handle", self._handle)
        board.view.on_event("double", self._double)

    def _pick(self, event: dict[str, Any]) -> None:
        if event.get("kind") != "handle":
            self._board.select(self._board.picked(str(event.get("id", ""))))

    def _drag(self, event: dict[str, Any]) -> None:
        board = self._board
        place = board.picked(str(event.get("id", "")))
        pose, delta = _numbers(event.get("pose"), 3), _numbers(event.get("delta"), 2)
        if not place or pose is None or delta is None:
            return
        if event.get("phase") == "start" and place != board.selected:
            board.select(place)
        thing = get(board.content, place)
        if isinstance(thing, Stroke):
            by = (snap(delta[0], board.snap), snap(delta[1], board.snap))
            self._pull(event, "move a line", lambda c: edits.shift_stroke(c, place, by))
            return
        target = (pose[0], pose[1], pose[2])
        is_robot = place[0] == "robots" and isinstance(thing, BodyConfig)
        is_whole = is_robot and self.whole_robots
        edit = edits.move_robot if is_whole else edits.move
        label = "turn" if event.get("turns") else "move"
        what = "the robot" if is_whole else f"'{thing.name}'"
        self._pull(event, f"{label} {what}", lambda c: edit(c, place, target))

    def _handle(self, event: dict[str, Any]) -> None:
        board = self._board
        at = _numbers(event.get("snapped"), 2)
        kind, _, rest = str(event.get("id", "")).partition("/")
        if at is None or not board.selected:
            return
        edit = self._handle_edit(kind, rest, (tidy(at[0]), tidy(at[1])), board.selected)
        if edit is not None:
            board.is_pulling = event.get("phase") != "end"
            self._pull(event, f"pull {kind}", edit)
            if not board.is_pulling:
                board.show_handles()

    def _handle_edit(
        self, kind: str, rest: str, at: Point, place: Place
    ) -> Callable[[Content], Content] | None:
        if kind == "corner" and rest.isdecimal():
            return lambda c: edits.move_corner(c, place, int(rest), at)
        if kind == "middle" and rest.isdecimal():
            return lambda c: edits.add_corner(c, place, int(rest), at)
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
        place = self._board.selected
        if kind == "corner" and rest.isdecimal() and place and self._toolbox.tool == "select":
            self._board.do("remove a corner", lambda c: edits.remove_corner(c, place, int(rest)))

    def _pull(self, event: dict[str, Any], label: str, edit: Callable[[Content], Content]) -> None:
        board = self._board
        phase = event.get("phase")
        if phase == "start" or self._base is None:
            self._count += 1
            self._base = board.content
            board.document.seal()
        base = self._base
        # Always from where it began, so that nothing adds up.
        error = board.do(label, lambda _: edit(base), merge=("pull", id(self), self._count))
        if phase == "end":
            self._base = None
            board.document.seal()
            if error is not None:
                # The view shows it where it was let go.
                board.redraw(str(event.get("id", "")))


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


def _numbers(values: object, count: int) -> list[float] | None:
    """So many finite numbers, or None where a browser sent something else."""
    if not isinstance(values, list) or len(values) != count:
        return None
    good = all(isinstance(value, int | float) and math.isfinite(value) for value in values)
    return [float(value) for value in values] if good else None
