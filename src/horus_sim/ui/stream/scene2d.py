"""From a scenario to what `view2d.js` draws: plain dictionaries, ready for JSON.

The keys are listed at the head of `view2d.py`. The pieces (`body_item`, `stroke_item`, ...) also
serve an editor whose scenario is not complete yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from horus_sim.sim2d.engine.build import WALL_THICKNESS
from horus_sim.sim2d.engine.layout import Layout
from horus_sim.sim2d.pose import compose
from horus_sim.sim2d.scenario.devices import MotorParams, SensorParams, motor_params, sensor_params
from horus_sim.sim2d.scenario.scenario import RobotSpec, Scenario
from horus_sim.sim2d.scenario.schema import (
    ActuatorConfig,
    BodyConfig,
    Bounds,
    Color,
    JointConfig,
    SensorConfig,
    Stroke,
    WorldConfig,
)

Item = dict[str, Any]
Pose = tuple[float, float, float]
BodyKind = Literal["robot", "object", "patch"]


def css_color(color: Color) -> str:
    """Red, green, blue as CSS writes it."""
    return "#{:02x}{:02x}{:02x}".format(*color)


def body_item(ident: str, body: BodyConfig, pose: Pose, kind: BodyKind, robot: str = "") -> Item:
    """A body.

    Args:
        ident: Unique in the scene.
        body: Its description.
        pose: x, y [m], theta [rad], world frame.
        kind: Part of a robot, something else, or a patch on the floor.
        robot: Id of its robot, or ''.
    """
    item: Item = {
        "id": ident,
        "kind": kind,
        "robot": robot,
        "pose": list(pose),
        "moves": body.can_move and kind != "patch",
        "fill": css_color(body.material.color),
    }
    if body.radius is not None:
        item["radius"] = body.radius
    else:
        item["points"] = [list(point) for point in body.points]
    return item


def stroke_item(ident: str, stroke: Stroke) -> Item:
    """A line on the floor or a wall."""
    return {
        "id": ident,
        "kind": stroke.kind,
        "width": stroke.thickness,
        "points": [list(point) for point in stroke.points],
        "color": css_color(stroke.color),
    }


def motor_item(robot: str, motor: ActuatorConfig, params: MotorParams, wheel: int = -1) -> Item:
    """A wheel; `wheel` is its place among the wheels of a frame, -1 for none."""
    return {
        "id": f"{robot}/motors/{motor.name}",
        "kind": "motor",
        "body": f"{robot}/{motor.body}",
        "mount": list(motor.mount_pose),
        "radius": params.wheel_radius,
        "wheel": wheel,
    }


def sensor_item(robot: str, sensor: SensorConfig, params: SensorParams, first: int = -1) -> Item:
    """A sensor; `first` is the place of its readings in a frame, -1 for none."""
    spacing = params.spacing
    if sensor.type == "distance":
        spacing = params.fov / (params.count - 1) if params.count > 1 else 0.0
    return {
        "id": f"{robot}/sensors/{sensor.name}",
        "kind": sensor.type,
        "body": f"{robot}/{sensor.body}",
        "mount": list(sensor.mount_pose),
        "count": params.count,
        "spacing": spacing,
        "range": params.max_range,
        "first": first,
    }


def joint_item(robot: str, joint: JointConfig) -> Item:
    """What holds two bodies together."""
    return {
        "id": f"{robot}/joints/{joint.name}",
        "kind": joint.type,
        "parent": f"{robot}/{joint.parent}",
        "child": f"{robot}/{joint.child}",
        "anchor_parent": list(joint.anchor_parent),
        "anchor_child": list(joint.anchor_child),
    }


def bounds_item(bounds: Bounds) -> Item:
    """The walls around everything."""
    return {
        "low": [bounds.min_x, bounds.min_y],
        "high": [bounds.max_x, bounds.max_y],
        "width": WALL_THICKNESS,
    }


def robot_items(spec: RobotSpec, layout: Layout | None = None) -> dict[str, list[Item]]:
    """Bodies, joints and devices of a robot.

    Args:
        spec: The robot.
        layout: Where readings and wheels are in a frame; None without frames.
    """
    name, robot = spec.id, spec.config
    devices = [
        motor_item(
            name,
            motor,
            motor_params(motor.params),
            -1 if layout is None else layout.motors[f"{name}/{motor.name}"].index,
        )
        for motor in robot.actuators
    ]
    devices += [
        sensor_item(
            name,
            sensor,
            sensor_params(sensor.type, sensor.params),
            -1 if layout is None else layout.sensors[f"{name}/{sensor.name}"].first,
        )
        for sensor in robot.sensors
    ]
    bodies = [
        body_item(
            f"{name}/{body.name}", body, compose(spec.spawn_pose, body.pose), "robot", robot=name
        )
        for body in robot.bodies
    ]
    joints = [joint_item(name, joint) for joint in robot.joints]
    return {"bodies": bodies, "joints": joints, "devices": devices}


def world_items(world: WorldConfig) -> dict[str, Any]:
    """Bodies, strokes and bounds of a world."""
    bodies = []
    for item in (*world.terrain, *world.shape_objects, *world.custom_objects):
        is_patch = item.body.material.custom.get("line_intensity") is not None
        kind: BodyKind = "patch" if is_patch else "object"
        bodies.append(body_item(item.name, item.body, item.body.pose, kind))
    return {
        "bodies": bodies,
        "strokes": [
            stroke_item(f"drawing_{number}", stroke) for number, stroke in enumerate(world.drawings)
        ],
        "bounds": None if world.bounds is None else bounds_item(world.bounds),
    }


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
        for key, items in robot_items(spec, layout).items():
            scene[key] = [*scene[key], *items]
    scene["moving"] = moving_ids(scene["bodies"])
    return scene


def moving_ids(bodies: Iterable[Item]) -> list[str]:
    """Ids of the bodies whose poses a frame holds, in its order."""
    return [body["id"] for body in bodies if body["moves"]]
