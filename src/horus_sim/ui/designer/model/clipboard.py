"""Copy and paste: things as JSON text, which also travels between scenarios and browsers."""

from __future__ import annotations

import json
from typing import Any

from horus_sim.errors import EditError
from horus_sim.sim2d.scenario.schema import (
    ActuatorConfig,
    BodyConfig,
    FileModel,
    PlacedBody,
    RobotConfig,
    SensorConfig,
    Stroke,
)
from horus_sim.ui.designer.model.content import Content, Place, get, made, put, rebuilt
from horus_sim.ui.designer.model.edits import (
    Pose,
    add_object,
    add_robot_body,
    add_stroke,
    insert_robot,
    set_spawn,
    shift_stroke,
    world_pose,
)
from horus_sim.ui.designer.model.geometry import Point, tidy_point
from horus_sim.ui.designer.model.names import free_name

_KEY = "horus_sim2d"
_LONGEST = 4_000_000


def copy(content: Content, place: Place) -> str:
    """A thing as text: a body with its devices, a device, a line, an object, a whole robot.

    Raises:
        EditError: It cannot be copied.
    """
    thing = get(content, place)
    if isinstance(thing, PlacedBody):
        return _text("object", thing)
    if isinstance(thing, Stroke):
        return _text("stroke", thing)
    if isinstance(thing, RobotConfig):
        return _text(
            "robot", thing, id=content.ident(int(place[1])), pose=content.spawn(int(place[1]))
        )
    if isinstance(thing, BodyConfig):
        robot = get(content, place[:2])
        return _text(
            "body",
            thing,
            pose=world_pose(content, place),
            actuators=[_values(m) for m in robot.actuators if m.body == thing.name],
            sensors=[_values(s) for s in robot.sensors if s.body == thing.name],
        )
    if isinstance(thing, ActuatorConfig | SensorConfig):
        kind = "actuators" if isinstance(thing, ActuatorConfig) else "sensors"
        return _text(kind, thing)
    raise EditError(place, "this cannot be copied; choose a body, a device, a line or a robot")


def _values(model: FileModel) -> dict[str, Any]:
    return model.model_dump(mode="json", exclude_unset=True)


def _text(kind: str, thing: FileModel, **more: Any) -> str:  # noqa: ANN401
    return json.dumps({_KEY: kind, "thing": _values(thing), **more})


def paste(content: Content, text: str, by: Point, onto: Place = ()) -> tuple[Content, Place]:
    """The content with what was copied, moved by so much [m].

    Args:
        content: What is edited.
        text: What `copy` made.
        by: Shift in the world [m].
        onto: What is selected: bodies of robots and devices go to this robot or body.

    Raises:
        EditError: The text is something else, or does not fit here.
    """
    data = _parse(text)
    kind, values = data[_KEY], data.get("thing")
    values = values if isinstance(values, dict) else {}
    if kind == "object":
        placed = made(PlacedBody, (), **values)
        return add_object(content, placed.body, _shifted(placed.body.pose, by))
    if kind == "stroke":
        content, place = add_stroke(content, made(Stroke, (), **values))
        return shift_stroke(content, place, by), place
    if kind == "robot":
        robot = made(RobotConfig, (), **values)
        content, place = insert_robot(content, robot, str(data.get("id") or "robot"))
        return set_spawn(content, int(place[1]), _shifted(_pose(data), by)), place
    if kind == "body":
        return _paste_body(content, data, values, by, onto)
    if kind in ("actuators", "sensors"):
        return _paste_device(content, kind, values, by, onto)
    raise EditError((), "nothing was copied that can be pasted here")


def _parse(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text) if len(text) <= _LONGEST else None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or not isinstance(data.get(_KEY), str):
        raise EditError((), "nothing was copied that can be pasted here; copy something first")
    return data


def _pose(data: dict[str, Any]) -> Pose:
    body = made(BodyConfig, (), name="pose", pose=data.get("pose", (0.0, 0.0, 0.0)))
    return body.pose


def _shifted(pose: Pose, by: Point) -> Pose:
    return (pose[0] + by[0], pose[1] + by[1], pose[2])


def _paste_body(
    content: Content, data: dict[str, Any], values: dict[str, Any], by: Point, onto: Place
) -> tuple[Content, Place]:
    body = made(BodyConfig, (), **values)
    pose = _shifted(_pose(data), by)
    if onto[:1] != ("robots",):
        return add_object(content, body, pose)
    robot = int(onto[1])
    content, place = add_robot_body(content, robot, body, pose)
    name = get(content, place).name
    for key in ("actuators", "sensors"):
        for device in data.get(key) or ():
            renewed = {**device, "body": name} if isinstance(device, dict) else {}
            content = _add_device(content, ("robots", robot, key), key, renewed)[0]
    return content, place


def _paste_device(
    content: Content, key: str, values: dict[str, Any], by: Point, onto: Place
) -> tuple[Content, Place]:
    if onto[:1] != ("robots",):
        raise EditError(onto, "select a robot's body first; motors and sensors belong onto one")
    home = onto[:2]
    robot = get(content, home)
    selected = get(content, onto) if has_body(onto) else None
    name = selected.name if isinstance(selected, BodyConfig) else getattr(selected, "body", None)
    if name is None:
        name = robot.bodies[0].name
    content, place = _add_device(content, (*home, key), key, {**values, "body": name})
    mount = get(content, place).mount_pose
    moved = (*tidy_point((mount[0] + by[0], mount[1] + by[1])), mount[2])
    return put(content, (*place, "mount_pose"), moved), place


def has_body(place: Place) -> bool:
    """Whether a place is that of a body or device of a robot."""
    return len(place) == 4 and place[2] in ("bodies", "actuators", "sensors")


def _add_device(
    content: Content, where: Place, key: str, values: dict[str, Any]
) -> tuple[Content, Place]:
    kind = ActuatorConfig if key == "actuators" else SensorConfig
    device = made(kind, (), **values)
    items = get(content, where)
    device = rebuilt(device, (), name=free_name(device.name, [item.name for item in items]))
    return put(content, where, (*items, device)), (*where, len(items))
