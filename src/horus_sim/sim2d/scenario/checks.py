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
    JointConfig,
    RobotConfig,
    SensorConfig,
    WorldConfig,
)
from horus_sim.sim2d.scenario.walls import walls_of

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
    walls = {wall.name: key for key, wall in walls_of(world)}
    for place, item in world.placed_bodies():
        problem = ""
        if item.name in names:
            problem = f"the name '{item.name}' is taken"
        elif item.name == WORLD:
            problem = f"'{WORLD}' is the frame that everything is in"
        elif item.name in walls:
            problem = f"the name '{item.name}' is that of a wall of {walls[item.name]}"
        if problem:
            yield (*place, "name"), f"{problem}; choose another name"
        names.add(item.name)
        yield from _body_problems(item.body, (*place, "body"))
    for index, stroke in enumerate(world.drawings):
        place = ("drawings", index)
        if len(stroke.points) == 1:
            problem = "a line needs at least 2 points, got 1; add one or remove the drawing"
            yield (*place, "points"), problem
        yield from _not_negative(stroke.metadata, "line_intensity", (*place, "metadata"))
    if world.bounds is not None:
        for axis in ("x", "y"):
            low = getattr(world.bounds, f"min_{axis}")
            if low >= getattr(world.bounds, f"max_{axis}"):
                yield (
                    ("bounds", f"max_{axis}"),
                    f"max_{axis} must be larger than min_{axis} ({low})",
                )


def world_doubts(world: WorldConfig) -> Iterator[Problem]:
    """Places and texts of what is possible in a world and hardly meant."""
    for place, item in world.placed_bodies():
        yield from _body_doubts(item.body, item.name, (*place, "body"))


def shared_name_problems(world: WorldConfig, robots: Sequence[str]) -> Iterator[Problem]:
    """Places and texts of names in a world that are those of parts of robots."""
    for place, item in world.placed_bodies():
        robot, slash, _ = item.name.partition("/")
        if slash and robot in robots:
            owner = f"names that begin with '{robot}/' are those of the bodies of that robot"
            yield (*place, "name"), f"{owner}; choose another than '{item.name}'"


def robot_problems(robot: RobotConfig) -> Iterator[Problem]:
    """Places and texts of what is wrong with a robot."""
    bodies = [body.name for body in robot.bodies]
    for key in ("bodies", "joints", "actuators", "sensors"):
        names = [part.name for part in getattr(robot, key)]
        for index, name in enumerate(names):
            if name in names[:index]:
                yield (key, index, "name"), f"the name '{name}' is taken; choose another name"
    for index, body in enumerate(robot.bodies):
        yield from _body_problems(body, ("bodies", index))
    for index, joint in enumerate(robot.joints):
        place = ("joints", index)
        yield from _known((*place, "parent"), joint.parent, bodies)
        yield from _known((*place, "child"), joint.child, bodies)
        if joint.parent == joint.child:
            yield (*place, "child"), "a joint needs two bodies; parent and child are one"
        if joint.lower_limit > joint.upper_limit:
            problem = f"lower_limit must not be above upper_limit ({joint.upper_limit})"
            yield (*place, "lower_limit"), problem
    for index, actuator in enumerate(robot.actuators):
        yield from _known(("actuators", index, "body"), actuator.body, bodies)
        try:
            motor_params(actuator.params)
        except ParameterProblem as problem:
            yield ("actuators", index, "params", *problem.path), problem.problem
    for index, sensor in enumerate(robot.sensors):
        yield from _known(("sensors", index, "body"), sensor.body, bodies)
        yield from _sensor_problems(robot, sensor, ("sensors", index))


def robot_doubts(robot: RobotConfig) -> Iterator[Problem]:
    """Places and texts of what is possible in a robot and hardly meant."""
    for index, body in enumerate(robot.bodies):
        yield from _body_doubts(body, body.name, ("bodies", index))
    poses = {body.name: Pose2D(*body.pose) for body in robot.bodies}
    for index, joint in enumerate(robot.joints):
        parent, child = poses[joint.parent], poses[joint.child]
        yield from _joint_doubts(joint, parent, child, ("joints", index))


def _sensor_problems(robot: RobotConfig, sensor: SensorConfig, place: Place) -> Iterator[Problem]:
    try:
        params = sensor_params(sensor.type, sensor.params)
    except ParameterProblem as problem:
        yield (*place, "params", *problem.path), problem.problem
        return
    if sensor.type == "encoder" and params.motor is not None:
        motors = [actuator.name for actuator in robot.actuators]
        yield from _known((*place, "params", "motor"), params.motor, motors, kind="motor")
    elif sensor.type == "encoder" and sensor.body not in {part.body for part in robot.actuators}:
        problem = f"an encoder reads a wheel, and '{sensor.body}' has none"
        yield (*place, "body"), f"{problem}; name one in params.motor"


def _not_negative(values: dict[str, Any], key: str, place: Place) -> Iterator[Problem]:
    """A free value that the simulator reads must be a number that it can use."""
    value = values.get(key, 0.0)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0.0 <= value <= LARGEST_VALUE:
        problem = f"it must be a number from 0 to {LARGEST_VALUE:g}, got {value!r:.60}"
        yield (*place, key), problem


def _body_problems(body: BodyConfig, place: Place) -> Iterator[Problem]:
    custom: Place = (*place, "material", "custom")
    # Null stands for no mark.
    if body.material.line_intensity is not None:
        yield from _not_negative(body.material.custom, "line_intensity", custom)
    yield from _not_negative(body.material.custom, "ground_friction", custom)
    if body.radius is None:
        problem = outline_problem(body.points, body.edges)
        if problem:
            yield (*place, problem[0]), problem[1]
    elif body.points:
        yield (*place, "points"), "a body has points or a radius, not both; remove one"


def _known(place: Place, name: str, known: list[str], kind: str = "body") -> Iterator[Problem]:
    if name not in known:
        yield place, f"no {kind} is called '{name}'; {did_you_mean(name, known)}"


def _body_doubts(body: BodyConfig, name: str, place: Place) -> Iterator[Problem]:
    if not body.can_move:
        return
    is_polygon = body.radius is None and body.material.line_intensity is None
    outside = distance_outside(body.points) if is_polygon else 0.0
    if outside > 0.0:
        doubt = (
            f"the origin of '{name}', which is its center of mass, lies {outside:.3g} m "
            "outside its outline; give the points about their center, and move the pose instead"
        )
        yield (*place, "points"), doubt
    usual = body.outline_inertia
    inertia = usual if body.inertia is None else body.inertia
    if not usual / _UNLIKELY_INERTIA <= inertia <= usual * _UNLIKELY_INERTIA:
        doubt = (
            f"the inertia of '{name}' is {inertia:g} kg m^2, that of its outline and mass "
            f"{usual:.3g} kg m^2; correct it, or leave it out to have that of the outline"
        )
        yield (*place, "inertia"), doubt


def _joint_doubts(
    joint: JointConfig, parent: Pose2D, child: Pose2D, place: Place
) -> Iterator[Problem]:
    at_parent = parent.transform_point(joint.anchor_parent)
    gap = math.dist(at_parent, child.transform_point(joint.anchor_child))
    if joint.joins_anchors and gap > _FARTHEST_ANCHORS_M:
        doubt = (
            f"the anchors of '{joint.name}' are {gap:.3g} m apart where the robot starts, "
            f"and the {joint.type} joint pulls them together at once; correct "
            "anchor_parent, anchor_child or the poses of the bodies"
        )
        yield (*place, "anchor_child"), doubt
    low, high = joint.lower_limit, joint.upper_limit
    start = child.theta - parent.theta
    if not low <= start <= high:
        # Whole turns do not count, as in the engine.
        start -= math.tau * round((start - 0.5 * (low + high)) / math.tau)
    if joint.has_limits and not low - _LIMIT_SLACK_RAD <= start <= high + _LIMIT_SLACK_RAD:
        doubt = (
            f"the hinge '{joint.name}' starts at {start:.4g} rad, outside its limits from "
            f"{low:.4g} to {high:.4g} rad, and is turned into them at once; correct "
            "the limits or the poses of the bodies"
        )
        yield (*place, "lower_limit" if start < low else "upper_limit"), doubt
