"""A TurtleBot3 finds its way between shelves with a laser scanner, and maps what it saw."""

from __future__ import annotations

import math

import numpy as np

from horus_sim.hub.messages import LaserScan
from horus_sim.sim3d import World
from horus_sim.sim3d.sensors import LaserScanConfig

SPEED, TURN = 0.2, 1.2
CLEARANCE = 0.6
SECONDS = 25


def steer(scan: LaserScan) -> tuple[float, float]:
    """Forward speed [m/s] and yaw rate [rad/s]: towards the free side, slower where it is tight."""
    angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
    # Nothing within range is free as far as one can see; too near and lost rays count as blocked.
    ranges = np.nan_to_num(scan.ranges, nan=0.0, posinf=scan.range_max, neginf=0.0)
    ahead = np.abs(angles) < math.radians(30)
    left = (angles > 0) & (angles < math.radians(80))
    right = (angles < 0) & (angles > -math.radians(80))
    nearest = float(ranges[ahead].min())
    if nearest > 2 * CLEARANCE:
        return SPEED, 0.0
    side = 1.0 if ranges[left].mean() > ranges[right].mean() else -1.0
    return SPEED * max(0.0, (nearest - CLEARANCE) / CLEARANCE), side * TURN


def main() -> None:
    """Drive, look at each scan, and keep the echoes in the world frame."""
    world = World.load("warehouse")
    robot = world.robots["burger"]
    lidar = world.sensors.add(
        LaserScanConfig(name="laser", mount="burger/base_scan", range_max=8.0, ignore="robot")
    )
    echoes: list[np.ndarray] = []

    def on_scan(_: object, scan: LaserScan) -> None:
        linear, angular = steer(scan)
        robot.command(linear=linear, angular=angular)
        angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        hit = np.isfinite(scan.ranges)
        points = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(len(angles))))
        points *= scan.ranges[:, None].clip(max=scan.range_max)
        echoes.append(world.tf.transform_points(points[hit].astype(float), lidar.frame, "world"))

    lidar.listeners.append(on_scan)
    nearest, path = math.inf, 0.0
    for _ in range(SECONDS * 240):
        before = robot.pose.translation
        world.step()
        path += math.dist(before[:2], robot.pose.translation[:2])
        if lidar.has_new:
            nearest = min(nearest, float(lidar.read().ranges.min()))

    cells = np.unique(np.floor(np.concatenate(echoes)[:, :2] / 0.1).astype(int), axis=0)
    print(f"{lidar.sequence} scans of {len(lidar.read().ranges)} rays")
    print(f"drove more than 3 m: {path > 3.0}")
    print(f"kept clear of everything by more than 0.2 m: {nearest > 0.2}")
    print(f"a map with more than 500 cells of 0.1 m: {len(cells) > 500}")


if __name__ == "__main__":
    main()
