"""Colours of the material scripts that Gazebo ships."""

from __future__ import annotations

Color = tuple[float, float, float, float]

# Colours that stand in for the material scripts that old Gazebo shipped.
_COLORS: dict[str, Color] = {
    "Grey": (0.7, 0.7, 0.7, 1.0),
    "Gray": (0.7, 0.7, 0.7, 1.0),
    "DarkGrey": (0.175, 0.175, 0.175, 1.0),
    "DarkGray": (0.175, 0.175, 0.175, 1.0),
    "White": (1.0, 1.0, 1.0, 1.0),
    "FlatBlack": (0.1, 0.1, 0.1, 1.0),
    "Black": (0.0, 0.0, 0.0, 1.0),
    "Red": (1.0, 0.0, 0.0, 1.0),
    "RedBright": (0.87, 0.26, 0.07, 1.0),
    "Green": (0.0, 1.0, 0.0, 1.0),
    "Blue": (0.0, 0.0, 1.0, 1.0),
    "SkyBlue": (0.13, 0.44, 0.7, 1.0),
    "Yellow": (1.0, 1.0, 0.0, 1.0),
    "ZincYellow": (0.9742, 0.9, 0.0, 1.0),
    "DarkYellow": (0.7, 0.7, 0.0, 1.0),
    "Purple": (1.0, 0.0, 1.0, 1.0),
    "Turquoise": (0.0, 1.0, 1.0, 1.0),
    "Orange": (1.0, 0.51, 0.12, 1.0),
    "Indigo": (0.33, 0.0, 0.5, 1.0),
    "Gold": (0.8, 0.65, 0.25, 1.0),
    "Wood": (0.6, 0.44, 0.27, 1.0),
    "WoodFloor": (0.6, 0.44, 0.27, 1.0),
    "WoodPallet": (0.65, 0.5, 0.33, 1.0),
    "Residential": (0.6, 0.58, 0.55, 1.0),
    "Road": (0.3, 0.3, 0.3, 1.0),
}


def gazebo_color(script: str) -> Color | None:
    """A colour like that of a material script, such as 'Gazebo/Orange'; None for an unknown one."""
    return _COLORS.get(script.strip().rpartition("/")[2])
