"""What all parts of a scene share: strictness, vectors and poses."""

from __future__ import annotations

import math
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from horus_sim.files.config import Config as Config
from horus_sim.files.config import Finite as Finite
from horus_sim.tf import Transform

Vector3 = tuple[Finite, Finite, Finite]
Share = Annotated[float, Field(ge=0, le=1)]
Rgba = tuple[Share, Share, Share, Share]
WORLD_FRAME = "world"
"""Frame of the world itself, the root of the transform tree."""

_LONGEST_NAME = 200


def _check_name(name: str) -> str:
    if not name.strip() or name != name.strip():
        raise ValueError("a name is not empty and neither begins nor ends with a space")
    if not name.isprintable():
        raise ValueError("a name holds printable characters only")
    if name == WORLD_FRAME:
        raise ValueError("the name 'world' belongs to the world itself")
    if name.startswith("/") or name.endswith("/"):
        raise ValueError("a name neither begins nor ends with '/'")
    return name


Name = Annotated[str, Field(min_length=1, max_length=_LONGEST_NAME), AfterValidator(_check_name)]


class PoseConfig(Config):
    """A pose, by position and either roll, pitch, yaw in degrees or a quaternion.

    Attributes:
        xyz: Position [m].
        rpy_deg: Roll, pitch and yaw [deg] about the fixed axes x, y and z, in this order.
        quat_xyzw: Rotation as a quaternion, normalized on use.
    """

    xyz: Vector3 = (0.0, 0.0, 0.0)
    rpy_deg: Vector3 | None = None
    quat_xyzw: tuple[Finite, Finite, Finite, Finite] | None = None

    @model_validator(mode="after")
    def _one_rotation(self) -> Self:
        if self.rpy_deg is not None and self.quat_xyzw is not None:
            raise ValueError("give 'rpy_deg' or 'quat_xyzw', not both")
        if self.quat_xyzw is not None:
            norm = math.hypot(*self.quat_xyzw)
            if not 1e-6 < norm < 1e6:
                raise ValueError("'quat_xyzw' must not be zero or huge")
        return self

    def transform(self) -> Transform:
        """The pose as a transform into the frame in which it is given."""
        if self.quat_xyzw is not None:
            norm = math.hypot(*self.quat_xyzw)
            x, y, z, w = (value / norm for value in self.quat_xyzw)
            return Transform(self.xyz, (x, y, z, w))
        rpy = self.rpy_deg or (0.0, 0.0, 0.0)
        return Transform.from_euler(self.xyz, tuple(math.radians(angle) for angle in rpy))

    @classmethod
    def of(cls, T: Transform) -> PoseConfig:
        """The configuration that gives this transform back."""
        x, y, z, w = (float(value) for value in T.rotation)
        a, b, c = (float(value) for value in T.translation)
        if (x, y, z, w) == (0.0, 0.0, 0.0, 1.0):
            return cls(xyz=(a, b, c))
        return cls(xyz=(a, b, c), quat_xyzw=(x, y, z, w))
