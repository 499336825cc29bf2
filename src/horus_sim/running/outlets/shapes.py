"""What a world looks like, shape by shape, for those who draw it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from horus_sim.tf import Transform

Rgba = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One shape.

    Attributes:
        kind: 'box', 'sphere' (an ellipsoid, if its sizes differ), 'cylinder' along z, or 'mesh'.
        T_frame_shape: Its pose in the frame of its body.
        size: Along its axes [m]; not used for a mesh.
        rgba: Colour, each channel from 0 to 1.
        vertices: Vertices of a mesh [m], shape (n, 3).
        triangles: Triangles of a mesh, indices of vertices, shape (m, 3).
    """

    kind: Literal["box", "sphere", "cylinder", "mesh"]
    T_frame_shape: Transform
    size: tuple[float, float, float]
    rgba: Rgba
    vertices: npt.NDArray[np.float64] | None = None
    triangles: npt.NDArray[np.int32] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SceneShapes:
    """The shapes of a world.

    Attributes:
        of_frame: Shapes by the frame with which they move.
        gone: Frames that an earlier message had and that have no shapes any more.
    """

    of_frame: dict[str, tuple[Shape, ...]]
    gone: tuple[str, ...] = ()

    def renamed(self, rename: Callable[[str], str]) -> SceneShapes:
        """The same shapes, with other names of the frames."""
        return SceneShapes(
            {rename(frame): shapes for frame, shapes in self.of_frame.items()},
            tuple(map(rename, self.gone)),
        )
