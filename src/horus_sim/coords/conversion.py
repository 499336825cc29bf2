"""Conversion of points, directions, rotations, poses and inertia between two conventions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import overload

import numpy as np
import numpy.typing as npt

from horus_sim.coords.checks import (
    SYMMETRY_TOLERANCE,
    Array,
    Float,
    Float64Array,
    check_last_rows,
    check_rotations,
    checked_array,
    checked_item,
    unit_quaternions,
)
from horus_sim.coords.convention import Convention
from horus_sim.coords.presets import preset
from horus_sim.coords.rpy import quat_xyzw_to_rpy, rpy_to_quat_xyzw
from horus_sim.errors import ConventionError
from horus_sim.tf import Transform


@dataclass(frozen=True)
class Conversion:
    """A change of axes and unit; made by `convert`, immutable and free to share.

    With P the signed permutation `axes` and s the ratio `scale`, it maps

    ====================================  =====================================
    point, displacement, linear velocity  p' = s P p
    direction, force, surface normal      v' = P v
    angular velocity, torque (axial)      w' = det(P) P w
    rotation matrix                       R' = P R Pᵀ
    quaternion (v, w)                     (det(P) P v, w)
    inertia tensor                        I' = s² P I Pᵀ
    ====================================  =====================================

    so that ``point(R @ p) == matrix(R) @ point(p)`` for every rotation and point. A rotation comes
    out as a rotation even if the conversion changes handedness (`is_proper` is then False).

    Attributes:
        source: Convention of what goes in.
        target: Convention of what comes out.
    """

    source: Convention
    target: Convention

    @cached_property
    def axes(self) -> Float64Array:
        """Source to target axes without scaling: signed permutation P, (3, 3), read-only."""
        matrix = self.target.axes.T @ self.source.axes
        matrix.flags.writeable = False
        return matrix

    @cached_property
    def scale(self) -> float:
        """Target units per source unit: 0.001 from mm to m."""
        # Fractions of the decimal texts: feet to inches is 12 and not 12.000000000000002.
        source_m = Fraction(repr(self.source.metres_per_unit))
        return float(source_m / Fraction(repr(self.target.metres_per_unit)))

    @cached_property
    def is_proper(self) -> bool:
        """True if the axes turn only; False if handedness changes, which makes it a reflection."""
        return self.source.is_right_handed == self.target.is_right_handed

    @cached_property
    def _order(self) -> npt.NDArray[np.intp]:
        return np.abs(self.axes).argmax(axis=1)

    @cached_property
    def _signs(self) -> Float64Array:
        return self.axes.sum(axis=1)

    @property
    def _determinant(self) -> float:
        return 1.0 if self.is_proper else -1.0

    def inverse(self) -> Conversion:
        """The conversion from target to source."""
        return convert(self.target, self.source)

    def __str__(self) -> str:
        sources = [
            f"{'-' if sign < 0.0 else ''}{'xyz'[i]}"
            for i, sign in zip(self._order, self._signs, strict=True)
        ]
        scale = "" if self.scale == 1.0 else f"{self.scale:.10g} * "
        kind = "a rotation" if self.is_proper else "a reflection: handedness changes"
        return (
            f"{self.source.name} -> {self.target.name}: "
            f"(x, y, z) -> {scale}({', '.join(sources)}), {kind}"
        )

    @overload
    def length(self, length: float) -> float: ...
    @overload
    def length(self, length: npt.NDArray[np.floating] | list[float]) -> Array: ...
    def length(self, length: float | npt.NDArray[np.floating] | list[float]) -> float | Array:
        """Convert lengths: radii, distances, speeds.

        Args:
            length: One length or an array of lengths [source unit].

        Returns:
            A float for a number, an array of the same shape for an array [target unit].
        """
        lengths = checked_array(length, (), "length", "pass one number or an array of numbers")
        converted = lengths * lengths.dtype.type(self.scale)
        return float(converted) if lengths.ndim == 0 else converted

    def point(self, point: npt.ArrayLike) -> Float64Array:
        """Convert one position, displacement or linear velocity.

        Args:
            point: Coordinates [source unit], source axes, shape (3,).

        Returns:
            Coordinates [target unit], target axes, shape (3,).
        """
        remedy = "pass x, y and z; points() takes many"
        return self._permuted(checked_item(point, (3,), "point", remedy), self.scale)

    def points(self, points: npt.ArrayLike) -> Array:
        """Convert many positions.

        Args:
            points: Coordinates [source unit], source axes, shape (..., 3).

        Returns:
            Coordinates [target unit], target axes, shape (..., 3); float32 if `points` is float32,
            otherwise float64.
        """
        remedy = "pass an array of shape (..., 3)"
        return self._permuted(checked_array(points, (3,), "points", remedy), self.scale)

    def vector(self, vector: npt.ArrayLike) -> Float64Array:
        """Convert one direction: a joint slide axis, a surface normal, a force. Nothing is scaled.

        Args:
            vector: Components along the source axes, shape (3,). Of a quantity that contains a
                length, such as a velocity, use `point` instead.

        Returns:
            Components along the target axes, shape (3,).
        """
        remedy = "pass x, y and z; vectors() takes many"
        return self._permuted(checked_item(vector, (3,), "vector", remedy), 1.0)

    def vectors(self, vectors: npt.ArrayLike) -> Array:
        """Convert many directions.

        Args:
            vectors: Components along the source axes, shape (..., 3).

        Returns:
            Components along the target axes, shape (..., 3); float32 stays float32.
        """
        remedy = "pass an array of shape (..., 3)"
        return self._permuted(checked_array(vectors, (3,), "vectors", remedy), 1.0)

    def axial(self, axial: npt.ArrayLike) -> Float64Array:
        """Convert one axial vector: an angular velocity, a torque, the axis of a hinge.

        Axial vectors follow the hand rule, so they turn round when handedness changes.

        Args:
            axial: Components along the source axes, shape (3,). Nothing is scaled: a torque stays
                in the unit it has.

        Returns:
            Components along the target axes, shape (3,).
        """
        remedy = "pass x, y and z; axials() takes many"
        return self._permuted(checked_item(axial, (3,), "axial", remedy), self._determinant)

    def axials(self, axials: npt.ArrayLike) -> Array:
        """Convert many axial vectors.

        Args:
            axials: Components along the source axes, shape (..., 3).

        Returns:
            Components along the target axes, shape (..., 3); float32 stays float32.
        """
        remedy = "pass an array of shape (..., 3)"
        return self._permuted(checked_array(axials, (3,), "axials", remedy), self._determinant)

    def rotation(self, quat_xyzw: npt.ArrayLike) -> Float64Array:
        """Convert one rotation given as a quaternion.

        Args:
            quat_xyzw: Quaternion xyzw in the source axes, shape (4,). Any norm but zero.

        Returns:
            Unit quaternion xyzw in the target axes, shape (4,).
        """
        remedy = "pass a quaternion x, y, z, w; rotations() takes many, matrix() and rpy() the rest"
        quat = checked_item(quat_xyzw, (4,), "rotation", remedy)
        return self._rotated(unit_quaternions(quat, "rotation"))

    def rotations(self, quats_xyzw: npt.ArrayLike) -> Array:
        """Convert many rotations given as quaternions.

        Args:
            quats_xyzw: Quaternions xyzw in the source axes, shape (..., 4). Any norm but zero.

        Returns:
            Unit quaternions xyzw in the target axes, shape (..., 4); float32 stays float32.
        """
        remedy = "pass quaternions xyzw in an array of shape (..., 4)"
        quats = checked_array(quats_xyzw, (4,), "rotations", remedy)
        return self._rotated(unit_quaternions(quats, "rotations"))

    def rpy(self, rpy: npt.ArrayLike) -> Float64Array:
        """Convert one rotation given as roll, pitch and yaw.

        Args:
            rpy: Angles [rad] about the fixed axes x, y, z in this order, as in URDF; source axes,
                shape (3,).

        Returns:
            Angles [rad] about the fixed target axes x, y, z in this order, shape (3,); pitch within
            ±π/2, and roll 0 where roll and yaw turn about one axis.
        """
        return quat_xyzw_to_rpy(self.rotation(rpy_to_quat_xyzw(rpy)))

    def matrix(self, matrix: npt.ArrayLike) -> Float64Array:
        """Convert rotation matrices, or rigid transforms as homogeneous matrices.

        Args:
            matrix: Rotations of shape (..., 3, 3), or transforms of shape (..., 4, 4) that act on
                columns, with a translation [source unit] in the last column; source axes.

        Returns:
            The same in target axes and [target unit], of the same shape.
        """
        remedy = "pass a rotation (3, 3), a transform (4, 4) or an array of either"
        source = checked_array(matrix, (), "matrix", remedy).astype(np.float64)
        if source.shape[-2:] not in ((3, 3), (4, 4)):
            raise ConventionError(f"matrix has shape {source.shape}; {remedy}.")
        check_rotations(source[..., :3, :3], "matrix")
        target = source.copy()
        target[..., :3, :3] = self._turned(source[..., :3, :3])
        if source.shape[-1] == 4:
            check_last_rows(source, "matrix")
            target[..., :3, 3] = self._permuted(source[..., :3, 3], self.scale)
        return target

    def transform(self, transform: Transform) -> Transform:
        """Convert a rigid transform: both of its frames change to the target convention.

        Args:
            transform: Translation [source unit] and rotation in the source axes.

        Returns:
            Translation [target unit] and rotation in the target axes, such that
            ``c.transform(T)`` maps ``c.point(p)`` to the converted image of p under T.
        """
        if not isinstance(transform, Transform):
            raise ConventionError(
                f"transform is a {type(transform).__name__}; pass a horus_sim.tf.Transform, "
                "or an array to matrix()."
            )
        return Transform(self.point(transform.translation), self.rotation(transform.rotation))

    def inertia(self, inertia: npt.ArrayLike) -> Float64Array:
        """Convert one inertia tensor; the mass keeps its unit.

        Args:
            inertia: Symmetric tensor [kg source-unit²], source axes, shape (3, 3).

        Returns:
            Tensor [kg target-unit²], target axes, shape (3, 3).
        """
        remedy = "pass the symmetric 3 x 3 tensor"
        tensor = checked_item(inertia, (3, 3), "inertia", remedy)
        skew = np.abs(tensor - tensor.T)
        if skew.max() > SYMMETRY_TOLERANCE * np.abs(tensor).max():
            i, j = (int(k) for k in np.argwhere(skew == skew.max())[0])
            raise ConventionError(
                f"inertia is not symmetric: [{i}, {j}] is {tensor[i, j]:g} and [{j}, {i}] is "
                f"{tensor[j, i]:g}; {remedy}."
            )
        return self.scale**2 * self._turned(tensor)

    def _permuted(self, vectors: npt.NDArray[Float], factor: float) -> npt.NDArray[Float]:
        permuted = np.take(vectors, self._order, axis=-1)
        # In place: float32 is multiplied in double precision and stays float32.
        permuted *= factor * self._signs
        # The -0.0 of a negated zero becomes 0.0.
        permuted += 0.0
        return permuted

    def _turned(self, tensors: Float64Array) -> Float64Array:
        return self.axes @ tensors @ self.axes.T + 0.0

    def _rotated(self, quats_xyzw: npt.NDArray[Float]) -> npt.NDArray[Float]:
        converted = quats_xyzw.copy()
        converted[..., :3] = self._permuted(quats_xyzw[..., :3], self._determinant)
        return converted


def convert(source: Convention | str, target: Convention | str) -> Conversion:
    """The conversion between two conventions, by the meaning of their axes.

    What points forward in the source points forward in the target: ``convert(URDF, BABYLON)`` maps
    (x, y, z) to (-y, z, x). The functions named after kinetiCORE's, such as
    `urdf_to_babylon_position`, keep X as X instead.

    Args:
        source: A convention, or the name of a preset such as ``"cad"``.
        target: A convention, or the name of a preset.

    Returns:
        The conversion; repeated calls give the same object.

    Raises:
        ConventionError: A name is not that of a preset.
    """
    return _conversion(_resolved(source), _resolved(target))


def _resolved(convention: Convention | str) -> Convention:
    if isinstance(convention, Convention):
        return convention
    if isinstance(convention, str):
        return preset(convention)
    raise ConventionError(
        f"{convention!r} is neither a Convention nor a name; pass one such as CAD or 'cad'."
    )


@lru_cache(maxsize=256)
def _conversion(source: Convention, target: Convention) -> Conversion:
    return Conversion(source, target)
