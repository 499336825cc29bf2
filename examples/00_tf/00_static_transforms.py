"""A robot's fixed structure: where is what the camera saw, as seen from the robot's base?

A camera sits 0.5 m ahead of the base and 0.2 m above it and looks 10 degrees down. Its detections
come in its optical frame (x right, y down, z ahead); the tree turns them into base coordinates.
"""

from __future__ import annotations

import numpy as np

from horus_sim.tf import TFTree, Transform

TILT = np.deg2rad(10.0)


def main() -> None:
    """Describe the robot, then bring one detection into the base."""
    T_base_camera = Transform.from_euler((0.5, 0.0, 0.2), (0.0, TILT, 0.0))
    T_camera_optical = Transform.from_euler((0.0, 0.0, 0.0), (-np.pi / 2, 0.0, -np.pi / 2))

    tree = TFTree()
    tree.add_static_transform("base_link", "camera", T_base_camera)
    tree.add_static_transform("camera", "camera_optical", T_camera_optical)
    tree.add_static_transform("base_link", "lidar", Transform((0.3, 0.0, 0.1)))
    print(tree.dump())

    # From camera_optical to base_link: coordinates of the first become coordinates of the second.
    cup_optical = (0.1, -0.25, 2.0)
    T_base_optical = tree.lookup_transform("camera_optical", "base_link")
    cup_base = T_base_optical.transform_point(cup_optical)
    print(f"cup in base_link: x {cup_base[0]:.3f} m, y {cup_base[1]:.3f} m, z {cup_base[2]:.3f} m")

    # The same by hand: exchange the axes, turn by the tilt, move by the mount.
    right, down, depth = cup_optical
    by_hand_base = (
        0.5 + depth * np.cos(TILT) - down * np.sin(TILT),
        -right,
        0.2 - depth * np.sin(TILT) - down * np.cos(TILT),
    )
    print(f"  differs from the result by hand by {np.abs(cup_base - by_hand_base).max():.0e} m")

    # Any two frames will do: this is the lidar's pose in the camera's frame.
    T_camera_lidar = tree.frame_pose("lidar", relative_to="camera")
    x, y, z = T_camera_lidar.translation
    print(f"lidar in camera: x {x:.3f} m, y {y:.3f} m, z {z:.3f} m")


if __name__ == "__main__":
    main()
