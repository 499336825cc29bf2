"""The files of a scenario: world.json, robot.json and scenario.json.

Lengths are metres, angles radians, masses kilograms. Keys that are not listed here are kept in the
`metadata` of the object they were found in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
)
from pydantic_core import PydanticCustomError, core_schema

from horus_sim.sim2d.scenario.outline import MOST_POINTS, outline_inertia

SMALLEST = 1e-6
"""Smallest size [m]: bodies touch at a hundred times that distance."""
FARTHEST = 1e6
"""Largest coordinate and size [m]: far beyond it rounding is larger than a robot."""
LIGHTEST = 1e-9
"""Smallest mass [kg]: a grain of dust."""
HEAVIEST = 1e9
"""Largest mass [kg]: beyond it nothing that a robot does can be computed beside it."""
SHORTEST_STEP = 1e-6
LONGEST_STEP = 0.1
"""Bounds of the length of a step [s]."""
LARGEST_VALUE = 1e6
"""Largest coefficient, rate and the like."""
STRONGEST = 1e15
"""Largest force, torque, stiffness and damping [N, N m, N/m, N s/m]."""


@dataclass(frozen=True, slots=True)
class Within:
    """Bounds of a number, for annotations; an error says both of them with the unit.

    Attributes:
        low: Least value.
        high: Largest value.
        unit: Unit of both bounds, or ''.
    """

    low: float
    high: float
    unit: str = ""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        text = f"Input should be from {self.low:.12g} to {self.high:.12g} {self.unit}".rstrip()
        bounds = core_schema.float_schema(ge=self.low, le=self.high)
        checked = core_schema.custom_error_schema(bounds, "bounds", custom_error_message=text)
        # Only what is a number is told that it is beyond its bounds.
        return core_schema.chain_schema([handler(source), checked])


Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Coordinate = Annotated[Number, Within(-FARTHEST, FARTHEST, "m")]
Size = Annotated[Number, Within(SMALLEST, FARTHEST, "m")]
Length = Annotated[Number, Within(0.0, FARTHEST, "m")]
Mass = Annotated[Number, Within(LIGHTEST, HEAVIEST, "kg")]
Inertia = Annotated[Number, Within(1e-24, 1e24, "kg m^2")]
Acceleration = Annotated[Number, Within(-LARGEST_VALUE, LARGEST_VALUE, "m/s^2")]
Step = Annotated[Number, Within(SHORTEST_STEP, LONGEST_STEP, "s")]
Duration = Annotated[Number, Within(SHORTEST_STEP, LARGEST_VALUE, "s")]
Coefficient = Annotated[Number, Within(0.0, LARGEST_VALUE)]
Stiffness = Annotated[Number, Within(1e-9, STRONGEST, "N/m")]
Damping = Annotated[Number, Within(0.0, STRONGEST, "N s/m")]
Share = Annotated[Number, Within(0.0, 1.0)]
Point = tuple[Coordinate, Coordinate]


def _within_a_turn(angle: float) -> float:
    # A full turn written with a few digits is one.
    if abs(angle) > math.tau + 1e-3:
        raise PydanticCustomError(
            "turn",
            "it is beyond a full turn (6.283); angles are radians, and {degrees} degrees are "
            "{radians}",
            {"degrees": f"{angle:g}", "radians": f"{math.radians(angle):.4g}"},
        )
    return angle


Angle = Annotated[Number, AfterValidator(_within_a_turn)]
"""An angle [rad] up to a full turn."""
PoseTuple = tuple[Coordinate, Coordinate, Angle]
Channel = Annotated[int, Field(ge=0, le=255)]
Color = tuple[Channel, Channel, Channel]
Name = Annotated[str, Field(min_length=1, max_length=200)]
_MODULE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")


def _is_module(name: str) -> str:
    if name and not _MODULE.fullmatch(name):
        raise PydanticCustomError(
            "module", "it must be a module beside robot.json: letters, digits, _ and -"
        )
    return name


# '' for no controller.
ModuleName = Annotated[str, Field(max_length=200), AfterValidator(_is_module)]


def _is_planar(gravity: object) -> object:
    if not isinstance(gravity, list | tuple) or len(gravity) != 2:
        raise PydanticCustomError(
            "gravity",
            "gravity has two numbers, [x, y] in m/s^2 along the axes of the plane; [0, 0] for a "
            "world seen from above, [0, -9.81] for one seen from the side",
        )
    return gravity


Gravity = Annotated[tuple[Acceleration, Acceleration], BeforeValidator(_is_planar)]
Flag = Annotated[bool, Field(strict=True)]
Seed = Annotated[int, Field(strict=True, ge=0, lt=2**64)]


class FileModel(BaseModel):
    """What all objects of the files have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    metadata: dict[str, Any] = {}


class Material(FileModel):
    """A surface.

    Attributes:
        color: Red, green, blue from 0 to 255.
        roughness: Kept as data for other programs, 0 to 1; nothing here depends on it.
        friction: Coulomb coefficient; a pair has the mean.
        traction: Coefficient along a wheel; None for `friction`.
        restitution: 0 to 1; a pair has the larger.
        reflect_line: How strongly line sensors see the body where it lies over the floor, 0 to 1.
            It counts only where it is given: other bodies are not seen, and neither is the one
            that the sensor is mounted on.
        reflect_distance: Reflectivity for distance sensors, 0 to 1.
        thickness: Height [m], kept as data for other programs; nothing here depends on it.
        custom: Other values. `line_intensity` makes the body a patch on the floor, which line
            sensors see as strongly as that, whatever `reflect_line` says; `ground_friction` is its
            coefficient against the floor instead of `friction`; 0 for a part that is carried above
            the floor.
    """

    color: Color = (180, 180, 180)
    roughness: Coefficient = 0.5
    friction: Coefficient = 0.8
    traction: Coefficient | None = None
    restitution: Share = 0.1
    reflect_line: Coefficient = 0.5
    reflect_distance: Coefficient = 0.5
    thickness: Length = 0.02
    custom: dict[str, Any] = {}

    @property
    def line_intensity(self) -> float | None:
        """How strongly line sensors see the body as a patch on the floor; None for no patch."""
        return self.custom.get("line_intensity")


class BodyConfig(FileModel):
    """A rigid body: a convex polygon, or a circle where `radius` is given.

    Attributes:
        name: Unique in its file.
        points: Corners [m] in the body frame, counter-clockwise; the origin is the center of mass.
        edges: Pairs of indices of points; the closed outline.
        radius: Radius [m] of a circle about the origin; then there are no points.
        pose: x, y [m] and theta [rad] in the frame of the robot, or of the world.
        can_move: False for walls and other fixed bodies.
        mass: [kg].
        inertia: About the origin [kg m^2]; None for that of the outline.
        material: Its surface.
    """

    name: Name
    points: Annotated[tuple[Point, ...], Field(max_length=MOST_POINTS)] = ()
    edges: Annotated[tuple[tuple[int, int], ...], Field(max_length=MOST_POINTS)] = ()
    radius: Size | None = None
    pose: PoseTuple = (0.0, 0.0, 0.0)
    can_move: Flag = True
    mass: Mass = 1.0
    inertia: Inertia | None = None
    material: Material = Material()

    @property
    def outline_inertia(self) -> float:
        """Moment of inertia of outline and mass about the origin [kg m^2]."""
        return outline_inertia(self.points, self.radius, self.mass)

    @property
    def moment_of_inertia(self) -> float:
        """The moment of inertia that counts [kg m^2]: that given, else that of the outline."""
        return self.outline_inertia if self.inertia is None else self.inertia


class PlacedBody(FileModel):
    """A body of the world under a name of its own."""

    name: Name
    body: BodyConfig


class CustomObject(PlacedBody):
    """A body with a kind that programs understand."""

    kind: str = "custom"


class Stroke(FileModel):
    """A drawn line: a mark on the floor, or a wall with a rectangle for each segment.

    Attributes:
        kind: 'mark' or 'wall'.
        thickness: Width of the line [m].
        points: Its corners [m], world frame.
        color: Red, green, blue from 0 to 255.
    """

    kind: Literal["mark", "wall"] = "mark"
    thickness: Size = 0.05
    points: tuple[Point, ...] = ()
    color: Color = (140, 180, 240)


class Bounds(FileModel):
    """Four walls around the world [m]."""

    min_x: Coordinate = -1.0
    min_y: Coordinate = -1.0
    max_x: Coordinate = 1.0
    max_y: Coordinate = 1.0


class WorldConfig(FileModel):
    """world.json: what there is besides robots.

    Attributes:
        name: Name shown to people.
        seed: Seed of the random numbers when the caller gives none.
        gravity: Along x and y [m/s^2]; ignored when looking from above.
        timestep: Length of a step [s].
        terrain: Bodies of the landscape.
        drawings: Lines on the floor and walls.
        bounds: Walls around everything, or None.
        shape_objects: More bodies.
        custom_objects: Bodies with a kind.
    """

    name: str = "world"
    seed: Seed | None = None
    gravity: Gravity = (0.0, 0.0)
    timestep: Step = 1.0 / 120.0
    terrain: tuple[PlacedBody, ...] = ()
    drawings: tuple[Stroke, ...] = ()
    bounds: Bounds | None = None
    shape_objects: tuple[PlacedBody, ...] = ()
    custom_objects: tuple[CustomObject, ...] = ()

    def placed_bodies(self) -> Iterator[tuple[tuple[str, int], PlacedBody]]:
        """Bodies of the landscape and objects, each with its place in the file: key and index."""
        for key in ("terrain", "shape_objects", "custom_objects"):
            for index, item in enumerate(getattr(self, key)):
                yield (key, index), item


class JointConfig(FileModel):
    """What holds two bodies of a robot together.

    Attributes:
        name: Unique in its file.
        parent: Name of the first body.
        child: Name of the second body.
        type: 'rigid' (no motion), 'hinge' (turns about the anchor) or 'distance' (keeps the
            anchors' distance).
        anchor_parent: [m], frame of the parent.
        anchor_child: [m], frame of the child.
        lower_limit: Least angle of a hinge [rad], the child's theta less the parent's; without
            limits both are equal.
        upper_limit: Largest angle of a hinge [rad].
        stiffness: [N/m]; from the solver's `rigid_stiffness` on, the joint is hard.
        damping: Damping of a soft joint [N s/m].
    """

    name: Name
    parent: Name
    child: Name
    type: Literal["rigid", "hinge", "distance"] = "rigid"
    anchor_parent: Point = (0.0, 0.0)
    anchor_child: Point = (0.0, 0.0)
    lower_limit: Angle = 0.0
    upper_limit: Angle = 0.0
    stiffness: Stiffness = 1000.0
    damping: Damping = 10.0

    @property
    def joins_anchors(self) -> bool:
        """Whether the anchors are kept at one point, rather than at a distance."""
        return self.type != "distance"

    @property
    def has_limits(self) -> bool:
        """Whether the angle has limits."""
        return self.type == "hinge" and self.lower_limit != self.upper_limit


class ActuatorConfig(FileModel):
    """A wheel with its motor; `params` are those of `MotorParams`."""

    name: Name
    type: Literal["motor"]
    body: Name
    mount_pose: PoseTuple = (0.0, 0.0, 0.0)
    params: dict[str, Any] = {}


class SensorConfig(FileModel):
    """A sensor; `params` are those of `SensorParams`."""

    name: Name
    type: Literal["distance", "line", "line_array", "imu", "encoder"]
    body: Name
    mount_pose: PoseTuple = (0.0, 0.0, 0.0)
    params: dict[str, Any] = {}


class MeasurementConfig(FileModel):
    """A signal that a runner plots."""

    name: Name
    signal: str
    body: str | None = None
    window: Duration = 5.0


class RobotConfig(FileModel):
    """robot.json: bodies, joints, motors and sensors, and the module that drives them."""

    spawn_pose: PoseTuple = (0.0, 0.0, 0.0)
    bodies: Annotated[tuple[BodyConfig, ...], Field(min_length=1)]
    joints: tuple[JointConfig, ...] = ()
    actuators: tuple[ActuatorConfig, ...] = ()
    sensors: tuple[SensorConfig, ...] = ()
    measurements: tuple[MeasurementConfig, ...] = ()
    controller_module: ModuleName = "controller"


class RobotEntry(FileModel):
    """A robot of a scenario.

    Attributes:
        ref: Path of its robot.json, relative to the scenario.
        id: Unique in the scenario; '' takes the name of the file's folder or the file.
        spawn_pose: Instead of the one in robot.json.
        controller: Module beside the robot's file, instead of the one in robot.json.
        role: Free text that people and programs can go by.
    """

    ref: Name
    id: str = ""
    spawn_pose: PoseTuple | None = None
    controller: ModuleName | None = None
    role: str = ""


class ScenarioConfig(FileModel):
    """scenario.json: a world and the robots in it."""

    name: str = ""
    description: str = ""
    thumbnail: str | None = None
    help: str = ""
    seed: Seed | None = None
    environment: Name
    robots: tuple[RobotEntry, ...] = ()
