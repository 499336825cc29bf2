"""Draws docs/images/sensor_*.png: what each sensor tells of one drive, beside the ideal.

Run it from anywhere with ``python scripts/draw_sensors.py``; it needs ``horus-sim[plot]``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from horus_sim.robots import load_robot
from horus_sim.sim3d import World
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.sensors import (
    ContactConfig,
    EncoderConfig,
    ForceTorqueConfig,
    GpsConfig,
    GroundTruthConfig,
    ImuConfig,
    JointStateConfig,
    MagnetometerConfig,
    NoiseConfig,
    OdometryConfig,
    RangeConfig,
)

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
BURGER = "turtlebot3_burger"
SECONDS = 11.0
GEO = GpsConfig(mount=BURGER).origin
IDEAL, READ = "#222222", "#d9822b"
SENSORS = (
    ImuConfig(
        mount=f"{BURGER}/imu_link",
        rate_hz=60.0,
        gyroscope_noise=NoiseConfig(std=0.03, bias_std=0.05, bias_walk=0.02),
        accelerometer_noise=NoiseConfig(std=0.1),
    ),
    GpsConfig(mount=BURGER, rate_hz=5.0, position_noise=NoiseConfig(std=0.05)),
    MagnetometerConfig(
        mount=BURGER, rate_hz=20.0, noise=NoiseConfig(std=4e-7, offset=(3e-6, 0.0, 0.0))
    ),
    EncoderConfig(mount=f"{BURGER}/wheel_left_link", rate_hz=60.0, ticks_per_revolution=32),
    JointStateConfig(
        mount=BURGER, rate_hz=30.0, velocity_noise=NoiseConfig(std=0.15, resolution=0.1)
    ),
    ForceTorqueConfig(
        mount=f"{BURGER}/base_scan",
        rate_hz=60.0,
        force_noise=NoiseConfig(std=0.02, high=1.0, low=-1.5),
    ),
    ContactConfig(
        mount=f"{BURGER}/base_link",
        rate_hz=60.0,
        ignore=("ground",),
        force_noise=NoiseConfig(std=0.3),
    ),
    RangeConfig(
        mount=f"{BURGER}/base_scan",
        name="sonar",
        rate_hz=20.0,
        range_max=2.0,
        fov_deg=8.6,
        noise=NoiseConfig(std=0.01, std_relative=0.02, outliers=0.04, outlier_range=(0.1, 2.0)),
    ),
    GroundTruthConfig(mount=BURGER, rate_hz=30.0, position_noise=NoiseConfig(std=0.01)),
    OdometryConfig(
        mount=BURGER, rate_hz=20.0, angular_scale_noise=NoiseConfig(bias_std=0.1, bias_walk=0.05)
    ),
)


@dataclass(frozen=True)
class Plot:
    """One picture: a number of a message over time."""

    sensor: str
    label: str
    value: Callable[[Any], float]
    until: float = SECONDS


def north(fix: Any) -> float:  # noqa: ANN401 - a NavSatFix
    """How far north of the world's origin a fix is [m]."""
    return float(GEO.to_world((fix.latitude_deg, fix.longitude_deg, fix.altitude))[1])


PLOTS = (
    Plot("imu", "yaw rate [rad/s]", lambda m: m.angular_velocity[2]),
    Plot("gps", "north of the start [m]", north),
    Plot("magnetometer", "field along x [uT]", lambda m: 1e6 * m.field[0]),
    Plot("encoder", "ticks", lambda m: m.ticks, until=1.0),
    Plot("joint_state", "left wheel [rad/s]", lambda m: m.velocities[0]),
    Plot("force_torque", "force along z [N]", lambda m: m.force[2]),
    Plot("contact", "force of the wall [N]", lambda m: float(np.linalg.norm(m.force))),
    Plot("range", "nearest thing ahead [m]", lambda m: m.range if np.isfinite(m.range) else np.nan),
    Plot("ground_truth", "x in the world [m]", lambda m: m.pose.translation[0]),
    Plot("odometry", "y since the start [m]", lambda m: m.pose.translation[1]),
)


def drive() -> tuple[dict[str, list[tuple[float, Any]]], dict[str, list[tuple[float, Any]]]]:
    """Messages as read, and ideal ones, by kind: ahead, a turn to the left, into a wall."""
    world = World.from_robot(load_robot(BURGER), ground=True, seed=3)
    wall = {"name": "wall", "shape": {"kind": "box", "size": [0.1, 3.0, 0.6]}}
    world.spawn(ObjectConfig.model_validate(wall | {"pose": {"xyz": [1.8, 0.5, 0.3]}}))
    for config in SENSORS:
        world.sensors.add(config)
    read: dict[str, list[tuple[float, Any]]] = {}
    ideal: dict[str, list[tuple[float, Any]]] = {}

    def note(sensor: Any, message: Any) -> None:  # noqa: ANN401 - any sensor, any message
        read.setdefault(sensor.config.kind, []).append((message.stamp_ns / 1e9, message))
        ideal.setdefault(sensor.config.kind, []).append((world.time, sensor.measure()))

    world.sensors.listeners.append(note)
    robot = world.robots[BURGER]
    while world.time < SECONDS:
        turning, speed = 3.0 < world.time < 4.5, 0.2 if world.time < 10.2 else 0.0
        robot.command(linear=0.5 * speed if turning else speed, angular=0.35 if turning else 0.0)
        world.step(12)
    return read, ideal


def main() -> None:
    """Drive once, and write a picture for each sensor."""
    read, ideal = drive()
    for plot in PLOTS:
        figure = Figure(figsize=(6.4, 2.2), layout="constrained")
        axes = figure.subplots()
        for source, style, colour, name in (
            (ideal, "-", IDEAL, "ideal"),
            (read, ".", READ, "read"),
        ):
            points = source[plot.sensor]
            times, values = zip(
                *((t, plot.value(m)) for t, m in points if t <= plot.until), strict=True
            )
            axes.plot(times, values, style, color=colour, markersize=3, linewidth=1, label=name)
        axes.set(xlabel="time [s]", ylabel=plot.label, xlim=(0, plot.until))
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, loc="best")
        figure.savefig(IMAGES / f"sensor_{plot.sensor}.png", dpi=100)


if __name__ == "__main__":
    main()
