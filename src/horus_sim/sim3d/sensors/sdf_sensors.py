"""Sensors of SDF files as sensors of the simulator."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from horus_sim.errors import SceneError

Fields = dict[str, Any]
_FULL_CIRCLE = 2.0 * math.pi
_MOST = 100_000
"""Rays across or upward, or pixels along a side."""
_FEW_RAYS = 8
_TESLA_A_GAUSS = 1e-4
_MOST_TESLA = 1e-5
"""More noise than that is meant in gauss, as gz-sim gives the field where its world is on Earth."""
WIDE_ANGLE = frozenset({"wideanglecamera", "wide_angle_camera", "wideangle_camera"})
"""Types of cameras with lenses that bend the picture."""
WIDEST_DEG = 120.0
"""How wide their pictures are at most here."""
_BRIGHTEST = 255.0
"""SDF counts the noise of colours from 0 to 1, images from 0 to 255."""


def fields_from_sdf(data: Mapping[str, Any], timestep: float) -> Fields | None:
    """Fields of a sensor's configuration, for `Sensors.add`.

    Args:
        data: The sensor as the scene holds it: name, mount, pose, rate_hz, and under ``sdf`` what
            the file says beside.
        timestep: Time step of the world [s]; the sensor's period where the file says 'every step'.

    Returns:
        The fields, or None for a type that the simulator does not have.

    Raises:
        SceneError: A value in the file is not a number, or is too large.
    """
    kind = str(data["kind"])
    if kind not in _TYPES:
        return None
    said = data["sdf"]
    owner = data.get("owner") or data["name"].rpartition("/")[0]
    name = data["name"].removeprefix(f"{owner}/")
    try:
        fields = _TYPES[kind](said)
    except SceneError as error:
        raise SceneError(f"sensor '{data['name']}': {error}") from None
    if data.get("frame"):
        fields["frame"] = data["frame"]
    topic = str(said.get("topic", "")).strip("/")
    if topic:
        fields["topic"] = f"{owner}/{topic}" if owner else topic
    if kind == "force_torque" and data.get("joint"):
        fields["joint"] = data["joint"]
    return {
        "name": name,
        "mount": data["mount"],
        "pose": data.get("pose", {}),
        "rate_hz": float(data.get("rate_hz") or 1.0 / timestep),
        **fields,
    }


def _imu(said: Fields) -> Fields:
    return {
        "kind": "imu",
        "gyroscope_noise": _noise_of_axes(_part(said, "imu", "angular_velocity")),
        "accelerometer_noise": _noise_of_axes(_part(said, "imu", "linear_acceleration")),
    }


def _lidar(said: Fields) -> Fields:
    parts = _part(said, "lidar" if "lidar" in said else "ray")
    across, upward = (_part(parts, "scan", key) for key in ("horizontal", "vertical"))
    reach = _part(parts, "range")
    low, high = _angles(across)
    rays, rings = _rays(across), _rays(upward)
    # Files write a circle as 0 to 6.28, with or without a ray at its end.
    gap = 1.5 * _FULL_CIRCLE / rays if rays > _FEW_RAYS else 0.0
    is_circle = high - low > _FULL_CIRCLE - max(0.01, gap)
    shared = {
        "range_min": _number(reach, "min", 0.0),
        "range_max": _number(reach, "max", 100.0),
        "fov_deg": 360.0 if is_circle else math.degrees(high - low) or 1e-6,
        # Gazebo does not round ranges to their <resolution>, which is a metre in many files.
        "noise": _noise(parts),
        # Many stand inside their housing, through whose back Gazebo's rays pass.
        "ignore": "robot",
        # The last ray of a circle stands one step before the first.
        "center_deg": math.degrees(low + math.pi if is_circle else 0.5 * (low + high)),
    }
    if rings <= 1:
        return {"kind": "laser_scan", "rays": rays, **shared}
    lowest, highest = map(math.degrees, _angles(upward))
    step = (highest - lowest) / (rings - 1)
    return {
        "kind": "lidar",
        "rays_horizontal": rays,
        "rays_vertical": rings,
        "elevations_deg": tuple(lowest + step * ring for ring in range(rings)),
        **shared,
    }


def _camera(kind: str, said: Fields) -> Fields:
    parts = _part(said, "camera")
    image, clip = _part(parts, "image"), _part(parts, "clip")
    found: Fields = {
        "kind": kind,
        "width": _count(image, "width", 320),
        "height": _count(image, "height", 240),
        "fov_deg": math.degrees(_number(parts, "horizontal_fov", 1.047)),
    }
    near, far, noise = _number(clip, "near", 0.1), _number(clip, "far", 100.0), _noise(parts)
    lens = _distortion(_part(parts, "distortion"))
    if lens is not None:
        found["distortion"] = lens
    pinhole = _part(parts, "lens", "intrinsics")
    if {"fx", "fy", "cx", "cy"} <= pinhole.keys():
        fx, fy, cx, cy = (_number(pinhole, key, 0.0) for key in ("fx", "fy", "cx", "cy"))
        del found["fov_deg"]
        found["K"] = ((fx, 0.0, cx), (0.0, fy, cy), (0.0, 0.0, 1.0))
    if kind in ("depth_camera", "rgbd_camera"):
        found |= {"range_min": near, "range_max": far}
    if kind == "camera" and noise:
        found["noise"] = {key: _BRIGHTEST * noise[key] for key in ("std", "offset")}
    return found


def _wide_angle(said: Fields) -> Fields:
    """A camera without the lens, as wide as a flat picture reasonably is."""
    found = _camera("camera", said)
    if "fov_deg" in found:
        found["fov_deg"] = min(found["fov_deg"], WIDEST_DEG)
    return found


def _distortion(part: Fields) -> tuple[float, ...] | None:
    """k1, k2, p1, p2, k3 of a lens; None for one that is straight."""
    found = tuple(_number(part, key, 0.0) for key in ("k1", "k2", "p1", "p2", "k3"))
    return found if any(found) else None


def _range(said: Fields) -> Fields:
    """A range finder: classic Gazebo's sonar, or rays of which a plugin takes the nearest."""
    cone = _part(said, "sonar")
    if cone:
        reach = cone
        wide = 2.0 * math.atan2(_number(cone, "radius", 0.5), _number(cone, "max", 1.0))
    else:
        parts = _part(said, "lidar" if "lidar" in said else "ray")
        reach = _part(parts, "range")
        across, upward = (_part(parts, "scan", key) for key in ("horizontal", "vertical"))
        # The cone inside the fan: a wider one would meet the ground before the robot.
        wide = min(high - low for low, high in map(_angles, (across, upward)))
    return {
        "kind": "range",
        "fov_deg": math.degrees(wide),
        "range_min": _number(reach, "min", 0.0),
        "range_max": _number(reach, "max", 4.0),
        "noise": _noise(_part(said, "lidar" if "lidar" in said else "ray")),
    }


def _odometry(said: Fields) -> Fields:
    source = "auto" if said.get("source") == "wheels" else "truth"
    return {"kind": "odometry", "source": source}


def _joint_state(said: Fields) -> Fields:
    return {"kind": "joint_state", "joints": tuple(said.get("joint_name", ()))}


def _navsat(said: Fields) -> Fields:
    parts = _part(said, "navsat" if "navsat" in said else "gps")
    found: Fields = {"kind": "gps"}
    for quantity in ("position", "velocity"):
        sensing = _part(parts, f"{quantity}_sensing")
        level, upward = (_noise(_part(sensing, axis)) for axis in ("horizontal", "vertical"))
        found[f"{quantity}_noise"] = _joined((level, level, upward))
    return found


def _magnetometer(said: Fields) -> Fields:
    noise = _noise_of_axes(_part(said, "magnetometer"))
    sizes = {key: value for key, value in noise.items() if isinstance(value, tuple)}
    if max((max(map(abs, size)) for size in sizes.values()), default=0.0) > _MOST_TESLA:
        noise |= {key: tuple(_TESLA_A_GAUSS * x for x in size) for key, size in sizes.items()}
    return {"kind": "magnetometer", "noise": noise}


def _force_torque(said: Fields) -> Fields:
    parts = _part(said, "force_torque")
    upward = str(parts.get("measure_direction", "child_to_parent")) == "parent_to_child"
    return {
        "kind": "force_torque",
        "direction": "parent_to_child" if upward else "child_to_parent",
        "force_noise": _noise_of_axes(_part(parts, "force")),
        "torque_noise": _noise_of_axes(_part(parts, "torque")),
    }


_TYPES: dict[str, Callable[[Fields], Fields]] = {
    **dict.fromkeys(("gpu_lidar", "gpu_ray", "lidar", "ray"), _lidar),
    **dict.fromkeys(("gps", "navsat"), _navsat),
    **dict.fromkeys(("depth", "depth_camera"), partial(_camera, "depth_camera")),
    **dict.fromkeys(("rgbd", "rgbd_camera"), partial(_camera, "rgbd_camera")),
    "camera": partial(_camera, "camera"),
    **dict.fromkeys(WIDE_ANGLE, _wide_angle),
    "contact": lambda _: {"kind": "contact"},
    "force_torque": _force_torque,
    "imu": _imu,
    "magnetometer": _magnetometer,
    "ground_truth": lambda _: {"kind": "ground_truth"},
    "joint_state": _joint_state,
    "odometry": _odometry,
    **dict.fromkeys(("range", "sonar"), _range),
    "segmentation": partial(_camera, "segmentation_camera"),
    "segmentation_camera": partial(_camera, "segmentation_camera"),
}


def _part(said: Fields, *tags: str) -> Fields:
    """The element inside others by its tags, empty where one of them is absent.

    Raises:
        SceneError: It is there twice, or holds text instead of elements.
    """
    part = said
    for tag in tags:
        inside = part.get(tag, {})
        if isinstance(inside, list):
            raise SceneError(f"<{tag}> is there {len(inside)} times; remove all but one")
        # An element without anything in it is read as an empty text.
        part = {} if inside == "" else inside
        if not isinstance(part, dict):
            raise SceneError(f"<{tag}> holds {inside!r:.60} where elements are wanted; correct it")
    return part


def _number(part: Fields, tag: str, default: float) -> float:
    """The number in an element.

    Raises:
        SceneError: It is not a number, or not finite.
    """
    value = part.get(tag, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise SceneError(f"<{tag}> is {value!r:.60}, which is not a finite number; correct it")
    return float(value)


def _count(part: Fields, tag: str, default: int) -> int:
    number = _number(part, tag, default)
    if not 0 <= number <= _MOST:
        raise SceneError(f"<{tag}> is {number:g} and must be from 0 to {_MOST}; correct it")
    return round(number)


def _rays(scan: Fields) -> int:
    rays = _count(scan, "samples", 1) * _number(scan, "resolution", 1.0)
    if not rays <= _MOST:
        raise SceneError(f"<samples> times <resolution> are {rays:g}, more than {_MOST}; lower one")
    return max(1, round(rays))


def _angles(scan: Fields) -> tuple[float, float]:
    return _number(scan, "min_angle", 0.0), _number(scan, "max_angle", 0.0)


def _noise(part: Fields) -> dict[str, float]:
    """Fields of a `NoiseConfig` from the noise in an element."""
    given = _part(part, "noise")
    if str(given.get("@type", given.get("type", "none"))) == "none":
        return {}
    found = {
        "offset": _number(given, "mean", 0.0) + _number(given, "bias_mean", 0.0),
        "std": _number(given, "stddev", 0.0),
        "bias_std": _number(given, "bias_stddev", 0.0),
    }
    settled = _number(given, "dynamic_bias_stddev", 0.0)
    time = _number(given, "dynamic_bias_correlation_time", 0.0)
    if settled and time > 0:
        # A Gauss-Markov process settles at walk * sqrt(time / 2).
        found |= {"bias_walk": settled * math.sqrt(2.0 / time), "bias_time": time}
    if (precision := _number(given, "precision", 0.0)) > 0:
        found["resolution"] = precision
    return found


def _noise_of_axes(parts: Fields) -> Fields:
    return _joined(tuple(_noise(_part(parts, axis)) for axis in ("x", "y", "z")))


def _joined(axes: tuple[dict[str, float], ...]) -> Fields:
    """One noise for three axes; what a `NoiseConfig` has once is taken from the first axis."""
    found: Fields = {
        key: tuple(axis.get(key, 0.0) for axis in axes)
        for key in ("offset", "std", "bias_std", "bias_walk")
        if any(axis.get(key) for axis in axes)
    }
    for axis in reversed(axes):
        found |= {key: axis[key] for key in ("bias_time", "resolution") if key in axis}
    return found
