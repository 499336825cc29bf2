"""Transforms by nodes of one scheduler: a listener, two broadcasters, and a node that asks.

Of nodes that are due together, the one with the lowest priority number ticks first. What a node
logs is turned on and off for that node alone.
"""

from __future__ import annotations

import logging
import sys

from horus_sim.library import (
    Node,
    Scheduler,
    StaticTFBroadcasterNode,
    TFBroadcasterNode,
    TFListenerNode,
    Transform,
    connect,
)


def main() -> None:
    """Drive for a second, and ask where the camera is."""
    logging.basicConfig(stream=sys.stdout, format="%(name)s: %(message)s")
    with connect(session="tf-nodes-example", name="robot") as hub:
        scheduler = Scheduler(hub, mode="deterministic")
        listener = TFListenerNode()
        scheduler.add(listener, 0, logging=True)

        fixed = StaticTFBroadcasterNode()
        fixed.send_transform("base_link", "camera", Transform((0.5, 0.0, 0.2)))
        scheduler.add(fixed, 1, logging=False)

        moving = TFBroadcasterNode()
        scheduler.add(moving, 1, logging=False)

        def drive(_: Node) -> None:
            stamp_ns = scheduler.now_ns
            moving.send_transform("odom", "base_link", Transform((stamp_ns * 1e-9, 0, 0)), stamp_ns)

        def ask(_: Node) -> None:
            T_odom_camera = listener.buffer.lookup_transform("camera", "odom")
            print(
                f"{scheduler.now_ns * 1e-9:.1f} s: camera at x {T_odom_camera.translation[0]:.1f} m"
            )

        scheduler.add(Node("wheels", tick=drive, rate=50.0), 2)
        scheduler.add(Node("asker", tick=ask, rate=4.0), 3)
        scheduler.run(duration=1.0)


if __name__ == "__main__":
    main()
