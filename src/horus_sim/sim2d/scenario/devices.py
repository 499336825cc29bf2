"""Parameters of motors and sensors, and their presets."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import BaseModel, Field, ValidationError

from horus_sim.files.config import Config
from horus_sim.files.document import Document
from horus_sim.files.explaining import explain
from horus_sim.files.names import did_you_mean
from horus_sim.sim2d.scenario.schema import (
    LARGEST_VALUE,
    Angle,
    Coefficient,
    Flag,
    Inertia,
    Length,
    Number,
    Size,
    Within,
)

MOTOR_PRESETS: dict[str, dict[str, float]] = {
    # The defaults, with a grip of its own.
    "wheel_small": {"mu_long": 0.9, "mu_lat": 0.8},
    "wheel_large": {
        "wheel_radius": 0.06,
        "torque": 1.5,
        "inertia": 0.01,
        "response_time": 0.08,
        "mu_long": 0.95,
        "mu_lat": 0.9,
        "max_force": 8.0,
        "max_wheel_omega": 25.0,
    },
}
SENSOR_PRESETS: dict[str, dict[str, float]] = {
    "line_basic": {"signal": 1.0, "noise": 0.02, "rate_hz": 60.0, "count": 5, "spacing": 0.02},
    "range_short": {"range_max": 1.5, "noise": 0.01, "rate_hz": 40.0},
    "range_long": {"range_max": 6.0, "noise": 0.02, "rate_hz": 20.0},
    "lidar_24": {"range_max": 4.0, "noise": 0.01, "rate_hz": 20.0, "count": 24},
    "imu_basic": {"noise": 0.005, "rate_hz": 200.0},
    "encoder_basic": {"noise": 0.001, "rate_hz": 200.0},
    "ideal": {"noise": 0.0, "rate_hz": 0.0},
}
T = TypeVar("T", bound=BaseModel)
Force = Annotated[Number, Within(0.0, 1e12, "N")]
Load = Annotated[Number, Within(1e-9, 1e12, "N")]
Torque = Annotated[Number, Within(0.0, 1e12, "N m")]
WheelSpeed = Annotated[Number, Within(1e-6, LARGEST_VALUE, "rad/s")]
Ratio = Annotated[Number, Within(1e-6, LARGEST_VALUE)]
Weight = Annotated[Number, Within(1e-6, LARGEST_VALUE, "m/s^2")]
Delay = Annotated[Number, Within(0.0, LARGEST_VALUE, "s")]
Rate = Annotated[Number, Within(0.0, LARGEST_VALUE, "Hz")]
Signal = Annotated[Number, Within(-LARGEST_VALUE, LARGEST_VALUE)]
DEFAULT_SENSOR_PRESETS = {
    "line": "line_basic",
    "line_array": "line_basic",
    "distance": "range_short",
    "imu": "imu_basic",
    "encoder": "encoder_basic",
}


class MotorParams(Config):
    """Parameters of a wheel motor.

    Attributes:
        preset: Name in `MOTOR_PRESETS`; values that are given win.
        max_force: Largest push of the simple motor [N].
        mu_long: Traction coefficient along the wheel; None for the material's traction.
        mu_lat: Traction coefficient across the wheel; None for the material's friction.
        g_equiv: Virtual gravity that loads the wheel [m/s^2].
        normal_force: Load on the wheel [N] instead of its share of the body's weight.
        lateral_damping: Share of the sideways slip of a step that is left after 1/120 s; what
            forces would add is held as long as the tyre can.
        wheel_count: Wheels that share the weight; None counts the motors of the body.
        wheel_radius: [m].
        response_time: Time constant of the simple motor's speed [s].
        max_wheel_omega: Speed of the wheel at command 1 [rad/s]; detailed, of the motor's shaft
            without a load, which is that of the wheel times `gear_ratio`.
        detailed: Whether torque, gear and inertia are simulated.
        torque: Stall torque of the motor's shaft [N m]; the wheel has `gear_ratio` times as much.
        gear_ratio: Turns of the motor for one of the wheel.
        inertia: What the wheel's axle feels [kg m^2]: the wheel, and the rotor times the ratio
            squared.
    """

    preset: str = "wheel_small"
    max_force: Force = 2.0
    mu_long: Coefficient | None = None
    mu_lat: Coefficient | None = None
    g_equiv: Weight = 9.81
    normal_force: Load | None = None
    lateral_damping: float = Field(default=0.25, ge=0.0, lt=1.0)
    wheel_count: int | None = Field(default=None, ge=1, le=1000)
    wheel_radius: Size = 0.03
    response_time: Delay = 0.05
    max_wheel_omega: WheelSpeed = 40.0
    detailed: Flag = False
    torque: Torque = 0.45
    gear_ratio: Ratio = 1.0
    inertia: Inertia = 0.002

    @property
    def top_omega(self) -> float:
        """Speed of the wheel at command 1 without a load [rad/s]."""
        return self.max_wheel_omega / self.gear_ratio if self.detailed else self.max_wheel_omega


class SensorParams(Config):
    """Parameters of a sensor; what a kind does not use is ignored.

    Attributes:
        preset: Name in `SENSOR_PRESETS`; None for the usual one of the kind.
        noise: Standard deviation, in the unit of the reading.
        rate_hz: Readings a second [Hz]; 0 for every step.
        signal: Line sensors: reading on a line of intensity 1.
        count: Line array: number of points; distance: number of rays.
        spacing: Line array: distance of the points [m].
        fov: Distance with several rays: angle from the first to the last [rad], up to a full turn.
        range_max: Distance: farthest reading [m], and that where nothing is; it has no noise then.
        motor: Encoder: name of its motor; None for the nearest one on the same body.
    """

    preset: str | None = None
    noise: Coefficient = 0.0
    rate_hz: Rate = 0.0
    signal: Signal = 1.0
    count: int = Field(default=1, ge=1, le=4096)
    spacing: Length = 0.02
    # 345 degrees: 24 rays of a full turn.
    fov: Annotated[Angle, Field(ge=0.0)] = 6.021385919380437
    range_max: Size = 1.5
    motor: str | None = None

    @property
    def ray_spacing(self) -> float:
        """Angle from one ray of a distance sensor to the next [rad]; 0 with one ray."""
        return self.fov / (self.count - 1) if self.count > 1 else 0.0


class ImuReading(NamedTuple):
    """Acceleration [m/s^2], yaw rate [rad/s] and velocity [m/s] in the sensor's frame.

    As accelerometers do, it feels what holds it up: under gravity [0, -9.81] it reads 9.81 along y
    at rest and 0 in free fall. Seen from above there is no gravity.
    """

    ax: float
    ay: float
    wz: float
    vx: float
    vy: float


class EncoderReading(NamedTuple):
    """Speed [rad/s] and angle [rad] of a wheel."""

    omega: float
    angle: float


class ParameterProblem(Exception):  # noqa: N818 - never leaves the package
    """What is wrong with a parameter; `path` is below the device's `params`."""

    def __init__(self, path: tuple[str | int, ...], problem: str) -> None:
        super().__init__(problem)
        self.path = path
        self.problem = problem


def motor_params(given: dict[str, Any]) -> MotorParams:
    """The parameters of a motor: those given, over its preset, over the defaults.

    Raises:
        ParameterProblem: One is unknown or out of range.
    """
    preset = dict(_preset(MOTOR_PRESETS, given.get("preset", "wheel_small")))
    if "preset" not in given:
        # Without a preset of its own a wheel grips as its body's material does.
        preset.pop("mu_long")
        preset.pop("mu_lat")
    return _validated(MotorParams, {**preset, **given})


def sensor_params(kind: str, given: dict[str, Any]) -> SensorParams:
    """The parameters of a sensor of that kind: those given, over its preset, over the defaults.

    Raises:
        ParameterProblem: One is unknown or out of range.
    """
    name = given.get("preset") or DEFAULT_SENSOR_PRESETS[kind]
    params = {**_preset(SENSOR_PRESETS, name), **given}
    if kind == "line":
        params["count"] = 1
    return _validated(SensorParams, params)


def _preset(presets: dict[str, dict[str, float]], name: object) -> dict[str, float]:
    if isinstance(name, str) and name in presets:
        return presets[name]
    hint = did_you_mean(str(name), presets)
    raise ParameterProblem(("preset",), f"no preset is called '{name}'; {hint}")


def _validated(kind: type[T], values: dict[str, Any]) -> T:
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        problem = explain(error, kind, Document(values))
        raise ParameterProblem((problem.key,), problem.text) from None
