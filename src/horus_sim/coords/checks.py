"""Checks of the arrays that users hand to a conversion."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from horus_sim.errors import ConventionError

Array = npt.NDArray[np.floating[Any]]
Float64Array = npt.NDArray[np.float64]

Float = TypeVar("Float", bound=np.floating[Any])

# As for Transform.from_matrix: a rotation stored in float32 passes.
ROTATION_TOLERANCE = 1e-6
SYMMETRY_TOLERANCE = 1e-6


def checked_array(values: npt.ArrayLike, item: tuple[int, ...], name: str, remedy: str) -> Array:
    """Real, finite values with a given shape at the end of their own.

    Args:
        values: What the user gave.
        item: The last dimensions that are required, such as ``(3,)``.
        name: What messages call the values.
        remedy: What a message about a wrong shape advises.

    Returns:
        The values as float32 if they are that, otherwise as float64; shape (..., *item).

    Raises:
        ConventionError: The values are not numbers, not finite or of another shape.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        raise ConventionError(f"{name} has rows of unequal length; {remedy}.") from None
    if array.dtype.kind not in "iuf":
        raise ConventionError(f"{name} holds {array.dtype}, not real numbers; {remedy}.")
    if array.ndim < len(item) or array.shape[array.ndim - len(item) :] != item:
        raise ConventionError(f"{name} has shape {array.shape}; {remedy}.")
    if array.dtype != np.float32:
        array = array.astype(np.float64, copy=False)
    finite = np.isfinite(array)
    if not finite.all():
        index = _first_index(~finite)
        raise ConventionError(
            f"{name}{_subscript(index)} is {array[index]}; "
            "remove or replace what is not finite first, for example with numpy.isfinite."
        )
    return array


def checked_item(
    values: npt.ArrayLike, item: tuple[int, ...], name: str, remedy: str
) -> Float64Array:
    """The same as `checked_array` for one item: float64, shape exactly `item`."""
    array = checked_array(values, item, name, remedy)
    if array.shape != item:
        raise ConventionError(f"{name} has shape {array.shape}; {remedy}.")
    return array.astype(np.float64, copy=False)


def unit_quaternions(quats_xyzw: npt.NDArray[Float], name: str) -> npt.NDArray[Float]:
    """Quaternions scaled to norm 1.

    Args:
        quats_xyzw: Finite quaternions, shape (..., 4).
        name: What messages call them.

    Returns:
        Unit quaternions, shape (..., 4). What has norm 1 to rounding keeps its bits.

    Raises:
        ConventionError: A quaternion is zero.
    """
    # Squares of very small or large entries leave the range of a float; those of ratios do not.
    largest = np.abs(quats_xyzw).max(axis=-1, keepdims=True)
    if not largest.all():
        index = _first_index(largest[..., 0] == 0.0)
        raise ConventionError(
            f"{name}{_subscript(index)} is the zero quaternion, which is not a rotation; "
            "'no rotation' is (0, 0, 0, 1) in xyzw order."
        )
    ratios = quats_xyzw / largest
    ratio_norms = np.linalg.norm(ratios, axis=-1, keepdims=True)
    # Capped, as the norm of a huge quaternion overflows and is not 1 anyway.
    norms = np.minimum(largest, 2.0) * ratio_norms
    is_unit = np.abs(norms - 1.0) <= 4.0 * np.finfo(quats_xyzw.dtype).eps
    return np.where(is_unit, quats_xyzw, ratios / ratio_norms)


def check_rotations(matrices: Array, name: str) -> None:
    """Refuse matrices that are not rotations.

    Args:
        matrices: Finite matrices, shape (..., 3, 3).
        name: What messages call them.

    Raises:
        ConventionError: A matrix mirrors, scales or shears.
    """
    products = matrices @ np.swapaxes(matrices, -1, -2)
    errors = np.abs(products - np.eye(3)).max(axis=(-1, -2))
    determinants = np.linalg.det(matrices)
    faulty = (errors > ROTATION_TOLERANCE) | (determinants < 0.0)
    if not faulty.any():
        return
    index = _first_index(faulty)
    lengths = np.linalg.norm(matrices[index], axis=0)
    if determinants[index] < 0.0:
        reason = "which mirrors; take the reflection (a negative scale) out first"
    elif np.abs(lengths - 1.0).max() > ROTATION_TOLERANCE:
        scales = ", ".join(f"{length:.6g}" for length in lengths)
        reason = f"its columns have lengths {scales}; take the scale out first"
    else:
        reason = "its columns are not perpendicular; orthonormalize them first"
    raise ConventionError(
        f"{name}{_subscript(index)} is not a rotation: "
        f"its determinant is {determinants[index]:.6g}, {reason}."
    )


def check_last_rows(matrices: Array, name: str) -> None:
    """Refuse homogeneous matrices that do not act on columns.

    Args:
        matrices: Finite matrices, shape (..., 4, 4).
        name: What messages call them.

    Raises:
        ConventionError: The last row of a matrix is not [0, 0, 0, 1].
    """
    faulty = (matrices[..., 3, :] != (0.0, 0.0, 0.0, 1.0)).any(axis=-1)
    if not faulty.any():
        return
    index = _first_index(faulty)
    row = ", ".join(f"{entry:g}" for entry in matrices[index][3])
    raise ConventionError(
        f"{name}{_subscript(index)} ends in the row [{row}] and not in [0, 0, 0, 1]; "
        "transpose it if it keeps the translation in its last row."
    )


def _first_index(mask: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(mask)[0])


def _subscript(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]" if index else ""
