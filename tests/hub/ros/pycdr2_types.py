"""Five types of ROS as pycdr2 describes them, which reads annotations and not their text."""

# pyright: reportInvalidTypeForm=false

from dataclasses import dataclass

from pycdr2 import IdlStruct
from pycdr2.types import array, float64, int32, sequence, uint8, uint32


@dataclass
class Time(IdlStruct):
    sec: int32
    nanosec: uint32


@dataclass
class Header(IdlStruct):
    stamp: Time
    frame_id: str


@dataclass
class Vector3(IdlStruct):
    x: float64
    y: float64
    z: float64


@dataclass
class Twist(IdlStruct):
    linear: Vector3
    angular: Vector3


@dataclass
class Image(IdlStruct):
    header: Header
    height: uint32
    width: uint32
    encoding: str
    is_bigendian: uint8
    step: uint32
    data: sequence[uint8]


@dataclass
class MagneticField(IdlStruct):
    header: Header
    magnetic_field: Vector3
    magnetic_field_covariance: array[float64, 9]


@dataclass
class JointState(IdlStruct):
    header: Header
    name: sequence[str]
    position: sequence[float64]
    velocity: sequence[float64]
    effort: sequence[float64]
