"""The blueprint's program in its language of nodes, and the names of its prelude."""

import subprocess
import sys

import horus_sim.library

# Section 5.1 of the blueprint, in Python; a camera and an end are added.
PROGRAM = """
from horus_sim.library import *

tree = TFTree()
scheduler = Scheduler()
scheduler.add(TFListenerNode(tree), 0, True)

static_broadcaster = StaticTFBroadcasterNode()
static_broadcaster.send_transform(
    "base_link", "camera_frame", Transform.from_euler([0.5, 0.0, 0.2], [0.0, 0.0, 0.0])
)
static_broadcaster.send_transform(
    "base_link", "lidar_frame", Transform.from_euler([0.3, 0.0, 0.1], [0.0, 0.0, 0.0])
)
scheduler.add(static_broadcaster, 1, True)

broadcaster = TFBroadcasterNode()
broadcaster.send_transform("odom", "base_link", Transform((1.0, 0.0, 0.0)), timestamp_now())
scheduler.add(broadcaster, 2, False)


def tick(node):
    detection = node.get("detections")
    if detection is not None:
        point = tree.lookup_transform("camera_frame", "odom").transform_point(detection["point"])
        print("object at", point.round(3).tolist())
        scheduler.stop()
    node.send("detections", {"point": [1.0, 2.0, 3.0]})


scheduler.add(Node("MyNode", subs="detections", pubs="detections", tick=tick), 3)
scheduler.run(30.0)
assert tree.has_frame("lidar_frame")
"""


def test_the_program_runs():
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "object at [2.5, 2.0, 3.2]\n"
    heads = {line.partition("]")[0] for line in done.stderr.splitlines()}
    assert heads == {"[TFListener", "[StaticTFBroadcaster"}


def test_the_prelude_of_the_blueprint():
    names = (
        "Transform",
        "TransformStamped",
        "StaticTransformStamped",
        "TFTree",
        "TFBroadcaster",
        "TFListener",
        "TFBuffer",
    )
    assert set(names) <= set(horus_sim.library.__all__)
    assert horus_sim.library.__all__ == sorted(horus_sim.library.__all__)
    for name in horus_sim.library.__all__:
        assert hasattr(horus_sim.library, name)
