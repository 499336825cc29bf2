"""Where the rays of well-known lidars point.

Angles are nominal: makers calibrate each unit, by fractions of a degree. docs/sensors_optical.md
has the source of each figure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.files.names import close_names

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScanCurve:
    """A beam that turns about z and swings up and down, and never draws the same lines again.

    Attributes:
        lowest_deg: Lowest elevation [deg].
        highest_deg: Highest elevation [deg].
        turn_hz: Turns about z a second.
        swing_hz: Swings up and down a second; over `turn_hz` it is no ratio of whole numbers.
    """

    lowest_deg: float
    highest_deg: float
    turn_hz: float
    swing_hz: float

    def angles(self, times: Floats) -> tuple[Floats, Floats]:
        """Azimuths and elevations [rad] at times [s], shape (n,) each."""
        azimuths = 2.0 * np.pi * (np.mod(times * self.turn_hz, 1.0) - 0.5)
        # A triangle, whose speed is even, so that no height gets more points than others.
        share = np.abs(2.0 * np.mod(times * self.swing_hz, 1.0) - 1.0)
        elevations = self.lowest_deg + share * (self.highest_deg - self.lowest_deg)
        return azimuths, np.deg2rad(elevations)


@dataclass(frozen=True, slots=True)
class LidarPattern:
    """What is known of a lidar.

    Attributes:
        elevations_deg: Elevation of each ring [deg], from the lowest; of a `curve` none.
        rate_hz: Sweeps a second, as usual.
        range_min: [m].
        range_max: [m].
        columns: Rays of a ring in a sweep, where they do not depend on the rate.
        columns_hz: Rays of a ring a second, where these do not.
        curve: Where the beam points that has no rings.
    """

    elevations_deg: tuple[float, ...]
    rate_hz: float
    range_min: float
    range_max: float
    columns: int | None = None
    columns_hz: float = 0.0
    curve: ScanCurve | None = None

    def fields(self, rate_hz: float | None) -> dict[str, Any]:
        """Fields of a `LidarConfig`, at its usual rate or another one [Hz]."""
        rate = self.rate_hz if rate_hz is None else rate_hz
        found: dict[str, Any] = {
            "rate_hz": rate,
            "range_min": self.range_min,
            "range_max": self.range_max,
            "rays_horizontal": self.columns or max(1, round(self.columns_hz / rate)),
            "rays_vertical": max(1, len(self.elevations_deg)),
        }
        return found | ({"elevations_deg": self.elevations_deg} if self.elevations_deg else {})


def _even(low: float, high: float, count: int) -> tuple[float, ...]:
    return tuple(low + (high - low) * ring / (count - 1) for ring in range(count))


_VLP32C = (
    *(-25.0, -15.639, -11.31, -8.843, -7.254, -6.148, -5.333, -4.667, -4.0, -3.667, -3.333),
    *(-3.0, -2.667, -2.333, -2.0, -1.667, -1.333, -1.0, -0.667, -0.333, 0.0, 0.333, 0.667),
    *(1.0, 1.333, 1.667, 2.333, 3.333, 4.667, 7.0, 10.333, 15.0),
)
_HDL64E = (*_even(-8.83 - 31 / 2, -8.83, 32), *_even(2.0 - 31 / 3, 2.0, 32))
_FIRING_HZ = 1.0 / 55.296e-6
"""How often the lasers of a VLP fire."""

PATTERNS: dict[str, LidarPattern] = {
    "vlp16": LidarPattern(_even(-15.0, 15.0, 16), 10.0, 0.4, 100.0, columns_hz=_FIRING_HZ),
    "vlp16_hires": LidarPattern(_even(-10.0, 10.0, 16), 10.0, 0.4, 100.0, columns_hz=_FIRING_HZ),
    "vlp32c": LidarPattern(_VLP32C, 10.0, 0.4, 200.0, columns_hz=_FIRING_HZ),
    "hdl32e": LidarPattern(_even(-92 / 3, 32 / 3, 32), 10.0, 0.4, 100.0, columns_hz=1.0 / 46.08e-6),
    "hdl64e": LidarPattern(_HDL64E, 10.0, 0.9, 120.0, columns_hz=20833.0),
    "os0_128": LidarPattern(_even(-45.0, 45.0, 128), 10.0, 0.5, 50.0, columns=1024),
    "os1_32": LidarPattern(_even(-22.5, 22.5, 32), 10.0, 0.5, 120.0, columns=1024),
    "os1_64": LidarPattern(_even(-22.5, 22.5, 64), 10.0, 0.5, 120.0, columns=1024),
    "os1_128": LidarPattern(_even(-22.5, 22.5, 128), 10.0, 0.5, 120.0, columns=1024),
    "os2_128": LidarPattern(_even(-11.25, 11.25, 128), 10.0, 0.5, 240.0, columns=1024),
    "mid360": LidarPattern(
        (),
        10.0,
        0.1,
        70.0,
        columns_hz=200_000.0,
        # Golden ratio and root of 5: no sweep repeats another.
        curve=ScanCurve(-7.0, 52.0, 5.0 * (1.0 + math.sqrt(5.0)), 100.0 * math.sqrt(5.0)),
    ),
}
"""Lidars by the name that `LidarConfig.pattern` takes."""


def pattern_name(name: object) -> str:
    """The name in `PATTERNS` that is meant: 'VLP-16' is 'vlp16'.

    Raises:
        ValueError: There is none; the text proposes close names.
    """
    text = _plain(str(name))
    for known in PATTERNS:
        if _plain(known) == text:
            return known
    close = close_names(text, PATTERNS, most=1)
    hint = f"did you mean '{close[0]}'? " if close else ""
    raise ValueError(f"no lidar is called '{name!s:.40}'; {hint}known: {', '.join(PATTERNS)}")


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
