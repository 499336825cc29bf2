"""Inverse kinematics of other libraries, each asked for the same targets from the same starts.

A peer is built from an arm and returns a function (T, start, is_pose) -> (q, claims success). Where
a library leaves the loop to its user, as pinocchio does, the loop is the damped least squares of
its own documentation, clamped to the limits.
"""

from __future__ import annotations

import importlib
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from horus_sim.arm import Arm, DHConvention, ScrewX, to_urdf

Solve = Callable[[np.ndarray, np.ndarray, bool], tuple[np.ndarray, bool]]
POSITION_M, ROTATION_RAD = 1e-4, 1e-3


def robotics_toolbox(arm: Arm) -> Solve:
    """Robotics Toolbox's C++ Levenberg-Marquardt with restarts and joint limits."""
    rtb: Any = importlib.import_module("roboticstoolbox")

    standard = arm.description.convention is DHConvention.STANDARD
    kind: Any = rtb.RevoluteDH if standard else rtb.RevoluteMDH
    links = []
    for joint in arm.description.joints:
        screw = joint.after if standard else joint.before
        assert isinstance(screw, ScrewX)  # noqa: S101 - all arms here are given by DH parameters
        limits = [joint.lower, joint.upper]
        links.append(kind(d=joint.d, a=screw.a, alpha=screw.alpha, qlim=limits))
    ets = rtb.DHRobot(links, name=arm.name).ets()
    point = np.array([1, 1, 1, 0, 0, 0], float)

    def solve(T: np.ndarray, start: np.ndarray, is_pose: bool) -> tuple[np.ndarray, bool]:  # noqa: FBT001
        # Its tolerance is on half the squared error; this one makes 1e-4 m a success.
        options = {"tol": 0.5 * POSITION_M**2, "joint_limits": True}
        if not is_pose:
            options["mask"] = point
        answer = ets.ik_LM(T, q0=start, **options)
        return np.asarray(answer.q), bool(answer.success)

    return solve


def pinocchio(arm: Arm) -> Solve:
    """Pinocchio's kinematics with damped least squares, one start, clamped."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    model = pin.buildModelFromXML(to_urdf(arm))
    data = model.createData()
    frame = model.getFrameId("tool")
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

    def solve(T: np.ndarray, start: np.ndarray, is_pose: bool) -> tuple[np.ndarray, bool]:  # noqa: FBT001
        q = np.array(start)
        rows = 6 if is_pose else 3
        damping = 1e-4 * np.eye(rows)
        for _ in range(200):
            pin.framesForwardKinematics(model, data, q)
            reached = data.oMf[frame]
            error = np.empty(6)
            error[:3] = T[:3, 3] - reached.translation
            error[3:] = pin.log3(T[:3, :3] @ reached.rotation.T)
            turned = np.linalg.norm(error[3:]) if is_pose else 0.0
            if np.linalg.norm(error[:3]) <= POSITION_M and turned <= ROTATION_RAD:
                return q, True
            J = pin.computeFrameJacobian(model, data, q, frame, world)[:rows]
            q = q + J.T @ np.linalg.solve(J @ J.T + damping, error[:rows])
            q = np.clip(q, arm.lower, arm.upper)
        return q, False

    return solve


def ikpy(arm: Arm) -> Solve:
    """The bounded least squares of ikpy, from one start."""
    Chain: Any = importlib.import_module("ikpy.chain").Chain

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "arm.urdf"
        path.write_text(to_urdf(arm), encoding="utf-8")
        chain = Chain.from_urdf_file(str(path), base_elements=["base_link"])
        mask = [link.name in arm.joint_names for link in chain.links]
        chain = Chain.from_urdf_file(str(path), base_elements=["base_link"], active_links_mask=mask)
    places = [index for index, active in enumerate(mask) if active]

    def solve(T: np.ndarray, start: np.ndarray, is_pose: bool) -> tuple[np.ndarray, bool]:  # noqa: FBT001
        full = np.zeros(len(chain.links))
        full[places] = start
        mode = "all" if is_pose else None
        found = chain.inverse_kinematics_frame(T, initial_position=full, orientation_mode=mode)
        # It reports no success; a caller who trusts it takes every answer.
        return np.asarray(found)[places], True

    return solve


PEERS: dict[str, tuple[Callable[[Arm], Solve], int]] = {
    "roboticstoolbox-python": (robotics_toolbox, 1000),
    "pin (DLS)": (pinocchio, 200),
    "ikpy": (ikpy, 30),
}
