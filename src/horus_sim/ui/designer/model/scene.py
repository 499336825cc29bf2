"""What the view draws of a content, and what is to be drawn anew after an edit."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

from horus_sim.sim2d.scenario.schema import BodyConfig, Bounds, JointConfig, PlacedBody, Stroke
from horus_sim.ui.designer.model.content import Content, Place, get
from horus_sim.ui.designer.model.edits import body_at, joint_frames, outline, world_pose
from horus_sim.ui.designer.model.geometry import point_out
from horus_sim.ui.stream.scene2d import Item, robot_items, world_items

_KEYS = ("bodies", "strokes", "joints", "devices")
_MOST_MIDDLES = 60
BOUNDS_ID = "bounds"


def scene(content: Content, name: str) -> dict[str, Any]:
    """A scene whose ids are places.

    Args:
        content: What is edited.
        name: Name of the scene; the view looks at everything when another one comes.
    """
    world = world_items(content.world, partial(_named, "world"))
    found: dict[str, Any] = {"revision": 1, "name": name, "moving": [], **world}
    found["joints"], found["devices"] = [], []
    for k, robot in enumerate(content.robots):
        naming = partial(_named, f"robots/{k}")
        items = robot_items(robot, content.ident(k), content.spawn(k), naming=naming)
        for key, more in items.items():
            found[key] = [*found[key], *more]
    return found


def _named(home: str, key: str, k: int, name: str) -> Item:
    return {"id": f"{home}/{key}/{k}", "label": name}


def difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """What `View2d.patch` needs to get from one scene to another; empty when they are equal."""
    change: dict[str, Any] = {}
    removed: list[str] = []
    for key in _KEYS:
        old = {item["id"]: item for item in before[key]}
        changed = [item for item in after[key] if old.pop(item["id"], None) != item]
        removed += old
        if changed:
            change[key] = changed
    if removed:
        change["removed"] = removed
    if before["bounds"] != after["bounds"]:
        change["bounds"] = after["bounds"]
    return change


def handles(content: Content, place: Place) -> list[Item]:
    """What can be pulled of a selected thing: corners, middles of sides, radius, walls, anchors."""
    thing = get(content, place) if place else None
    if isinstance(thing, Bounds):
        return [
            _handle(f"side/{x}/{y}", getattr(thing, x), getattr(thing, y), "size", f"Corner {name}")
            for x, y, name in (
                ("min_x", "min_y", "bottom left"),
                ("max_x", "min_y", "bottom right"),
                ("max_x", "max_y", "top right"),
                ("min_x", "max_y", "top left"),
            )
        ]
    if isinstance(thing, JointConfig):
        parent, child = joint_frames(content, place)
        at = point_out(parent, thing.anchor_parent)
        if thing.joins_anchors:
            return [_handle("anchor/both", *at, "size", "Anchor")]
        end = point_out(child, thing.anchor_child)
        return [
            _handle("anchor/parent", *at, "size", "Anchor on the parent"),
            _handle("anchor/child", *end, "size", "Anchor on the child"),
        ]
    if isinstance(thing, PlacedBody | BodyConfig):
        body = body_at(content, place)
        if body.radius is not None:
            x, y = point_out(world_pose(content, place), (0.0, body.radius))
            return [_handle("radius", x, y, "size", "Radius")]
        return _corners(outline(content, place), closed=True)
    return _corners(thing.points, closed=False) if isinstance(thing, Stroke) else []


def _corners(points: tuple[tuple[float, float], ...], *, closed: bool) -> list[Item]:
    found = [
        _handle(f"corner/{k}", x, y, "vertex", f"Corner {k + 1}") for k, (x, y) in enumerate(points)
    ]
    ends = [*points, *points[:1]] if closed else points
    if len(points) <= _MOST_MIDDLES:
        for k, ((ax, ay), (bx, by)) in enumerate(pairwise(ends)):
            middle = (0.5 * (ax + bx), 0.5 * (ay + by))
            found.append(_handle(f"middle/{k}", *middle, "middle", f"New corner after {k + 1}"))
    return found


def _handle(ident: str, x: float, y: float, kind: str, label: str) -> Item:
    return {"id": ident, "x": x, "y": y, "kind": kind, "label": label}
