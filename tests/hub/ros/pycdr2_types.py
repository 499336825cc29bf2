"""Five types of ROS as pycdr2 describes them.

Not as annotated classes: from Python 3.14 on pycdr2 1.0 does not see their fields.
"""

from __future__ import annotations

from pycdr2 import make_idl_struct
from pycdr2.types import array, float64, int32, sequence, uint8, uint32


def _struct(name: str, /, **fields: object) -> type:
    return make_idl_struct(name, name, fields)


Time = _struct("Time", sec=int32, nanosec=uint32)
Header = _struct("Header", stamp=Time, frame_id=str)
Vector3 = _struct("Vector3", x=float64, y=float64, z=float64)
Twist = _struct("Twist", linear=Vector3, angular=Vector3)
Image = _struct(
    "Image",
    header=Header,
    height=uint32,
    width=uint32,
    encoding=str,
    is_bigendian=uint8,
    step=uint32,
    data=sequence[uint8],
)
MagneticField = _struct(
    "MagneticField",
    header=Header,
    magnetic_field=Vector3,
    magnetic_field_covariance=array[float64, 9],
)
JointState = _struct(
    "JointState",
    header=Header,
    name=sequence[str],
    position=sequence[float64],
    velocity=sequence[float64],
    effort=sequence[float64],
)
