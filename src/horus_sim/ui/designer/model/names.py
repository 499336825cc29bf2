"""Names: everything that follows when one is changed or deleted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from horus_sim.errors import EditError
from horus_sim.sim2d.scenario.schema import PlacedBody
from horus_sim.ui.designer.model.content import Content, Place, get, has, place_text, put, rebuilt

# Where parts of a robot are named by others.
_REFERENCES: dict[str | int, tuple[tuple[str, ...], ...]] = {
    "actuators": (("sensors", "params", "motor"),),
    "bodies": (
        ("joints", "parent"),
        ("joints", "child"),
        ("actuators", "body"),
        ("sensors", "body"),
        ("measurements", "body"),
    ),
}


def renamed(content: Content, place: Place, name: Any) -> Content:  # noqa: ANN401
    """The content with another name at a place; joints, devices and encoders follow."""
    owner, before = place[:-1], get(content, place)
    changed = put(content, place, name)
    thing = get(changed, owner)
    if isinstance(thing, PlacedBody):
        return put(changed, (*owner, "body", "name"), name)
    if len(owner) == 4 and owner[0] == "robots" and owner[2] in _REFERENCES:
        taken = [other.name for other in get(content, owner[:-1])]
        # While two have one name, nobody knows whom the others mean.
        if name not in taken:
            return _follow(changed, owner, before, name)
    return changed


def _follow(content: Content, owner: Place, before: str, name: str) -> Content:
    for key, *path in _REFERENCES[owner[2]]:
        for k in range(len(get(content, (*owner[:2], key)))):
            place = (*owner[:2], key, k, *path)
            if has(content, place) and get(content, place) == before:
                content = put(content, place, name)
    return content


def delete(content: Content, place: Place) -> Content:
    """The content without a thing, and without what cannot be without it.

    Raises:
        EditError: It cannot be deleted.
    """
    thing = get(content, place)
    if place == ("world", "bounds"):
        return put(content, place, None)
    if place[:1] == ("robots",) and len(place) == 2:
        k = int(place[1])
        entries = content.scenario.robots
        scenario = rebuilt(content.scenario, ("scenario",), robots=entries[:k] + entries[k + 1 :])
        return replace(
            content, scenario=scenario, robots=content.robots[:k] + content.robots[k + 1 :]
        )
    if not place or not isinstance(place[-1], int):
        raise EditError(place, f"'{place_text(place)}' cannot be deleted")
    if place[0] != "robots":
        return _without(content, place)
    home, key = place[:2], place[2]
    robot = get(content, home)
    if key == "bodies" and len(robot.bodies) == 1:
        return delete(content, home)
    return _without(_without_dependants(content, home, str(key), thing.name), place)


def _without_dependants(content: Content, home: Place, key: str, name: str) -> Content:
    robot = get(content, home)
    motors = {name} if key == "actuators" else set()
    changes: dict[str, Any] = {}
    if key == "bodies":
        motors = {motor.name for motor in robot.actuators if motor.body == name}
        changes["joints"] = tuple(j for j in robot.joints if name not in (j.parent, j.child))
        changes["actuators"] = tuple(m for m in robot.actuators if m.body != name)
        changes["measurements"] = tuple(m for m in robot.measurements if m.body != name)
    bodies_left = {
        motor.body
        for motor in changes.get("actuators", robot.actuators)
        if motor.name not in motors
    }

    def stays(sensor: Any) -> bool:  # noqa: ANN401
        if key == "bodies" and sensor.body == name:
            return False
        if sensor.type != "encoder" or not motors:
            return True
        motor = sensor.params.get("motor")
        return motor not in motors if motor is not None else sensor.body in bodies_left

    if key in ("bodies", "actuators"):
        changes["sensors"] = tuple(sensor for sensor in robot.sensors if stays(sensor))
    # Keys that were not given stay so.
    changes = {name: value for name, value in changes.items() if value != getattr(robot, name)}
    return put(content, home, rebuilt(robot, home, **changes)) if changes else content


def _without(content: Content, place: Place) -> Content:
    items = get(content, place[:-1])
    k = int(place[-1])
    return put(content, place[:-1], items[:k] + items[k + 1 :])
