"""Does PyBullet agree with `Arm.fk`? Needs the extra ``[pybullet]``."""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.arm.export.urdf import to_urdf
from horus_sim.arm.verify import SETTLED_M, Check, inner_configuration
from horus_sim.arm.workspace import random_configurations
from horus_sim.errors import ArmError, MissingExtraError

if TYPE_CHECKING:
    from types import ModuleType

    import numpy.typing as npt

    from horus_sim.arm.arm import Arm

# PyBullet hands out link states that went through its own transforms: rounding of a few more steps.
STATIC_M = 1e-6
_TARGETS = 5
_SETTLE_STEPS = 480
# Far above what the masses of the export need, so that the motors alone decide where the arm ends.
_FORCE = 1e4


def verify_pybullet(arm: Arm, *, configurations: int = 200, seed: int = 0) -> tuple[Check, ...]:
    """Compare `fk` with PyBullet, statically and with commanded joints, on the exported URDF.

    Statically, joint positions are set and the tool is compared at random configurations. Then the
    configurations that `ik` finds for targets are commanded one after the other to the motors of
    the joints (position control, without gravity and contacts between links), and the tool is
    compared with the target once two simulated seconds have passed.

    Args:
        arm: The arm.
        configurations: Number of random configurations.
        seed: Seed of these configurations.

    Raises:
        MissingExtraError: pybullet is not installed.
        ArmError: PyBullet's reader lost a joint or the tool.
    """
    try:
        pybullet = importlib.import_module("pybullet")
    except ImportError as error:
        raise MissingExtraError("pybullet", "pybullet") from error

    samples = random_configurations(arm, configurations, seed)
    client = pybullet.connect(pybullet.DIRECT)
    try:
        loaded = _LoadedArm(pybullet, client, arm)
        static = _static_error(arm, loaded, samples)
        commanded = _commanded_error(arm, loaded, samples[:_TARGETS])
    finally:
        pybullet.disconnect(client)
    return (
        Check("PyBullet", "URDF", "tool at random q", static, STATIC_M),
        Check("PyBullet", "URDF", "IK answers, held", commanded, SETTLED_M, "dynamic"),
    )


class _LoadedArm:
    """The exported arm in PyBullet.

    Args:
        pybullet: The module.
        client: A connection to a physics server.
        arm: The arm.
    """

    def __init__(self, pybullet: ModuleType, client: int, arm: Arm) -> None:
        self._pybullet = pybullet
        self._client = client
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "arm.urdf"
            path.write_text(to_urdf(arm), encoding="utf-8")
            self._body = pybullet.loadURDF(str(path), useFixedBase=True, physicsClientId=client)
        count = pybullet.getNumJoints(self._body, physicsClientId=client)
        infos = [pybullet.getJointInfo(self._body, i, physicsClientId=client) for i in range(count)]
        by_joint = {info[1].decode(): info[0] for info in infos}
        by_link = {info[12].decode(): info[0] for info in infos}
        missing = [name for name in arm.joint_names if name not in by_joint]
        if missing or "tool" not in by_link:
            raise ArmError(
                f"PyBullet lost {', '.join(missing) or 'the tool link'} of '{arm.name}'; its URDF "
                "reader does not keep every name: rename the joint"
            )
        self._joints = [by_joint[name] for name in arm.joint_names]
        self._tool = by_link["tool"]

    def put(self, q: npt.NDArray[np.float64]) -> None:
        """Sets joint positions [rad, m], shape (dof,), at rest."""
        for joint, value in zip(self._joints, q, strict=True):
            self._pybullet.resetJointState(self._body, joint, value, physicsClientId=self._client)

    def command(self, q: npt.NDArray[np.float64], steps: int) -> None:
        """Lets the motors move the joints to positions [rad, m], shape (dof,), for some steps."""
        self._pybullet.setJointMotorControlArray(
            self._body,
            self._joints,
            self._pybullet.POSITION_CONTROL,
            targetPositions=q.tolist(),
            forces=[_FORCE] * len(self._joints),
            physicsClientId=self._client,
        )
        for _ in range(steps):
            self._pybullet.stepSimulation(physicsClientId=self._client)

    def tool_position(self) -> npt.NDArray[np.float64]:
        """Where the tool is [m], world coordinates, shape (3,)."""
        state = self._pybullet.getLinkState(
            self._body, self._tool, computeForwardKinematics=True, physicsClientId=self._client
        )
        return np.array(state[4])


def _static_error(arm: Arm, loaded: _LoadedArm, samples: npt.NDArray[np.float64]) -> float:
    worst = 0.0
    for q in samples:
        loaded.put(q)
        away = np.linalg.norm(loaded.tool_position() - arm.fk(q).translation)
        worst = float(np.maximum(worst, away))
    return worst


def _commanded_error(arm: Arm, loaded: _LoadedArm, samples: npt.NDArray[np.float64]) -> float:
    """Largest distance to targets that `ik` was asked for, once the motors came to rest [m]."""
    loaded.put(arm.initial)
    at = arm.initial
    worst = 0.0
    for sample in samples:
        target = arm.fk(inner_configuration(arm, sample))
        at = arm.ik(target, start=at).q
        loaded.command(at, _SETTLE_STEPS)
        away = np.linalg.norm(loaded.tool_position() - target.translation)
        worst = float(np.maximum(worst, away))
    return worst
