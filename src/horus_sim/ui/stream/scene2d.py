"""From a scenario to what `view2d.js` draws: plain dictionaries, ready for JSON.

The keys are listed at the head of `view2d.py`. The pieces `world_items` and `robot_items` also
serve an editor whose scenario is not complete yet, and which gives other ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from horus_sim.sim2d.engine.layout import Layout
from horus_sim.sim2d.pose import compose
from horus_sim.sim2d.scenario.devices import motor_params, sensor_params
from horus_sim.sim2d.scenario.scenario import Scenario
from horus_sim.sim2d.scenario.schema import (
    BodyConfig,
    Color,
    RobotConfig,
    SensorConfig,
    WorldConfig,
)
from horus_sim.sim2d.scenario.walls import WALL_THICKNESS

Item = dict[str, Any]
Pose = tuple[float, float, float]
BodyKind = Literal["robot", "object", "patch"]
# Gives the keys that name a thing ('id', and 'label' where it has one), from the key of its list in
# the file, its place in that list and its name.
Naming = Callable[[str, int, str], Item]
# What stands for the lists of a robot's file in ids.
_FOLDERS = {"actuators": "motors", "sensors": "sensors", "joints": "joints"}


def css_color(color: Color) -> str:
    """Red, green, blue as CSS writes it."""
    return "#{:02x}{:02x}{:02x}".format(*color)


def world_items(world: WorldConfig, naming: Naming | None = None) -> Item:
    """Bodies, strokes and bounds of a world.

    Args:
        world: The world.
        naming: Names the things; by their own names unless given.
    """
    name_it = naming or _world_id
    bodies = []
    for (key, k), item in world.placed_bodies():
        kind: BodyKind = "object" if item.body.material.line_intensity is None else "patch"
        bodies.append(name_it(key, k, item.name) | _body(item.body, item.body.pose, kind))
    strokes = [
        {
            **name_it("drawings", k, f"{stroke.kind} {k + 1}"),
            "kind": stroke.kind,
            "width": stroke.thickness,
            "points": [list(point) for point in stroke.points],
            "color": css_color(stroke.color),
        }
        for k, stroke in enumerate(world.drawings)
    ]
    bounds = None
    if (given := world.bounds) is not None:
        low, high = [given.min_x, given.min_y], [given.max_x, given.max_y]
        bounds = {"low": low, "high": high, "width": WALL_THICKNESS}
    return {"bodies": bodies, "strokes": strokes, "bounds": bounds}


def robot_items(
    robot: RobotConfig,
    name: str,
    spawn: Pose,
    layout: Layout | None = None,
    naming: Naming | None = None,
) -> dict[str, list[Item]]:
    """Bodies, joints and devices of a robot.

    Args:
        robot: The robot.
        name: Id of the robot in its scenario.
        spawn: x, y [m], theta [rad] where it starts, world frame.
        layout: Where readings and wheels are in a frame; None without frames.
        naming: Names the things; by the names of the robot and their own unless given.
    """

    def by_name(key: str, _: int, own: str) -> Item:
        return {"id": f"{name}/{own}" if key == "bodies" else f"{name}/{_FOLDERS[key]}/{own}"}

    name_it = naming or by_name
    heads = [name_it("bodies", k, body.name) for k, body in enumerate(robot.bodies)]
    ids = {body.name: head["id"] for body, head in zip(robot.bodies, heads, strict=True)}
    bodies = [
        head | _body(body, compose(spawn, body.pose), "robot", name)
        for body, head in zip(robot.bodies, heads, strict=True)
    ]
    motors = [
        {
            **name_it("actuators", k, motor.name),
            "kind": "motor",
            "body": ids[motor.body],
            "mount": list(motor.mount_pose),
            "radius": motor_params(motor.params).wheel_radius,
            "wheel": -1 if layout is None else layout.motors[f"{name}/{motor.name}"].index,
        }
        for k, motor in enumerate(robot.actuators)
    ]
    sensors = [
        {
            **name_it("sensors", k, sensor.name),
            "kind": sensor.type,
            "body": ids[sensor.body],
            "mount": list(sensor.mount_pose),
            **_rays(sensor),
            "first": -1 if layout is None else layout.sensors[f"{name}/{sensor.name}"].first,
        }
        for k, sensor in enumerate(robot.sensors)
    ]
    joints = [
        {
            **name_it("joints", k, joint.name),
            "kind": joint.type,
            "parent": ids[joint.parent],
            "child": ids[joint.child],
            "anchor_parent": list(joint.anchor_parent),
            "anchor_child": list(joint.anchor_child),
        }
        for k, joint in enumerate(robot.joints)
    ]
    return {"bodies": bodies, "joints": joints, "devices": motors + sensors}


def _world_id(key: str, k: int, name: str) -> Item:
    return {"id": f"drawing_{k}" if key == "drawings" else name}


def _body(body: BodyConfig, pose: Pose, kind: BodyKind, robot: str = "") -> Item:
    """A body at x, y [m], theta [rad], world frame; a part of a robot, an object or a patch."""
    shape = (
        {"points": [list(point) for point in body.points]}
        if body.radius is None
        else {"radius": body.radius}
    )
    return {
        "kind": kind,
        "robot": robot,
        "pose": list(pose),
        "moves": body.can_move and kind != "patch",
        "fill": css_color(body.material.color),
        **shape,
    }


def _rays(sensor: SensorConfig) -> Item:
    """How many points or rays a sensor has, how far apart [m] or [rad], and how far they go [m]."""
    params = sensor_params(sensor.type, sensor.params)
    spacing = params.ray_spacing if sensor.type == "distance" else params.spacing
    return {"count": params.count, "spacing": spacing, "range": params.range_max}


def scene_of(
    scenario: Scenario,
    layout: Layout | None = None,
    *,
    revision: int = 1,
    ignore_terrain: bool = False,
) -> dict[str, Any]:
    """A whole scene.

    Args:
        scenario: What to draw.
        layout: Where readings and wheels are in a frame; None without frames.
        revision: Frames carry the same number.
        ignore_terrain: Only robots.
    """
    scene: dict[str, Any] = {
        "revision": revision,
        "name": scenario.config.name or scenario.world.name,
        "bodies": [],
        "strokes": [],
        "bounds": None,
        "joints": [],
        "devices": [],
    }
    if not ignore_terrain:
        scene.update(world_items(scenario.world))
    for spec in scenario.robots:
        for key, items in robot_items(spec.config, spec.id, spec.spawn_pose, layout).items():
            scene[key] = [*scene[key], *items]
    scene["moving"] = moving_ids(scene["bodies"])
    return scene


def moving_ids(bodies: Iterable[Item]) -> list[str]:
    """Ids of the bodies whose poses a frame holds, in its order."""
    return [body["id"] for body in bodies if body["moves"]]
