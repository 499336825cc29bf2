"""From a scenario to the native model, with the places of every name in it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from horus_sim._native import Sim2dModel
from horus_sim.sim2d.devices import MotorParams, SensorParams, motor_params, sensor_params
from horus_sim.sim2d.files import RobotSpec, Scenario
from horus_sim.sim2d.pose import Pose2D
from horus_sim.sim2d.schema import BodyConfig, Bounds, Material, Stroke
from horus_sim.sim2d.solver_config import SolverConfig

Pose = tuple[float, float, float]

WALL_THICKNESS = 0.05
_BOUNDS_MATERIAL = Material(friction=0.9, restitution=0.05)


@dataclass(frozen=True, slots=True)
class MotorSlot:
    """A motor: the place of its wheel in the model, its robot, local name, body, mount, values."""

    index: int
    robot: str
    name: str
    body: str
    mount: Pose
    params: MotorParams


@dataclass(frozen=True, slots=True)
class SensorSlot:
    """A sensor: its number, robot, local name, kind, body, mount, and place of its readings."""

    index: int
    robot: str
    name: str
    kind: str
    body: str
    mount: Pose
    first: int
    width: int
    params: SensorParams


@dataclass(slots=True)
class Layout:
    """Names of what is in a model.

    Attributes:
        bodies: Index of every body by name; those of robots are 'robot/body'.
        configs: Their descriptions, in the order of the indices.
        motors: Motors by 'robot/name'.
        sensors: Sensors by 'robot/name'.
    """

    bodies: dict[str, int] = field(default_factory=dict)
    configs: list[BodyConfig] = field(default_factory=list)
    motors: dict[str, MotorSlot] = field(default_factory=dict)
    sensors: dict[str, SensorSlot] = field(default_factory=dict)


def compose(a: Pose, b: Pose) -> Pose2D:
    """Pose `b`, given in the frame of `a`, in the frame that `a` is given in."""
    return Pose2D(*a).compose(b)


def build_model(
    scenario: Scenario, solver: SolverConfig, *, top_down: bool, ignore_terrain: bool
) -> tuple[Sim2dModel, Layout]:
    """The native model of a scenario and where everything is in it.

    Args:
        scenario: What to build.
        solver: Its knobs.
        top_down: Seen from above: no gravity, and passive bodies rub on the floor.
        ignore_terrain: Leave out everything but robots.
    """
    model = Sim2dModel()
    layout = Layout()
    knobs = solver.model_dump()
    if not top_down:
        model.set_gravity(*scenario.world.gravity)
        knobs["ground_friction"] = 0.0
    model.set_solver(knobs)
    for spec in scenario.robots:
        _add_robot(model, layout, spec)
    if not ignore_terrain:
        _add_world(model, layout, scenario)
    model.finish()
    return model, layout


def _add_body(
    model: Sim2dModel, layout: Layout, name: str, body: BodyConfig, pose: Pose, ground: float
) -> int:
    material = body.material
    index = model.add_body(
        pose=pose,
        radius=body.radius or 0.0,
        points=body.points,
        mass=body.mass,
        inertia=body.moment_of_inertia,
        friction=material.friction,
        restitution=material.restitution,
        reflect_distance=material.reflect_distance,
        ground_friction=float(material.custom.get("ground_friction", ground)),
        can_move=body.can_move,
        collides=True,
    )
    if "reflect_line" in material.model_fields_set:
        model.add_seen_body(index, material.reflect_line)
    layout.bodies[name] = index
    layout.configs.append(body)
    return index


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
        model.add_joint(
            kind=joint.type,
            a=layout.bodies[f"{spec.id}/{joint.parent}"],
            b=layout.bodies[f"{spec.id}/{joint.child}"],
            anchor_a=joint.anchor_parent,
            anchor_b=joint.anchor_child,
            lower=joint.lower_limit,
            upper=joint.upper_limit,
            reference=child[2] - parent[2],
            length=math.hypot(b[0] - a[0], b[1] - a[1]),
            stiffness=joint.stiffness,
            damping=joint.damping,
        )
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
        index = model.add_wheel(
            body=layout.bodies[f"{spec.id}/{actuator.body}"],
            mount=actuator.mount_pose,
            radius=params.wheel_radius,
            max_force=params.max_force,
            mu_long=traction if params.mu_long is None else params.mu_long,
            mu_lat=material.friction if params.mu_lat is None else params.mu_lat,
            normal_force=params.normal_force or 0.0,
            gravity=params.g_equiv,
            wheel_count=params.wheel_count or wheels_of.count(actuator.body),
            lateral_damping=params.lateral_damping,
            response_time=params.response_time,
            max_omega=params.max_wheel_omega,
            detailed=params.detailed,
            torque=params.torque,
            gear_ratio=params.gear_ratio,
            inertia=params.inertia,
        )
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
        first, width = model.add_sensor(
            kind="line" if sensor.type == "line_array" else sensor.type,
            body=layout.bodies[f"{spec.id}/{sensor.body}"],
            wheel=wheel,
            mount=sensor.mount_pose,
            count=params.count,
            spacing=spacing,
            max_range=params.max_range,
            signal=params.signal,
            noise=params.noise,
            rate=params.rate,
        )
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
