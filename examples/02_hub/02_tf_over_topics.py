"""Transforms over topics: who knows a frame publishes it, who needs it listens.

Three parts that know nothing of each other: one says how the robot is built, one where it drives,
one asks where the camera is. A listener that comes late still gets what is fixed.
"""

from __future__ import annotations

import numpy as np

from horus_sim.hub import StaticTFBroadcaster, TFBroadcaster, TFListener, connect
from horus_sim.tf import Transform, TransformStamped

PERIOD_NS = 20_000_000


def main() -> None:
    """Broadcast, listen, come late, and begin a new run."""
    with (
        connect(session="tf-example", name="description") as description,
        connect(session="tf-example", name="odometry") as odometry,
        connect(session="tf-example", name="viewer") as viewer,
    ):
        listener = TFListener(viewer)

        fixed = StaticTFBroadcaster(description)
        fixed.send_transform("base_link", "camera", Transform((0.5, 0.0, 0.2)))
        fixed.send_transform("base_link", "lidar", Transform((0.3, 0.0, 0.1)))

        moving = TFBroadcaster(odometry)
        for i in range(101):
            stamp_ns = i * PERIOD_NS
            yaw = 0.5 * stamp_ns * 1e-9
            T_odom_base = Transform.from_euler((np.sin(yaw), 1 - np.cos(yaw), 0), (0, 0, yaw))
            moving.send_transform("odom", "base_link", T_odom_base, stamp_ns)
        # Many frames of one instant travel as one message.
        wheels = {"wheel_left": 0.2, "wheel_right": -0.2}
        moving.send_transforms(
            TransformStamped("base_link", wheel, 100 * PERIOD_NS, Transform((0.0, y, 0.0)))
            for wheel, y in wheels.items()
        )

        print(listener.tree.dump())
        T_odom_camera = listener.buffer.lookup_transform("camera", "odom", 1_010_000_000)
        x, y, z = T_odom_camera.translation
        print(f"camera at 1.01 s: x {x:.3f} m, y {y:.3f} m, z {z:.3f} m in odom")
        for frame, names in sorted(listener.publishers.items()):
            print(f"{frame} is published by {', '.join(sorted(names))}")

        late = TFListener(odometry)
        print(f"a late listener knows {', '.join(late.tree.get_all_frames())}")

        # A new run of the simulation: moving frames are forgotten, fixed ones are sent again.
        viewer.begin_epoch()
        print(f"after a new run: {', '.join(listener.tree.get_all_frames())}")


if __name__ == "__main__":
    main()
