"""Pictures of single environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.rl.task import Task
from horus_sim.sim3d.engine import mujoco


class Pictures:
    """Draws environments of a task; the OpenGL context is made with the first picture.

    Args:
        task: The task, bound to its simulations.

    Raises:
        RenderError: There is no OpenGL; the text says what to install.
    """

    def __init__(self, task: Task[Any]) -> None:
        from horus_sim.sim3d.gl import choose_backend, use_backend

        use_backend(choose_backend())
        self._task = task
        self._shown: tuple[mujoco.MjModel, mujoco.MjData] | None = None
        shown = task.build_picture_model()
        if shown is not None:
            self._shown = shown, mujoco.MjData(shown)
        self._renderer: mujoco.Renderer | None = None
        self._size = (0, 0)

    def draw(self, env: int, width: int, height: int) -> npt.NDArray[np.uint8]:
        """A picture, shape (height, width, 3)."""
        model, data = self._scene(env)
        if self._size != (width, height):
            self.close()
        renderer = self._renderer or mujoco.Renderer(model, height, width)
        self._renderer, self._size = renderer, (width, height)
        renderer.update_scene(data, self._task.view(model, env))
        return renderer.render().copy()

    def _scene(self, env: int) -> tuple[mujoco.MjModel, mujoco.MjData]:
        model, data = self._task.sim.snapshot(env)
        if self._shown is not None:
            shown, shown_data = self._shown
            shown_data.qpos[:] = data.qpos
            model, data = shown, shown_data
        self._task.dress(model, env)
        mujoco.mj_forward(model, data)
        return model, data

    def close(self) -> None:
        """Frees the OpenGL context."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
