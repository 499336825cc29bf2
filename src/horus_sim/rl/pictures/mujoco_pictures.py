"""Pictures of single environments."""

from __future__ import annotations

import copy
from typing import Protocol

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Backend, Floats
from horus_sim.rl.engines.mujoco_batch import MujocoBackend
from horus_sim.rl.pictures.camera import View
from horus_sim.rl.randomization.base import Randomized
from horus_sim.rl.randomization.planar_visual import PlanarVisual
from horus_sim.rl.randomization.visual import VisualRandomization
from horus_sim.robots.engine import mujoco

_SMALL = 128
# Radius of the mark at a goal, as a share of what is to be seen.
_GOAL_SIZE = 0.02


class Drawn(Randomized, Protocol):
    """What pictures need to know of a task; the attributes are those of `Task`."""

    visuals: tuple[VisualRandomization | PlanarVisual, ...]

    @property
    def has_picture_model(self) -> bool:
        """Whether pictures show another model than that of physics."""
        ...

    def goals(self) -> Floats | None:
        """Where goals are drawn [m]."""
        ...

    def view(self, env: int) -> View | None:
        """From where pictures of an environment are taken."""
        ...

    def dress(self, model: mujoco.MjModel, env: int) -> None:
        """Writes into the model of one environment what only pictures show."""
        ...


def lit_model(own: mujoco.MjModel | None, sim: Backend) -> mujoco.MjModel:
    """The model that pictures show; where it has no lights, its headlight is bright.

    Args:
        own: A model for pictures alone, or None to show that of physics.
        sim: The simulations.
    """
    model = own or copy.copy(_batch(sim).model)
    if not model.nlight:
        headlight = model.vis.headlight
        headlight.ambient, headlight.diffuse = (0.4,) * 3, (0.6,) * 3
    return model


def _batch(sim: Backend) -> MujocoBackend:
    if not isinstance(sim, MujocoBackend):
        raise TaskError(
            f"{type(sim).__name__} has no model of MuJoCo to draw; override make_pictures()"
        )
    return sim


class Pictures:
    """Draws environments of a task; the OpenGL context is made with the first picture.

    Args:
        task: The task, bound to its simulations.

    Raises:
        RenderError: There is no OpenGL; the text says what to install.
    """

    def __init__(self, task: Drawn) -> None:
        from horus_sim.sim3d.rendering.gl import choose_backend, use_backend

        use_backend(choose_backend())
        self._task = task
        self._model = task.picture_model
        self._data = mujoco.MjData(self._model) if task.has_picture_model else None
        self._renderers: dict[tuple[int, int], mujoco.Renderer] = {}

    def draw(
        self, env: int, width: int, height: int, camera: str | None = None
    ) -> npt.NDArray[np.uint8]:
        """A picture, shape (height, width, 3); from the task's own view unless a camera is told."""
        data = self._posed(env)
        size = (width, height)
        renderer = self._renderers.get(size)
        if renderer is None:
            renderer = self._renderers[size] = mujoco.Renderer(self._model, height, width)
        view = self.camera(env) if camera is None else camera
        renderer.update_scene(data, view)
        if camera is None:
            self._mark_goal(renderer.scene, env)
        if max(size) <= _SMALL:
            # A map of shadows takes many times as long as a small picture.
            renderer.scene.flags[int(mujoco.mjtRndFlag.mjRND_SHADOW)] = 0
            renderer.scene.flags[int(mujoco.mjtRndFlag.mjRND_REFLECTION)] = 0
        return renderer.render().copy()

    def camera(self, env: int) -> mujoco.MjvCamera:
        """From where a picture of an environment is taken, unless a camera is told."""
        camera = mujoco.MjvCamera()
        mujoco.mjv_defaultFreeCamera(self._model, camera)
        view = self._task.view(env)
        if view is not None:
            camera.lookat[:], camera.distance = view.target, view.distance
            camera.elevation, camera.azimuth = view.elevation_deg, view.azimuth_deg
        return camera

    def _mark_goal(self, scene: mujoco.MjvScene, env: int) -> None:
        goals = self._task.goals()
        if goals is None or scene.ngeom >= scene.maxgeom:
            return
        place = np.zeros(3)
        place[: goals.shape[1]] = goals[env]
        size = np.full(3, _GOAL_SIZE * self._model.stat.extent)
        colour = np.array([0.1, 0.75, 0.25, 0.8], np.float32)
        mujoco.mjv_initGeom(
            scene.geoms[scene.ngeom],
            int(mujoco.mjtGeom.mjGEOM_SPHERE),
            size,
            place,
            np.eye(3).ravel(),
            colour,
        )
        scene.ngeom += 1

    def _posed(self, env: int) -> mujoco.MjData:
        """The picture model as this environment looks, and its pose."""
        task, model, data = self._task, self._model, self._data
        if data is None:
            _, data = _batch(task.sim).snapshot(env, model)
        else:
            data.qpos[:] = task.sim.bind("qpos")[env]
            if model.nmocap:
                data.mocap_pos[:] = task.sim.bind("mocap_pos")[env]
                data.mocap_quat[:] = task.sim.bind("mocap_quat")[env]
        task.dress(model, env)
        for visual in task.visuals:
            if isinstance(visual, VisualRandomization):
                visual.dress(model, env)
        mujoco.mj_forward(model, data)
        return data

    def close(self) -> None:
        """Frees the OpenGL contexts."""
        for renderer in self._renderers.values():
            renderer.close()
        self._renderers.clear()
