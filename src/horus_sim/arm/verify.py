"""Does a physics simulator agree with `Arm.fk`? The exported arm, loaded, moved and compared."""

# mujoco is a binary module without type stubs.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from horus_sim.arm.export.mjcf import to_mjcf
from horus_sim.arm.export.urdf import to_urdf
from horus_sim.arm.trajectory import Trajectory, plan_quintic
from horus_sim.arm.workspace import finite_limits, random_configurations
from horus_sim.robots.engine import mujoco

if TYPE_CHECKING:
    from horus_sim.arm.arm import Arm

STATIC_M = 1e-9
SETTLED_M = 1e-4
TRACKING_M = 2e-3
_SETTLE_S = 2.0
_SERVO_RAD_S = 100.0


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison with a simulator.

    Attributes:
        simulator: Such as 'MuJoCo'.
        model: The export that it loaded.
        what: What was compared.
        error_m: Largest distance between the simulator's tool and `fk` [m].
        allowed_m: Largest that counts as agreement [m].
        kind: 'static', where joint positions are set and only kinematics counts, or 'dynamic',
            where the arm moves by the masses and drives that the export invents.
    """

    simulator: str
    model: str
    what: str
    error_m: float
    allowed_m: float
    kind: Literal["static", "dynamic"] = "static"

    @property
    def agrees(self) -> bool:
        """Whether the error is allowed; NaN is not."""
        return self.error_m <= self.allowed_m


def verify_mujoco(arm: Arm, *, configurations: int = 200, seed: int = 0) -> tuple[Check, ...]:
    """Compare `fk` with MuJoCo, statically and in the dynamic simulation.

    The arm is exported to URDF and MJCF and loaded again. Statically, the tool is compared at
    random configurations. Dynamically, the configuration that `ik` finds for a target is commanded
    through position actuators, and a quintic trajectory is tracked; there the distance of the
    simulated tool to the commanded one counts. Contacts are off: a link may pass through another.

    Args:
        arm: The arm.
        configurations: Number of random configurations.
        seed: Seed of these configurations.
    """
    samples = random_configurations(arm, configurations, seed)
    urdf = mujoco.MjModel.from_xml_string(to_urdf(arm))
    mjcf = mujoco.MjModel.from_xml_string(to_mjcf(arm, self_collision=False))
    driven = _with_actuators(to_urdf(arm))
    target = arm.fk(inner_configuration(arm, samples[0]))
    answer = arm.ik(target, start=arm.initial)
    trajectory = plan_quintic(
        arm, arm.initial, answer.q, duration=_calm_duration(arm, answer.q), dt=0.01
    )
    check = partial(Check, "MuJoCo")
    settled = _settled_error(arm, driven, answer.q, target.translation)
    settled = max(settled, answer.position_error)
    urdf_track = _tracking_error(arm, driven, trajectory)
    mjcf_track = _tracking_error(arm, mjcf, trajectory)
    return (
        check("URDF", "tool at random q", _static_error(arm, urdf, samples), STATIC_M),
        check("MJCF", "tool at random q", _static_error(arm, mjcf, samples), STATIC_M),
        check("URDF", "IK answer, held", settled, SETTLED_M, "dynamic"),
        check("URDF", "trajectory", urdf_track, TRACKING_M, "dynamic"),
        check("MJCF", "trajectory", mjcf_track, TRACKING_M, "dynamic"),
    )


def _static_error(arm: Arm, model: mujoco.MjModel, samples: np.ndarray) -> float:
    data = mujoco.MjData(model)
    tool = model.body("tool").id
    worst = 0.0
    for q, T in zip(samples, arm.fk_batch(samples), strict=True):
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        turned = data.xmat[tool].reshape(3, 3) - T[:3, :3]
        # A wrong rotation would show at a tool of the arm's length.
        away = max(np.linalg.norm(data.xpos[tool] - T[:3, 3]), np.abs(turned).max() * arm.reach)
        worst = float(np.maximum(worst, away))
    return worst


def _with_actuators(urdf: str) -> mujoco.MjModel:
    """The URDF with what it cannot say: drives, position actuators, links that carry themselves."""
    spec = mujoco.MjSpec.from_string(urdf)
    spec.option.timestep = 0.001
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT.value
    for body in spec.bodies:
        body.gravcomp = 1.0
    for joint in spec.joints:
        joint.armature = 1.0
        joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
        actuator = spec.add_actuator(name=joint.name, target=joint.name)
        actuator.trntype = mujoco.mjtTrn.mjTRN_JOINT
        actuator.set_to_position(kp=_SERVO_RAD_S**2, dampratio=1.0)
    return spec.compile()


def _settled_error(arm: Arm, model: mujoco.MjModel, q: np.ndarray, target: np.ndarray) -> float:
    """Distance to the target once the servos came to rest [m]."""
    data = mujoco.MjData(model)
    data.qpos[:] = arm.initial
    data.ctrl[:] = q
    for _ in range(round(_SETTLE_S / model.opt.timestep)):
        mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    return float(np.linalg.norm(data.body("tool").xpos - target))


def _tracking_error(arm: Arm, model: mujoco.MjModel, trajectory: Trajectory) -> float:
    """Largest distance of the simulated tool from the commanded one along a trajectory [m]."""
    data = mujoco.MjData(model)
    data.qpos[:] = trajectory.q[0]
    step = model.opt.timestep
    # A servo F = kp (ctrl - q) - kv qd lags by kv / kp times the speed unless it is led by that.
    lead = -model.actuator_biasprm[:, 2] / model.actuator_gainprm[:, 0]
    times = np.arange(round(trajectory.duration / step) + 1) * step
    q, qd = (
        np.stack([np.interp(times, trajectory.times, column) for column in table.T], 1)
        for table in (trajectory.q, trajectory.qd)
    )
    tool = model.body("tool").id
    expected = arm.fk_batch(q)[:, :3, 3]
    worst = 0.0
    for k in range(len(times) - 1):
        data.ctrl[:] = q[k] + lead * qd[k]
        mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        worst = float(np.maximum(worst, np.linalg.norm(data.xpos[tool] - expected[k + 1])))
    return worst


def inner_configuration(arm: Arm, q: np.ndarray) -> np.ndarray:
    """A configuration that keeps some distance to the limits: servos may overshoot a little."""
    lower, upper = finite_limits(arm)
    return np.clip(q, lower + 0.05 * (upper - lower), upper - 0.05 * (upper - lower))


def _calm_duration(arm: Arm, end: np.ndarray) -> float:
    """A duration that no arm finds hard [s]."""
    joints = arm.description.joints
    speeds = np.array([min(j.max_velocity or 1.0, 0.2 if j.is_prismatic else 1.0) for j in joints])
    rates = np.array(
        [min(j.max_acceleration or 2.0, 0.5 if j.is_prismatic else 2.0) for j in joints]
    )
    travel = np.abs(end - arm.initial)
    return max(0.5, float(np.maximum(2.0 * travel / speeds, np.sqrt(6.0 * travel / rates)).max()))
