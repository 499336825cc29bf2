"""A running world, 3D or 2D: one loop that steps it, and everything that is joined to it."""

from __future__ import annotations

from horus_sim.running.loop.loop import Loop
from horus_sim.running.loop.pacing import Pacer
from horus_sim.running.outlets.outgoing import Outlet
from horus_sim.running.topic_plan import COMMAND_LOG_TOPIC
from horus_sim.running.world.config import RunningConfig
from horus_sim.running.world.running_world import RunningWorld
from horus_sim.running.world.stepped_world import Exchange, SteppedWorld

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
