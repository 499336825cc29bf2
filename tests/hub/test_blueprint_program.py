"""The Python program of the original blueprint, with `horus_sim` in place of `horus`."""

import subprocess
import sys

PROGRAM = """
import horus_sim
from horus_sim.library.tf import TFTree, TFBroadcaster, Transform
import numpy as np

# Create TF tree
tree = TFTree()

# Create broadcaster
broadcaster = TFBroadcaster()

# Define static transforms
broadcaster.send_static_transform(
    parent="base_link",
    child="camera_frame",
    translation=[0.5, 0.0, 0.2],
    rotation=[0.0, 0.0, 0.0, 1.0]
)

# Application node
def process_camera(node: horus_sim.Node):
    if node.has_msg("camera/detections"):
        detection = node.get("camera/detections")
        point_camera = np.array([
            detection['x'],
            detection['y'],
            detection['distance']
        ])
        transform = tree.lookup_transform("camera_frame", "base_link")
        point_base = transform.transform_point(point_camera)
        print(f"Object at {point_base} in base frame")
        node.send("planner/targets", {
            "position": point_base.tolist(),
            "timestamp": horus_sim.time.now()
        })

node = horus_sim.Node(
    name="camera_processor",
    subs="camera/detections",
    pubs="planner/targets",
    tick=process_camera
)
"""
# The blueprint's program runs for ever on a robot with a camera; this one has a camera and an end.
CAMERA = """
targets = []
camera = horus_sim.Node(
    name="camera",
    subs="planner/targets",
    pubs="camera/detections",
    tick=lambda n: (
        n.send("camera/detections", {"x": 1.0, "y": 2.0, "distance": 3.0}),
        targets.append(n.get("planner/targets")),
    ),
)
horus_sim.run(camera, node, duration=0.1, mode="deterministic")
assert targets[0] is None
assert [target["position"] for target in targets[1:]] == [[1.5, 2.0, 3.2]] * 2, targets
"""


def test_it_runs():
    command = [sys.executable, "-W", "error", "-c", PROGRAM + CAMERA]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "Object at [1.5 2.  3.2] in base frame"
