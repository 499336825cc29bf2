"""Cameras: from where a picture of an environment is taken, and pictures as observations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.errors import TaskError, UnknownTaskError
from horus_sim.files.names import propose
from horus_sim.rl.engines.interface import Rows
from horus_sim.rl.randomization.base import Randomized
from horus_sim.rl.settings import Config
from horus_sim.rl.terms.term import Observation

CAMERA = "camera"


@dataclass(frozen=True, slots=True)
class View:
    """A place that is looked at, and from where.

    Attributes:
        target: What is in the middle of the picture, x, y, z, world frame [m].
        distance: Between the eye and the target [m].
        elevation_deg: Angle of the line of sight against the floor; negative looks down.
        azimuth_deg: Heading of the line of sight, counterclockwise from x.
    """

    target: tuple[float, float, float]
    distance: float
    elevation_deg: float
    azimuth_deg: float = 90.0


class Pictured(Randomized, Protocol):
    """What a camera needs to know of a task; the attributes are those of `Task`."""

    @property
    def pictures(self) -> Any:  # noqa: ANN401 - has draw(env, width, height)
        """Draws environments."""
        ...


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

    def build(self, task: Pictured) -> Observation:
        """The observation of a task, with colours from 0 to 1."""
        self._check(task)
        shape = (self.height, self.width, 3)
        see = partial(self._see, task)
        return Observation(CAMERA, int(np.prod(shape)), see, 0.0, 1.0, shape)

    def _see(self, task: Pictured, rows: Rows) -> npt.NDArray[np.float32]:
        """Pictures of these environments, colours from 0 to 1, shape (n, height * width * 3).

        One after the other: OpenGL draws one picture at a time.
        """
        ids = range(task.sim.num_envs) if isinstance(rows, slice) else rows.tolist()
        out = np.empty((len(ids), self.height * self.width * 3), np.float32)
        chosen = () if self.name is None else (self.name,)
        for row, env in enumerate(ids):
            picture = task.pictures.draw(env, self.width, self.height, *chosen)
            np.multiply(picture.reshape(-1), np.float32(1 / 255), out=out[row], casting="unsafe")
        return out

    def _check(self, task: Pictured) -> None:
        if self.name is None:
            return
        if task.sim.dimensions == 2:
            raise TaskError(
                f"camera '{self.name}': {type(task).__name__} runs on the 2D simulator, whose "
                "pictures are from above; leave out its name"
            )
        model = task.picture_model
        known = tuple(model.camera(k).name for k in range(model.ncam))
        if self.name not in known:
            raise UnknownTaskError(propose(self.name, known, "the picture model", "camera"))
