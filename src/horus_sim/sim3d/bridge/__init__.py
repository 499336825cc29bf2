"""A world on topics: what happens in it is published, commands and requests are taken in."""

from __future__ import annotations

from horus_sim.sim3d.bridge.config import BridgeConfig
from horus_sim.sim3d.bridge.loop import run
from horus_sim.sim3d.bridge.sink import COMMAND_LOG_TOPIC, Sink
from horus_sim.sim3d.bridge.world_bridge import WorldBridge

__all__ = ["COMMAND_LOG_TOPIC", "BridgeConfig", "Sink", "WorldBridge", "run"]
