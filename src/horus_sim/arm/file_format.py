"""Arms from YAML files: the layout, and errors that name the line, the key and the remedy.

The layout is described for users in docs/arm.md.
"""

from __future__ import annotations

import dataclasses
from math import inf, radians
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from horus_sim.arm.checks import LONGEST_M, MAX_DOF
from horus_sim.arm.description import (
    ArmDescription,
    ArmJoint,
    DampedLeastSquares,
    DHConvention,
    JointKind,
)
from horus_sim.assets import asset_names, asset_path
from horus_sim.errors import ArmFileError, UnknownArmError, UnknownNameError
from horus_sim.files.document import Document, read_document
from horus_sim.files.explaining import checked
from horus_sim.tf import Transform

_KIND = "arms"
_SUFFIXES = (".yaml",)

# Strict: true and '0.5' are not numbers. The bounds are far beyond any arm, and keep every later
# computation finite.
Length = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-LONGEST_M, le=LONGEST_M)]
Angle = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-1e6, le=1e6)]
Positive = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0, le=1e9)]
Radius = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=1e-6, le=LONGEST_M)]
TimeStep = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=1e-6, le=1e6)]
Count = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]
Lengths = tuple[Length, Length, Length]
Angles = tuple[Angle, Angle, Angle]
_ANGULAR = ("initial_deg", "min_deg", "max_deg", "max_velocity_deg_s", "max_acceleration_deg_s2")
_LINEAR = ("initial_m", "min_m", "max_m", "max_velocity_m_s", "max_acceleration_m_s2")


class _Block(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


class PlacementBlock(_Block):
    """A rigid transform: translation [m], then roll, pitch, yaw about fixed axes [rad]."""

    translation_m: Lengths = (0.0, 0.0, 0.0)
    rpy_rad: Angles = (0.0, 0.0, 0.0)

    def build(self) -> Transform:
        """The transform."""
        return Transform.from_euler(self.translation_m, self.rpy_rad)


class JointBlock(_Block):
    """One joint; angles in degrees where the key says so."""

    name: Annotated[str, Field(min_length=1)]
    type: Literal["revolute", "continuous", "prismatic"] = "revolute"
    a_m: Length
    d_m: Length
    alpha_rad: Angle
    theta_offset_rad: Angle = 0.0
    rotation_axis_local: Literal["x", "y", "z", "-x", "-y", "-z", "X", "Y", "Z"] = "z"
    initial_deg: Angle | None = None
    min_deg: Angle | None = None
    max_deg: Angle | None = None
    max_velocity_deg_s: Positive | None = None
    max_acceleration_deg_s2: Positive | None = None
    initial_m: Length | None = None
    min_m: Length | None = None
    max_m: Length | None = None
    max_velocity_m_s: Positive | None = None
    max_acceleration_m_s2: Positive | None = None

    @model_validator(mode="after")
    def _check(self) -> JointBlock:
        prismatic = self.type == "prismatic"
        own, other = (_LINEAR, _ANGULAR) if prismatic else (_ANGULAR, _LINEAR)
        for mine, foreign in zip(own, other, strict=True):
            if getattr(self, foreign) is not None:
                raise ValueError(
                    f"'{foreign}' does not fit a {self.type} joint; write '{mine}' instead"
                )
        _, low, high = (getattr(self, key) for key in own[:3])
        if self.type == "continuous":
            if low is not None or high is not None:
                raise ValueError(
                    f"a continuous joint has no limits; remove '{own[1]}' and '{own[2]}', or make "
                    "its type 'revolute'"
                )
            return self
        for key, value in ((own[1], low), (own[2], high)):
            if value is None:
                hint = "" if prismatic else ", or make its type 'continuous'"
                raise ValueError(f"'{key}' is missing; add it{hint}")
        if low >= high:
            raise ValueError(
                f"'{own[1]}' ({low:g}) is not below '{own[2]}' ({high:g}); swap or correct them"
            )
        start = getattr(self, own[0])
        if start is not None and not low <= start <= high:
            raise ValueError(
                f"'{own[0]}' ({start:g}) is outside '{own[1]}' to '{own[2]}' ({low:g} to "
                f"{high:g}); move it inside"
            )
        return self

    def build(self, convention: DHConvention) -> ArmJoint:
        """The joint, in radians and metres."""
        kind = JointKind(self.type)
        prismatic = kind is JointKind.PRISMATIC
        values: list[Any] = [getattr(self, key) for key in (_LINEAR if prismatic else _ANGULAR)]
        if not prismatic:
            values = [None if value is None else radians(value) for value in values]
        initial, low, high, velocity, acceleration = values
        lower, upper = (-inf, inf) if kind is JointKind.CONTINUOUS else (low, high)
        if initial is None:
            initial = 0.0 if lower <= 0.0 <= upper else 0.5 * (lower + upper)
        return ArmJoint.from_dh(
            self.name,
            a=self.a_m,
            alpha=self.alpha_rad,
            convention=convention,
            kind=kind,
            theta_offset=self.theta_offset_rad,
            d=self.d_m,
            lower=lower,
            upper=upper,
            initial=initial,
            max_velocity=velocity,
            max_acceleration=acceleration,
            axis_label=self.rotation_axis_local,
        )


class RobotBlock(_Block):
    """The arm itself."""

    name: Annotated[str, Field(min_length=1)] | None = None
    source: str = ""
    convention: Literal["standard", "modified"] = "standard"
    base: PlacementBlock = PlacementBlock()
    tool: PlacementBlock = PlacementBlock()
    link_radius_m: Radius = 0.03
    joints: Annotated[tuple[JointBlock, ...], Field(min_length=1, max_length=MAX_DOF)]

    @model_validator(mode="after")
    def _check(self) -> RobotBlock:
        seen: dict[str, int] = {}
        for index, joint in enumerate(self.joints):
            if joint.name in seen:
                raise ValueError(
                    f"joints[{seen[joint.name]}] and joints[{index}] are both called "
                    f"'{joint.name}'; rename one"
                )
            seen[joint.name] = index
        return self


class IKBlock(_Block):
    """Parameters of `method="dls"`."""

    max_iters: Count = 200
    damping: Positive = 0.05
    tolerance_m: Positive = 1e-3


class ControlBlock(_Block):
    """How trajectories are sampled."""

    dt_s: TimeStep = 0.02


class SimulationBlock(_Block):
    """Parameters of the solver and of control."""

    ik: IKBlock = IKBlock()
    control: ControlBlock = ControlBlock()


class ArmFile(_Block):
    """The whole file."""

    robot: RobotBlock
    simulation: SimulationBlock = SimulationBlock()

    def build(self, name: str) -> ArmDescription:
        """The description; `name` is used where the file gives none."""
        robot, ik = self.robot, self.simulation.ik
        convention = DHConvention(robot.convention)
        return ArmDescription(
            name=robot.name or name,
            joints=tuple(joint.build(convention) for joint in robot.joints),
            T_world_base=robot.base.build(),
            T_flange_tool=robot.tool.build(),
            convention=convention,
            dls=DampedLeastSquares(ik.max_iters, ik.damping, ik.tolerance_m),
            dt_s=self.simulation.control.dt_s,
            link_radius=robot.link_radius_m,
            source=robot.source,
        )


def arm_names() -> tuple[str, ...]:
    """Names of the arms that come with the package."""
    return asset_names(_KIND, _SUFFIXES)


def read_arm(name_or_path: str | Path) -> ArmDescription:
    """Reads a shipped arm by name, or a file.

    Args:
        name_or_path: A name such as 'ur5e', or a path with a suffix or a separator.

    Raises:
        UnknownArmError: No shipped arm has that name.
        ArmFileError: There is no such file, or it does not describe an arm.
    """
    path = Path(name_or_path)
    if path.suffix == ".urdf":
        raise ArmFileError(f"'{path}' is a URDF file; read it with Arm.from_urdf.")
    if path.suffix == "" and path.parent == Path() and not path.is_file():
        try:
            path = asset_path(_KIND, str(name_or_path), _SUFFIXES)
        except UnknownNameError as error:
            raise UnknownArmError(f"{error}; or give the path of a .yaml file") from error
    shipped = f"check the path, or use a shipped arm: {', '.join(arm_names())}"
    description = _parse(read_document(path, ArmFileError, shipped), path)
    return dataclasses.replace(description, path=path)


def parse_arm(content: object, path: str | Path = "arm") -> ArmDescription:
    """The arm that the content of a file describes.

    Args:
        content: Mappings, lists and numbers, as YAML has them.
        path: Name of the file, for errors.

    Raises:
        ArmFileError: A key or value does not fit.
    """
    return _parse(Document(content, str(path)), Path(path))


def _parse(document: Document, path: Path) -> ArmDescription:
    if not isinstance(document.data, dict):
        text = "this is not a mapping; begin it with 'robot:' and its 'joints:'"
        raise ArmFileError(document.problem((), text))
    return checked(ArmFile, document, ArmFileError).build(path.stem)
