"""Old names that still work for a while: what they warn of, and when they leave."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

KEPT_MINOR_VERSIONS = 2
"""For how many minor versions an old name works beside the new one."""


@dataclass(frozen=True, slots=True)
class Deprecation:
    """A name, an argument or a key of a file that has a successor.

    Attributes:
        old: What was written, such as ``World.save_state()``.
        new: What to write instead.
        since: First version that warns, such as '0.2'.
    """

    old: str
    new: str
    since: str

    @property
    def removed_in(self) -> str:
        """The version in which it is gone."""
        major, minor = _numbers(self.since)
        return f"{major}.{minor + KEPT_MINOR_VERSIONS}"

    def is_overdue(self, version: str) -> bool:
        """Whether it should be gone in a version."""
        return _numbers(version) >= _numbers(self.removed_in)

    def warn(self, stacklevel: int = 2) -> None:
        """Warns whoever uses it.

        Args:
            stacklevel: How many calls above this one the line is that uses it.
        """
        warnings.warn(
            f"{self.old} is deprecated since {self.since} and leaves in {self.removed_in}; use "
            f"{self.new}",
            DeprecationWarning,
            stacklevel=stacklevel + 1,
        )


DEPRECATIONS: tuple[Deprecation, ...] = ()
"""All that are in force; their code calls `warn` of its entry. A test fails when one is overdue."""


def _numbers(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)
