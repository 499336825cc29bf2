"""Arrays and targets from users, checked once where they enter."""

from __future__ import annotations

from math import isfinite
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from horus_sim.arm.description import matrix_of
from horus_sim.errors import ArmError
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from horus_sim.arm.description import ArmDescription

_RIGID = 1e-6
_FEW = 32
MAX_DOF = 32
# Beyond this, distances squared lose all digits that matter; no arm is that long.
FARTHEST_M = 1e6
LONGEST_M = 1e4


def as_numbers(values: npt.ArrayLike, what: str) -> npt.NDArray[np.float64]:
    """A C-contiguous float64 array of finite numbers."""
    if values is None:
        raise ArmError(f"{what} is None; give numbers")
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArmError(f"{what} must be numbers, got {str(values)[:80]}") from error
    # For few numbers this is quicker than NumPy.
    if array.size <= _FEW and all(map(isfinite, array.ravel().tolist())):
        return array
    if not np.isfinite(array).all():
        index = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        place = ", ".join(map(str, index))
        raise ArmError(f"{what}[{place}] is {array[index]}; every number must be finite")
    return array


def as_configuration(
    description: ArmDescription, q: npt.ArrayLike, what: str = "q"
) -> npt.NDArray[np.float64]:
    """Joint positions of shape (dof,)."""
    return _positions(description, q, what, "({dof},), one number")


def as_configurations(
    description: ArmDescription, q: npt.ArrayLike, what: str = "q"
) -> npt.NDArray[np.float64]:
    """Joint positions of shape (N, dof)."""
    return _positions(description, q, what, "(N, {dof}), a column", dimensions=2)


def _positions(
    description: ArmDescription, q: npt.ArrayLike, what: str, shape: str, dimensions: int = 1
) -> npt.NDArray[np.float64]:
    array = as_numbers(q, what)
    dof = len(description.joints)
    if array.ndim != dimensions or array.shape[-1] != dof:
        raise ArmError(
            f"{what} must have shape {shape.format(dof=dof)} for each joint of "
            f"'{description.name}', got {array.shape}"
        )
    return array


def as_target(target: Transform | npt.ArrayLike, mode: str | None) -> tuple[np.ndarray, bool]:
    """The numbers of a target and whether it is a pose.

    Args:
        target: A point (3,), a `Transform` or a homogeneous matrix (4, 4).
        mode: 'position', 'pose', or None to follow the target.

    Returns:
        Three numbers, or sixteen for a pose.
    """
    if target is None:
        raise ArmError("target is None; give a point (3,), a Transform or a matrix (4, 4)")
    wanted = "a point (3,), a Transform or a matrix (4, 4)"
    return _numbers_of(_matrix_or_point(target), mode, "target", wanted, dimensions=1)


def as_targets(
    targets: npt.ArrayLike | Sequence[Transform], mode: str | None
) -> tuple[np.ndarray, bool]:
    """As `as_target`, for points (N, 3), matrices (N, 4, 4) or a sequence of transforms."""
    values: Any = targets
    if isinstance(values, list | tuple):
        values = [_matrix_or_point(value) for value in values]
    wanted = "points (N, 3), Transforms or matrices (N, 4, 4)"
    return _numbers_of(values, mode, "targets", wanted, dimensions=2)


def _matrix_or_point(target: Any) -> Any:  # noqa: ANN401 - whatever a user gives
    return target.to_matrix() if isinstance(target, Transform) else target


def _numbers_of(
    values: npt.ArrayLike, mode: str | None, what: str, wanted: str, dimensions: int
) -> tuple[np.ndarray, bool]:
    """Points have that many dimensions, matrices one more."""
    check_mode(mode)
    array = as_numbers(values, what)
    if array.ndim == dimensions and array.shape[-1] == 3:
        if mode == "pose":
            raise ArmError(
                "mode='pose' needs a Transform or a (4, 4) matrix, got a point; give the rotation "
                "too, or use mode='position'"
            )
        _check_near(array, what)
        return array, False
    if array.ndim != dimensions + 1 or array.shape[-2:] != (4, 4):
        raise ArmError(f"{what} must be {wanted}, got {array.shape}")
    _check_near(array[..., :3, 3], what)
    if mode == "position":
        return np.ascontiguousarray(array[..., :3, 3]), False
    _check_rigid(array.reshape(-1, 4, 4), what)
    return array.reshape(*array.shape[:-2], 16), True


def check_description(description: ArmDescription) -> None:
    """Raises for an arm that cannot be: wrong number of joints, names twice, limits reversed."""
    joints, name = description.joints, description.name
    if not 1 <= len(joints) <= MAX_DOF:
        raise ArmError(f"'{name}' has {len(joints)} joints; an arm has 1 to {MAX_DOF}")
    for index, joint in enumerate(joints):
        if any(joint.name == other.name for other in joints[:index]):
            raise ArmError(f"'{name}' has two joints called '{joint.name}'; rename one")
        if not (isfinite(joint.theta_offset) and isfinite(joint.d)):
            raise ArmError(f"{joint.name} of '{name}' has a theta_offset or d that is not finite")
        for offset in (joint.before, joint.after):
            if not np.isfinite(matrix_of(offset)).all():
                raise ArmError(f"{joint.name} of '{name}' has an offset that is not finite")
            length = float(np.abs(matrix_of(offset)[:3, 3]).max())
            if max(length, abs(joint.d)) > LONGEST_M:
                raise ArmError(
                    f"{joint.name} of '{name}' is longer than {LONGEST_M:g} m; give metres"
                )
        if not joint.lower < joint.upper:
            raise ArmError(
                f"{joint.name} of '{name}' has limits {joint.lower:g} to {joint.upper:g}; the "
                "lower must be below the upper"
            )
        if not (joint.lower <= joint.initial <= joint.upper and isfinite(joint.initial)):
            raise ArmError(
                f"{joint.name} of '{name}' starts at {joint.initial:g}, outside {joint.lower:g} to "
                f"{joint.upper:g}; move it inside"
            )
        if joint.is_prismatic and not (isfinite(joint.lower) and isfinite(joint.upper)):
            raise ArmError(f"{joint.name} of '{name}' is prismatic without limits; give it some")


def check_mode(mode: str | None) -> None:
    """Raises for a mode that does not exist."""
    if mode not in {None, "position", "pose"}:
        raise ArmError(f"mode is {mode!r}; write 'position' or 'pose'")


def as_positive(value: object, what: str, unit: str = "") -> float:
    """A positive finite number from a user."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise ArmError(f"{what} is {_shown(value)}; give a positive number{_in(unit)}")
    number = float(value)
    if not 0.0 < number < np.inf:
        raise ArmError(f"{what} is {value}; it must be positive{_in(unit)}")
    return number


def as_count(value: object, what: str, *, most: int, least: int | None = None) -> int:
    """A whole number from a user, at most `most`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise ArmError(f"{what} is {_shown(value)}; give a whole number")
    number = int(value)
    if least is not None and number < least:
        raise ArmError(f"{what} is {number}; it must be at least {least}")
    if number > most:
        raise ArmError(f"{what} is {number}; it must be at most {most:,}")
    return number


def _in(unit: str) -> str:
    return f" [{unit}]" if unit else ""


def _shown(value: object) -> str:
    return f"{str(value)[:40]!r} ({type(value).__name__})"


def _check_near(points: npt.NDArray[np.float64], what: str) -> None:
    """Raises for points, shape (3,) or (N, 3), at distances that no arm has."""
    far = np.argwhere(np.abs(points) > FARTHEST_M)
    if len(far) == 0:
        return
    index = tuple(far[0].tolist())
    where = what if points.ndim == 1 else f"{what}[{index[0]}]"
    raise ArmError(
        f"{where} lies at {'xyz'[index[-1]]} = {points[index]:g} m; give metres, at most "
        f"{FARTHEST_M:g}"
    )


def _check_rigid(matrices: npt.NDArray[np.float64], what: str) -> None:
    R = matrices[:, :3, :3]
    off = np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    bad = (off > _RIGID) | (np.linalg.det(R) < 0) | (matrices[:, 3] != (0, 0, 0, 1)).any(axis=1)
    if bad.any():
        index = int(np.argmax(bad))
        where = what if len(matrices) == 1 else f"{what}[{index}]"
        raise ArmError(
            f"{where} is not a rigid transform: its rotation must be orthonormal with determinant "
            "1, its last row 0, 0, 0, 1"
        )
