"""Runs a bridged world: as fast as it can, or no faster than the clock on the wall."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from horus_sim.sim3d.pacing import Pacer

if TYPE_CHECKING:
    from horus_sim.sim3d.bridge.world_bridge import WorldBridge

_CHUNK_S = 0.1
_PAUSED_S = 0.01


def run(
    bridge: WorldBridge,
    duration: float | None = None,
    *,
    realtime: bool = True,
    speed: float = 1.0,
    advance: Callable[[int], object] | None = None,
) -> float:
    """Steps until the time is over; while the bridge is paused it serves requests.

    Args:
        bridge: The bridge.
        duration: Simulated time [s]; None runs until an exception such as Ctrl-C ends it.
        realtime: No faster than the clock on the wall.
        speed: With `realtime`, simulated seconds in one second.
        advance: Called with the number of steps just made.

    Returns:
        Time [s] by which a real-time run fell behind and that was not made up for.
    """
    timestep = bridge.world.timestep
    left = float("inf") if duration is None else round(duration / timestep)
    chunk = max(1, round(_CHUNK_S / timestep))
    pacer = Pacer(timestep, speed)
    bridge.start()
    while left > 0:
        if not bridge.can_step:
            bridge.poll()
            if not bridge.can_step:
                time.sleep(_PAUSED_S)
                pacer.restart()
                continue
        due = int(min(pacer.due() if realtime else chunk, left))
        if due == 0:
            time.sleep(pacer.wait_time())
            continue
        done = bridge.step(due)
        left -= done
        if advance is not None:
            advance(done)
    return pacer.dropped
