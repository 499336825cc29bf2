"""A running world, 3D or 2D: one loop that steps it, and everything that is joined to it."""

from __future__ import annotations

from horus_sim.running.config import RunningConfig
from horus_sim.running.loop import Loop
from horus_sim.running.outgoing import Outlet
from horus_sim.running.pacing import Pacer
from horus_sim.running.running_world import RunningWorld
from horus_sim.running.stepped_world import Exchange, SteppedWorld
from horus_sim.running.topics.plan import COMMAND_LOG_TOPIC

__all__ = [
    "COMMAND_LOG_TOPIC",
    "Exchange",
    "Loop",
    "Outlet",
    "Pacer",
    "RunningConfig",
    "RunningWorld",
    "SteppedWorld",
]
