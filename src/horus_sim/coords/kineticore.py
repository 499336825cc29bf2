"""The conversions that the kinetiCORE coordinate reference names, in snake_case.

"User" is `CAD` and "Babylon" is `BABYLON`. Positions, vectors and axes follow the reference to the
letter. Rotations do not: its rules contradict its position rule, so here they are converted such
that turning and converting can be done in either order (see `Conversion`).

**URDF here is not `URDF`.** The reference keeps URDF's X as Babylon's X: (x, y, z) -> (x, z, y),
so that a robot, whose X points forward, looks to the right in the scene. ``convert(URDF, BABYLON)``
maps forward to forward: (x, y, z) -> (-y, z, x). The two differ by a quarter turn about the
vertical: take one of them for a whole program.
"""

from __future__ import annotations

import numpy.typing as npt

from horus_sim.coords.checks import Float64Array
from horus_sim.coords.convention import Convention
from horus_sim.coords.conversion import convert
from horus_sim.coords.presets import BABYLON, CAD
from horus_sim.coords.rpy import quat_xyzw_to_rpy, rpy_to_quat_xyzw

KINETICORE_URDF = Convention("kineticore_urdf", right="x", forward="y", up="z", unit="m")
"""URDF as the kinetiCORE coordinate reference reads it: X right, Y forward, Z up, m."""

_USER_TO_BABYLON = convert(CAD, BABYLON)
_BABYLON_TO_USER = convert(BABYLON, CAD)
_URDF_TO_BABYLON = convert(KINETICORE_URDF, BABYLON)
_BABYLON_TO_URDF = convert(BABYLON, KINETICORE_URDF)


def user_to_babylon(position_mm: npt.ArrayLike) -> Float64Array:
    """A position from user (CAD) space to Babylon space: (x, y, z) mm -> (x, z, y) m.

    Args:
        position_mm: Position [mm], X right, Y forward, Z up, shape (3,).

    Returns:
        Position [m], X right, Y up, Z forward, shape (3,).
    """
    return _USER_TO_BABYLON.point(position_mm)


def babylon_to_user(position: npt.ArrayLike) -> Float64Array:
    """A position from Babylon space to user (CAD) space: (x, y, z) m -> (x, z, y) mm.

    Args:
        position: Position [m], X right, Y up, Z forward, shape (3,).

    Returns:
        Position [mm], X right, Y forward, Z up, shape (3,).
    """
    return _BABYLON_TO_USER.point(position)


def user_vector_to_babylon(vector: npt.ArrayLike) -> Float64Array:
    """A direction from user (CAD) axes to Babylon axes, unscaled: (x, y, z) -> (x, z, y).

    Args:
        vector: Components along user axes, shape (3,).

    Returns:
        Components along Babylon axes, shape (3,).
    """
    return _USER_TO_BABYLON.vector(vector)


def babylon_vector_to_user(vector: npt.ArrayLike) -> Float64Array:
    """A direction from Babylon axes to user (CAD) axes, unscaled: (x, y, z) -> (x, z, y).

    Args:
        vector: Components along Babylon axes, shape (3,).

    Returns:
        Components along user axes, shape (3,).
    """
    return _BABYLON_TO_USER.vector(vector)


def user_rotation_to_babylon(quat_xyzw: npt.ArrayLike) -> Float64Array:
    """A rotation from user (CAD) axes to Babylon axes: (x, y, z, w) -> (-x, -z, -y, w).

    Args:
        quat_xyzw: Quaternion in user axes, shape (4,).

    Returns:
        Unit quaternion xyzw in Babylon axes, shape (4,).
    """
    return _USER_TO_BABYLON.rotation(quat_xyzw)


def babylon_rotation_to_user(quat_xyzw: npt.ArrayLike) -> Float64Array:
    """A rotation from Babylon axes to user (CAD) axes: (x, y, z, w) -> (-x, -z, -y, w).

    Args:
        quat_xyzw: Quaternion in Babylon axes, shape (4,).

    Returns:
        Unit quaternion xyzw in user axes, shape (4,).
    """
    return _BABYLON_TO_USER.rotation(quat_xyzw)


def urdf_to_babylon_position(position: npt.ArrayLike) -> Float64Array:
    """A position from URDF to Babylon space with X kept as X: (x, y, z) -> (x, z, y).

    This is not ``convert(URDF, BABYLON).point``, which maps forward to forward.

    Args:
        position: Position [m], axes of `KINETICORE_URDF`, shape (3,).

    Returns:
        Position [m], Babylon axes, shape (3,).
    """
    return _URDF_TO_BABYLON.point(position)


def babylon_to_urdf_position(position: npt.ArrayLike) -> Float64Array:
    """A position from Babylon space back to URDF: (x, y, z) -> (x, z, y).

    Args:
        position: Position [m], Babylon axes, shape (3,).

    Returns:
        Position [m], axes of `KINETICORE_URDF`, shape (3,).
    """
    return _BABYLON_TO_URDF.point(position)


def urdf_to_babylon_axis(axis: npt.ArrayLike) -> Float64Array:
    """A joint axis from URDF to Babylon space with X kept as X: (x, y, z) -> (x, z, y).

    The map is a reflection. A slide runs along the axis returned, but a hinge turns the other way
    round it: negate the joint angle, or take ``convert(KINETICORE_URDF, BABYLON).axial(axis)``.

    Args:
        axis: Axis in `KINETICORE_URDF` axes, shape (3,).

    Returns:
        Axis in Babylon axes, of the same length, shape (3,).
    """
    return _URDF_TO_BABYLON.vector(axis)


def babylon_to_urdf_axis(axis: npt.ArrayLike) -> Float64Array:
    """A joint axis from Babylon space back to URDF: (x, y, z) -> (x, z, y).

    Args:
        axis: Axis in Babylon axes, shape (3,).

    Returns:
        Axis in `KINETICORE_URDF` axes, of the same length, shape (3,).
    """
    return _BABYLON_TO_URDF.vector(axis)


def urdf_rpy_to_babylon(rpy: npt.ArrayLike) -> Float64Array:
    """A URDF rotation to a Babylon quaternion (kinetiCORE's ``applyRPYRotation``).

    Args:
        rpy: Roll, pitch, yaw [rad] about the fixed `KINETICORE_URDF` axes x, y, z, shape (3,).

    Returns:
        Unit quaternion xyzw in Babylon axes, shape (4,).
    """
    return _URDF_TO_BABYLON.rotation(rpy_to_quat_xyzw(rpy))


def babylon_to_urdf_rpy(quat_xyzw: npt.ArrayLike) -> Float64Array:
    """A Babylon quaternion back to the roll, pitch and yaw of URDF.

    Args:
        quat_xyzw: Quaternion in Babylon axes, shape (4,).

    Returns:
        Roll, pitch, yaw [rad] about the fixed `KINETICORE_URDF` axes x, y, z, shape (3,).
    """
    return quat_xyzw_to_rpy(_BABYLON_TO_URDF.rotation(quat_xyzw))
