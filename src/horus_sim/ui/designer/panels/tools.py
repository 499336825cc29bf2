"""Tools: what the pointer does in the view."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from horus_sim.errors import EditError
from horus_sim.sim2d.scenario.schema import ActuatorConfig, BodyConfig, SensorConfig, Stroke
from horus_sim.ui.designer.model import edits
from horus_sim.ui.designer.model.content import Content, Place, get
from horus_sim.ui.designer.model.geometry import (
    Point,
    centroid,
    counter_clockwise,
    rectangle,
    tidy,
    tidy_point,
)
from horus_sim.ui.designer.model.materials import MATERIALS

if TYPE_CHECKING:
    from horus_sim.ui.designer.model.designer_model import DesignerModel

DRAFT_ID = "draft"
_DRAFT_COLOR = "#ffab00"
_FREEHAND_M = 0.02
_CLICK_M = 1e-9
_NEAR_PIXELS = 10.0
NEW_ROBOT, WORLD = "new robot", "world"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool.

    Attributes:
        name: Name of its button.
        icon: Name of a Material icon.
        hint: What to do with it.
        group: Tools that stand together.
    """

    name: str
    icon: str
    hint: str
    group: str


TOOLS: dict[str, Tool] = {
    "select": Tool("Select", "near_me", "Click to select, drag to move, pull the handles.", ""),
    "polygon": Tool(
        "Polygon", "pentagon", "Click the corners; Enter, Finish or the first corner ends.", "body"
    ),
    "rectangle": Tool("Rectangle", "rectangle", "Drag from corner to corner, or click.", "body"),
    "circle": Tool("Circle", "circle", "Drag from the middle outwards, or click.", "body"),
    "mark": Tool(
        "Line", "gesture", "Drag to draw a line for line sensors, or click its corners.", "stroke"
    ),
    "wall": Tool("Wall", "border_style", "Click the corners of a wall, or drag.", "stroke"),
    "bounds": Tool(
        "Bounds", "crop_free", "Drag from corner to corner of the whole world.", "stroke"
    ),
    "motor": Tool("Motor", "album", "Click on a body of a robot.", "device"),
    "line_array": Tool("Line array", "linear_scale", "Click on a body of a robot.", "device"),
    "line": Tool("Line sensor", "lens_blur", "Click on a body of a robot.", "device"),
    "distance": Tool("Distance sensor", "sensors", "Click on a body of a robot.", "device"),
    "imu": Tool("IMU", "explore", "Click on a body of a robot.", "device"),
    "encoder": Tool("Encoder", "data_usage", "Click on a body of a robot with a motor.", "device"),
    "hinge": Tool("Hinge", "adjust", "Click on a body, then on another where it turns.", "joint"),
    "rigid": Tool("Rigid joint", "link", "Click on a body, then on another.", "joint"),
    "distance_joint": Tool("Distance joint", "open_in_full", "Click on two bodies.", "joint"),
}


class Toolbox:
    """The tool in hand and what was drawn with it so far.

    Args:
        model: The page.

    Attributes:
        tool: Its name in `TOOLS`.
        home: Where new bodies go: 'world', 'new robot', or the number of a robot as text.
        points: Corners so far, world frame [m].
    """

    def __init__(self, model: DesignerModel) -> None:
        self._model = model
        self.tool = "select"
        self.home = WORLD
        self.points: list[Point] = []
        self._first: Place = ()
        self._dragged = False
        self._scale = 200.0
        model.view.on_event("point", self._point)
        model.view.on_event("double", self._double)

    def take(self, tool: str) -> None:
        """Takes a tool; what was begun with the other one is dropped."""
        self._drop()
        self.tool = tool if tool in TOOLS else "select"
        self._model.view.set_tool("select" if self.tool == "select" else "draw")
        self._model.hint(TOOLS[self.tool].hint)

    def set_scale(self, scale: float) -> None:
        """How many pixels a metre has."""
        self._scale = max(scale, 1.0)

    def finish(self) -> None:
        """Ends a polygon or a line."""
        if self.tool == "polygon":
            is_done = self._body(self.points)
        else:
            is_done = self.tool in ("mark", "wall") and self._stroke(self.points)
        if is_done:
            self._drop()

    def cancel(self) -> None:
        """Drops what was begun; where nothing was, goes back to selecting."""
        if self.points or self._first:
            self._drop()
        else:
            self.take("select")

    def _drop(self) -> None:
        self.points = []
        self._first = ()
        self._model.view.patch(removed=[DRAFT_ID])

    def _point(self, event: dict[str, Any]) -> None:
        at = snapped(event)
        phase = event.get("phase")
        if at is None or self.tool == "select":
            return
        kind = TOOLS[self.tool].group
        if kind == "device" and phase == "up":
            self._device(str(event.get("id", "")), at)
        elif kind == "joint" and phase == "up":
            self._joint(str(event.get("id", "")), at)
        elif self.tool in ("rectangle", "circle", "bounds"):
            self._stretch(str(phase), at)
        elif self.tool in ("polygon", "mark", "wall"):
            self._trace(str(phase), at)

    def _double(self, _: dict[str, Any]) -> None:
        if self.tool in ("polygon", "mark", "wall"):
            self.finish()

    def _stretch(self, phase: str, at: Point) -> None:
        if phase == "down":
            self.points = [at]
        if not self.points:
            return
        start = self.points[0]
        if phase == "move":
            self._preview(_shape(self.tool, start, at))
        elif phase == "up":
            self._drop()
            self._stretched(start, at)

    def _stretched(self, start: Point, end: Point) -> None:
        is_click = math.dist(start, end) < _CLICK_M
        if self.tool == "bounds":
            self._model.do("set the bounds", lambda c: edits.set_bounds(c, start, end))
            if self._model.content.world.bounds is not None:
                self._model.select(("world", "bounds"))
        elif self.tool == "circle":
            self._body((), start, radius=0.05 if is_click else tidy(math.dist(start, end)))
        else:
            middle = (0.5 * (start[0] + end[0]), 0.5 * (start[1] + end[1]))
            size = (0.16, 0.12) if is_click else (abs(end[0] - start[0]), abs(end[1] - start[1]))
            self._body(rectangle(*size), middle)

    def _trace(self, phase: str, at: Point) -> None:
        """Corners by clicks; lines also by dragging."""
        if phase == "down":
            self._dragged = False
            is_near = self.points and math.dist(at, self.points[0]) * self._scale < _NEAR_PIXELS
            if self.tool == "polygon" and is_near and len(self.points) > 2:
                self.finish()
                return
            if not self.points or at != self.points[-1]:
                self.points.append(at)
        elif phase == "move" and self.tool != "polygon" and self.points:
            if math.dist(at, self.points[-1]) >= max(_FREEHAND_M, self._model.snap):
                self.points.append(at)
                self._dragged = True
        elif phase == "up" and self._dragged:
            self._dragged = False
            if at != self.points[-1]:
                self.points.append(at)
            self.finish()
            return
        if self.points:
            self._preview([*self.points, at])

    def _preview(self, points: Sequence[Point]) -> None:
        item = {"id": DRAFT_ID, "kind": "mark", "color": _DRAFT_COLOR, "label": "draft"}
        width = 0.04 if self.tool in ("mark", "wall") else 2.0 / self._scale
        self._model.view.patch(strokes=[{**item, "width": width, "points": points}])

    def _stroke(self, points: Sequence[Point]) -> bool:
        if len(points) < 2:
            self._model.complain("a line needs at least 2 points; click once more")
            return False
        is_mark = self.tool == "mark"
        stroke = Stroke(
            kind="mark" if is_mark else "wall",
            points=tuple(tidy_point(point) for point in points),
            thickness=0.04 if is_mark else 0.03,
            color=(20, 20, 20) if is_mark else (120, 130, 140),
        )
        what = "a line" if is_mark else "a wall"
        return bool(self._model.add(f"draw {what}", lambda c: edits.add_stroke(c, stroke)))

    def _body(
        self, points: Sequence[Point], at: Point | None = None, radius: float | None = None
    ) -> bool:
        """Adds a body; points are of the world unless it is said where their origin is."""
        if at is None:
            if len(points) < 3:
                self._model.complain("a polygon needs at least 3 corners; click more of them")
                return False
            points = counter_clockwise(points)
            at = tidy_point(centroid(points))
            points = [tidy_point((x - at[0], y - at[1])) for x, y in points]
        where, home, tool = at, self.home, self.tool

        def edit(content: Content) -> tuple[Content, Place]:
            is_world = home == WORLD
            material = MATERIALS["wood" if is_world else "plastic"]
            name = {"rectangle": "box", "circle": "disc"}.get(tool, "block")
            name = name if is_world else "chassis" if home == NEW_ROBOT else "part"
            body = edits.new_body(name, points, radius, material, moves=True)
            pose = (*where, 0.0)
            if is_world:
                return edits.add_object(content, body, pose)
            if home == NEW_ROBOT:
                changed, place = edits.add_robot(content, body, pose)
                return changed, (*place, "bodies", 0)
            return edits.add_robot_body(content, int(home), body, pose)

        return bool(self._model.add(f"add a {self.tool}", edit))

    def _device(self, ident: str, at: Point) -> None:
        body = self._body_under(ident)
        kind = self.tool

        def edit(content: Content) -> tuple[Content, Place]:
            if not body:
                raise EditError((), "motors and sensors belong onto a robot; click on its body")
            theta = edits.world_pose(content, body)[2]
            return edits.add_device(content, body, kind, (*at, theta))

        self._model.add(f"add a {TOOLS[kind].name.lower()}", edit)

    def _joint(self, ident: str, at: Point) -> None:
        body = self._body_under(ident)
        if not body:
            self._model.complain("a joint holds two bodies of one robot; click on one")
            return
        if not self._first:
            self._first = body
            name = get(self._model.content, body).name
            self._model.select(body)
            self._model.hint(f"'{name}' is the first; now click on the second body")
            return
        first, self._first = self._first, ()
        kind = self.tool.removesuffix("_joint")
        self._model.add(f"add a {kind} joint", lambda c: edits.add_joint(c, first, body, kind, at))

    def _body_under(self, ident: str) -> Place:
        """The body of a robot that was clicked, or whose device was; () for anything else."""
        place = self._model.picked(ident)
        if place[:1] != ("robots",):
            return ()
        thing = get(self._model.content, place)
        if isinstance(thing, ActuatorConfig | SensorConfig):
            return edits.named_body(self._model.content, place, thing.body)
        return place if isinstance(thing, BodyConfig) else ()


def numbers_of(event: dict[str, Any], key: str, count: int) -> list[float] | None:
    """So many finite numbers of an event, or None where a browser sent something else."""
    values = event.get(key)
    if not isinstance(values, list) or len(values) != count:
        return None
    good = all(isinstance(value, int | float) and math.isfinite(value) for value in values)
    return [float(value) for value in values] if good else None


def snapped(event: dict[str, Any]) -> Point | None:
    """The point of an event, on the grid; None where a browser sent something else."""
    at = numbers_of(event, "snapped", 2)
    return None if at is None else tidy_point(at)


def _shape(tool: str, start: Point, end: Point) -> list[Point]:
    if tool == "circle":
        radius = math.dist(start, end)
        turns = [math.tau * k / 32 for k in range(33)]
        return [(start[0] + radius * math.cos(t), start[1] + radius * math.sin(t)) for t in turns]
    (ax, ay), (bx, by) = start, end
    return [(ax, ay), (bx, ay), (bx, by), (ax, by), (ax, ay)]
