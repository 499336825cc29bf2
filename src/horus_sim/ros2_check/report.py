"""What was checked and what came of it, as a text that can be sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Status = Literal["passed", "failed", "not run"]


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one check.

    Attributes:
        name: What was checked.
        status: How it ended.
        note: A line about it: what was seen, what is wrong, or why it was not run.
        details: Commands with their output, of what failed.
    """

    name: str
    status: Status
    note: str = ""
    details: str = ""


@dataclass(slots=True)
class Report:
    """All results of a run.

    Attributes:
        versions: What was there, by name.
        results: What came of each check, in order.
    """

    versions: dict[str, str]
    results: list[Result] = field(default_factory=list)

    @property
    def has_failed(self) -> bool:
        """Whether any check failed."""
        return any(result.status == "failed" for result in self.results)

    def table(self) -> str:
        """The results, one a line, and how many there are of each kind."""
        width = max((len(result.name) for result in self.results), default=0)
        lines = [
            f"{result.status:8} {result.name.ljust(width)}  {result.note}".rstrip()
            for result in self.results
        ]
        kinds: tuple[Status, ...] = ("passed", "failed", "not run")
        counts = [
            f"{sum(result.status == kind for result in self.results)} {kind}" for kind in kinds
        ]
        return "\n".join([*lines, ", ".join(counts)])

    def text(self) -> str:
        """Everything: versions, the table, and the output of what failed."""
        width = max(map(len, self.versions), default=0)
        parts = [
            "Horus Sim and ROS 2",
            "\n".join(f"{name.ljust(width)}  {value}" for name, value in self.versions.items()),
            self.table(),
        ]
        parts += [
            f"== {result.name}: {result.note}\n{result.details}"
            for result in self.results
            if result.details
        ]
        return "\n\n".join(parts) + "\n"
