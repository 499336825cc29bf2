"""Environments of a MuJoCo task for `view3d.js`: the model once, and where it is in each tile."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.scene.scene import BACKGROUND
from horus_sim.ui.stream.frames import header
from horus_sim.ui.stream.scene_export import Blob, describe_model, pack
from horus_sim.ui.training.model.tiles import grid_offsets, tile_middle, tile_size

if TYPE_CHECKING:
    from horus_sim.rl.tasks.task import Task

_SUN = {
    "kind": "directional",
    "pos": [0, 0, 10],
    "dir": [-0.4, 0.3, -1],
    "diffuse": [0.8, 0.8, 0.8],
    "shadows": True,
}
# Sphere, capsule, ellipsoid, cylinder and box.
_SHAPES = range(int(mujoco.mjtGeom.mjGEOM_SPHERE), int(mujoco.mjtGeom.mjGEOM_BOX) + 1)
_MARKER_RADIUS = 0.05
_FLAT = 2


class Picture3d:
    """Draws the environments of a task.

    Args:
        task: The task, bound to its simulations and reset.
        name: Name of the scene.
        envs: How many environments.
        number: Number that frames carry.
        episodes: Begins other ones with each, to see how much room they take.

    Attributes:
        size: Side of a tile [m].
        centres: Where the middles of tiles are [m], shape (envs, 2).
        offsets: Where their origins are [m], shape (envs, 2).
    """

    def __init__(
        self, task: Task[Any], name: str, envs: int, number: int, episodes: Iterable[None]
    ) -> None:
        self._task, self._name, self._envs, self._number = task, name, envs, number
        sim = task.sim
        self._model = task.picture_model
        self._qpos = sim.bind("qpos")
        if self._model.nq != self._qpos.shape[1]:
            raise TaskError(
                f"'{name}': build_picture_model() gives a model with {self._model.nq} joint "
                f"positions, the task has {self._qpos.shape[1]}; give one with the same joints"
            )
        self._data = mujoco.MjData(self._model)
        self._mocap = None
        if self._model.nmocap:
            self._mocap = sim.bind("mocap_pos"), sim.bind("mocap_quat")
        # Tasks place shapes such as obstacles in each environment for itself.
        self._shaped = np.flatnonzero(np.isin(self._model.geom_type, list(_SHAPES)))
        self._simulated = None
        if task.has_picture_model:
            # Those of bodies are drawn as they look.
            self._shaped = self._shaped[self._model.geom_bodyid[self._shaped] == 0]
        else:
            self._simulated = sim.expand("geom_pos"), sim.expand("geom_size")
        self._shapes = np.empty((envs, len(self._shaped), 6))
        self._poses = np.empty((envs, self._model.nbody, 7), np.float32)
        places = np.concatenate([self._places() for _ in episodes])
        middle = tile_middle(places)
        self.size = tile_size(places - middle)
        self.centres = grid_offsets(envs, self.size)
        self.offsets = self.centres - middle

    @property
    def head(self) -> str:
        """Views of this kind follow environments by their number alone."""
        return ""

    def export(self) -> bytes:
        """What is drawn, except where it is now."""
        blob = Blob()
        document = describe_model(self._model, blob)
        if not document["lights"]:
            document["lights"] = [_SUN]
        extent = float(np.abs(self.centres).max(initial=0.0) + self.size / 2)
        document |= {
            "name": self._name,
            "generation": 0,
            "revision": self._number,
            "background": list(BACKGROUND[:3]),
            "sensors": [],
            "extent": extent,
            "center": [0.0, 0.0, 0.0],
            "tiles": {
                "offsets": self.offsets.tolist(),
                "centres": self.centres.tolist(),
                "size": self.size,
                "shaped": self._shaped.tolist(),
                "goal": self._goal_shape(),
            },
        }
        return pack(document, blob)

    def frame(self, time: float, flash: npt.NDArray[np.int64]) -> bytes:
        """Where everything is.

        For each tile, float32: how its last episode ended; x, y, z of the goal [m] (not a number
        without one); poses of bodies [m], quaternion xyzw, shape (bodies, 7); position [m] in the
        body's frame and size [m] of each shaped geom, shape (shaped, 6). World frame of the tile.
        """
        self._move()
        parts = [
            flash[:, None],
            self._goals(),
            self._poses.reshape(self._envs, -1),
            self._shapes.reshape(self._envs, -1),
        ]
        rows = np.concatenate(parts, axis=1, dtype=np.float32)
        return header(self._number, time) + rows.tobytes()

    def _move(self) -> None:
        """Kinematics of all environments from their state."""
        model, data = self._model, self._data
        for env in range(self._envs):
            data.qpos[:] = self._qpos[env]
            if self._mocap is not None:
                data.mocap_pos[:], data.mocap_quat[:] = self._mocap[0][env], self._mocap[1][env]
            mujoco.mj_kinematics(model, data)
            row = self._poses[env]
            row[:, :3] = data.xpos
            row[:, 3:6] = data.xquat[:, 1:]
            row[:, 6] = data.xquat[:, 0]
            if self._simulated is None:
                self._task.dress(model, env)
                self._shapes[env, :, :3] = model.geom_pos[self._shaped]
                self._shapes[env, :, 3:] = model.geom_size[self._shaped]
        if self._simulated is not None:
            positions, sizes = self._simulated
            self._shapes[..., :3] = positions[:, self._shaped]
            self._shapes[..., 3:] = sizes[:, self._shaped]

    def _places(self) -> npt.NDArray[np.floating]:
        """x, y of bodies, shapes of the world and goals, shape (n, 2)."""
        self._move()
        of_world = self._model.geom_bodyid[self._shaped] == 0
        bodies = self._poses[:, 1:, :2].reshape(-1, 2)
        # Shapes of the robot reach beyond the origins of its bodies.
        reach = self._model.geom_rbound[self._model.geom_bodyid > 0].max(initial=0.0)
        return np.concatenate(
            [
                bodies - reach,
                bodies + reach,
                self._shapes[:, of_world, :2].reshape(-1, 2),
                self._goals()[:, :2],
            ]
        )

    def _goals(self) -> npt.NDArray[np.float64]:
        goals = self._task.goals()
        rows = np.full((self._envs, 3), np.nan)
        if goals is not None:
            rows[:, 2] = 0.0
            rows[:, : goals.shape[1]] = goals
        return rows

    def _goal_shape(self) -> dict[str, Any] | None:
        goals = self._task.goals()
        if goals is None:
            return None
        config = self._task.config
        radius = getattr(config, "goal_radius", getattr(config, "tolerance", _MARKER_RADIUS))
        return {"radius": float(radius), "flat": goals.shape[1] == _FLAT}
