"""In which units and axes a user reads and writes positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from horus_sim.coords import CAD, URDF, convert
from horus_sim.errors import UiError

UnitSystem = Literal["m", "mm"]
NAMES: dict[str, str] = {"m": "metres (X forward)", "mm": "CAD millimetres (Y forward)"}

_TO_CAD = convert(URDF, CAD)


class Units:
    """Positions as shown: in metres as they are, or in CAD millimetres, whose y points forward.

    Args:
        system: 'm' or 'mm'.
    """

    def __init__(self, system: str = "m") -> None:
        self.set(system)

    def set(self, system: str) -> None:
        """Chooses another system.

        Raises:
            UiError: There is no such system.
        """
        if system not in NAMES:
            raise UiError(f"'{system}' is not a unit; choose 'm' or 'mm'")
        self.system = system

    @property
    def per_metre(self) -> float:
        """How many of the unit are a metre, for lengths without direction."""
        return 1.0 if self.system == "m" else 1000.0

    def show(self, point: Sequence[float] | npt.NDArray[np.float64]) -> tuple[float, float, float]:
        """A point [m], world frame, as the user sees it."""
        x, y, z = point if self.system == "m" else _TO_CAD.point(tuple(point))
        return float(x), float(y), float(z)

    def read(self, point: Sequence[float] | npt.NDArray[np.float64]) -> tuple[float, float, float]:
        """What a user wrote as a point [m], world frame."""
        x, y, z = point if self.system == "m" else _TO_CAD.inverse().point(tuple(point))
        return float(x), float(y), float(z)

    def text(self, point: Sequence[float] | npt.NDArray[np.float64]) -> str:
        """A point with its unit."""
        digits = 3 if self.system == "m" else 0
        shown = ", ".join(f"{round(value, digits) + 0.0:.{digits}f}" for value in self.show(point))
        return f"{shown} {self.system}"
