"""Sensors of SDF files as sensors of the simulator."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from horus_sim.errors import SceneError
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.tf import Transform

Fields = dict[str, Any]
_FULL_CIRCLE = 2.0 * math.pi
_AXES = ("x", "y", "z")
_MOST = 100_000
"""Rays across or upward, or pixels along a side."""
_BRIGHTEST = 255.0
"""SDF counts the noise of colours from 0 to 1, images from 0 to 255."""


def fields_from_sdf(data: Mapping[str, Any], timestep: float) -> Fields | None:
    """Fields of a sensor's configuration, for `SensorCollection.add`.

    Args:
        data: The sensor as the scene holds it: name, mount, pose, rate_hz, and under ``sdf`` what
            the file says beside.
        timestep: Time step of the world [s]; the sensor's period where the file says 'every step'.

    Returns:
        The fields, or None for a type that the simulator has not.

    Raises:
        SceneError: A value in the file is not a number, or is too large.
    """
    kind = str(data["kind"])
    if kind not in _TYPES:
        return None
    said = data["sdf"]
    T_mount_sensor = PoseConfig.model_validate(data.get("pose", {})).transform()
    owner, _, name = data["name"].rpartition("/")
    try:
        fields = _TYPES[kind](said, data)
    except SceneError as error:
        raise SceneError(f"sensor '{data['name']}': {error}") from None
    T_mount_sensor @= Transform.from_euler((0, 0, 0), (0, 0, fields.pop("yaw", 0.0)))
    topic = str(said.get("topic", "")).strip("/")
    return {
        "name": name,
        "mount": data["mount"],
        "xyz": tuple(map(float, T_mount_sensor.translation)),
        "rpy": tuple(map(float, T_mount_sensor.to_euler())),
        "rate_hz": float(data.get("rate_hz") or 1.0 / timestep),
        **({"topic": f"{owner}/{topic}" if owner else topic} if topic else {}),
        **fields,
    }


def _imu(said: Fields, _: Mapping[str, Any]) -> Fields:
    return {
        "kind": "imu",
        "gyroscope_noise": _noise_of_axes(_part(said, "imu", "angular_velocity")),
        "accelerometer_noise": _noise_of_axes(_part(said, "imu", "linear_acceleration")),
    }


def _lidar(said: Fields, _: Mapping[str, Any]) -> Fields:
    parts = _part(said, "lidar" if "lidar" in said else "ray")
    across = _part(parts, "scan", "horizontal")
    upward = _part(parts, "scan", "vertical")
    reach = _part(parts, "range")
    low, high = (_number(across, key, 0.0) for key in ("min_angle", "max_angle"))
    rays = _rays(across)
    span = high - low
    # Files write a circle as 0 to 6.28, with or without a ray at its end.
    is_circle = span > _FULL_CIRCLE - max(0.01, 1.5 * _FULL_CIRCLE / rays)
    noise = _noise(_part(parts, "noise"))
    resolution = _number(reach, "resolution", 0.0)
    if resolution > 0:
        noise["resolution"] = resolution
    shared = {
        "range_min": _number(reach, "min", 0.0),
        "range_max": _number(reach, "max", 100.0),
        "noise": noise,
        "yaw": 0.0 if is_circle else 0.5 * (low + high),
    }
    span_deg = 360.0 if is_circle else math.degrees(span) or 1e-6
    rings = _rays(upward)
    if rings <= 1:
        return {"kind": "laser_scan", "rays": rays, "fov_deg": span_deg, **shared}
    lowest, highest = (
        math.degrees(_number(upward, key, 0.0)) for key in ("min_angle", "max_angle")
    )
    step = (highest - lowest) / (rings - 1)
    return {
        "kind": "lidar",
        "rays_horizontal": rays,
        "rays_vertical": rings,
        "fov_deg": span_deg,
        "elevations_deg": tuple(lowest + step * ring for ring in range(rings)),
        **shared,
    }


def _camera(kind: str) -> Callable[[Fields, Mapping[str, Any]], Fields]:
    def fields(said: Fields, _: Mapping[str, Any]) -> Fields:
        parts = _part(said, "camera")
        image, clip = _part(parts, "image"), _part(parts, "clip")
        found: Fields = {
            "kind": kind,
            "width": _count(image, "width", 320),
            "height": _count(image, "height", 240),
            "fov_deg": math.degrees(_number(parts, "horizontal_fov", 1.047)),
        }
        near, far = _number(clip, "near", 0.1), _number(clip, "far", 100.0)
        if kind in ("depth_camera", "rgbd_camera"):
            found |= {"range_min": near, "range_max": far}
        noise = _noise(_part(parts, "noise"))
        if kind == "camera" and noise:
            found["noise"] = {
                key: _BRIGHTEST * value for key, value in noise.items() if key in ("std", "offset")
            }
        return found

    return fields


def _navsat(said: Fields, _: Mapping[str, Any]) -> Fields:
    parts = _part(said, "navsat" if "navsat" in said else "gps")
    noises: Fields = {}
    for key, field in (
        ("position_sensing", "position_noise"),
        ("velocity_sensing", "velocity_noise"),
    ):
        level, upward = (
            _noise(_part(parts, key, axis, "noise")) for axis in ("horizontal", "vertical")
        )
        noises[field] = _joined((level, level, upward))
    return {"kind": "gps", **noises}


def _magnetometer(said: Fields, _: Mapping[str, Any]) -> Fields:
    return {"kind": "magnetometer", "noise": _noise_of_axes(_part(said, "magnetometer"))}


def _force_torque(said: Fields, data: Mapping[str, Any]) -> Fields:
    parts = _part(said, "force_torque")
    upward = str(parts.get("measure_direction", "child_to_parent")) == "parent_to_child"
    found: Fields = {
        "kind": "force_torque",
        "direction": "parent_to_child" if upward else "child_to_parent",
        "force_noise": _noise_of_axes(_part(parts, "force")),
        "torque_noise": _noise_of_axes(_part(parts, "torque")),
    }
    if data.get("joint"):
        found["joint"] = data["joint"]
    return found


def _contact(_: Fields, __: Mapping[str, Any]) -> Fields:
    return {"kind": "contact"}


_TYPES: dict[str, Callable[[Fields, Mapping[str, Any]], Fields]] = {
    "camera": _camera("camera"),
    "contact": _contact,
    "depth": _camera("depth_camera"),
    "depth_camera": _camera("depth_camera"),
    "force_torque": _force_torque,
    "gps": _navsat,
    "gpu_lidar": _lidar,
    "gpu_ray": _lidar,
    "imu": _imu,
    "lidar": _lidar,
    "magnetometer": _magnetometer,
    "navsat": _navsat,
    "ray": _lidar,
    "rgbd": _camera("rgbd_camera"),
    "rgbd_camera": _camera("rgbd_camera"),
    "segmentation": _camera("segmentation_camera"),
    "segmentation_camera": _camera("segmentation_camera"),
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
        SceneError: It is none, or not finite.
    """
    value = part.get(tag, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise SceneError(f"<{tag}> is {value!r:.60}, which is not a finite number; correct it")
    return float(value)


def _count(part: Fields, tag: str, default: int, largest: int = _MOST) -> int:
    number = _number(part, tag, default)
    if not 0 <= number <= largest:
        raise SceneError(f"<{tag}> is {number:g} and must be from 0 to {largest}; correct it")
    return round(number)


def _rays(scan: Fields) -> int:
    rays = _count(scan, "samples", 1) * _number(scan, "resolution", 1.0)
    if not rays <= _MOST:
        raise SceneError(f"<samples> times <resolution> are {rays:g}, more than {_MOST}; lower one")
    return max(1, round(rays))


def _noise(given: Fields) -> dict[str, float]:
    """Fields of a `NoiseConfig` from SDF's noise."""
    if str(given.get("@type", given.get("type", "none"))) == "none":
        return {}
    found = {
        "offset": _number(given, "mean", 0.0) + _number(given, "bias_mean", 0.0),
        "std": _number(given, "stddev", 0.0),
        "bias_std": _number(given, "bias_stddev", 0.0),
    }
    settled, time = (
        _number(given, f"dynamic_bias_{key}", 0.0) for key in ("stddev", "correlation_time")
    )
    if settled and time > 0:
        # A Gauss-Markov process settles at walk * sqrt(time / 2).
        found |= {"bias_walk": settled * math.sqrt(2.0 / time), "bias_time": time}
    precision = _number(given, "precision", 0.0)
    if precision > 0:
        found["resolution"] = precision
    return found


def _noise_of_axes(parts: Fields) -> Fields:
    return _joined(tuple(_noise(_part(parts, axis, "noise")) for axis in _AXES))


def _joined(axes: tuple[dict[str, float], ...]) -> Fields:
    """One noise for three axes; what a `NoiseConfig` has once is taken from the first axis."""
    found: Fields = {
        key: tuple(axis.get(key, 0.0) for axis in axes)
        for key in ("offset", "std", "bias_std", "bias_walk")
        if any(axis.get(key) for axis in axes)
    }
    for key in ("bias_time", "resolution"):
        given = [axis[key] for axis in axes if key in axis]
        if given:
            found[key] = given[0]
    return found
