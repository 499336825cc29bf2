"""The shipped quadrotor as a model that steps fast: one rigid body, pushed by thrust and torques.

Against the robot as described: rotors do not turn against the frame, nothing touches, and each of
thrust and torques has bounds of its own instead of those that rotors set together. The flight
controller of real craft is there: it keeps the rates of turning that it is told, in every physics
step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from horus_sim.rl.models.robot_facts import RobotFacts
from horus_sim.rl.models.robot_spec import paired_spec
from horus_sim.rl.models.scenery import add_scenery
from horus_sim.robots.engine import mujoco
from horus_sim.robots.robot import load_robot
from horus_sim.sim3d.control.detection import detect_drive
from horus_sim.sim3d.control.quadrotor import QuadrotorConfig

ROBOT = "quadrotor"
CENTRE, THRUST = "centre", "thrust"
RATES = ("roll", "pitch", "yaw")
# How fast the rates of turning follow [1/s]; those of yaw, which drag alone turns, slower.
_RATE_GAINS = (25.0, 25.0, 8.0)
# Rotors' drag in the air that flows through them, 8.06e-5 N s^2/(m rad) in Furrer et al., "RotorS",
# at 450 rad/s, with which they hover, and four of them [N s/m].
AIR_DRAG = 4 * 8.06428e-5 * 450.0
_TIMESTEP = 0.005


@dataclass(frozen=True, slots=True)
class Craft:
    """What is known of the craft.

    Attributes:
        mass: [kg].
        most_thrust: Of all rotors [N].
    """

    mass: float
    most_thrust: float


def quadrotor_spec(*, lean: bool = True) -> tuple[mujoco.MjSpec, Craft]:
    """Craft and ground.

    Args:
        lean: For physics; otherwise for pictures.
    """
    spec, built = paired_spec(ROBOT, "floating", 20.0, lean=lean)
    drive = detect_drive(load_robot(ROBOT).description)
    if not isinstance(drive, QuadrotorConfig):
        raise TypeError(f"{ROBOT} flies by {type(drive).__name__}; describe four rotors")
    spec.option.timestep = _TIMESTEP
    for part in (*spec.actuators, *(spec.joint(name) for name in drive.rotor_joints)):
        spec.delete(part)
    model = spec.compile()
    body = model.body(built.root_body).id
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    centre = data.subtree_com[body] - data.xpos[body]
    mass = float(model.body_subtreemass[body])
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    spread = mass * (float(centre @ centre) * np.eye(3) - np.outer(centre, centre))
    inertia = np.diagonal(full[3:6, 3:6] - spread)
    most = drive.thrust_constant * drive.max_rotor_speed**2
    arm = float(np.hypot(*RobotFacts(ROBOT).place_of(drive.rotor_joints[0])[:2]))
    torques = (arm * most, arm * most, 2.0 * drive.drag * most)
    spec.body(built.root_body).add_site(name=CENTRE, pos=centre)
    thrust = _add_actuator(spec, THRUST, (0, 0, 1, 0, 0, 0), (0.0, 4 * most))
    thrust.gainprm[0] = 1.0
    for axis, (name, gain, torque) in enumerate(zip(RATES, _RATE_GAINS, torques, strict=True)):
        gear = np.zeros(6)
        gear[3 + axis] = 1.0
        actuator = _add_actuator(spec, name, tuple(gear), (-torque, torque))
        kv = gain * float(inertia[axis])
        actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
        actuator.gainprm[0], actuator.biasprm[2] = kv, -kv
    if not lean:
        add_scenery(spec, 3.0, 0.5)
    return spec, Craft(mass, 4 * most)


def _add_actuator(
    spec: mujoco.MjSpec,
    name: str,
    gear: tuple[float, ...],
    force: tuple[float, float],
) -> mujoco.MjsActuator:
    return spec.add_actuator(
        name=name,
        target=CENTRE,
        trntype=mujoco.mjtTrn.mjTRN_SITE,
        gear=gear,
        forcelimited=True,
        forcerange=force,
    )
