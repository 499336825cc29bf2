"""Transforms between coordinate frames over time: what tf2 does, without communication.

`Transform` is the mathematics, `TFTree` the frames and their history, `TFBuffer` the tf2-like way
to use a tree, and the messages are the fixed-size records that travel between processes.
"""

from horus_sim.errors import (
    CycleError,
    DisconnectedError,
    ExtrapolationError,
    InvalidTransformError,
    ReadOnlyError,
    TFError,
    TransformTimeoutError,
    UnknownFrameError,
)
from horus_sim.tf.buffer import TFBuffer
from horus_sim.tf.frame_info import FrameInfo
from horus_sim.tf.messages import StaticTransformStamped, TFMessage, TransformStamped
from horus_sim.tf.namespace import TFNamespace
from horus_sim.tf.stamps import to_ns
from horus_sim.tf.transform import Transform
from horus_sim.tf.tree import TFTree
from horus_sim.tf.validation import TreeReport

__all__ = [
    "CycleError",
    "DisconnectedError",
    "ExtrapolationError",
    "FrameInfo",
    "InvalidTransformError",
    "ReadOnlyError",
    "StaticTransformStamped",
    "TFBuffer",
    "TFError",
    "TFMessage",
    "TFNamespace",
    "TFTree",
    "Transform",
    "TransformStamped",
    "TransformTimeoutError",
    "TreeReport",
    "UnknownFrameError",
    "to_ns",
]
