"""What robots and objects in a running world have in common: a body that is placed and moves."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from horus_sim.errors import SceneError, Sim3dError
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.compile.mujoco_types import quat_wxyz, transform_of
from horus_sim.sim3d.compile.robot.coordinates import free_joint_name
from horus_sim.tf import Transform

Floats = npt.NDArray[np.float64]
Vector = tuple[float, float, float]


class LiveState(Protocol):
    """Model and state of a world, as its robots and objects see them."""

    @property
    def model(self) -> mujoco.MjModel:
        """The MuJoCo model."""
        ...

    @property
    def data(self) -> mujoco.MjData:
        """Its state."""
        ...

    def changed(self) -> None:
        """Brings poses and transforms up to date after the state was written."""

    def forward(self) -> mujoco.MjData:
        """A copy of the state with everything that follows from it."""
        ...


class Handle:
    """A robot or an object in a running world.

    Args:
        live: Model and state of the world.
        kind: 'robot' or 'object'.
        name: Name in the world.

    Attributes:
        name: Name in the world.
        body: Index of its (root) body in the MuJoCo model.
        mocap: Index of that body among those that the world carries, or -1.
    """

    def __init__(self, live: LiveState, kind: str, name: str) -> None:
        self._world: LiveState | None = live
        self._kind = kind
        self.name = name

    def _find(self, body: str, *, is_free: bool) -> None:
        """Finds the body in the world's model, which has changed."""
        model = self._live.model
        self.body = int(model.body(body).id)
        self.mocap = int(model.body_mocapid[self.body])
        self._free: tuple[int, int] | None = None
        if is_free:
            joint = model.joint(free_joint_name(body))
            self._free = int(joint.qposadr[0]), int(joint.dofadr[0])

    @property
    def _live(self) -> LiveState:
        if self._world is None:
            raise Sim3dError(
                f"{self._kind} '{self.name}' was removed from the world; what has its place now is "
                "found by name in world.robots and world.objects"
            )
        return self._world

    def leave(self) -> None:
        """Called when it leaves the world: from now on, all but its name is an error."""
        self._world = None

    @property
    def pose(self) -> Transform:
        """T_world_root of a robot or T_world_object now."""
        return self._pose_of(self.body)

    def _pose_of(self, body: int) -> Transform:
        data = self._live.data
        return transform_of(data.xpos[body], data.xquat[body])

    @property
    def velocity(self) -> tuple[Floats, Floats]:
        """Linear [m/s] and angular [rad/s] velocity of its frame, world frame; zero if carried."""
        if self._free is None:
            return np.zeros(3), np.zeros(3)
        data = self._live.data
        velocity = data.qvel[self._free[1] : self._free[1] + 6]
        return velocity[:3].copy(), data.xmat[self.body].reshape(3, 3) @ velocity[3:]

    @property
    def is_free(self) -> bool:
        """Whether forces move its (root) body, so that it can be given a velocity."""
        return self._free is not None

    @property
    def acceleration(self) -> tuple[Floats, Floats]:
        """Linear [m/s^2] and angular [rad/s^2] acceleration of its frame under the forces of now.

        World frame, gravity included: a thing that falls has -9.81 along z. Zero if carried.
        """
        if self._free is None:
            return np.zeros(3), np.zeros(3)
        data = self._live.forward()
        found = data.qacc[self._free[1] : self._free[1] + 6]
        # The angular velocity is given in the body's frame: its turning adds nothing.
        return found[:3].copy(), data.xmat[self.body].reshape(3, 3) @ found[3:]

    def set_velocity(
        self, linear: Vector = (0.0, 0.0, 0.0), angular: Vector = (0.0, 0.0, 0.0)
    ) -> None:
        """Gives a dynamic object or the root of a floating robot a velocity.

        Args:
            linear: [m/s], world frame.
            angular: [rad/s], world frame.
        """
        live = self._live
        values = np.array((*linear, *angular), dtype=float)
        if self._free is None or not np.isfinite(values).all():
            cause = (
                "it is held by the world" if self._free is None else "the velocity is not finite"
            )
            raise SceneError(f"'{self.name}' cannot be given a velocity: {cause}")
        dof = self._free[1]
        live.data.qvel[dof : dof + 3] = values[:3]
        live.data.qvel[dof + 3 : dof + 6] = live.data.xmat[self.body].reshape(3, 3).T @ values[3:]
        live.changed()

    def place(self, pose: Transform) -> None:
        """Puts it somewhere else, at rest; `World.move` also brings the rest up to date."""
        data = self._live.data
        if self._free is not None:
            qpos, dof = self._free
            data.qpos[qpos : qpos + 3] = pose.translation
            data.qpos[qpos + 3 : qpos + 7] = quat_wxyz(pose)
            data.qvel[dof : dof + 6] = 0.0
        elif self.mocap >= 0:
            data.mocap_pos[self.mocap] = pose.translation
            data.mocap_quat[self.mocap] = quat_wxyz(pose)
        else:
            raise SceneError(f"'{self.name}' has joints between the world and its root; move those")
