"""A program from ROS: tf2's buffer, listener, broadcasters and message filters under their names.

A robot drives, and the detections of its camera arrive before the poses that belong to them. A
message filter holds them back until they can be transformed, and a synchronizer pairs them with the
wheel odometry.
"""

from __future__ import annotations

from horus_sim.hub import connect
from horus_sim.hub.messages import Odometry
from horus_sim.tf2 import (
    ApproximateTimeSynchronizer,
    Buffer,
    FilterFailureReason,
    LookupException,
    MessageFilter,
    PointStamped,
    StaticTransformBroadcaster,
    Subscriber,
    Transform,
    TransformBroadcaster,
    TransformListener,
    TransformStamped,
)

MS_NS = 1_000_000


def main() -> None:
    """Look up, wait for poses, and pair messages of two topics."""
    with connect(session="tf2-example", name="robot") as node:
        buffer = Buffer(cache_time=10.0)
        TransformListener(buffer, node)
        try:
            buffer.lookup_transform("odom", "camera", 0)
        except LookupException as error:
            print(f"at first: {error}")

        fixed = StaticTransformBroadcaster(node)
        fixed.sendTransform(TransformStamped("base_link", "camera", 0, Transform((0.5, 0.0, 0.2))))

        detections = Subscriber(node, PointStamped, "detections")
        in_odom = MessageFilter(detections, buffer, "odom", queue_size=5)

        def on_detection(point: PointStamped) -> None:
            print(f"detection in odom: {buffer.transform(point, 'odom')}")

        def on_drop(point: PointStamped, reason: FilterFailureReason) -> None:
            print(f"dropped {point}: {reason.value}")

        in_odom.registerCallback(on_detection)
        in_odom.registerFailureCallback(on_drop)

        def on_pair(point: PointStamped, odometry: Odometry) -> None:
            apart_ms = abs(point.stamp_ns - odometry.stamp_ns) / MS_NS
            print(f"a detection and odometry, {apart_ms:.0f} ms apart")

        wheels = Subscriber(node, Odometry, "odom")
        pairs = ApproximateTimeSynchronizer([in_odom, wheels], queue_size=10, slop=0.02)
        pairs.registerCallback(on_pair)

        camera = node.publisher("detections", PointStamped)
        encoder = node.publisher("odom", Odometry)
        moving = TransformBroadcaster(node)
        for stamp_ms in range(100, 501, 50):
            if stamp_ms % 200 == 0:
                # The pose of that time is known when the next one comes.
                camera.send(PointStamped((stamp_ms + 10) * MS_NS, "camera", (2.0, 0.0, 0.0)))
            T_odom_base = Transform((stamp_ms / 1000.0, 0.0, 0.0))
            moving.sendTransform(
                TransformStamped("odom", "base_link", stamp_ms * MS_NS, T_odom_base)
            )
            encoder.send(Odometry(stamp_ms * MS_NS, "odom", "base_link", T_odom_base))
        camera.send(PointStamped(600 * MS_NS, "", (2.0, 0.0, 0.0)))

        earlier = buffer.lookup_transform_full(
            "base_link", 500 * MS_NS, "base_link", 100 * MS_NS, "odom"
        )
        print(f"400 ms ago the robot was at x {earlier.transform.translation[0]:.1f} m from here")
        print(buffer.all_frames_as_string(), end="")


if __name__ == "__main__":
    main()
