"""Energy of a world."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Energy:
    """Potential and kinetic energy [J]; the potential is zero at the world's origin."""

    potential: float
    kinetic: float

    @property
    def total(self) -> float:
        """Their sum [J]."""
        return self.potential + self.kinetic
