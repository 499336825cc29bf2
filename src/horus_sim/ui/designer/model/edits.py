"""Edits: from one content to the next. What does not fit raises and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from horus_sim.errors import EditError
from horus_sim.sim2d.pose import Pose, compose
from horus_sim.sim2d.scenario.schema import (
    ActuatorConfig,
    BodyConfig,
    Bounds,
    JointConfig,
    Material,
    PlacedBody,
    RobotConfig,
    RobotEntry,
    SensorConfig,
    Stroke,
)
from horus_sim.ui.designer.model.content import (
    WORLD_BODIES,
    Content,
    Place,
    get,
    made,
    put,
    rebuilt,
)
from horus_sim.ui.designer.model.geometry import (
    Point,
    centroid,
    point_in,
    point_out,
    seen_from,
    tidy_point,
    tidy_pose,
)
from horus_sim.ui.designer.model.names import renamed
from horus_sim.ui.kit.names import free_name

Edit: TypeAlias = Callable[[Content], Content]
_MASS = 0.5


def set_value(content: Content, place: Place, value: Any) -> Content:  # noqa: ANN401
    """Another value at a place; what refers to a name follows it."""
    return renamed(content, place, value) if place[-1] == "name" else put(content, place, value)


def body_at(content: Content, place: Place) -> BodyConfig:
    """The body of a robot, or that of an object of the world."""
    thing = get(content, place)
    if isinstance(thing, PlacedBody):
        return thing.body
    if isinstance(thing, BodyConfig):
        return thing
    raise EditError(place, "this is not a body")


def body_place(content: Content, place: Place) -> Place:
    """Where the description of a body is, for the place of an object or a robot's body."""
    body_at(content, place)
    return (*place, "body") if isinstance(get(content, place), PlacedBody) else place


def world_pose(content: Content, place: Place) -> Pose:
    """Where a body or a device is: x, y [m], theta [rad], world frame."""
    thing = get(content, place)
    if isinstance(thing, ActuatorConfig | SensorConfig):
        return compose(
            world_pose(content, named_body(content, place, thing.body)), thing.mount_pose
        )
    pose = body_at(content, place).pose
    return compose(content.spawn(int(place[1])), pose) if place[0] == "robots" else pose


def named_body(content: Content, place: Place, name: str) -> Place:
    """The place of a body of the robot that something belongs to."""
    bodies = content.robots[int(place[1])].bodies
    for k, body in enumerate(bodies):
        if body.name == name:
            return (*place[:2], "bodies", k)
    raise EditError(place, f"no body is called '{name}'")


def joint_frames(content: Content, place: Place) -> tuple[Pose, Pose]:
    """Poses of the two bodies of a joint, world frame."""
    joint = get(content, place)
    parent = world_pose(content, named_body(content, place, joint.parent))
    return parent, world_pose(content, named_body(content, place, joint.child))


# ---- adding


def new_body(
    name: str, points: Sequence[Point], radius: float | None, material: Material, *, moves: bool
) -> BodyConfig:
    """A body about its centre of mass; its inertia is that of its shape."""
    shape: dict[str, Any] = {"radius": radius} if radius is not None else {"points": tuple(points)}
    shape |= {"can_move": moves, "mass": _MASS, "material": material}
    return made(BodyConfig, (), name=name, **shape)


def add_object(content: Content, body: BodyConfig, pose: Pose) -> tuple[Content, Place]:
    """A body of the world."""
    taken = [item.name for key in WORLD_BODIES for item in getattr(content.world, key)]
    name = free_name(body.name, taken)
    placed = PlacedBody(name=name, body=rebuilt(body, (), name=name, pose=tidy_pose(pose)))
    return append(content, ("world", "shape_objects"), placed)


def add_robot(content: Content, body: BodyConfig, pose: Pose) -> tuple[Content, Place]:
    """A robot with one body."""
    robot = RobotConfig(spawn_pose=tidy_pose(pose), bodies=(body,))
    return insert_robot(content, robot, "robot")


def insert_robot(content: Content, robot: RobotConfig, ident: str) -> tuple[Content, Place]:
    """A robot with a file of its own."""
    number = len(content.robots)
    ident = free_name(ident, [content.ident(k) for k in range(number)])
    ref = free_name(ident, [entry.ref.removesuffix(".json") for entry in content.scenario.robots])
    entry = RobotEntry(ref=f"{ref}.json", id=ident)
    entries = (*content.scenario.robots, entry)
    scenario = rebuilt(content.scenario, ("scenario",), robots=entries)
    return replace(content, scenario=scenario, robots=(*content.robots, robot)), ("robots", number)


def add_robot_body(
    content: Content, robot: int, body: BodyConfig, pose: Pose
) -> tuple[Content, Place]:
    """Another body of a robot.

    Args:
        content: What is edited.
        robot: Number of the robot.
        body: The body.
        pose: x, y [m], theta [rad], world frame.
    """
    name = free_name(body.name, [other.name for other in content.robots[robot].bodies])
    placed = rebuilt(body, (), name=name, pose=seen_from(content.spawn(robot), pose))
    return append(content, ("robots", robot, "bodies"), placed)


def add_device(content: Content, body: Place, kind: str, pose: Pose) -> tuple[Content, Place]:
    """A motor or a sensor on a body of a robot.

    Args:
        content: What is edited.
        body: Place of the body.
        kind: 'motor' or the kind of a sensor.
        pose: x, y [m], theta [rad], world frame.
    """
    if not _is_robot_body(content, body):
        raise EditError(body, "motors and sensors belong onto a robot; click on one of its bodies")
    robot = content.robots[int(body[1])]
    mount = seen_from(world_pose(content, body), pose)
    key = "actuators" if kind == "motor" else "sensors"
    taken = [device.name for device in getattr(robot, key)]
    usual = {"line_array": "line"}.get(kind, kind)
    if kind == "motor" and mount[1] != 0.0:
        usual = "left" if mount[1] > 0.0 else "right"
    values = {"name": free_name(usual, taken), "type": kind, "body": get(content, body).name}
    model = ActuatorConfig if kind == "motor" else SensorConfig
    return append(content, (*body[:2], key), made(model, (), **values, mount_pose=mount))


def add_joint(
    content: Content, parent: Place, child: Place, kind: str, at: Point
) -> tuple[Content, Place]:
    """A joint between two bodies of a robot, at a point of the world [m]."""
    ends_fit = _is_robot_body(content, parent) and _is_robot_body(content, child)
    if not ends_fit or child[:2] != parent[:2]:
        raise EditError(child, "a joint holds two bodies of one robot; click on both")
    if parent == child:
        raise EditError(child, "a joint needs two bodies; click on another one")
    frames = world_pose(content, parent), world_pose(content, child)
    # A distance keeps the length between the middles, the others turn or hold at the point.
    ends = (frames[0][:2], frames[1][:2]) if kind == "distance" else (at, at)
    joint = made(
        JointConfig,
        (),
        name=free_name(kind, [other.name for other in content.robots[int(parent[1])].joints]),
        parent=get(content, parent).name,
        child=get(content, child).name,
        type=kind,
        anchor_parent=point_in(frames[0], ends[0]),
        anchor_child=point_in(frames[1], ends[1]),
    )
    return append(content, (*parent[:2], "joints"), joint)


def add_stroke(content: Content, stroke: Stroke) -> tuple[Content, Place]:
    """A line on the floor, or a wall."""
    return append(content, ("world", "drawings"), stroke)


def set_bounds(content: Content, low: Point, high: Point) -> Content:
    """Walls around everything, through two corners [m]."""
    (ax, ay), (bx, by) = tidy_point(low), tidy_point(high)
    bounds = Bounds(min_x=min(ax, bx), min_y=min(ay, by), max_x=max(ax, bx), max_y=max(ay, by))
    return put(content, ("world", "bounds"), bounds)


def _is_robot_body(content: Content, place: Place) -> bool:
    return isinstance(get(content, place), BodyConfig) and place[0] == "robots"


def append(content: Content, place: Place, item: Any) -> tuple[Content, Place]:  # noqa: ANN401
    """One more thing at the end of a list; also where it is."""
    items = get(content, place)
    return put(content, place, (*items, item)), (*place, len(items))


# ---- moving


def move(content: Content, place: Place, pose: Pose) -> Content:
    """Puts a body or a device at a pose of the world."""
    thing = get(content, place)
    if isinstance(thing, ActuatorConfig | SensorConfig):
        frame = world_pose(content, named_body(content, place, thing.body))
        return put(content, (*place, "mount_pose"), seen_from(frame, pose))
    body_at(content, place)
    if place[0] == "robots":
        local = seen_from(content.spawn(int(place[1])), pose)
        return put(content, (*place, "pose"), local)
    return put(content, (*place, "body", "pose"), tidy_pose(pose))


def move_robot(content: Content, place: Place, pose: Pose) -> Content:
    """Moves a whole robot so that the body at that place is at a pose of the world."""
    inner = body_at(content, place).pose
    spawn = compose(pose, seen_from(inner, (0.0, 0.0, 0.0)))
    return set_spawn(content, int(place[1]), spawn)


def set_spawn(content: Content, robot: int, pose: Pose) -> Content:
    """Where a robot starts, world frame."""
    entry: Place = ("scenario", "robots", robot, "spawn_pose")
    own = get(content, entry) is None
    return put(content, ("robots", robot, "spawn_pose") if own else entry, tidy_pose(pose))


def shift_stroke(content: Content, place: Place, by: Point) -> Content:
    """Moves a line."""
    points = tuple(tidy_point((x + by[0], y + by[1])) for x, y in get(content, place).points)
    return put(content, (*place, "points"), points)


def move_anchor(content: Content, place: Place, end: str, at: Point) -> Content:
    """Moves the end of a joint ('parent', 'child' or 'both') to a point of the world."""
    parent, child = joint_frames(content, place)
    frames = {"parent": parent, "child": child}
    for name in ("parent", "child") if end == "both" else (end,):
        content = put(content, (*place, f"anchor_{name}"), point_in(frames[name], at))
    return content


# ---- outlines


def corners_place(content: Content, place: Place) -> Place | None:
    """Where the corners of a body or a line are, or None for things without corners."""
    thing = get(content, place)
    if isinstance(thing, Stroke):
        return (*place, "points")
    if isinstance(thing, PlacedBody | BodyConfig) and body_at(content, place).radius is None:
        return (*body_place(content, place), "points")
    return None


def outline(content: Content, place: Place) -> tuple[Point, ...]:
    """Corners of a body or a line, world frame [m]."""
    thing = get(content, place)
    if isinstance(thing, Stroke):
        return thing.points
    frame = world_pose(content, place)
    return tuple(point_out(frame, point) for point in body_at(content, place).points)


def set_outline(content: Content, place: Place, points: Iterable[Point]) -> Content:
    """Other corners of a body or a line, world frame [m]."""
    thing = get(content, place)
    if isinstance(thing, Stroke):
        return put(content, (*place, "points"), tuple(tidy_point(point) for point in points))
    where = body_place(content, place)
    frame = world_pose(content, place)
    local = tuple(point_in(frame, point) for point in points)
    changes: dict[str, Any] = {"points": local}
    if body_at(content, place).edges:
        changes["edges"] = tuple((k, (k + 1) % len(local)) for k in range(len(local)))
    return put(content, where, rebuilt(get(content, where), where, **changes))


def move_corner(content: Content, place: Place, corner: int, at: Point) -> Content:
    """Moves one corner to a point of the world."""
    points = _corners(content, place, corner)
    points[corner] = at
    return set_outline(content, place, points)


def add_corner(content: Content, place: Place, after: int, at: Point) -> Content:
    """Adds a corner behind another one, at a point of the world."""
    points = _corners(content, place, after)
    points.insert(after + 1, at)
    return set_outline(content, place, points)


def remove_corner(content: Content, place: Place, corner: int) -> Content:
    """Removes a corner."""
    points = _corners(content, place, corner)
    del points[corner]
    if isinstance(get(content, place), Stroke) and len(points) < 2:
        raise EditError(place, "a line needs at least 2 points; delete the whole line instead")
    return set_outline(content, place, points)


def _corners(content: Content, place: Place, corner: int) -> list[Point]:
    """The corners of a thing that has the one that is meant."""
    points = list(outline(content, place))
    if not 0 <= corner < len(points):
        raise EditError(place, f"there is no corner {corner}; it has {len(points)}")
    return points


def centre(content: Content, place: Place) -> Content:
    """Puts the origin of a body where its centre of mass is; nothing moves in the world.

    Its moment of inertia becomes that of its shape; devices and joints stay where they are.
    """
    where = body_place(content, place)
    body = get(content, where)
    shift = (0.0, 0.0) if body.radius is not None else centroid(body.points)
    points = tuple(tidy_point((x - shift[0], y - shift[1])) for x, y in body.points)
    pose = tidy_pose(compose(body.pose, (*shift, 0.0)))
    changes: dict[str, Any] = {"inertia": None, "pose": pose}
    if points:
        changes["points"] = points
    changed = put(content, where, rebuilt(body, where, **changes))
    return _hold_mounts(changed, place, shift) if place[0] == "robots" else changed


def _hold_mounts(content: Content, place: Place, shift: Point) -> Content:
    robot, name = get(content, place[:2]), get(content, place).name

    def back(point: Sequence[float]) -> Point:
        return tidy_point((point[0] - shift[0], point[1] - shift[1]))

    for key in ("actuators", "sensors"):
        for k, device in enumerate(getattr(robot, key)):
            if device.body == name:
                mount = (*back(device.mount_pose), device.mount_pose[2])
                content = put(content, (*place[:2], key, k, "mount_pose"), mount)
    for k, joint in enumerate(robot.joints):
        for end in ("parent", "child"):
            if getattr(joint, end) == name:
                anchor = back(getattr(joint, f"anchor_{end}"))
                content = put(content, (*place[:2], "joints", k, f"anchor_{end}"), anchor)
    return content
