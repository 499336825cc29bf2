"""What the types of a description cannot say: outlines, names that exist, numbers that fit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from horus_sim.files.names import did_you_mean
from horus_sim.sim2d.pose import Pose2D
from horus_sim.sim2d.scenario.devices import ParameterProblem, motor_params, sensor_params
from horus_sim.sim2d.scenario.outline import distance_outside, outline_problem
from horus_sim.sim2d.scenario.schema import (
    LARGEST_VALUE,
    BodyConfig,
    PlacedBody,
    RobotConfig,
    WorldConfig,
)

WORLD = "world"
_UNLIKELY_INERTIA = 10.0

Place: TypeAlias = tuple[str | int, ...]
Problem: TypeAlias = tuple[Place, str]
_FARTHEST_ANCHORS_M = 0.01
# Angles that are written with a few digits.
_LIMIT_SLACK_RAD = 1e-3


def world_problems(world: WorldConfig) -> Iterator[Problem]:
    """Places and texts of what is wrong with a world."""
    names: set[str] = set()
    walls = _walls(world)
    for key, objects in _groups(world).items():
        for index, item in enumerate(objects):
            if item.name in names:
                yield (key, index, "name"), f"the name '{item.name}' is taken; choose another"
            names.add(item.name)
            if item.name == WORLD:
                text = f"'{WORLD}' is the frame that everything is in; choose another name"
                yield (key, index, "name"), text
            if item.name in walls:
                text = f"the name '{item.name}' is that of a wall of {walls[item.name]}"
                yield (key, index, "name"), f"{text}; choose another"
            yield from _body_problems(item.body, (key, index, "body"))
    for index, stroke in enumerate(world.drawings):
        if len(stroke.points) == 1:
            yield (
                ("drawings", index, "points"),
                "a line needs at least 2 points, got 1; add one or remove the drawing",
            )
        yield from _not_negative(stroke.metadata, "line_intensity", ("drawings", index, "metadata"))
    bounds = world.bounds
    if bounds is not None and bounds.min_x >= bounds.max_x:
        yield ("bounds", "max_x"), f"max_x must be larger than min_x ({bounds.min_x})"
    if bounds is not None and bounds.min_y >= bounds.max_y:
        yield ("bounds", "max_y"), f"max_y must be larger than min_y ({bounds.min_y})"


def world_doubts(world: WorldConfig) -> Iterator[Problem]:
    """Places and texts of what is possible in a world and hardly meant."""
    for key, objects in _groups(world).items():
        for index, item in enumerate(objects):
            yield from _body_doubts(item.body, item.name, (key, index, "body"))


def robot_doubts(robot: RobotConfig) -> Iterator[Problem]:
    """Places and texts of what is possible in a robot and hardly meant."""
    for index, body in enumerate(robot.bodies):
        yield from _body_doubts(body, body.name, ("bodies", index))
    yield from _anchor_doubts(robot)
    yield from _limit_doubts(robot)


def _body_doubts(body: BodyConfig, name: str, place: Place) -> Iterator[Problem]:
    yield from _origin_doubts(body, name, place)
    yield from _inertia_doubts(body, name, place)


def _inertia_doubts(body: BodyConfig, name: str, place: Place) -> Iterator[Problem]:
    if body.inertia is None or not body.can_move:
        return
    usual = body.outline_inertia
    if not usual / _UNLIKELY_INERTIA <= body.inertia <= usual * _UNLIKELY_INERTIA:
        yield (
            (*place, "inertia"),
            (
                f"the inertia of '{name}' is {body.inertia:g} kg m^2, that of its outline and mass "
                f"{usual:.3g} kg m^2; correct it, or leave it out to have that of the outline"
            ),
        )


def shared_name_problems(world: WorldConfig, robots: Sequence[str]) -> Iterator[Problem]:
    """Places and texts of names in a world that are those of parts of robots."""
    for key, objects in _groups(world).items():
        for index, item in enumerate(objects):
            robot = item.name.partition("/")[0]
            if "/" in item.name and robot in robots:
                owner = f"names that begin with '{robot}/' are those of the bodies of that robot"
                yield (key, index, "name"), f"{owner}; choose another than '{item.name}'"


def _groups(world: WorldConfig) -> dict[str, tuple[PlacedBody, ...]]:
    return {
        "terrain": world.terrain,
        "shape_objects": world.shape_objects,
        "custom_objects": world.custom_objects,
    }


def _walls(world: WorldConfig) -> dict[str, str]:
    """Names that walls get, and the key that they come from."""
    walls = {}
    if world.bounds is not None:
        walls = {f"bounds_{side}": "bounds" for side in ("left", "right", "bottom", "top")}
    for index, stroke in enumerate(world.drawings):
        if stroke.kind == "wall":
            segments = range(len(stroke.points) - 1)
            walls |= {f"drawing_{index}_{k}": f"drawings[{index}]" for k in segments}
    return walls


def robot_problems(robot: RobotConfig) -> Iterator[Problem]:
    """Places and texts of what is wrong with a robot."""
    bodies = [body.name for body in robot.bodies]
    yield from _repeated("bodies", bodies)
    for index, body in enumerate(robot.bodies):
        yield from _body_problems(body, ("bodies", index))
    yield from _repeated("joints", [joint.name for joint in robot.joints])
    for index, joint in enumerate(robot.joints):
        yield from _known(("joints", index, "parent"), joint.parent, bodies)
        yield from _known(("joints", index, "child"), joint.child, bodies)
        if joint.parent == joint.child:
            yield ("joints", index, "child"), "a joint needs two bodies; parent and child are one"
        if joint.lower_limit > joint.upper_limit:
            yield (
                ("joints", index, "lower_limit"),
                f"lower_limit must not be above upper_limit ({joint.upper_limit})",
            )
    motors = [actuator.name for actuator in robot.actuators]
    yield from _repeated("actuators", motors)
    for index, actuator in enumerate(robot.actuators):
        yield from _known(("actuators", index, "body"), actuator.body, bodies)
        try:
            motor_params(actuator.params)
        except ParameterProblem as problem:
            yield ("actuators", index, "params", *problem.path), problem.problem
    yield from _sensor_problems(robot, bodies, motors)


def _sensor_problems(robot: RobotConfig, bodies: list[str], motors: list[str]) -> Iterator[Problem]:
    yield from _repeated("sensors", [sensor.name for sensor in robot.sensors])
    for index, sensor in enumerate(robot.sensors):
        place: Place = ("sensors", index)
        yield from _known((*place, "body"), sensor.body, bodies)
        try:
            params = sensor_params(sensor.type, sensor.params)
        except ParameterProblem as problem:
            yield (*place, "params", *problem.path), problem.problem
            continue
        if sensor.type != "encoder":
            continue
        if params.motor is not None:
            yield from _known((*place, "params", "motor"), params.motor, motors, kind="motor")
        elif not any(actuator.body == sensor.body for actuator in robot.actuators):
            yield (
                (*place, "body"),
                f"an encoder reads a wheel, and '{sensor.body}' has none; name one in params.motor",
            )


def _not_negative(values: dict[str, Any], key: str, place: Place) -> Iterator[Problem]:
    """A free value that the simulator reads must be a number that it can use."""
    if key not in values:
        return
    value = values[key]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0.0 <= value <= LARGEST_VALUE:
        yield (
            (*place, key),
            f"it must be a number from 0 to {LARGEST_VALUE:g}, got {value!r:.60}",
        )


def _body_problems(body: BodyConfig, place: Place) -> Iterator[Problem]:
    for key in ("line_intensity", "ground_friction"):
        custom = body.material.custom
        # Null stands for no mark.
        if key == "ground_friction" or custom.get(key) is not None:
            yield from _not_negative(custom, key, (*place, "material", "custom"))
    if body.radius is not None:
        if body.points:
            yield (*place, "points"), "a body has points or a radius, not both; remove one"
        return
    problem = outline_problem(body.points, body.edges)
    if problem:
        yield (*place, problem[0]), problem[1]


def _repeated(key: str, names: Sequence[str]) -> Iterator[Problem]:
    for index, name in enumerate(names):
        if name in names[:index]:
            yield (key, index, "name"), f"the name '{name}' is taken; choose another"


def _known(place: Place, name: str, known: list[str], kind: str = "body") -> Iterator[Problem]:
    if name not in known:
        yield place, f"no {kind} is called '{name}'; {did_you_mean(name, known)}"


def _origin_doubts(body: BodyConfig, name: str, place: Place) -> Iterator[Problem]:
    is_patch = body.material.custom.get("line_intensity") is not None
    if body.radius is not None or is_patch or not body.can_move:
        return
    outside = distance_outside(body.points)
    if outside > 0.0:
        yield (
            (*place, "points"),
            (
                f"the origin of '{name}', which is its center of mass, lies {outside:.3g} m "
                "outside its outline; give the points about their center, and move the pose instead"
            ),
        )


def _anchor_doubts(robot: RobotConfig) -> Iterator[Problem]:
    poses = {body.name: Pose2D(*body.pose) for body in robot.bodies}
    for index, joint in enumerate(robot.joints):
        a = poses[joint.parent].transform_point(joint.anchor_parent)
        b = poses[joint.child].transform_point(joint.anchor_child)
        gap = math.dist(a, b)
        if joint.type != "distance" and gap > _FARTHEST_ANCHORS_M:
            yield (
                ("joints", index, "anchor_child"),
                (
                    f"the anchors of '{joint.name}' are {gap:.3g} m apart where the robot starts, "
                    f"and the {joint.type} joint pulls them together at once; correct "
                    "anchor_parent, anchor_child or the poses of the bodies"
                ),
            )


def _limit_doubts(robot: RobotConfig) -> Iterator[Problem]:
    turns = {body.name: body.pose[2] for body in robot.bodies}
    for index, joint in enumerate(robot.joints):
        low, high = joint.lower_limit, joint.upper_limit
        if joint.type != "hinge" or low == high:
            continue
        start = turns[joint.child] - turns[joint.parent]
        if not low <= start <= high:
            # Whole turns do not count, as in the engine.
            start -= math.tau * round((start - 0.5 * (low + high)) / math.tau)
        key = "lower_limit" if start < low else "upper_limit"
        if not low - _LIMIT_SLACK_RAD <= start <= high + _LIMIT_SLACK_RAD:
            yield (
                ("joints", index, key),
                (
                    f"the hinge '{joint.name}' starts at {start:.4g} rad, outside its limits from "
                    f"{low:.4g} to {high:.4g} rad, and is turned into them at once; correct "
                    "the limits or the poses of the bodies"
                ),
            )
