"""The six-axis arm, its gripper and a cube, as a model that steps fast.

Finger pads are upright capsules (two contacts each with a side of the cube, where two boxes would
have eight), each finger has a servo of its own instead of a constraint that couples them, and only
pads, cube and floor touch, by explicit pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from horus_sim.rl.models.arm_model import FINGERS, JOINTS, OPEN, arm_spec
from horus_sim.rl.models.objects import Thing, compile_things
from horus_sim.rl.models.robot_spec import touch
from horus_sim.robots.engine import mujoco

CUBE = "cube"
HALF_CUBE = 0.02
CUBE_MASS = 0.1
_PAD_RADIUS = 0.006
# Between the pads and the cube, and the cube and the floor.
CUBE_FRICTION = (1.0, 0.02, 0.0001)
# Of a finger's servo: 0.16 kg at 112 rad/s, critically damped [N/m], [N s/m].
FINGER_STIFFNESS, FINGER_DAMPING = 2000.0, 36.0


def manipulation_models(
    things: Sequence[Thing] = (),
    *,
    lean: bool = True,
    shifted: bool = False,
    finish: Callable[[mujoco.MjSpec], None] | None = None,
) -> list[mujoco.MjModel]:
    """Arm, floor and the cube, or each of some things in its place.

    Args:
        things: What is grasped instead of the cube; a model for each.
        lean: For physics; otherwise for pictures, with what only looks.
        shifted: Whether the cube's centre of mass may be moved in the compiled model.
        finish: Adds to the spec what else is wanted.
    """
    spec = _spec(lean=lean, shifted=shifted or bool(things))
    if finish is not None:
        finish(spec)
    return compile_things(spec, spec.geom(CUBE), things) if things else [spec.compile()]


def _spec(*, lean: bool, shifted: bool) -> mujoco.MjSpec:
    spec = arm_spec(with_fingers=True, lean=lean)
    for joint in JOINTS:
        # The control is a speed, whose integral the servo follows: steps of the position twenty
        # times a second would shake the cube out of the fingers.
        actuator = spec.actuator(joint)
        actuator.dyntype = mujoco.mjtDyn.mjDYN_INTEGRATOR
        actuator.actlimited, actuator.actrange = True, actuator.ctrlrange
        actuator.ctrllimited = False
    cube = spec.worldbody.add_body(name=CUBE, pos=(-0.5, 0, HALF_CUBE))
    cube.add_freejoint(name=CUBE)
    if shifted:
        cube.simple = False
    shape = cube.add_geom(
        name=CUBE,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=(HALF_CUBE,) * 3,
        mass=CUBE_MASS,
        friction=CUBE_FRICTION,
        rgba=(0.9, 0.5, 0.1, 1),
    )
    touch(spec, shape, "floor", 3)
    for joint, side in zip(FINGERS, (1.0, -1.0), strict=True):
        y = side * (_PAD_RADIUS + 0.0005)
        pad = spec.body(joint.replace("_joint", "_link")).add_geom(
            name=f"{joint}#pad",
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            fromto=(0, y, 0.03, 0, y, 0.045),
            size=(_PAD_RADIUS, 0, 0),
            mass=0.0,
            friction=CUBE_FRICTION,
        )
        touch(spec, pad, CUBE, 4)
        spec.add_actuator(
            name=joint,
            target=joint,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gainprm=[FINGER_STIFFNESS] + [0.0] * 9,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            biasprm=[0.0, -FINGER_STIFFNESS, -FINGER_DAMPING] + [0.0] * 7,
            ctrllimited=True,
            ctrlrange=(0.0, OPEN),
        )
    return spec
