"""Half an hour of a robot's messages leaves nothing behind."""

import gc
import os
from pathlib import Path

import numpy as np

from horus_sim.hub import Node, QoS, StaticTFBroadcaster, TFBroadcaster, TFListener, connect, run
from horus_sim.hub.messages import Clock, CmdVel, LaserScan, String
from horus_sim.tf import Transform

DURATION_S = 1800
RATE_HZ = 100
# Between the two looks some 430,000 messages pass: about two bytes for each.
ALLOWED_BYTES = 1_000_000


def resident_bytes():
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_half_an_hour_of_messages_through_one_process_is_flat():
    resident = {}
    with connect(session="memory-test") as hub:
        broadcaster, listener = TFBroadcaster(hub), TFListener(hub)
        fixed = StaticTFBroadcaster(hub)
        # Nobody takes these: the queue must stay as deep as it is.
        unread = hub.subscribe("scan", LaserScan, QoS(depth=5))
        old = hub.subscribe("clock", Clock, QoS(depth=5, max_age=0.02))
        status = hub.publisher("status", String, QoS(latched=True))

        def sense(node):
            now_ns = hub.now_ns()
            ranges = np.full(360, 1.0 + node.ticks % 7, dtype=np.float32)
            node.send("scan", LaserScan(now_ns, "lidar", 0.0, 0.0175, 0.1, 20.0, ranges))
            T_odom_base = Transform((1e-3 * node.ticks, 0.0, 0.0))
            broadcaster.send_transform("odom", "base_link", T_odom_base, now_ns)
            if node.ticks % RATE_HZ == 0:
                fixed.send_transform("base_link", "lidar", Transform((0.0, 0.0, 0.1)))
                status.send(String(f"{node.ticks} ticks"))
            if node.ticks in (DURATION_S * RATE_HZ // 4, DURATION_S * RATE_HZ):
                resident[node.ticks] = resident_bytes()

        def control(node):
            scan = node.latest("scan")
            assert listener.tree.has_frame("base_link")
            node.send("cmd_vel", CmdVel(0.1 * float(scan.ranges[0])))

        run(
            Node(
                "sensors",
                subs={"cmd_vel": CmdVel},
                pubs={"scan": LaserScan},
                tick=sense,
                rate=RATE_HZ,
            ),
            Node(
                "control", subs={"scan": LaserScan}, pubs={"cmd_vel": CmdVel}, tick=control, rate=20
            ),
            duration=DURATION_S,
            hub=hub,
            mode="deterministic",
        )
        assert listener.tree.frame("base_link").samples <= 10 * RATE_HZ + 1
        assert listener.refused == 0
        assert unread.received == DURATION_S * RATE_HZ
        assert unread.dropped == unread.received - 5
        assert old.received == DURATION_S * RATE_HZ
    first, last = resident.values()
    assert last - first < ALLOWED_BYTES
