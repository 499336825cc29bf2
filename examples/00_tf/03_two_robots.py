"""Two robots in one tree: where is robot1, seen from robot2?

Both run the same code with the same frame names. A namespace puts `robot1/` or `robot2/` before
each name; a leading slash reaches past it, as in `/map`.
"""

from __future__ import annotations

import numpy as np

from horus_sim.tf import TFNamespace, TFTree, Transform

PERIOD_NS = 100_000_000
ROBOT1_END_NS = 2_000_000_000
ROBOT2_END_NS = 1_800_000_000


def drive(robot: TFNamespace, T_map_odom: Transform, speed: float, end_ns: int) -> None:
    """One robot's own code: from T_map_odom straight ahead at a speed [m/s] until a time [ns]."""
    robot.add_static_transform("/map", "odom", T_map_odom)
    robot.add_static_transform("base_link", "lidar", Transform((0.2, 0.0, 0.3)))
    for stamp_ns in range(0, end_ns + 1, PERIOD_NS):
        T_odom_base = Transform((speed * stamp_ns * 1e-9, 0.0, 0.0))
        robot.add_transform("odom", "base_link", T_odom_base, stamp_ns)


def main() -> None:
    """Let two robots drive towards each other on lanes that are 1 m apart."""
    tree = TFTree()
    robot1 = tree.namespace("robot1")
    robot2 = tree.namespace("robot2")
    T_map_odom2 = Transform.from_euler((10.0, 1.0, 0.0), (0.0, 0.0, np.pi))
    drive(robot1, Transform.identity(), speed=1.0, end_ns=ROBOT1_END_NS)
    drive(robot2, T_map_odom2, speed=0.5, end_ns=ROBOT2_END_NS)
    print(tree.dump())
    print(f"check: {tree.validate()}")

    # Without a time: the latest that both robots know, here robot2's last sample.
    T_robot2_robot1 = tree.lookup_transform("robot1/base_link", "robot2/base_link")
    time_ns = tree.latest_common_time("robot1/base_link", "robot2/base_link")
    x, y, _ = T_robot2_robot1.translation
    print(f"at {time_ns} ns robot1 is {x:.3f} m ahead of robot2 and {y:.3f} m to its left")

    # By hand: 10 m apart at the start, closing at 1.5 m/s.
    by_hand = (10.0 - 1.5 * ROBOT2_END_NS * 1e-9, 1.0, 0.0)
    print(f"  wrong by {np.abs(T_robot2_robot1.translation - by_hand).max():.0e} m")

    # In robot2's own words: its lidar sees something; how far is that from robot1?
    echo_lidar = (7.0, 1.0, 0.0)
    T_robot1_lidar2 = robot2.lookup_transform("lidar", "/robot1/base_link")
    x, y, _ = T_robot1_lidar2.transform_point(echo_lidar)
    print(f"robot2's lidar echo is {np.hypot(x, y):.3f} m from robot1's base: it is robot1")


if __name__ == "__main__":
    main()
