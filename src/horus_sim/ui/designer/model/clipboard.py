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
    append,
    insert_robot,
    set_spawn,
    shift_stroke,
    world_pose,
)
from horus_sim.ui.designer.model.geometry import Point, tidy_point
from horus_sim.ui.kit.names import free_name

_KEY = "horus_sim2d"
_LONGEST = 4_000_000
_KINDS: dict[str, type[Any]] = {
    "object": PlacedBody,
    "stroke": Stroke,
    "robot": RobotConfig,
    "body": BodyConfig,
    "actuators": ActuatorConfig,
    "sensors": SensorConfig,
}
Device = ActuatorConfig | SensorConfig
_DEVICES = ("actuators", "sensors")


def copy(content: Content, place: Place) -> str:
    """A thing as text: a body with its devices, a device, a line, an object, a whole robot.

    Raises:
        EditError: It cannot be copied.
    """
    thing: Any = get(content, place)
    kind = next((kind for kind, model in _KINDS.items() if isinstance(thing, model)), None)
    if kind is None:
        raise EditError(place, "this cannot be copied; choose a body, a device, a line or a robot")
    data: dict[str, Any] = {_KEY: kind, "thing": _values(thing)}
    if kind == "robot":
        data |= {"id": content.ident(int(place[1])), "pose": content.spawn(int(place[1]))}
    elif kind == "body":
        robot = get(content, place[:2])
        data["pose"] = world_pose(content, place)
        for key in _DEVICES:
            devices = getattr(robot, key)
            data[key] = [_values(device) for device in devices if device.body == thing.name]
    return json.dumps(data)


def _values(model: FileModel) -> dict[str, Any]:
    return model.model_dump(mode="json", exclude_unset=True)


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
    thing: Any = made(_KINDS[kind], (), **values if isinstance(values, dict) else {})
    match kind:
        case "object":
            return add_object(content, thing.body, _shifted(thing.body.pose, by))
        case "stroke":
            content, place = add_stroke(content, thing)
            return shift_stroke(content, place, by), place
        case "robot":
            content, place = insert_robot(content, thing, str(data.get("id") or "robot"))
            return set_spawn(content, int(place[1]), _shifted(_pose(data), by)), place
        case "body":
            return _paste_body(content, data, thing, by, onto)
        case _:
            return _paste_device(content, kind, thing, by, onto)


def _parse(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text) if len(text) <= _LONGEST else None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or str(data.get(_KEY)) not in _KINDS:
        raise EditError((), "nothing was copied that can be pasted here; copy something first")
    return data


def _pose(data: dict[str, Any]) -> Pose:
    body = made(BodyConfig, (), name="pose", pose=data.get("pose", (0.0, 0.0, 0.0)))
    return body.pose


def _shifted(pose: Pose, by: Point) -> Pose:
    return (pose[0] + by[0], pose[1] + by[1], pose[2])


def _paste_body(
    content: Content, data: dict[str, Any], body: BodyConfig, by: Point, onto: Place
) -> tuple[Content, Place]:
    pose = _shifted(_pose(data), by)
    if onto[:1] != ("robots",):
        return add_object(content, body, pose)
    content, place = add_robot_body(content, int(onto[1]), body, pose)
    for key in _DEVICES:
        for values in data.get(key) or ():
            device = made(_KINDS[key], (), **values if isinstance(values, dict) else {})
            content = _add_device(content, (*onto[:2], key), device, get(content, place).name)[0]
    return content, place


def _paste_device(
    content: Content, key: str, device: Device, by: Point, onto: Place
) -> tuple[Content, Place]:
    if onto[:1] != ("robots",):
        raise EditError(onto, "select a robot's body first; motors and sensors belong onto one")
    selected = get(content, onto)
    name = selected.name if isinstance(selected, BodyConfig) else getattr(selected, "body", None)
    name = name or get(content, (*onto[:2], "bodies", 0)).name
    content, place = _add_device(content, (*onto[:2], key), device, name)
    mount = get(content, place).mount_pose
    moved = (*tidy_point((mount[0] + by[0], mount[1] + by[1])), mount[2])
    return put(content, (*place, "mount_pose"), moved), place


def _add_device(content: Content, where: Place, device: Device, body: str) -> tuple[Content, Place]:
    taken = [item.name for item in get(content, where)]
    named = rebuilt(device, (), name=free_name(device.name, taken), body=body)
    return append(content, where, named)
