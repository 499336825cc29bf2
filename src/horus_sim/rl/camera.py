"""Pictures as observations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.errors import TaskError
from horus_sim.rl.settings import Config, unknown_name
from horus_sim.rl.terms import Observation, Rows

if TYPE_CHECKING:
    from horus_sim.rl.task import Task

CAMERA = "camera"


class CameraConfig(Config):
    """A picture of each environment at each step, as the observation 'camera'.

    Attributes:
        width: [pixels].
        height: [pixels].
        name: A camera of the picture model; unless given, the task's own view from outside.
    """

    width: Annotated[int, Field(ge=1, le=256)] = 32
    height: Annotated[int, Field(ge=1, le=256)] = 24
    name: str | None = None

    def build(self, task: Task[Any]) -> Observation:
        """The observation of a task, with colours from 0 to 1."""
        self._check(task)
        camera = Camera(self, task)
        shape = (self.height, self.width, 3)
        return Observation(CAMERA, int(np.prod(shape)), camera.see, 0.0, 1.0, shape)

    def _check(self, task: Task[Any]) -> None:
        if self.name is None:
            return
        if not hasattr(task.sim, "model"):
            raise TaskError(
                f"camera '{self.name}': {type(task).__name__} runs on the 2D simulator, whose "
                "pictures are from above; leave out its name"
            )
        model = task.picture_model
        known = tuple(model.camera(k).name for k in range(model.ncam))
        if self.name not in known:
            raise TaskError(unknown_name("camera of the picture model", self.name, known))


class Camera:
    """Draws environments one after the other: OpenGL draws one picture at a time."""

    def __init__(self, config: CameraConfig, task: Task[Any]) -> None:
        self._config, self._task = config, task

    def see(self, rows: Rows) -> npt.NDArray[np.float32]:
        """Pictures of these environments, colours from 0 to 1, shape (n, height * width * 3)."""
        config = self._config
        ids = range(self._task.sim.num_envs) if isinstance(rows, slice) else rows.tolist()
        out = np.empty((len(ids), config.height * config.width * 3), np.float32)
        pictures = self._task.pictures
        for row, env in enumerate(ids):
            chosen = () if config.name is None else (config.name,)
            picture = pictures.draw(env, config.width, config.height, *chosen)
            np.multiply(picture.reshape(-1), np.float32(1 / 255), out=out[row], casting="unsafe")
        return out
