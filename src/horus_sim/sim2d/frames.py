"""World, robot and sensor frames for a transform tree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from horus_sim.hub import StaticTFBroadcaster, TFBroadcaster
from horus_sim.tf import TFTree, Transform

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.sim2d.build import Layout

WORLD = "world"


class FramePublisher:
    """Tells a tree, and a hub if there is one, where bodies and sensors are.

    Args:
        layout: Names of the bodies and sensors.
        tree: The tree to fill; a new one when None.
        hub: Where to broadcast too, or None.
    """

    def __init__(self, layout: Layout, tree: TFTree | None, hub: Hub | None) -> None:
        self.tree = TFTree() if tree is None else tree
        self._moving = [
            (name, index) for name, index in layout.bodies.items() if layout.configs[index].can_move
        ]
        self._broadcaster = None if hub is None else TFBroadcaster(hub)
        static = None if hub is None else StaticTFBroadcaster(hub)
        for name, slot in layout.sensors.items():
            parent = f"{slot.robot}/{slot.body}"
            T_body_sensor = planar(*slot.mount)
            self.tree.add_static_transform(parent, name, T_body_sensor)
            if static is not None:
                static.send_transform(parent, name, T_body_sensor)

    def publish(self, states: npt.NDArray[np.float64], time: float) -> None:
        """Adds where the bodies are.

        Args:
            states: x, y [m], theta [rad] and velocities of all bodies, shape (bodies, 6).
            time: Simulated time [s].
        """
        stamp_ns = round(time * 1e9)
        for name, index in self._moving:
            x, y, theta = states[index, :3].tolist()
            T_world_body = planar(x, y, theta)
            self.tree.add_transform(WORLD, name, T_world_body, stamp_ns)
            if self._broadcaster is not None:
                self._broadcaster.send_transform(WORLD, name, T_world_body, stamp_ns)


def planar(x: float, y: float, theta: float) -> Transform:
    """A pose in the plane [m, rad] as a transform."""
    half = 0.5 * theta
    return Transform((x, y, 0.0), (0.0, 0.0, math.sin(half), math.cos(half)))
