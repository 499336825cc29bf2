"""The errors of transforms under the names that tf2 gives them.

They are the same classes, so that one `except` catches what either way of writing a program raises.
"""

from __future__ import annotations

from horus_sim.errors import DisconnectedError as ConnectivityException
from horus_sim.errors import ExtrapolationError as ExtrapolationException
from horus_sim.errors import InvalidTransformError as InvalidArgumentException
from horus_sim.errors import TFError as TransformException
from horus_sim.errors import TransformTimeoutError as TimeoutException
from horus_sim.errors import UnknownFrameError as LookupException

__all__ = [
    "ConnectivityException",
    "ExtrapolationException",
    "InvalidArgumentException",
    "LookupException",
    "TimeoutException",
    "TransformException",
]
