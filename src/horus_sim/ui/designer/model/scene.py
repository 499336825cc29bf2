"""What the view draws of a content, and what is to be drawn anew after an edit."""

from __future__ import annotations

from typing import Any

from horus_sim.sim2d.pose import compose
from horus_sim.sim2d.scenario.devices import motor_params, sensor_params
from horus_sim.sim2d.scenario.schema import BodyConfig, Bounds, JointConfig, PlacedBody, Stroke
from horus_sim.ui.designer.model.content import WORLD_BODIES, Content, Place, get, place_text
from horus_sim.ui.designer.model.edits import joint_frames, outline, world_pose
from horus_sim.ui.designer.model.geometry import point_out
from horus_sim.ui.stream.scene2d import (
    BodyKind,
    Item,
    body_item,
    bounds_item,
    joint_item,
    motor_item,
    sensor_item,
    stroke_item,
)

_KEYS = ("bodies", "strokes", "joints", "devices")
_MOST_MIDDLES = 60
BOUNDS_ID = "bounds"


def scene(content: Content, name: str) -> dict[str, Any]:
    """A scene whose ids are places.

    Args:
        content: What is edited.
        name: Under which the view knows it; another one makes it look at everything.
    """
    found: dict[str, Any] = {"revision": 1, "name": name, "moving": [], **_world(content)}
    found["joints"], found["devices"] = [], []
    for k in range(len(content.robots)):
        for key, items in _robot(content, k).items():
            found[key] = [*found[key], *items]
    return found


def _world(content: Content) -> dict[str, Any]:
    world = content.world
    bodies = []
    for key in WORLD_BODIES:
        for k, item in enumerate(getattr(world, key)):
            is_patch = item.body.material.custom.get("line_intensity") is not None
            kind: BodyKind = "patch" if is_patch else "object"
            ident = place_text(("world", key, k))
            drawn = body_item(ident, item.body, item.body.pose, kind)
            bodies.append({**drawn, "label": item.name})
    strokes = [
        {
            **stroke_item(place_text(("world", "drawings", k)), stroke),
            "label": f"{stroke.kind} {k + 1}",
        }
        for k, stroke in enumerate(world.drawings)
    ]
    bounds = None if world.bounds is None else bounds_item(world.bounds)
    return {"bodies": bodies, "strokes": strokes, "bounds": bounds}


def _robot(content: Content, number: int) -> dict[str, list[Item]]:
    robot, home = content.robots[number], f"robots/{number}"
    spawn, ident = content.spawn(number), content.ident(number)
    ids = {body.name: f"{home}/bodies/{k}" for k, body in enumerate(robot.bodies)}
    bodies = [
        {
            **body_item(ids[body.name], body, compose(spawn, body.pose), "robot", ident),
            "label": body.name,
        }
        for body in robot.bodies
    ]
    devices = [
        {
            **motor_item(ident, motor, motor_params(motor.params)),
            "id": f"{home}/actuators/{k}",
            "body": ids[motor.body],
            "label": motor.name,
        }
        for k, motor in enumerate(robot.actuators)
    ]
    devices += [
        {
            **sensor_item(ident, sensor, sensor_params(sensor.type, sensor.params)),
            "id": f"{home}/sensors/{k}",
            "body": ids[sensor.body],
            "label": sensor.name,
        }
        for k, sensor in enumerate(robot.sensors)
    ]
    joints = [
        {
            **joint_item(ident, joint),
            "id": f"{home}/joints/{k}",
            "parent": ids[joint.parent],
            "child": ids[joint.child],
            "label": joint.name,
        }
        for k, joint in enumerate(robot.joints)
    ]
    return {"bodies": bodies, "joints": joints, "devices": devices}


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
            _handle(f"side/{end_x}/{end_y}", x, y, "size", f"Corner {name}")
            for end_x, end_y, x, y, name in (
                ("min_x", "min_y", thing.min_x, thing.min_y, "bottom left"),
                ("max_x", "min_y", thing.max_x, thing.min_y, "bottom right"),
                ("max_x", "max_y", thing.max_x, thing.max_y, "top right"),
                ("min_x", "max_y", thing.min_x, thing.max_y, "top left"),
            )
        ]
    if isinstance(thing, JointConfig):
        parent, child = joint_frames(content, place)
        at = point_out(parent, thing.anchor_parent)
        if thing.type != "distance":
            return [_handle("anchor/both", *at, "size", "Anchor")]
        end = point_out(child, thing.anchor_child)
        return [
            _handle("anchor/parent", *at, "size", "Anchor on the parent"),
            _handle("anchor/child", *end, "size", "Anchor on the child"),
        ]
    if isinstance(thing, PlacedBody | BodyConfig):
        body = thing.body if isinstance(thing, PlacedBody) else thing
        if body.radius is not None:
            x, y = point_out(world_pose(content, place), (0.0, body.radius))
            return [_handle("radius", x, y, "size", "Radius")]
        return _corners(outline(content, place), closed=True)
    return _corners(thing.points, closed=False) if isinstance(thing, Stroke) else []


def _corners(points: tuple[tuple[float, float], ...], *, closed: bool) -> list[Item]:
    found = [
        _handle(f"corner/{k}", x, y, "vertex", f"Corner {k + 1}") for k, (x, y) in enumerate(points)
    ]
    pairs = list(zip(points, [*points[1:], points[0]], strict=True)) if points else []
    if len(points) <= _MOST_MIDDLES:
        for k, ((ax, ay), (bx, by)) in enumerate(pairs if closed else pairs[:-1]):
            middle = (0.5 * (ax + bx), 0.5 * (ay + by))
            found.append(_handle(f"middle/{k}", *middle, "middle", f"New corner after {k + 1}"))
    return found


def _handle(ident: str, x: float, y: float, kind: str, label: str) -> Item:
    return {"id": ident, "x": x, "y": y, "kind": kind, "label": label}
