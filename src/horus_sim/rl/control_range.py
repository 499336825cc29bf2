"""What the controls of a model's actuators may be."""

from __future__ import annotations

import numpy as np

from horus_sim.errors import TaskError
from horus_sim.rl.backend import Floats
from horus_sim.robots.engine import mujoco


def control_ranges(model: mujoco.MjModel, owner: str) -> tuple[Floats, Floats]:
    """Least and largest control of each actuator.

    The control of a motor, whose force is a factor times it, is bounded by the range of that force
    where it has no range of its own.

    Args:
        model: The model.
        owner: Whose model it is, for errors.

    Raises:
        TaskError: The model does not bound the control of an actuator.
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
    unbounded = np.flatnonzero(~np.isfinite(low))
    if len(unbounded):
        first = int(unbounded[0])
        name = model.actuator(first).name
        raise TaskError(
            f"{owner}: actuator {repr(name) if name else first} has no control range, so its "
            f"action would have no bounds ({len(unbounded)} in all); give it a ctrlrange in the "
            "model, or return bounds from action_bounds()"
        )
    return low, high
