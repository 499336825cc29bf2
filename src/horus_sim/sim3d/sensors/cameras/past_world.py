"""The world as it was when a picture was due, for one that is drawn when somebody looks."""

from __future__ import annotations

from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld


class PastWorld:
    """What a camera sees of a world, at one moment.

    Args:
        world: The world as it is now.

    Attributes:
        model: The model of that moment.
        data: A copy of its state.
        stamp_ns: The moment [ns].
    """

    def __init__(self, world: MeasuredWorld) -> None:
        self.model = world.model
        self.data = mujoco.MjData(world.model)
        self.keep(world)

    def keep(self, world: MeasuredWorld) -> None:
        """Becomes the world of now, which has the same model."""
        mujoco.mj_copyData(self.data, self.model, world.data)
        self.stamp_ns = world.stamp_ns
