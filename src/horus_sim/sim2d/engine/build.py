"""Builds the native model of a scenario."""

from __future__ import annotations

from itertools import pairwise
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
from horus_sim.sim2d.pose import Pose, Pose2D, compose, distance
from horus_sim.sim2d.scenario.devices import SensorParams, motor_params, sensor_params
from horus_sim.sim2d.scenario.scenario import RobotSpec, Scenario
from horus_sim.sim2d.scenario.schema import BodyConfig, SensorConfig, WorldConfig
from horus_sim.sim2d.scenario.walls import walls_of

_Definition = TypeVar("_Definition", Sim2dBody, Sim2dJoint, Sim2dSensor, Sim2dSolver, Sim2dWheel)


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
        _add_world(model, layout, scenario.world)
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
    index = model.add_body(definition, body.points, body.radius)
    if "reflect_line" in material.model_fields_set:
        model.add_seen_body(index, material.reflect_line)
    layout.bodies[name] = index
    layout.configs.append(body)


def _add_robot(model: Sim2dModel, layout: Layout, spec: RobotSpec) -> None:
    robot = spec.config
    on_wheels = {actuator.body for actuator in robot.actuators}
    poses = {body.name: compose(spec.spawn_pose, body.pose) for body in robot.bodies}
    for body in robot.bodies:
        ground = 0.0 if body.name in on_wheels else body.material.friction
        _add_body(model, layout, f"{spec.id}/{body.name}", body, poses[body.name], ground)
    indices = {name: layout.bodies[f"{spec.id}/{name}"] for name in poses}
    for joint in robot.joints:
        parent, child = poses[joint.parent], poses[joint.child]
        end = child.transform_point(joint.anchor_child)
        definition = _defined(
            Sim2dJoint(),
            joint,
            parent=indices[joint.parent],
            child=indices[joint.child],
            reference=child.theta - parent.theta,
            length=distance(parent.transform_point(joint.anchor_parent), end),
        )
        model.add_joint(definition)
    _add_devices(model, layout, spec, indices)


def _add_devices(
    model: Sim2dModel, layout: Layout, spec: RobotSpec, indices: dict[str, int]
) -> None:
    robot = spec.config
    # All motors are counted before one is added, so that each carries its share.
    wheels_of = [actuator.body for actuator in robot.actuators]
    materials = {body.name: body.material for body in robot.bodies}
    for actuator in robot.actuators:
        params, material = motor_params(actuator.params), materials[actuator.body]
        traction = material.friction if material.traction is None else material.traction
        definition = _defined(
            Sim2dWheel(),
            actuator,
            params,
            body=indices[actuator.body],
            mu_long=traction if params.mu_long is None else params.mu_long,
            mu_lat=material.friction if params.mu_lat is None else params.mu_lat,
            normal_force=params.normal_force or 0.0,
            wheel_count=params.wheel_count or wheels_of.count(actuator.body),
        )
        slot = MotorSlot(model.add_wheel(definition), spec.id, actuator, params)
        layout.motors[f"{spec.id}/{actuator.name}"] = slot
    for sensor in robot.sensors:
        params = sensor_params(sensor.type, sensor.params)
        is_encoder = sensor.type == "encoder"
        definition = _defined(
            Sim2dSensor(),
            sensor,
            params,
            body=indices[sensor.body],
            wheel=_wheel_of_encoder(layout, spec, sensor, params) if is_encoder else -1,
            spacing=params.ray_spacing if sensor.type == "distance" else params.spacing,
        )
        place = model.add_sensor(definition)
        slot = SensorSlot(len(layout.sensors), spec.id, sensor, params, *place)
        layout.sensors[f"{spec.id}/{sensor.name}"] = slot


def _wheel_of_encoder(
    layout: Layout, spec: RobotSpec, sensor: SensorConfig, params: SensorParams
) -> int:
    """The wheel of the motor that is named, or else of the nearest one on the same body."""
    name = params.motor
    if name is None:
        mine = [motor for motor in spec.config.actuators if motor.body == sensor.body]
        at = sensor.mount_pose[:2]
        name = min(mine, key=lambda motor: distance(motor.mount_pose[:2], at)).name
    return layout.motors[f"{spec.id}/{name}"].index


def _add_world(model: Sim2dModel, layout: Layout, world: WorldConfig) -> None:
    for _, item in world.placed_bodies():
        body = item.body
        intensity, pose = body.material.line_intensity, Pose2D(*body.pose)
        if intensity is None:
            _add_body(model, layout, item.name, body, pose, body.material.friction)
        elif body.radius is not None:
            model.add_segment(pose[:2], pose[:2], body.radius, intensity)
        else:
            model.add_patch([pose.transform_point(point) for point in body.points], intensity)
    for stroke in world.drawings:
        if stroke.kind == "mark":
            intensity = float(stroke.metadata.get("line_intensity", 1.0))
            for start, end in pairwise(stroke.points):
                model.add_segment(start, end, 0.5 * stroke.thickness, intensity)
    for _, wall in walls_of(world):
        _add_body(model, layout, wall.name, wall, wall.pose, 0.0)
