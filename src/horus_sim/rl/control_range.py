"""What the controls of a model's actuators may be."""

from __future__ import annotations

import numpy as np

from horus_sim.rl.backend import Floats
from horus_sim.sim3d.engine import mujoco


def control_ranges(model: mujoco.MjModel) -> tuple[Floats, Floats]:
    """Least and largest control of each actuator, infinite where the model says nothing.

    The control of a motor, whose force is a factor times it, is bounded by the range of that force
    where it has no range of its own.
    """
    fixed, none = int(mujoco.mjtGain.mjGAIN_FIXED), int(mujoco.mjtDyn.mjDYN_NONE)
    gain = model.actuator_gainprm[:, 0]
    is_motor = (
        (model.actuator_gaintype == fixed)
        & (model.actuator_dyntype == none)
        & (model.actuator_biasprm == 0).all(axis=1)
        & (gain > 0)
        & model.actuator_forcelimited.astype(bool)
    )
    forces = model.actuator_forcerange / np.where(is_motor, gain, 1.0)[:, None]
    ranges = np.where(is_motor[:, None], forces, (-np.inf, np.inf))
    is_limited = model.actuator_ctrllimited.astype(bool)
    low, high = np.where(is_limited[:, None], model.actuator_ctrlrange, ranges).T
    return low, high
