"""A TurtleBot3 drives a square; GPS, IMU and odometry go into a table, beside the truth.

``python 20_gps_imu_odometry_log.py --svg paths.svg`` also draws the paths.
"""

from __future__ import annotations

import argparse
import csv
import math
import tempfile
from pathlib import Path

import numpy as np

from horus_sim.robots import load_robot
from horus_sim.sim3d import World
from horus_sim.sim3d.sensors import (
    GpsConfig,
    GroundTruthConfig,
    ImuConfig,
    NoiseConfig,
    OdometryConfig,
)

BURGER = "turtlebot3_burger"
SIDE, SPEED, TURN = 1.5, 0.2, 0.6
Row = tuple[float, str, float, float]


def build() -> World:
    """The robot on a plane, with four sensors."""
    world = World.from_robot(load_robot(BURGER), ground=True, seed=4)
    sensors = world.sensors
    sensors.add(GroundTruthConfig(mount=BURGER, rate_hz=10.0))
    sensors.add(GpsConfig(mount=BURGER, rate_hz=5.0, position_noise=NoiseConfig(std=0.1)))
    gyroscope = NoiseConfig.from_density(2e-3, 100.0, bias_std=5e-3)
    sensors.add(ImuConfig(mount=f"{BURGER}/imu_link", rate_hz=100.0, gyroscope_noise=gyroscope))
    sensors.add(
        OdometryConfig(
            mount=BURGER,
            rate_hz=20.0,
            linear_scale_noise=NoiseConfig(bias_std=0.02, bias_walk=0.005),
            angular_scale_noise=NoiseConfig(bias_std=0.05, bias_walk=0.01),
        )
    )
    return world


def drive(world: World) -> list[Row]:
    """One lap; every message becomes a row: time [s], sensor, and two numbers."""
    rows: list[Row] = []
    origin = GpsConfig(mount=BURGER).origin

    def note(sensor, message) -> None:  # noqa: ANN001 - any sensor, any message
        kind = sensor.config.kind
        if kind == "gps":
            fix = (message.latitude_deg, message.longitude_deg, message.altitude)
            x, y, _ = origin.to_world(fix)
        elif kind == "imu":
            x, y = message.angular_velocity[2], message.linear_acceleration[0]
        else:
            x, y, _ = message.pose.translation
        rows.append((message.stamp_ns / 1e9, kind, float(x), float(y)))

    world.sensors.listeners.append(note)
    robot = world.robots[BURGER]
    for _ in range(4):
        for linear, angular, seconds in (
            (SPEED, 0.0, SIDE / SPEED),
            (0.0, TURN, 0.5 * math.pi / TURN),
        ):
            for i in range(round(seconds / world.timestep)):
                if i % 24 == 0:
                    robot.command(linear=linear, angular=angular)
                world.step()
    return rows


def main(svg: Path | None = None) -> None:
    """Drive, write the table, and say how far each sensor is off."""
    world = build()
    rows = drive(world)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "log.csv"
        with table.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(("time_s", "sensor", "a", "b"))
            writer.writerows(rows)
        print(f"the table has {len(table.read_text(encoding='utf-8').splitlines())} lines")
    by_kind = {
        kind: [row for row in rows if row[1] == kind] for kind in sorted({r[1] for r in rows})
    }
    for kind, found in by_kind.items():
        print(f"{kind:13} {len(found):5} messages, {len(found) / world.time:5.1f} a second")

    truth = np.array([(t, x, y) for t, _, x, y in by_kind["ground_truth"]])
    for kind in ("gps", "odometry"):
        found = np.array([(t, x, y) for t, _, x, y in by_kind[kind]])
        true_xy = np.stack(
            [np.interp(found[:, 0], truth[:, 0], truth[:, i]) for i in (1, 2)], axis=1
        )
        off = np.linalg.norm(found[:, 1:] - true_xy, axis=1)
        half = len(off) // 2
        first, second = off[:half].mean(), off[half:].mean()
        print(f"{kind}: {first:.2f} m off in the first half, {second:.2f} m after")
    turned = sum(rate for _, _, rate, _ in by_kind["imu"]) / 100.0
    print(f"the gyroscope, added up, says {math.degrees(turned):.0f} degrees")
    if svg is not None:
        draw(by_kind, svg)


def draw(by_kind: dict[str, list[Row]], svg: Path) -> None:
    """Writes the paths as a picture."""
    colours = {"gps": "#d9822b", "odometry": "#2b6cd9", "ground_truth": "#222222"}
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="-60 -200 320 260" font-size="9">']
    parts.append('<rect x="-60" y="-200" width="320" height="260" fill="white"/>')
    for i, (kind, colour) in enumerate(colours.items()):
        points = [(100 * x, -100 * y) for _, _, x, y in by_kind[kind]]
        if kind == "gps":
            parts += [
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.2" fill="{colour}"/>' for x, y in points
            ]
        else:
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            parts.append(
                f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.2"/>'
            )
        parts.append(f'<text x="185" y="{-20 + 12 * i}" fill="{colour}">{kind}</text>')
    parts.append('<path d="M0 45h100" stroke="#222" /><text x="40" y="56">1 m</text></svg>')
    svg.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--svg", type=Path)
    main(parser.parse_args().svg)
