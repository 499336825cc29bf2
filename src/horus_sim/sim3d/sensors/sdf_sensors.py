"""Sensors of SDF files as sensors of the simulator."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.tf import Transform

Fields = dict[str, Any]
_FULL_CIRCLE = 2.0 * math.pi
_AXES = ("x", "y", "z")
_BRIGHTEST = 255.0
"""SDF counts the noise of colours from 0 to 1, images from 0 to 255."""


def fields_from_sdf(data: Mapping[str, Any], timestep: float) -> Fields | None:
    """Fields of a sensor's configuration, for `SensorCollection.add`.

    Args:
        data: As the scene holds it: name, mount, pose, rate_hz, and under ``sdf`` what the file
            says beside.
        timestep: Of the world [s]; the sensor's period where the file says 'every step'.

    Returns:
        The fields, or None for a type that the simulator has not.
    """
    kind = str(data["kind"])
    if kind not in _TYPES:
        return None
    said = data["sdf"]
    T_mount_sensor = PoseConfig.model_validate(data.get("pose", {})).transform()
    owner, _, name = data["name"].rpartition("/")
    fields = _TYPES[kind](said, data)
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
    parts = said.get("imu", {})
    return {
        "kind": "imu",
        "gyroscope_noise": _noise_of_axes(parts.get("angular_velocity", {})),
        "accelerometer_noise": _noise_of_axes(parts.get("linear_acceleration", {})),
    }


def _lidar(said: Fields, _: Mapping[str, Any]) -> Fields:
    parts = next((said[key] for key in ("lidar", "ray") if key in said), {})
    across = parts.get("scan", {}).get("horizontal", {})
    upward = parts.get("scan", {}).get("vertical", {})
    reach = parts.get("range", {})
    low, high = (float(across.get(key, 0.0)) for key in ("min_angle", "max_angle"))
    rays = _rays(across)
    span = high - low
    # Files write a circle as 0 to 6.28, with or without a ray at its end.
    is_circle = span > _FULL_CIRCLE - max(0.01, 1.5 * _FULL_CIRCLE / rays)
    noise = _noise(parts.get("noise", {}))
    if "resolution" in reach and float(reach["resolution"]) > 0:
        noise["resolution"] = float(reach["resolution"])
    shared = {
        "range_min": float(reach.get("min", 0.0)),
        "range_max": float(reach.get("max", 100.0)),
        "noise": noise,
        "yaw": 0.0 if is_circle else 0.5 * (low + high),
    }
    span_deg = 360.0 if is_circle else math.degrees(span) or 1e-6
    rings = _rays(upward)
    if rings <= 1:
        return {"kind": "laser_scan", "rays": rays, "fov_deg": span_deg, **shared}
    lowest, highest = (
        math.degrees(float(upward.get(key, 0.0))) for key in ("min_angle", "max_angle")
    )
    step = (highest - lowest) / (rings - 1)
    return {
        "kind": "lidar",
        "rays_horizontal": rays,
        "rays_vertical": rings,
        "fov_horizontal_deg": span_deg,
        "elevations_deg": tuple(lowest + step * ring for ring in range(rings)),
        **shared,
    }


def _camera(kind: str) -> Callable[[Fields, Mapping[str, Any]], Fields]:
    def fields(said: Fields, _: Mapping[str, Any]) -> Fields:
        parts = said.get("camera", {})
        image, clip = parts.get("image", {}), parts.get("clip", {})
        found: Fields = {
            "kind": kind,
            "width": int(image.get("width", 320)),
            "height": int(image.get("height", 240)),
            "fov_deg": math.degrees(float(parts.get("horizontal_fov", 1.047))),
        }
        near, far = float(clip.get("near", 0.1)), float(clip.get("far", 100.0))
        if kind in ("depth_camera", "rgbd_camera"):
            found |= {"range_min": near, "range_max": far}
        noise = _noise(parts.get("noise", {}))
        if kind == "camera" and noise:
            found["noise"] = {
                key: _BRIGHTEST * value for key, value in noise.items() if key in ("std", "offset")
            }
        return found

    return fields


def _navsat(said: Fields, _: Mapping[str, Any]) -> Fields:
    parts = next((said[key] for key in ("navsat", "gps") if key in said), {})
    noises: Fields = {}
    for key, field in (
        ("position_sensing", "position_noise"),
        ("velocity_sensing", "velocity_noise"),
    ):
        given = parts.get(key, {})
        level, upward = (
            _noise(given.get(axis, {}).get("noise", {})) for axis in ("horizontal", "vertical")
        )
        noises[field] = _joined((level, level, upward))
    return {"kind": "gps", **noises}


def _magnetometer(said: Fields, _: Mapping[str, Any]) -> Fields:
    return {"kind": "magnetometer", "noise": _noise_of_axes(said.get("magnetometer", {}))}


def _force_torque(said: Fields, data: Mapping[str, Any]) -> Fields:
    parts = said.get("force_torque", {})
    upward = str(parts.get("measure_direction", "child_to_parent")) == "parent_to_child"
    found: Fields = {
        "kind": "force_torque",
        "direction": "parent_to_child" if upward else "child_to_parent",
        "force_noise": _noise_of_axes(parts.get("force", {})),
        "torque_noise": _noise_of_axes(parts.get("torque", {})),
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


def _rays(scan: Fields) -> int:
    return max(1, round(float(scan.get("samples", 1)) * float(scan.get("resolution", 1.0))))


def _noise(given: Fields) -> dict[str, float]:
    """Fields of a `NoiseConfig` from SDF's noise."""
    if str(given.get("@type", given.get("type", "none"))) == "none":
        return {}
    found = {
        "offset": float(given.get("mean", 0.0)) + float(given.get("bias_mean", 0.0)),
        "std": float(given.get("stddev", 0.0)),
        "bias_std": float(given.get("bias_stddev", 0.0)),
    }
    settled, time = (
        float(given.get(f"dynamic_bias_{key}", 0.0)) for key in ("stddev", "correlation_time")
    )
    if settled and time:
        # A Gauss-Markov process settles at walk * sqrt(time / 2).
        found |= {"bias_walk": settled * math.sqrt(2.0 / time), "bias_time": time}
    if float(given.get("precision", 0.0)) > 0:
        found["resolution"] = float(given["precision"])
    return found


def _noise_of_axes(parts: Fields) -> Fields:
    return _joined(tuple(_noise(parts.get(axis, {}).get("noise", {})) for axis in _AXES))


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
