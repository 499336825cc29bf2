"""What became of a command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clamp:
    """A value that was brought inside its limits.

    Attributes:
        culprit: What it is of, such as "joint 'elbow'" or 'linear'.
        quantity: 'position', 'velocity', 'effort', 'duration' and so on.
        asked: The value of the command, in SI units.
        given: The value that is carried out.
    """

    culprit: str
    quantity: str
    asked: float
    given: float

    def __str__(self) -> str:
        return f"{self.culprit}: {self.quantity} {self.asked:.6g} was changed to {self.given:.6g}"


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What became of a command.

    Attributes:
        kind: Which controller took it, such as 'differential_drive' or 'joint_position'.
        clamped: The values that were outside their limits; empty when all is done as asked.
    """

    kind: str
    clamped: tuple[Clamp, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether the command is carried out as it was given."""
        return not self.clamped

    def __str__(self) -> str:
        return f"{self.kind}: " + ("; ".join(map(str, self.clamped)) or "as asked")


def clamp(
    value: float, lower: float, upper: float, culprit: str, quantity: str, notes: list[Clamp]
) -> float:
    """The value inside the bounds; a change is added to `notes`."""
    given = min(max(value, lower), upper)
    if given != value:
        notes.append(Clamp(culprit, quantity, value, given))
    return given


def quoted(names: Sequence[str], *, most: int = 8) -> str:
    """Names in quotation marks, for the text of an error."""
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown + (", ..." if len(names) > most else "")
