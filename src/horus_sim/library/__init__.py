"""Names under which programs written for HORUS look for their parts: what its prelude holds.

from horus_sim.library import *
"""

from horus_sim.hub import Hub, Node, Scheduler, connect, run
from horus_sim.library.tf import (
    StaticTFBroadcaster,
    StaticTFBroadcasterNode,
    StaticTransformStamped,
    TFBroadcaster,
    TFBroadcasterNode,
    TFBuffer,
    TFListener,
    TFListenerNode,
    TFMessage,
    TFTree,
    Transform,
    TransformStamped,
)
from horus_sim.time import now_ns as timestamp_now

__all__ = [
    "Hub",
    "Node",
    "Scheduler",
    "StaticTFBroadcaster",
    "StaticTFBroadcasterNode",
    "StaticTransformStamped",
    "TFBroadcaster",
    "TFBroadcasterNode",
    "TFBuffer",
    "TFListener",
    "TFListenerNode",
    "TFMessage",
    "TFTree",
    "Transform",
    "TransformStamped",
    "connect",
    "run",
    "timestamp_now",
]
