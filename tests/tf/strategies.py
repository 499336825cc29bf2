"""What the properties of this folder draw from."""

import math

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from horus_sim.tf import Transform

coordinates = st.floats(-1e3, 1e3, allow_subnormal=False)
vectors = st.tuples(coordinates, coordinates, coordinates).map(np.array)
angles = st.floats(-math.pi, math.pi, allow_subnormal=False)

_unit = st.floats(-1.0, 1.0, allow_subnormal=False)
_half_turns_and_identity = st.sampled_from(
    [tuple(sign * float(i == k) for i in range(4)) for k in range(4) for sign in (1.0, -1.0)]
)
quats = (
    st.tuples(_unit, _unit, _unit, _unit).filter(lambda q: np.linalg.norm(q) > 0.1)
    | _half_turns_and_identity
).map(lambda q: np.array(q) / np.linalg.norm(q))
axes = (
    st.tuples(_unit, _unit, _unit)
    .filter(lambda v: np.linalg.norm(v) > 0.1)
    .map(lambda v: np.array(v) / np.linalg.norm(v))
)
transforms = st.builds(Transform, vectors, quats)

# Any two of these are less than half a turn apart, so that there is one shortest arc between them.
_gentle_rotations = st.builds(
    lambda axis, angle: Rotation.from_rotvec(angle * axis).as_quat(), axes, st.floats(0.0, 1.5)
)
_steps = st.floats(-10.0, 10.0, allow_subnormal=False)
gentle_transforms = st.builds(Transform, st.tuples(_steps, _steps, _steps), _gentle_rotations)


def matrix_of(T: Transform) -> np.ndarray:
    """The homogeneous matrix (4, 4), made by SciPy."""
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(T.rotation).as_matrix()
    matrix[:3, 3] = T.translation
    return matrix


def bits_of(T: Transform) -> bytes:
    """What must not change when a transform is merely kept or moved."""
    return T.translation.tobytes() + T.rotation.tobytes()
