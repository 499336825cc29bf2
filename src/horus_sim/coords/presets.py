"""The conventions of the tools that robots meet."""

from __future__ import annotations

from types import MappingProxyType

from horus_sim.coords.convention import Convention
from horus_sim.errors import UnknownConventionError
from horus_sim.files.names import did_you_mean

CAD = Convention("cad", right="x", forward="y", up="z", unit="mm")
"""Mechanical CAD (SolidWorks, CATIA): X right, Y forward, Z up, mm; right-handed."""

URDF = Convention("urdf", right="-y", forward="x", up="z", unit="m")
"""URDF (REP 103): X forward, Y left, Z up, m; right-handed. The convention of this package."""

ROS = Convention("ros", right="-y", forward="x", up="z", unit="m")
"""ROS (REP 103): X forward, Y left, Z up, m; right-handed. The same axes as `URDF`."""

MUJOCO = Convention("mujoco", right="-y", forward="x", up="z", unit="m")
"""MuJoCo: X forward, Y left, Z up, m; right-handed. The same axes as `URDF`.

MuJoCo orders quaternions wxyz; the conversions take and give xyzw.
"""

BABYLON = Convention("babylon", right="x", forward="z", up="y", unit="m")
"""Babylon.js: X right, Y up, Z forward, m; left-handed.

These are the axes of Babylon.js as it comes, and of the kinetiCORE coordinate reference (which
calls them right-handed; they are not). A scene with ``useRightHandedSystem = true`` has its
forward along -Z: that is `THREE`.
"""

RAPIER = Convention("rapier", right="x", forward="z", up="y", unit="m")
"""Rapier physics set up as in the kinetiCORE coordinate reference: the same axes as `BABYLON`."""

THREE = Convention("three", right="x", forward="-z", up="y", unit="m")
"""three.js, OpenGL, glTF scenes: X right, Y up, -Z forward, m; right-handed."""

JT = Convention("jt", right="x", forward="z", up="y", unit="mm")
"""JT files written left-handed: X right, Y up, Z forward, mm.

Into a right-handed Y-up scene (`THREE`) this is the negation of Z that the kinetiCORE coordinate
reference names for such files. A JT file does not have to be left-handed: if a part with writing
on it comes out mirrored, its file was right-handed, and `CAD` or a convention of your own fits.
"""

PRESETS: MappingProxyType[str, Convention] = MappingProxyType(
    {preset.name: preset for preset in (CAD, URDF, ROS, MUJOCO, BABYLON, RAPIER, THREE, JT)}
)
"""All conventions of this module by name."""


def preset(name: str) -> Convention:
    """The convention of this module that has a name.

    Args:
        name: Such as ``"cad"``; upper and lower case are the same.

    Returns:
        The convention.

    Raises:
        UnknownConventionError: No preset has that name.
    """
    found = PRESETS.get(name.strip().lower())
    if found is not None:
        return found
    hint = did_you_mean(name.strip().lower(), PRESETS, most=1)
    raise UnknownConventionError(
        f"'{name}' is not a preset convention; {hint} (pass your own as a Convention, not by name)"
    )
