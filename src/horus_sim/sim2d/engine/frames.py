"""World, robot and sensor frames for a transform tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from horus_sim._native import cosine_sine
from horus_sim.hub import StaticTFBroadcaster, TFBroadcaster
from horus_sim.sim2d.scenario.checks import WORLD
from horus_sim.tf import TFTree, Transform

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from horus_sim.hub import Hub
    from horus_sim.sim2d.engine.layout import Layout


class Frames:
    """Which frames there are, and where.

    A sensor that is called as a body of its robot has the frame 'robot/name_sensor'.

    Args:
        layout: Names of the bodies and sensors.

    Attributes:
        moving: Indices of the bodies that can move, by name.
        still: Indices of those that cannot.
        sensors: Frame of each sensor by its full name.
        mounts: Body and T_body_sensor by frame of a sensor.
    """

    def __init__(self, layout: Layout) -> None:
        bodies, configs = layout.bodies.items(), layout.configs
        self.moving = {name: k for name, k in bodies if configs[k].can_move}
        self.still = {name: k for name, k in bodies if not configs[k].can_move}
        self.sensors = {
            name: f"{name}_sensor" if name in layout.bodies else name for name in layout.sensors
        }
        self.mounts: dict[str, tuple[str, Transform]] = {}
        for name, slot in layout.sensors.items():
            T_body_sensor = planar(*slot.config.mount_pose)
            self.mounts[self.sensors[name]] = f"{slot.robot}/{slot.config.body}", T_body_sensor


def placed(
    bodies: dict[str, int], states: npt.NDArray[np.float64]
) -> Iterator[tuple[str, Transform]]:
    """Names and T_world_body of bodies.

    Args:
        bodies: Their indices by name.
        states: Poses and velocities of all bodies, shape (bodies, 6).
    """
    for name, index in bodies.items():
        yield name, planar(*states[index, :3].tolist())


class FramePublisher:
    """Tells a tree, and a hub if there is one, where bodies and sensors are.

    Bodies that cannot move are static frames. When time goes back, the tree forgets where moving
    frames were, and a new epoch begins on the hub.

    Args:
        layout: Names of the bodies and sensors.
        tree: The tree to fill; a new one when None.
        hub: Where to broadcast too, or None.
    """

    def __init__(self, layout: Layout, tree: TFTree | None, hub: Hub | None) -> None:
        self.tree = TFTree() if tree is None else tree
        self._frames = Frames(layout)
        self._still_poses: npt.NDArray[np.float64] | None = None
        self._last_ns = -1
        self._hub = hub
        self._move: list[Callable[[str, str, Transform, int], None]] = [self.tree.add_transform]
        self._fix = [self.tree.add_static_transform]
        if hub is not None:
            self._move.append(TFBroadcaster(hub).send_transform)
            self._fix.append(StaticTFBroadcaster(hub).send_transform)
        for frame, (body, T_body_sensor) in self._frames.mounts.items():
            for fix in self._fix:
                fix(body, frame, T_body_sensor)

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
        # Once, and again when a program has put one of them elsewhere.
        still = states[list(self._frames.still.values()), :3]
        if self._still_poses is None or not np.array_equal(still, self._still_poses):
            self._still_poses = still
            for name, T_world_body in placed(self._frames.still, states):
                for fix in self._fix:
                    fix(WORLD, name, T_world_body)
        for name, T_world_body in placed(self._frames.moving, states):
            for move in self._move:
                move(WORLD, name, T_world_body, stamp_ns)


def planar(x: float, y: float, theta: float) -> Transform:
    """A pose in the plane [m, rad] as a transform."""
    c, s = cosine_sine(0.5 * theta)
    return Transform((x, y, 0.0), (0.0, 0.0, s, c))
