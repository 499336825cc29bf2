"""What one check of `horus-sim doctor` found."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Status(enum.StrEnum):
    """Whether a part is there, and whether its absence matters."""

    OK = "ok"
    MISSING = "missing"
    """Required and not there: horus-sim does not work."""
    OPTIONAL = "optional"
    """Not there; only what `Finding.purpose` names does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report.

    Attributes:
        name: The part that was looked for.
        status: Whether it is there.
        detail: Its version and place, or why it cannot be used.
        purpose: What it is for.
        remedy: The command that installs it; empty when it is there.
    """

    name: str
    status: Status
    detail: str
    purpose: str
    remedy: str = ""
