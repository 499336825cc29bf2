"""Does PyBullet agree with `Arm.fk`? Needs the extra ``[pybullet]``."""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from horus_sim.arm.urdf_export import to_urdf
from horus_sim.arm.verify import Check
from horus_sim.arm.workspace import random_configurations
from horus_sim.errors import ArmError, MissingExtraError

if TYPE_CHECKING:
    from horus_sim.arm.arm import Arm

# PyBullet hands out link states that went through its own transforms: rounding of a few more steps.
STATIC_M = 1e-6


def verify_pybullet(arm: Arm, *, configurations: int = 200, seed: int = 0) -> tuple[Check, ...]:
    """Compare `fk` with PyBullet at random configurations of the exported URDF.

    Args:
        arm: The arm.
        configurations: Number of random configurations.
        seed: Of these.

    Raises:
        MissingExtraError: pybullet is not installed.
    """
    try:
        pybullet: Any = importlib.import_module("pybullet")
    except ImportError as error:
        raise MissingExtraError("pybullet", "pybullet") from error

    samples = random_configurations(arm, configurations, seed)
    client = pybullet.connect(pybullet.DIRECT)
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "arm.urdf"
            path.write_text(to_urdf(arm), encoding="utf-8")
            body = pybullet.loadURDF(str(path), useFixedBase=True, physicsClientId=client)
        count = pybullet.getNumJoints(body, physicsClientId=client)
        infos = [pybullet.getJointInfo(body, i, physicsClientId=client) for i in range(count)]
        by_joint = {info[1].decode(): info[0] for info in infos}
        by_link = {info[12].decode(): info[0] for info in infos}
        missing = [name for name in (*arm.joint_names,) if name not in by_joint]
        if missing or "tool" not in by_link:
            raise ArmError(
                f"PyBullet lost {', '.join(missing) or 'the tool link'} of '{arm.name}'; its URDF "
                "reader does not keep every name: rename the joint"
            )
        worst = 0.0
        for q in samples:
            for name, value in zip(arm.joint_names, q, strict=True):
                pybullet.resetJointState(body, by_joint[name], value, physicsClientId=client)
            state = pybullet.getLinkState(
                body, by_link["tool"], computeForwardKinematics=True, physicsClientId=client
            )
            away = np.linalg.norm(np.array(state[4]) - arm.fk(q).translation)
            worst = float(np.maximum(worst, away))
    finally:
        pybullet.disconnect(client)
    return (Check("PyBullet", "URDF", "tool at random q", worst, STATIC_M),)
