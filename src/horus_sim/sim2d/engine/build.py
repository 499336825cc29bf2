"""Builds the native model of a scenario."""

from __future__ import annotations

import math
from typing import TypeVar

from pydantic import BaseModel

from horus_sim._native import (
    Sim2dBody,
    Sim2dJoint,
    Sim2dModel,
    Sim2dSensor,
    Sim2dSolver,
    Sim2dWheel,
)
from horus_sim.sim2d.engine.layout import Layout, MotorSlot, SensorSlot
from horus_sim.sim2d.engine.solver_config import SolverConfig
from horus_sim.sim2d.pose import Pose, compose
from horus_sim.sim2d.scenario.devices import SensorParams, motor_params, sensor_params
from horus_sim.sim2d.scenario.scenario import RobotSpec, Scenario
from horus_sim.sim2d.scenario.schema import BodyConfig, Bounds, Material, Stroke

_Definition = TypeVar("_Definition", Sim2dBody, Sim2dJoint, Sim2dSensor, Sim2dSolver, Sim2dWheel)

WALL_THICKNESS = 0.05
_BOUNDS_MATERIAL = Material(friction=0.9, restitution=0.05)


def build_model(
    scenario: Scenario, solver: SolverConfig, *, top_down: bool, ignore_terrain: bool
) -> tuple[Sim2dModel, Layout]:
    """The native model of a scenario and where everything is in it.

    Args:
        scenario: What to build.
        solver: Settings of the solver.
        top_down: Seen from above: no gravity, and passive bodies rub on the floor.
        ignore_terrain: Leave out everything but robots.
    """
    model = Sim2dModel()
    layout = Layout(robots=tuple(spec.id for spec in scenario.robots))
    knobs = _defined(Sim2dSolver(), solver)
    if not top_down:
        model.set_gravity(*scenario.world.gravity)
        knobs.ground_friction = 0.0
    model.set_solver(knobs)
    for spec in scenario.robots:
        _add_robot(model, layout, spec)
    if not ignore_terrain:
        _add_world(model, layout, scenario)
    model.finish()
    return model, layout


def _defined(definition: _Definition, *described: BaseModel, **values: object) -> _Definition:
    """Fills a native definition.

    Args:
        definition: What to fill.
        described: Descriptions; their fields that are called as those of the definition are copied.
        values: Fields that are something else than what the descriptions say, or missing there.
    """
    copied = {
        name: getattr(source, name)
        for source in described
        for name in definition.FIELDS
        if hasattr(source, name)
    }
    for name, value in (copied | values).items():
        setattr(definition, name, value)
    return definition


def _add_body(
    model: Sim2dModel, layout: Layout, name: str, body: BodyConfig, pose: Pose, ground: float
) -> None:
    material = body.material
    definition = _defined(
        Sim2dBody(),
        body,
        material,
        pose=pose,
        inertia=body.moment_of_inertia,
        ground_friction=float(material.custom.get("ground_friction", ground)),
    )
    if body.radius is None:
        index = model.add_polygon(definition, body.points)
    else:
        index = model.add_circle(definition, body.radius)
    if "reflect_line" in material.model_fields_set:
        model.add_seen_body(index, material.reflect_line)
    layout.bodies[name] = index
    layout.configs.append(body)


def _add_robot(model: Sim2dModel, layout: Layout, spec: RobotSpec) -> None:
    robot = spec.config
    on_wheels = {actuator.body for actuator in robot.actuators}
    poses: dict[str, Pose] = {}
    for body in robot.bodies:
        poses[body.name] = compose(spec.spawn_pose, body.pose)
        ground = 0.0 if body.name in on_wheels else body.material.friction
        _add_body(model, layout, f"{spec.id}/{body.name}", body, poses[body.name], ground)
    for joint in robot.joints:
        parent, child = poses[joint.parent], poses[joint.child]
        a = compose(parent, (*joint.anchor_parent, 0.0))
        b = compose(child, (*joint.anchor_child, 0.0))
        definition = _defined(
            Sim2dJoint(),
            joint,
            parent=layout.bodies[f"{spec.id}/{joint.parent}"],
            child=layout.bodies[f"{spec.id}/{joint.child}"],
            reference=child[2] - parent[2],
            length=math.hypot(b[0] - a[0], b[1] - a[1]),
        )
        model.add_joint(definition)
    _add_motors(model, layout, spec)
    _add_sensors(model, layout, spec)


def _add_motors(model: Sim2dModel, layout: Layout, spec: RobotSpec) -> None:
    materials = {body.name: body.material for body in spec.config.bodies}
    # All motors are counted before one is added, so that each carries its share.
    wheels_of = [actuator.body for actuator in spec.config.actuators]
    for actuator in spec.config.actuators:
        params = motor_params(actuator.params)
        material = materials[actuator.body]
        traction = material.friction if material.traction is None else material.traction
        definition = _defined(
            Sim2dWheel(),
            actuator,
            params,
            body=layout.bodies[f"{spec.id}/{actuator.body}"],
            mu_long=traction if params.mu_long is None else params.mu_long,
            mu_lat=material.friction if params.mu_lat is None else params.mu_lat,
            normal_force=params.normal_force or 0.0,
            wheel_count=params.wheel_count or wheels_of.count(actuator.body),
        )
        index = model.add_wheel(definition)
        layout.motors[f"{spec.id}/{actuator.name}"] = MotorSlot(
            index, spec.id, actuator.name, actuator.body, actuator.mount_pose, params
        )


def _add_sensors(model: Sim2dModel, layout: Layout, spec: RobotSpec) -> None:
    for sensor in spec.config.sensors:
        params = sensor_params(sensor.type, sensor.params)
        wheel = -1
        spacing = params.spacing
        if sensor.type == "encoder":
            wheel = _motor_of_encoder(layout, spec, sensor.body, sensor.mount_pose, params)
        elif sensor.type == "distance":
            spacing = params.fov / (params.count - 1) if params.count > 1 else 0.0
        definition = _defined(
            Sim2dSensor(),
            sensor,
            params,
            body=layout.bodies[f"{spec.id}/{sensor.body}"],
            wheel=wheel,
            spacing=spacing,
        )
        first, width = model.add_sensor(definition)
        layout.sensors[f"{spec.id}/{sensor.name}"] = SensorSlot(
            len(layout.sensors),
            spec.id,
            sensor.name,
            sensor.type,
            sensor.body,
            sensor.mount_pose,
            first,
            width,
            params,
        )


def _motor_of_encoder(
    layout: Layout, spec: RobotSpec, body: str, mount: Pose, params: SensorParams
) -> int:
    if params.motor is not None:
        return layout.motors[f"{spec.id}/{params.motor}"].index
    mine = [slot for slot in layout.motors.values() if slot.robot == spec.id and slot.body == body]
    return min(mine, key=lambda slot: math.dist(slot.mount[:2], mount[:2])).index


def _add_world(model: Sim2dModel, layout: Layout, scenario: Scenario) -> None:
    world = scenario.world
    for item in (*world.terrain, *world.shape_objects, *world.custom_objects):
        intensity = item.body.material.custom.get("line_intensity")
        if intensity is not None:
            _add_patch(model, item.body, float(intensity))
        else:
            friction = item.body.material.friction
            _add_body(model, layout, item.name, item.body, item.body.pose, friction)
    for number, stroke in enumerate(world.drawings):
        _add_stroke(model, layout, stroke, number)
    if world.bounds is not None:
        _add_bounds(model, layout, world.bounds)


def _add_patch(model: Sim2dModel, body: BodyConfig, intensity: float) -> None:
    x, y, _ = body.pose
    if body.radius is not None:
        model.add_segment((x, y), (x, y), body.radius, intensity)
        return
    points = [compose(body.pose, (*point, 0.0))[:2] for point in body.points]
    model.add_patch(points, intensity)


def _add_stroke(model: Sim2dModel, layout: Layout, stroke: Stroke, number: int) -> None:
    half = 0.5 * stroke.thickness
    segments = zip(stroke.points, stroke.points[1:], strict=False)
    for k, ((ax, ay), (bx, by)) in enumerate(segments):
        if stroke.kind == "mark":
            intensity = float(stroke.metadata.get("line_intensity", 1.0))
            model.add_segment((ax, ay), (bx, by), half, intensity)
            continue
        length = math.hypot(bx - ax, by - ay)
        if length == 0.0:
            continue
        pose = (0.5 * (ax + bx), 0.5 * (ay + by), math.atan2(by - ay, bx - ax))
        # Half a thickness longer on each side, so that corners are closed.
        wall = _box(f"drawing_{number}_{k}", length + stroke.thickness, stroke.thickness)
        _add_body(model, layout, wall.name, wall, pose, 0.0)


def _add_bounds(model: Sim2dModel, layout: Layout, bounds: Bounds) -> None:
    t = WALL_THICKNESS
    width, height = bounds.max_x - bounds.min_x, bounds.max_y - bounds.min_y
    x, y = 0.5 * (bounds.min_x + bounds.max_x), 0.5 * (bounds.min_y + bounds.max_y)
    walls = {
        "bounds_left": (t, height + 2 * t, bounds.min_x - 0.5 * t, y),
        "bounds_right": (t, height + 2 * t, bounds.max_x + 0.5 * t, y),
        "bounds_bottom": (width + 2 * t, t, x, bounds.min_y - 0.5 * t),
        "bounds_top": (width + 2 * t, t, x, bounds.max_y + 0.5 * t),
    }
    for name, (w, h, cx, cy) in walls.items():
        wall = _box(name, w, h)
        _add_body(model, layout, name, wall, (cx, cy, 0.0), 0.0)


def _box(name: str, width: float, height: float) -> BodyConfig:
    x, y = 0.5 * width, 0.5 * height
    # Unchecked: the walls of the largest world are a bit larger than a body may be.
    return BodyConfig.model_construct(
        name=name,
        points=((-x, -y), (x, -y), (x, y), (-x, y)),
        can_move=False,
        material=_BOUNDS_MATERIAL,
    )
