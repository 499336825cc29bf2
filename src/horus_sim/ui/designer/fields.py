"""Which fields a thing has in its form."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from horus_sim.errors import EditError
from horus_sim.sim2d.devices import (
    DEFAULT_SENSOR_PRESETS,
    MOTOR_PRESETS,
    SENSOR_PRESETS,
    motor_params,
    sensor_params,
)
from horus_sim.sim2d.schema import (
    ActuatorConfig,
    BodyConfig,
    Bounds,
    JointConfig,
    PlacedBody,
    RobotConfig,
    SensorConfig,
    Stroke,
    WorldConfig,
)
from horus_sim.ui.designer.content import Content, Place, get, made
from horus_sim.ui.designer.edits import body_at, body_place, set_value
from horus_sim.ui.designer.field import Field, Kind, Measure, number_text
from horus_sim.ui.designer.geometry import rectangle, sides

_DATA = "Data for other programs (no effect here)"


def fields_of(content: Content, place: Place) -> list[Field]:
    """The fields of the form of a thing; none where there is no form."""
    if not place:
        return _scenario_fields()
    thing = get(content, place)
    if isinstance(thing, PlacedBody | BodyConfig):
        return _body_fields(content, place)
    if isinstance(thing, Stroke):
        return [
            Field("Kind", (*place, "kind"), "choice", choices=("mark", "wall")),
            Field("Width [m]", (*place, "thickness"), measure="length"),
            Field("Colour", (*place, "color"), "color"),
            Field(
                "Line intensity",
                (*place, "metadata", "line_intensity"),
                optional=True,
                usual="1",
            ),
        ]
    if isinstance(thing, Bounds):
        sides_x, sides_y = {"min_x": "Left", "max_x": "Right"}, {"min_y": "Bottom", "max_y": "Top"}
        return [
            *(Field(f"{name} [m]", (*place, key), measure="x") for key, name in sides_x.items()),
            *(Field(f"{name} [m]", (*place, key), measure="y") for key, name in sides_y.items()),
        ]
    if isinstance(thing, ActuatorConfig):
        return _motor_fields(content, place, thing)
    if isinstance(thing, SensorConfig):
        return _sensor_fields(content, place, thing)
    if isinstance(thing, JointConfig):
        return _joint_fields(content, place)
    if isinstance(thing, RobotConfig):
        return _robot_fields(content, place)
    return []


def _scenario_fields() -> list[Field]:
    place: Place = ("world",)
    defaults = WorldConfig()
    return [
        Field("Name", ("scenario", "name"), "text"),
        Field("Description", ("scenario", "description"), "long"),
        Field("Help", ("scenario", "help"), "long"),
        Field("Time step [s]", (*place, "timestep"), usual=number_text(defaults.timestep)),
        Field("Seed", (*place, "seed"), "integer", optional=True, usual="none"),
        Field("Gravity x [m/s²]", (*place, "gravity", 0), group="Gravity (side view only)"),
        Field("Gravity y [m/s²]", (*place, "gravity", 1), group="Gravity (side view only)"),
    ]


def point_fields(name: str, place: Place, group: str) -> list[Field]:
    """Fields of both coordinates of a point; the name is before the axis."""
    return [
        Field(f"{name}x [m]", (*place, 0), group=group, measure="x"),
        Field(f"{name}y [m]", (*place, 1), group=group, measure="y"),
    ]


def _pose(place: Place, group: str = "") -> list[Field]:
    return [
        *point_fields("", place, group),
        Field("Angle [deg]", (*place, 2), "angle", group=group),
    ]


def _body_fields(content: Content, place: Place) -> list[Field]:
    where = body_place(content, place)
    body = body_at(content, place)
    found = [Field("Name", (*place, "name"), "text"), *_pose((*where, "pose"))]
    if body.radius is not None:
        found.append(Field("Radius [m]", (*where, "radius"), measure="length"))
    elif sides(body.points) is not None:
        found += [
            Field(f"{name} [m]", (*where, "points"), special=_side(where, axis), measure="length")
            for axis, name in enumerate(("Length", "Width"))
        ]
    found += [
        Field("Can move", (*where, "can_move"), "flag"),
        Field("Mass [kg]", (*where, "mass")),
        Field(
            "Inertia [kg m²]",
            (*where, "inertia"),
            optional=True,
            usual=f"{body.outline_inertia:.4g}",
        ),
    ]
    material: Place = (*where, "material")
    group = "Material"
    return [
        *found,
        Field("Colour", (*material, "color"), "color", group),
        Field("Friction", (*material, "friction"), group=group),
        Field("Traction", (*material, "traction"), group=group, optional=True, usual="as friction"),
        Field("Restitution", (*material, "restitution"), group=group),
        Field("Seen by distance sensors", (*material, "reflect_distance"), group=group),
        Field(
            "Seen by line sensors",
            (*material, "reflect_line"),
            group=group,
            optional=True,
            usual="not seen",
            special=_given(material, "reflect_line"),
        ),
        Field(
            "Line intensity",
            (*material, "custom", "line_intensity"),
            group=group,
            optional=True,
            usual="no mark",
        ),
        Field("Roughness", (*material, "roughness"), group=_DATA),
        Field("Thickness [m]", (*material, "thickness"), group=_DATA, measure="length"),
    ]


def _given(
    where: Place, key: str
) -> tuple[Callable[[Content], Any], Callable[[Content, Any], Content]]:
    """A value that counts only where it is given, and not its default."""

    def value(content: Content) -> Any:  # noqa: ANN401
        model = get(content, where)
        return getattr(model, key) if key in model.model_fields_set else None

    def put(content: Content, new: Any) -> Content:  # noqa: ANN401
        if new is not None:
            return set_value(content, (*where, key), new)
        model = get(content, where)
        rest = {name: getattr(model, name) for name in model.model_fields_set - {key}}
        return set_value(content, where, made(type(model), where, **rest))

    return value, put


def _side(
    where: Place, axis: int
) -> tuple[Callable[[Content], Any], Callable[[Content, Any], Content]]:
    def value(content: Content) -> float:
        found = sides(get(content, where).points)
        return 0.0 if found is None else found[axis]

    def put(content: Content, new: Any) -> Content:  # noqa: ANN401
        if new <= 0.0:
            raise EditError((*where, "points"), "should be greater than 0")
        body = get(content, where)
        size = list(sides(body.points) or (new, new))
        size[axis] = new
        return set_value(content, (*where, "points"), rectangle(*size))

    return value, put


def _bodies(content: Content, place: Place) -> tuple[str, ...]:
    return tuple(body.name for body in content.robots[int(place[1])].bodies)


def _motor_fields(content: Content, place: Place, motor: ActuatorConfig) -> list[Field]:
    params: Place = (*place, "params")
    values = motor_params(motor.params)
    numbers = {
        "wheel_radius": "Wheel radius [m]",
        "max_wheel_omega": "Top speed [rad/s]",
        "max_force": "Largest push [N]",
        "response_time": "Response time [s]",
        "mu_long": "Traction along",
        "mu_lat": "Traction across",
        "normal_force": "Load [N]",
        "torque": "Torque [N m]",
        "gear_ratio": "Gear ratio",
        "inertia": "Inertia [kg m²]",
    }
    return [
        Field("Name", (*place, "name"), "text"),
        Field("Body", (*place, "body"), "choice", choices=_bodies(content, place)),
        *_pose((*place, "mount_pose")),
        Field(
            "Preset", (*params, "preset"), "choice", "Wheel", tuple(MOTOR_PRESETS), optional=True
        ),
        *(
            Field(
                label,
                (*params, key),
                group="Wheel",
                optional=True,
                usual=_usual(values, key),
                measure=_measure(label),
            )
            for key, label in numbers.items()
        ),
        Field("Simulate the motor", (*params, "detailed"), "flag", "Wheel", optional=True),
    ]


def _sensor_fields(content: Content, place: Place, sensor: SensorConfig) -> list[Field]:
    params: Place = (*place, "params")
    values = sensor_params(sensor.type, sensor.params)
    shown = {
        "line": ("signal",),
        "line_array": ("count", "spacing", "signal"),
        "distance": ("max_range", "count", "fov"),
    }.get(sensor.type, ())
    labels: dict[str, tuple[str, Kind]] = {
        "count": ("Rays" if sensor.type == "distance" else "Points", "integer"),
        "spacing": ("Spacing [m]", "number"),
        "signal": ("Reading on a line", "number"),
        "max_range": ("Range [m]", "number"),
        "fov": ("Field of view [deg]", "angle"),
        "noise": ("Noise", "number"),
        "rate": ("Rate [Hz]", "number"),
    }
    found = [
        Field("Name", (*place, "name"), "text"),
        Field("Body", (*place, "body"), "choice", choices=_bodies(content, place)),
        *_pose((*place, "mount_pose")),
        Field(
            "Preset",
            (*params, "preset"),
            "choice",
            "Sensor",
            tuple(SENSOR_PRESETS),
            optional=True,
            usual=DEFAULT_SENSOR_PRESETS[sensor.type],
        ),
    ]
    for key in (*shown, "noise", "rate"):
        label, kind = labels[key]
        usual = _usual(values, key, degrees=kind == "angle")
        field = Field(label, (*params, key), kind, "Sensor", optional=True, usual=usual)
        found.append(replace(field, measure=_measure(label)))
    if sensor.type == "encoder":
        motors = tuple(motor.name for motor in content.robots[int(place[1])].actuators)
        found.append(Field("Motor", (*params, "motor"), "choice", "Sensor", motors, optional=True))
    return found


def _usual(values: Any, key: str, *, degrees: bool = False) -> str:  # noqa: ANN401
    value = getattr(values, key)
    if value is None:
        return "of the material" if key.startswith("mu_") else "from the mass"
    return number_text(math.degrees(value) if degrees else value)


def _measure(label: str) -> Measure:
    return "length" if label.endswith("[m]") else ""


def _joint_fields(content: Content, place: Place) -> list[Field]:
    bodies = _bodies(content, place)
    hinge = "Limits of a hinge (equal: none)"
    return [
        Field("Name", (*place, "name"), "text"),
        Field("Kind", (*place, "type"), "choice", choices=("rigid", "hinge", "distance")),
        Field("Parent", (*place, "parent"), "choice", choices=bodies),
        Field("Child", (*place, "child"), "choice", choices=bodies),
        *point_fields("Parent ", (*place, "anchor_parent"), "Anchors"),
        *point_fields("Child ", (*place, "anchor_child"), "Anchors"),
        Field("Lower [deg]", (*place, "lower_limit"), "angle", hinge),
        Field("Upper [deg]", (*place, "upper_limit"), "angle", hinge),
        Field("Stiffness [N/m]", (*place, "stiffness"), group="Softness"),
        Field("Damping [N s/m]", (*place, "damping"), group="Softness"),
    ]


def _robot_fields(content: Content, place: Place) -> list[Field]:
    entry: Place = ("scenario", "robots", int(place[1]))
    has_own = get(content, (*entry, "spawn_pose")) is not None
    spawn = (*entry, "spawn_pose") if has_own else (*place, "spawn_pose")
    return [
        Field("Id", (*entry, "id"), "text"),
        *_pose(spawn, "Start"),
        Field("Controller module", (*place, "controller_module"), "text"),
        Field("Role", (*entry, "role"), "text"),
    ]
