"""Independent references: products of matrices, finite differences, the textbook algorithm."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

from horus_sim.arm import Arm, ArmDescription, ArmJoint, DHConvention, ScrewX


def rot_z(angle: float) -> np.ndarray:
    c, s = cos(angle), sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], float)


def rot_x(angle: float) -> np.ndarray:
    c, s = cos(angle), sin(angle)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]], float)


def shift(x: float, y: float, z: float) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def frames(arm: Arm, q) -> list[np.ndarray]:
    """Frames below each joint, then the tool, by multiplying matrices as the books write them."""
    description = arm.description
    T = description.T_world_base.to_matrix()
    found = []
    for joint, position in zip(description.joints, q, strict=True):
        theta = joint.theta_offset + (0.0 if joint.is_prismatic else position)
        d = joint.d + (position if joint.is_prismatic else 0.0)
        screw = joint.after if description.convention is DHConvention.STANDARD else joint.before
        assert isinstance(screw, ScrewX)
        a, alpha = screw.a, screw.alpha
        if description.convention is DHConvention.STANDARD:
            T = T @ rot_z(theta) @ shift(0, 0, d) @ shift(a, 0, 0) @ rot_x(alpha)
        else:
            T = T @ rot_x(alpha) @ shift(a, 0, 0) @ rot_z(theta) @ shift(0, 0, d)
        found.append(T)
    return [*found, T @ description.T_flange_tool.to_matrix()]


def numerical_jacobian(arm: Arm, q: np.ndarray, eps_deg: float = 1e-4) -> np.ndarray:
    """The numerical Jacobian of the position, (3, dof), by forward differences."""
    p = arm.fk(q).translation
    columns = []
    for j in range(arm.dof):
        moved = q.copy()
        moved[j] += np.radians(eps_deg)
        columns.append((arm.fk(moved).translation - p) / np.radians(eps_deg))
    return np.stack(columns, axis=1)


def clamped_dls(arm: Arm, target, start, max_iters: int, damping: float, tolerance_m: float):
    """Damped least squares with clamping, with the analytic Jacobian."""
    q = np.clip(start, arm.lower, arm.upper)
    for iteration in range(max_iters + 1):
        e = target - arm.fk(q).translation
        if np.linalg.norm(e) < tolerance_m or iteration == max_iters:
            return q, iteration
        J = arm.jacobian(q)[:3]
        step = J.T @ np.linalg.solve(J @ J.T + damping**2 * np.eye(3), e)
        q = np.clip(q + step, arm.lower, arm.upper)
    raise AssertionError


def planar(*lengths: float, lower: float = -pi, upper: float = pi) -> Arm:
    """Links in the xy plane."""
    joints = tuple(
        ArmJoint.from_dh(f"joint_{i + 1}", a=a, alpha=0.0, lower=lower, upper=upper)
        for i, a in enumerate(lengths)
    )
    return Arm(ArmDescription("planar", joints))
