"""A robot drives a circle: where is it, where was it, and how far did it come in between?

Odometry gives 20 poses a second. The tree keeps the last 10 s of them and answers for any instant
in between. Stamps are integer nanoseconds.
"""

from __future__ import annotations

import numpy as np

from horus_sim.tf import TFBuffer, TFTree, Transform

RADIUS = 2.0
YAW_RATE = 0.5
PERIOD_NS = 50_000_000
END_NS = 12_000_000_000


def circle(stamp_ns: int) -> Transform:
    """The true T_odom_base at a time [ns]: from the origin, ahead along x, turning left."""
    yaw = YAW_RATE * stamp_ns * 1e-9
    position = (RADIUS * np.sin(yaw), RADIUS * (1.0 - np.cos(yaw)), 0.0)
    return Transform.from_euler(position, (0.0, 0.0, yaw))


def distance_m(a: Transform, b: Transform) -> float:
    """Distance between two origins [m]."""
    return float(np.linalg.norm(a.translation - b.translation))


def describe(T: Transform) -> str:
    """Position and heading, for people."""
    x, y, _ = T.translation
    return f"x {x:6.3f} m, y {y:6.3f} m, heading {np.rad2deg(T.to_euler()[2]):6.1f} deg"


def main() -> None:
    """Drive for 12 s, then ask about the past."""
    tree = TFTree(buffer_duration=10.0)
    for stamp_ns in range(0, END_NS + 1, PERIOD_NS):
        tree.add_transform("odom", "base_link", circle(stamp_ns), stamp_ns)
    print(tree.dump())

    ago_ns = END_NS - 500_000_000
    print(f"now:               {describe(tree.lookup_transform('base_link', 'odom'))}")
    print(f"half a second ago: {describe(tree.lookup_transform('base_link', 'odom', ago_ns))}")

    # Time travel: base_link now, seen from base_link half a second ago; odom stood still meanwhile.
    T_ago_now = TFBuffer(tree).lookup_full("base_link", END_NS, "base_link", ago_ns, fixed="odom")
    error_m = distance_m(T_ago_now, circle(END_NS - ago_ns))
    print(f"moved since then:  {describe(T_ago_now)}")
    print(f"  wrong by {error_m:.0e} m")

    # Between two samples the pose is interpolated: it lies on a chord of the circle.
    between_ns = 8_025_000_000
    T_odom_base = tree.lookup_transform("base_link", "odom", between_ns)
    error_m = distance_m(T_odom_base, circle(between_ns))
    sagitta_m = RADIUS * (1.0 - np.cos(YAW_RATE * PERIOD_NS * 1e-9 / 2))
    print(f"at 8.025 s:        {describe(T_odom_base)}")
    print(f"  {1e3 * error_m:.4f} mm off the arc; chord and arc are {1e3 * sagitta_m:.4f} mm apart")


if __name__ == "__main__":
    main()
