"""What an arm is made of: a serial chain of joints, with limits, a base and a tool."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import pi
from typing import TYPE_CHECKING

import numpy as np

from horus_sim._native import cosine_sine
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

IDENTITY = Transform.identity()


class JointKind(StrEnum):
    """How a joint moves."""

    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"


class DHConvention(StrEnum):
    """In which order the four numbers of a joint apply.

    ``standard`` (Denavit and Hartenberg): Rz(theta) Tz(d) Tx(a) Rx(alpha).
    ``modified`` (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d).
    """

    STANDARD = "standard"
    MODIFIED = "modified"


@dataclass(frozen=True, slots=True)
class ScrewX:
    """The constant part of a DH transform: a shift along x [m] and a turn about x [rad]."""

    a: float
    alpha: float

    @property
    def matrix(self) -> npt.NDArray[np.float64]:
        """As a homogeneous matrix (4, 4)."""
        c, s = cosine_sine(self.alpha)
        return np.array([[1, 0, 0, self.a], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]], float)


Offset = ScrewX | Transform


def matrix_of(offset: Offset) -> npt.NDArray[np.float64]:
    """A constant transform as a homogeneous matrix (4, 4)."""
    return offset.matrix if isinstance(offset, ScrewX) else offset.to_matrix()


def z_to(x: float, y: float, z: float) -> Transform:
    """A rotation that turns z to a unit vector."""
    w = 1.0 + z
    # The quaternion between two unit vectors is (cross, 1 + dot), which vanishes for opposite ones.
    return Transform((0, 0, 0), (-y, x, 0.0, w) if w > 1e-12 else (1.0, 0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class ArmJoint:
    """One joint: T_above_below = before @ Rz(theta_offset [+ q]) @ Tz(d [+ q]) @ after.

    Positions q are radians, metres for a prismatic joint.

    Attributes:
        name: Unique in the arm.
        kind: How it moves: about its z axis, or along it.
        theta_offset: Angle about z at q = 0 [rad].
        d: Distance along z at q = 0 [m].
        before: Constant transform before the motion.
        after: Constant transform after it.
        lower: Smallest position.
        upper: Largest position.
        initial: Where the arm starts.
        max_velocity: Largest speed, or None.
        max_acceleration: Largest acceleration, or None.
        axis_label: `rotation_axis_local` of the file, for display; the motion is always about the
            DH frame's z.
    """

    name: str
    kind: JointKind = JointKind.REVOLUTE
    theta_offset: float = 0.0
    d: float = 0.0
    before: Offset = IDENTITY
    after: Offset = IDENTITY
    lower: float = -pi
    upper: float = pi
    initial: float = 0.0
    max_velocity: float | None = None
    max_acceleration: float | None = None
    axis_label: str = "z"

    @property
    def is_prismatic(self) -> bool:
        """Whether it slides."""
        return self.kind is JointKind.PRISMATIC

    @property
    def unit(self) -> str:
        """Unit of its position."""
        return "m" if self.is_prismatic else "rad"

    @classmethod
    def from_dh(
        cls,
        name: str,
        *,
        a: float,
        alpha: float,
        convention: DHConvention = DHConvention.STANDARD,
        **fields: object,
    ) -> ArmJoint:
        """From DH parameters; `fields` are the attributes of the class."""
        screw = ScrewX(a, alpha)
        place = "after" if convention is DHConvention.STANDARD else "before"
        return cls(name=name, **{place: screw}, **fields)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True, slots=True)
class DampedLeastSquares:
    """Parameters of `method="dls"`, from `simulation.ik` of the file.

    Attributes:
        max_iters: Largest number of iterations.
        damping: Lambda in J^T (J J^T + lambda^2 I)^-1 e.
        tolerance_m: Distance at which the target counts as reached [m].
    """

    max_iters: int = 200
    damping: float = 0.05
    tolerance_m: float = 1e-3


@dataclass(frozen=True, slots=True)
class ArmDescription:
    """Everything that a file says of an arm.

    Attributes:
        name: Name of the arm.
        joints: From the base to the tool.
        T_world_base: Where the arm stands; `fk` includes it.
        T_flange_tool: The tool in the frame below the last joint.
        convention: Convention of the DH parameters; None for an arm that was not given by them.
        dls: Parameters of `method="dls"`.
        dt_s: Time between two points of a trajectory [s].
        link_radius: Radius of the capsules that stand for links in exports [m].
        source: Where the numbers come from.
        path: The file, or None.
    """

    name: str
    joints: tuple[ArmJoint, ...]
    T_world_base: Transform = IDENTITY
    T_flange_tool: Transform = IDENTITY
    convention: DHConvention | None = DHConvention.STANDARD
    dls: DampedLeastSquares = field(default_factory=DampedLeastSquares)
    dt_s: float = 0.02
    link_radius: float = 0.03
    source: str = ""
    path: Path | None = None
