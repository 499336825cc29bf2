"""Which fields a thing has in its form: those of its schema, in the words of this file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from horus_sim.errors import EditError
from horus_sim.sim2d.scenario.devices import (
    DEFAULT_SENSOR_PRESETS,
    MOTOR_PRESETS,
    SENSOR_PRESETS,
    MotorParams,
    SensorParams,
    motor_params,
    sensor_params,
)
from horus_sim.sim2d.scenario.schema import (
    ActuatorConfig,
    Angle,
    BodyConfig,
    Bounds,
    Color,
    JointConfig,
    Material,
    PlacedBody,
    RobotConfig,
    RobotEntry,
    ScenarioConfig,
    SensorConfig,
    Stroke,
    Within,
    WorldConfig,
)
from horus_sim.ui.designer.model.content import Content, Place, get, made
from horus_sim.ui.designer.model.edits import body_at, body_place, set_value
from horus_sim.ui.designer.model.field import Field, Kind, Measure, number_text
from horus_sim.ui.designer.model.geometry import rectangle, sides

_DATA = "Data for other programs (no effect here)"
_HINGE = "Limits of a hinge (equal: none)"
# What a key is called where its own words would not do.
_LABELS: dict[str, str] = {
    "color": "Colour",
    "type": "Kind",
    "rate_hz": "Rate",
    "timestep": "Time step",
    "anchor_parent": "Parent",
    "anchor_child": "Child",
    "lower_limit": "Lower",
    "upper_limit": "Upper",
    "reflect_distance": "Seen by distance sensors",
    "reflect_line": "Seen by line sensors",
    "max_wheel_omega": "Top speed",
    "max_force": "Largest push",
    "mu_long": "Traction along",
    "mu_lat": "Traction across",
    "g_equiv": "Gravity on the wheel",
    "normal_force": "Load",
    "lateral_damping": "Sideways slip that is left",
    "detailed": "Simulate the motor",
    "count": "Points",
    "signal": "Reading on a line",
    "range_max": "Range",
    "fov": "Field of view",
    "min_x": "Left",
    "max_x": "Right",
    "min_y": "Bottom",
    "max_y": "Top",
}
_GROUPS: dict[str, str] = {
    "gravity": "Gravity (side view only)",
    "spawn_pose": "Start",
    "anchor_parent": "Anchors",
    "anchor_child": "Anchors",
    "lower_limit": _HINGE,
    "upper_limit": _HINGE,
    "stiffness": "Softness",
    "damping": "Softness",
}
_LONG = ("description", "help")
_MOUNTED = ("name", "body", "mount_pose")
# What counts of a motor's parameters that have no value of their own.
_FOUND = {"mu_long": "of the material", "mu_lat": "of the material", "wheel_count": "as there are"}
_SENSOR_KEYS: dict[str, tuple[str, ...]] = {
    "line": ("signal",),
    "line_array": ("count", "spacing", "signal"),
    "distance": ("range_max", "count", "fov"),
}
Special = tuple[Callable[[Content], Any], Callable[[Content, Any], Content]]


def fields_of(content: Content, place: Place) -> list[Field]:
    """The fields of the form of a thing; none where there is no form."""
    if not place:
        return [
            *_from_schema(ScenarioConfig, ("scenario",), ("name", "description", "help")),
            *_from_schema(
                WorldConfig,
                ("world",),
                ("timestep", "seed", "gravity"),
                usual={"timestep": number_text(WorldConfig().timestep), "seed": "none"},
            ),
        ]
    thing = get(content, place)
    if isinstance(thing, PlacedBody | BodyConfig):
        return _body_fields(content, place)
    if isinstance(thing, Stroke):
        intensity: Place = (*place, "metadata", "line_intensity")
        return [
            *_from_schema(Stroke, place, labels={"thickness": "Width"}),
            Field("Line intensity", intensity, optional=True, usual="1"),
        ]
    if isinstance(thing, Bounds):
        return list(_from_schema(Bounds, place, ("min_x", "max_x", "min_y", "max_y")))
    if isinstance(thing, ActuatorConfig | SensorConfig):
        return _device_fields(content, place, thing)
    if isinstance(thing, JointConfig):
        bodies = _bodies(content, place)
        return list(_from_schema(JointConfig, place, choices={"parent": bodies, "child": bodies}))
    if isinstance(thing, RobotConfig):
        return _robot_fields(content, place)
    return []


def point_fields(name: str, place: Place, group: str) -> list[Field]:
    """Fields of both coordinates of a point; the name is before the axis."""
    return [
        Field(f"{name}x [m]", (*place, 0), group=group, measure="x"),
        Field(f"{name}y [m]", (*place, 1), group=group, measure="y"),
    ]


def _from_schema(
    model: type[BaseModel],
    place: Place,
    keys: Iterable[str] = (),
    *,
    group: str = "",
    labels: Mapping[str, str] = {},
    choices: Mapping[str, tuple[str, ...]] = {},
    usual: Mapping[str, str] = {},
    values: BaseModel | None = None,
) -> Iterator[Field]:
    """A field for each value of a model that a form can show.

    Args:
        model: The schema.
        place: Place of the values in the content.
        keys: Keys of the values, in this order; all of them unless given.
        group: Heading of those that have none of their own.
        labels: What keys are called here.
        choices: Names that a key may have.
        usual: What counts while a field is empty.
        values: What counts of parameters, each of which may be empty.
    """
    for key in keys or model.model_fields:
        info = model.model_fields[key]
        shown = _shown(info.annotation, info.metadata)
        label = labels.get(key) or _LABELS.get(key) or key.replace("_", " ").capitalize()
        heading = _GROUPS.get(key, group)
        given = tuple(choices.get(key, ()))
        if shown is None:
            yield from _parts(info.annotation, (*place, key), label, heading)
            continue
        kind, unit, may_lack, offered = shown
        if given or offered:
            kind, offered = "choice", given or offered
        elif key in _LONG:
            kind = "long"
        yield Field(
            f"{label} [{unit}]" if unit else label,
            (*place, key),
            kind,
            heading,
            offered,
            optional=may_lack or values is not None,
            usual=usual.get(key, "" if values is None else _counting(values, key, kind)),
            measure=_measure(key, unit),
        )


def _shown(
    annotation: Any,  # noqa: ANN401 - a type as pydantic has it
    metadata: Iterable[object],
) -> tuple[Kind, str, bool, tuple[str, ...]] | None:
    """How a value of a type is typed, its unit, whether it may lack, and what it may be."""
    arguments = get_args(annotation)
    if type(None) in arguments:
        inner = _shown(next(a for a in arguments if a is not type(None)), ())
        return None if inner is None else (inner[0], inner[1], True, inner[3])
    if hasattr(annotation, "__metadata__"):
        return _shown(annotation.__origin__, annotation.__metadata__)
    if annotation == Color:
        return "color", "", False, ()
    if get_origin(annotation) is Literal:
        return "choice", "", False, arguments
    if annotation is float:
        known = tuple(metadata)
        if get_args(Angle)[-1] in known:
            return "angle", "deg", False, ()
        units = [part.unit for part in known if isinstance(part, Within)]
        return "number", "".join(units).replace("^2", "²"), False, ()
    kinds: dict[object, Kind] = {bool: "flag", int: "integer", str: "text"}
    return (kinds[annotation], "", False, ()) if annotation in kinds else None


def _parts(annotation: Any, place: Place, label: str, group: str) -> Iterator[Field]:  # noqa: ANN401
    """Fields of a point, a pose or another few numbers; none for what forms do not show."""
    found = [_shown(part, ()) for part in get_args(annotation) if part is not ...]
    parts = [part for part in found if part is not None and part[0] in ("number", "angle")]
    if get_origin(annotation) is not tuple or ... in get_args(annotation) or parts != found:
        return
    prefix = f"{label} " if len(parts) == 2 else ""
    for k, (kind, unit, *_) in enumerate(parts):
        if kind == "angle":
            yield Field("Angle [deg]", (*place, k), "angle", group)
        else:
            axis: Measure = "x" if k == 0 else "y"
            measure: Measure = axis if unit == "m" else ""
            yield Field(f"{prefix}{axis} [{unit}]", (*place, k), group=group, measure=measure)


def _measure(key: str, unit: str) -> Measure:
    if unit != "m":
        return ""
    return "x" if key.endswith("_x") else "y" if key.endswith("_y") else "length"


def _body_fields(content: Content, place: Place) -> list[Field]:
    where = body_place(content, place)
    body = body_at(content, place)
    size: list[Field] = []
    if body.radius is not None:
        size = list(_from_schema(BodyConfig, where, ("radius",)))
    elif sides(body.points) is not None:
        size = [
            Field(f"{name} [m]", (*where, "points"), special=_side(where, axis), measure="length")
            for axis, name in enumerate(("Length", "Width"))
        ]
    usual = {"inertia": f"{body.outline_inertia:.4g}"}
    material: Place = (*where, "material")
    group = "Material"
    surface = ("color", "friction", "traction", "restitution", "reflect_distance")
    return [
        Field("Name", (*place, "name"), "text"),
        *_from_schema(BodyConfig, where, ("pose",)),
        *size,
        *_from_schema(BodyConfig, where, ("can_move", "mass", "inertia"), usual=usual),
        *_from_schema(Material, material, surface, group=group, usual={"traction": "as friction"}),
        Field(
            _LABELS["reflect_line"],
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
        *_from_schema(Material, material, ("roughness", "thickness"), group=_DATA),
    ]


def _given(where: Place, key: str) -> Special:
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


def _side(where: Place, axis: int) -> Special:
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


def _device_fields(
    content: Content, place: Place, device: ActuatorConfig | SensorConfig
) -> list[Field]:
    bodies = _bodies(content, place)
    labels: dict[str, str] = {}
    choices: dict[str, tuple[str, ...]] = {}
    keys: tuple[str, ...] = ()
    usual = ""
    values: MotorParams | SensorParams
    if isinstance(device, ActuatorConfig):
        values, group = motor_params(device.params), "Wheel"
        choices["preset"] = tuple(MOTOR_PRESETS)
    else:
        values, group = sensor_params(device.type, device.params), "Sensor"
        choices["preset"], usual = tuple(SENSOR_PRESETS), DEFAULT_SENSOR_PRESETS[device.type]
        keys = ("preset", *_SENSOR_KEYS.get(device.type, ()), "noise", "rate_hz")
        if device.type == "distance":
            labels["count"] = "Rays"
        if device.type == "encoder":
            keys = (*keys, "motor")
            choices["motor"] = tuple(m.name for m in content.robots[int(place[1])].actuators)
    return [
        *_from_schema(type(device), place, _MOUNTED, choices={"body": bodies}),
        *_from_schema(
            type(values),
            (*place, "params"),
            keys,
            group=group,
            labels=labels,
            choices=choices,
            usual={"preset": usual},
            values=values,
        ),
    ]


def _counting(values: BaseModel, key: str, kind: Kind) -> str:
    """What counts of a parameter while its field is empty."""
    value = getattr(values, key)
    if kind not in ("number", "integer", "angle"):
        return ""
    if value is None:
        return _FOUND.get(key, "from the mass")
    return number_text(math.degrees(value) if kind == "angle" else value)


def _robot_fields(content: Content, place: Place) -> list[Field]:
    entry: Place = ("scenario", "robots", int(place[1]))
    has_own = get(content, (*entry, "spawn_pose")) is not None
    return [
        *_from_schema(RobotEntry, entry, ("id",)),
        *_from_schema(RobotConfig, entry if has_own else place, ("spawn_pose",)),
        *_from_schema(RobotConfig, place, ("controller_module",)),
        *_from_schema(RobotEntry, entry, ("role",)),
    ]
