"""What MuJoCo refuses, told with the file and line of the element that it is about."""

from __future__ import annotations

from collections.abc import Mapping

from horus_sim.errors import HorusError, Sim3dError
from horus_sim.robots.mjcf.text import Complaint, named
from horus_sim.robots.xml import Element, read_xml
from horus_sim.sim3d.scene.placed import PlacedRobot
from horus_sim.sim3d.scene.world_spec import WorldSpec

_TAGS = frozenset({"link", "joint"})


def refusal(error: Exception, world: WorldSpec, users: Mapping[str, str]) -> Sim3dError:
    """The error that a world cannot be compiled, to be raised.

    Args:
        error: MuJoCo's.
        world: The world.
        users: The first shape of each mesh: name of the mesh -> name of the shape.
    """
    complaint = Complaint.of(error)
    text = complaint.cause
    user = next((user for mesh, user in users.items() if mesh in text), None)
    name = (complaint.name or "") if user is None else user.partition("#")[0]
    if user is not None:
        text = f"the shape of '{name}': {text}"
    elif name:
        text = f"'{name}': {text}"
    where = _place(name, complaint.line, world)
    return Sim3dError(f"{where}world '{world.name}' cannot be compiled: {text}")


def _place(name: str, line: int | None, world: WorldSpec) -> str:
    """File, line and element, as far as they can be told; '' for what is of no robot."""
    for robot in world.robots:
        prefix = f"{robot.name}/"
        if name.startswith(prefix):
            inner = Complaint("", line, name.removeprefix(prefix))
            element = _element(inner, robot)
            source = robot.description.source
            if element is not None:
                return f"{named(element)}: "
            return "" if source is None else f"{source}: "
    return ""


def _element(complaint: Complaint, robot: PlacedRobot) -> Element | None:
    """The element of a robot's file; its link or joint, where MuJoCo never saw the file."""
    if robot.mjcf is not None:
        return robot.mjcf.element(complaint)
    source = robot.description.source
    if source is None:
        return None
    try:
        root = read_xml(source)
    except HorusError:  # it changed meanwhile
        return None
    # Links of nested models are called 'inner::link'.
    name = (complaint.name or "").rpartition("::")[2]
    return next(
        (each for each in root.iter() if each.tag in _TAGS and each.get("name") == name), None
    )
