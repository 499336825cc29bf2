"""What pictures of the 2D simulator look like: brightness, colours of bodies, and the floor."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError, UnknownTaskError
from horus_sim.files.names import propose
from horus_sim.rl.randomization.base import Randomization, Randomized
from horus_sim.rl.randomization.images import read_image

Pixels = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]

FLOOR = "floor"
_SIDE = 64


@dataclass(slots=True)
class PlanarLook:
    """How one environment is drawn.

    Attributes:
        brightness: Factor on all colours.
        shifts: Shift of hue, saturation and value of bodies by their index.
        floor: What fills squares of the floor, shape (height, width, 3), or None for white.
        square: Side of these squares [m].
    """

    brightness: float = 1.0
    shifts: dict[int, tuple[float, float, float]] = field(default_factory=dict)
    floor: Pixels | None = None
    square: float = 1.0

    def colour(self, body: int, own: Colour) -> Colour:
        """The colour of a body, given its own."""
        if body not in self.shifts:
            return own
        parts = colorsys.rgb_to_hsv(*(part / 255 for part in own))
        hue, saturation, value = (
            part + shift for part, shift in zip(parts, self.shifts[body], strict=True)
        )
        shifted = colorsys.hsv_to_rgb(
            hue % 1.0, min(1.0, max(0.0, saturation)), min(1.0, max(0.0, value))
        )
        red, green, blue = (round(255 * part) for part in shifted)
        return red, green, blue


class PlanarVisual(Randomization):
    """A randomization of what pictures of the 2D simulator show."""

    def paint(self, look: PlanarLook, env: int) -> None:
        """Writes its part of the look of one environment."""
        raise NotImplementedError


class PlanarLight(PlanarVisual):
    """A factor on all colours.

    Args:
        name: Its name.
        task: The task, bound.
        brightness: Least and largest factor.
    """

    def __init__(self, name: str, task: Randomized, brightness: tuple[float, float]) -> None:
        super().__init__(name, task, brightness, 1.0)

    def paint(self, look: PlanarLook, env: int) -> None:
        """Sets the brightness."""
        look.brightness *= float(self.drawn[env, 0])


class PlanarColour(PlanarVisual):
    """Shifts of colours of bodies in HSV.

    Args:
        name: Its name.
        task: The task, bound.
        names: Bodies; all unless given.
        shifts: Least and largest shift of hue, saturation and value.
        each: Whether each body gets numbers of its own.
    """

    def __init__(
        self,
        name: str,
        task: Randomized,
        names: Sequence[str] | None,
        shifts: list[tuple[float, float]],
        *,
        each: bool,
    ) -> None:
        known: Mapping[str, int] = _layout(task).bodies
        for body in names or ():
            if body not in known:
                raise UnknownTaskError(propose(body, known, "the scenario", "body"))
        self._bodies = list(known.values()) if names is None else [known[body] for body in names]
        super().__init__(name, task, shifts * (len(self._bodies) if each else 1))

    def paint(self, look: PlanarLook, env: int) -> None:
        """Sets the colours."""
        drawn = np.broadcast_to(self.drawn[env].reshape(-1, 3), (len(self._bodies), 3))
        for body, (hue, saturation, value) in zip(self._bodies, drawn.tolist(), strict=True):
            look.shifts[body] = (hue, saturation, value)


class PlanarTexture(PlanarVisual):
    """One of some images, or of four patterns, on the floor.

    Args:
        name: Its name.
        task: The task, bound.
        names: The floor alone.
        images: Image files; patterns unless given.
        square: Side of the squares that they fill [m].
    """

    def __init__(
        self,
        name: str,
        task: Randomized,
        names: Sequence[str],
        images: Sequence[Path],
        square: float,
    ) -> None:
        for shape in names:
            if shape != FLOOR:
                raise TaskError(
                    f"randomization '{name}': '{shape}' has no texture on the 2D simulator, where "
                    f"'{FLOOR}' has one; 'colour' is for bodies"
                )
        self._square = square
        self._choices = [read_image(path) for path in images] or _patterns()
        super().__init__(name, task, (0.0, float(len(self._choices))))

    def paint(self, look: PlanarLook, env: int) -> None:
        """Sets the floor."""
        chosen = min(int(self.drawn[env, 0]), len(self._choices) - 1)
        look.floor, look.square = self._choices[chosen], self._square


def _layout(task: Randomized) -> Any:  # noqa: ANN401 - a layout of the 2D simulator
    sim: Any = task.sim
    return sim.layout


def _patterns() -> list[Pixels]:
    """Plain, checkered in two sizes, and speckled."""
    rows, columns = np.indices((_SIDE, _SIDE))
    light, dark = np.array((214, 212, 204)), np.array((176, 182, 190))
    speckled = np.random.default_rng(0).random((_SIDE, _SIDE)) < 0.1
    masks = [np.zeros((_SIDE, _SIDE), np.bool_), speckled]
    masks += [(rows // size + columns // size) % 2 == 1 for size in (_SIDE // 2, _SIDE // 8)]
    return [np.where(mask[..., None], dark, light).astype(np.uint8) for mask in masks]
