"""What a user prefers, kept in cookies of the browser: units, light or dark, quality."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from horus_sim.ui.shell.units import NAMES

Quality = Literal["auto", "high", "low"]
QUALITIES: dict[str, str] = {
    "auto": "automatic",
    "high": "high: shadows, smooth edges",
    "low": "low: for slow graphics",
}
_PREFIX = "horus_"
_A_YEAR_S = 31_536_000


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a user chose.

    Attributes:
        units: 'm' or 'mm'.
        dark: Light or dark; None is as the system has it.
        quality: Quality of 3D views.
    """

    units: str = "m"
    dark: bool | None = None
    quality: Quality = "auto"

    @classmethod
    def of(cls, cookies: Mapping[str, str]) -> Preferences:
        """The preferences in cookies; what they lack or say wrongly counts as never chosen."""
        units = cookies.get(f"{_PREFIX}units", "m")
        quality = cookies.get(f"{_PREFIX}quality", "auto")
        return cls(
            units if units in NAMES else "m",
            {"true": True, "false": False}.get(cookies.get(f"{_PREFIX}dark", "")),
            cast("Quality", quality if quality in QUALITIES else "auto"),
        )


def remembering(name: str, value: object) -> str:
    """JavaScript that makes a browser remember a choice.

    Args:
        name: Name of an attribute of `Preferences`.
        value: A plain word.
    """
    word = str(value).lower()
    return f"document.cookie='{_PREFIX}{name}={word};path=/;max-age={_A_YEAR_S};SameSite=Strict'"
