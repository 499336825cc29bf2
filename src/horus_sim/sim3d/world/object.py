"""An object in a running world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from horus_sim.robots.frame_name import frame_name
from horus_sim.sim3d.compile.mujoco_types import transform_of
from horus_sim.sim3d.compile.robot.coordinates import free_joint_name
from horus_sim.sim3d.world.motion import Motion
from horus_sim.sim3d.world.removed import Removed

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.sim3d.scene.contents import PlacedObject
    from horus_sim.sim3d.scene.objects import ObjectConfig
    from horus_sim.sim3d.world.stage import Stage
    from horus_sim.tf import Transform


class WorldObject:
    """A handle to an object; the world makes it.

    Attributes:
        name: In the world.
        config: As the scene describes it.
        motion: Its path, or None.
    """

    def __init__(self, stage: Stage, placed: PlacedObject) -> None:
        self._stage: Any = stage
        self.name = placed.name
        self.config: ObjectConfig = placed.config
        path = placed.config.motion
        self.motion = None if path is None else Motion(path, placed.T_world_scene)
        self.bind()

    def bind(self) -> None:
        """Finds the object in the world's model, which has changed."""
        model = self._stage.model
        self.body = int(model.body(self.name).id)
        self.mocap = int(model.body_mocapid[self.body])
        self._free: tuple[int, int] | None = None
        if self.config.dynamic:
            joint = model.joint(free_joint_name(self.name))
            self._free = int(joint.qposadr[0]), int(joint.dofadr[0])

    def leave(self) -> None:
        """Called when it leaves the world: from now on, all but its name is an error."""
        self._stage = Removed(f"object '{self.name}'")

    @property
    def is_dynamic(self) -> bool:
        """Whether forces move it."""
        return self.config.dynamic

    @property
    def frame(self) -> str:
        """Name of its frame in the transform tree."""
        return frame_name(self.name)

    @property
    def pose(self) -> Transform:
        """T_world_object now."""
        data = self._stage.data
        return transform_of(data.xpos[self.body], data.xquat[self.body])

    @property
    def velocity(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Linear [m/s] and angular [rad/s] velocity of its frame, world frame; zero if carried."""
        if self._free is None:
            return np.zeros(3), np.zeros(3)
        data = self._stage.data
        velocity = data.qvel[self._free[1] : self._free[1] + 6]
        rotation = data.xmat[self.body].reshape(3, 3)
        return velocity[:3].copy(), rotation @ velocity[3:]

    def set_velocity(
        self,
        linear: tuple[float, float, float] = (0.0, 0.0, 0.0),
        angular: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Gives a dynamic object a velocity.

        Args:
            linear: [m/s], world frame.
            angular: [rad/s], world frame.
        """
        dof = -1 if self._free is None else self._free[1]
        self._stage.set_free_velocity(self.name, dof, self.body, linear, angular)

    def place(self, pose: Transform) -> None:
        """Puts it somewhere else; `World.move` also brings the rest up to date."""
        self._stage.place(self.name, self.mocap, self._free, pose)

    def __repr__(self) -> str:
        return f"<WorldObject '{self.name}'>"
