"""A lidar and a camera on a moving robot: what is nearest, and where?

A lidar takes 0.1 s for a turn and the robot moves meanwhile, so every point needs the pose at its
own time. The camera has another place, another frame and another time. Both meet in `odom`, which
stands still, and then in `base_link` at one instant.
"""

from __future__ import annotations

import numpy as np

from horus_sim.tf import TFTree, Transform

SPEED = 1.5
YAW_RATE = 0.8
WALL_RADIUS = 4.0
POST_ODOM = np.array([2.2, 1.6, 0.1])
T_BASE_LIDAR = Transform((0.3, 0.0, 0.1))
T_BASE_CAMERA = Transform.from_euler((0.5, 0.0, 0.2), (0.0, 0.2, 0.0))
NOW_NS = 1_000_000_000


def true_pose(stamp_ns: int) -> Transform:
    """The true T_odom_base at a time [ns], on a circle."""
    yaw, radius = YAW_RATE * stamp_ns * 1e-9, SPEED / YAW_RATE
    position = (radius * np.sin(yaw), radius * (1.0 - np.cos(yaw)), 0.0)
    return Transform.from_euler(position, (0.0, 0.0, yaw))


def measure(point_odom: np.ndarray, T_base_sensor: Transform, stamp_ns: int) -> np.ndarray:
    """What a perfect sensor measures of a point, in its own frame, at a time [ns]."""
    return (true_pose(stamp_ns) @ T_base_sensor).inverse().transform_point(point_odom)


def main() -> None:
    """Fuse one turn of the lidar with one detection of the camera."""
    tree = TFTree()
    tree.add_static_transform("base_link", "lidar", T_BASE_LIDAR)
    tree.add_static_transform("base_link", "camera", T_BASE_CAMERA)
    for stamp_ns in range(0, NOW_NS + 1, 10_000_000):  # odometry at 100 Hz
        tree.add_transform("odom", "base_link", true_pose(stamp_ns), stamp_ns)

    # 720 points on a round wall, measured one after the other from 0.9 s to 1.0 s.
    angle = np.linspace(0.0, 2.0 * np.pi, 720)
    wall_odom = np.column_stack(
        [WALL_RADIUS * np.cos(angle), WALL_RADIUS * np.sin(angle), np.full(720, 0.1)]
    )
    stamps_ns = np.linspace(NOW_NS - 100_000_000, NOW_NS, 720).astype(np.int64)
    wall_lidar = np.array(
        [measure(p, T_BASE_LIDAR, int(t)) for p, t in zip(wall_odom, stamps_ns, strict=True)]
    )
    skewed_odom = tree.transform_points(wall_lidar, "lidar", "odom", NOW_NS)
    cloud_odom = tree.transform_points(wall_lidar, "lidar", "odom", stamps_ns)
    for what, cloud in (("one time for all", skewed_odom), ("a time per point", cloud_odom)):
        error_m = np.linalg.norm(cloud - wall_odom, axis=1).max()
        print(f"lidar, {what}: points wrong by up to {1e3 * error_m:.3f} mm")

    camera_ns = 966_000_000
    post_camera = measure(POST_ODOM, T_BASE_CAMERA, camera_ns)
    post_odom = tree.lookup_transform("camera", "odom", camera_ns).transform_point(post_camera)
    print(f"camera: post wrong by {1e3 * np.linalg.norm(post_odom - POST_ODOM):.3f} mm")

    obstacles_odom = np.vstack([cloud_odom, post_odom])
    obstacles_base = tree.transform_points(obstacles_odom, "odom", "base_link", NOW_NS)
    ranges = np.hypot(obstacles_base[:, 0], obstacles_base[:, 1])
    x, y, _ = obstacles_base[ranges.argmin()]
    bearing_deg = np.rad2deg(np.arctan2(y, x))
    print(f"nearest of {len(ranges)}: {ranges.min():.3f} m away, {bearing_deg:.1f} deg to the left")
    true_x, true_y, _ = measure(POST_ODOM, Transform.identity(), NOW_NS)
    print(f"  wrong by {1e3 * np.hypot(x - true_x, y - true_y):.3f} mm")


if __name__ == "__main__":
    main()
