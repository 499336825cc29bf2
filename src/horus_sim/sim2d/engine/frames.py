"""World, robot and sensor frames for a transform tree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from horus_sim.hub import StaticTFBroadcaster, TFBroadcaster
from horus_sim.sim2d.scenario.checks import WORLD
from horus_sim.tf import TFTree, Transform

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.sim2d.engine.layout import Layout


class FramePublisher:
    """Tells a tree, and a hub if there is one, where bodies and sensors are.

    Bodies that cannot move are static frames. When time goes back, the tree forgets where moving
    frames were, and a new epoch begins on the hub. A sensor that is called as a body of its robot
    has the frame 'robot/name_sensor'.

    Args:
        layout: Names of the bodies and sensors.
        tree: The tree to fill; a new one when None.
        hub: Where to broadcast too, or None.
    """

    def __init__(self, layout: Layout, tree: TFTree | None, hub: Hub | None) -> None:
        self.tree = TFTree() if tree is None else tree
        bodies = layout.bodies.items()
        self._moving = [(name, index) for name, index in bodies if layout.configs[index].can_move]
        self._fixed = [(name, k) for name, k in bodies if not layout.configs[k].can_move]
        self._fixed_indices = [index for _, index in self._fixed]
        self._fixed_poses: npt.NDArray[np.float64] | None = None
        self._last_ns = -1
        self._hub = hub
        self._broadcaster = None if hub is None else TFBroadcaster(hub)
        self._static = None if hub is None else StaticTFBroadcaster(hub)
        for name, slot in layout.sensors.items():
            frame = f"{name}_sensor" if name in layout.bodies else name
            self._fix(f"{slot.robot}/{slot.body}", frame, planar(*slot.mount))

    def publish(self, states: npt.NDArray[np.float64], time: float) -> None:
        """Adds where the bodies are.

        Args:
            states: x, y [m], theta [rad] and velocities of all bodies, shape (bodies, 6).
            time: Simulated time [s].
        """
        stamp_ns = round(time * 1e9)
        if stamp_ns < self._last_ns:
            self.tree.clear()
            if self._hub is not None:
                self._hub.begin_epoch()
        self._last_ns = stamp_ns
        if self._fixed:
            self._publish_fixed(states[self._fixed_indices, :3])
        for name, index in self._moving:
            x, y, theta = states[index, :3].tolist()
            T_world_body = planar(x, y, theta)
            self.tree.add_transform(WORLD, name, T_world_body, stamp_ns)
            if self._broadcaster is not None:
                self._broadcaster.send_transform(WORLD, name, T_world_body, stamp_ns)

    def _publish_fixed(self, poses: npt.NDArray[np.float64]) -> None:
        """Once, and again when a program has put one of them elsewhere."""
        if self._fixed_poses is not None and np.array_equal(poses, self._fixed_poses):
            return
        self._fixed_poses = poses
        for (name, _), pose in zip(self._fixed, poses.tolist(), strict=True):
            self._fix(WORLD, name, planar(*pose))

    def _fix(self, parent: str, child: str, transform: Transform) -> None:
        self.tree.add_static_transform(parent, child, transform)
        if self._static is not None:
            self._static.send_transform(parent, child, transform)


def planar(x: float, y: float, theta: float) -> Transform:
    """A pose in the plane [m, rad] as a transform."""
    half = 0.5 * theta
    return Transform((x, y, 0.0), (0.0, 0.0, math.sin(half), math.cos(half)))
