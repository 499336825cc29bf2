"""One physics step that either succeeds or leaves the state before it."""

from __future__ import annotations

import logging
from numbers import Integral

import numpy as np

from horus_sim.errors import CommandError, PhysicsError
from horus_sim.sim3d.engine import mujoco
from horus_sim.sim3d.state import INTEGRATION

FASTEST = 1e5
"""Speed [m/s] or [rad/s] beyond which a state counts as diverged."""

_log = logging.getLogger("horus_sim.sim3d")


def log_warnings() -> None:
    """Sends MuJoCo's warnings to the logger 'horus_sim.sim3d' instead of a file in the folder.

    As information: a world counts them in `World.warnings`, and a divergence is an error anyway.
    """
    mujoco.set_mju_user_warning(_log.info)


def check_count(n: object) -> None:
    """Refuses a number of steps that is none.

    Raises:
        CommandError: It is no integer, or negative.
    """
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 0:
        raise CommandError(
            f"the world cannot move by {n!r} steps; give a whole number from 0 on, such as "
            "round(seconds / world.timestep)"
        )


class Stepper:
    """Steps one model; after a divergence the state is that before the step.

    Args:
        model: The model.
        data: Its state.

    Attributes:
        before: MuJoCo's integration state as the last step found it.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model = model
        self._data = data
        self.before = np.empty(mujoco.mj_stateSize(model, INTEGRATION))
        mujoco.mj_getState(model, data, self.before, INTEGRATION)
        self._earlier = self.before.copy()

    def step(self) -> None:
        """One step.

        Raises:
            PhysicsError: A position, velocity or acceleration is not finite or huge. The text
                names the body; the state is that before the step, or an earlier one where
                that was bad already.
        """
        model, data = self._model, self._data
        self.before, self._earlier = self._earlier, self.before
        mujoco.mj_getState(model, data, self.before, INTEGRATION)
        mujoco.mj_step(model, data)
        velocity = data.qvel
        # A comparison with NaN is false. Bad positions and accelerations end in bad velocities.
        if not velocity.dot(velocity) < FASTEST**2:
            self._fail()

    def _fail(self) -> None:
        model, data = self._model, self._data
        speeds = np.abs(np.concatenate((data.qvel[:, None], data.qacc[:, None]), axis=1)).max(1)
        dof = int(np.argmax(np.where(np.isfinite(speeds), speeds, np.inf)))
        body = model.body(int(model.dof_bodyid[dof])).name if model.nv else "world"
        mujoco.mj_setState(model, data, self.before, INTEGRATION)
        found = float(data.time)
        cause = "Use a smaller physics.timestep, weaker commands, or more mass and armature"
        if not self._is_good():
            # Somebody wrote it so: the state before is that of the step before.
            self.before[:] = self._earlier
            cause = "Positions or velocities were written that no step can take"
        mujoco.mj_setState(model, data, self.before, INTEGRATION)
        data.warning.number[:] = 0
        mujoco.mj_forward(model, data)
        # The solver above may have written another warm start.
        mujoco.mj_setState(model, data, self.before, INTEGRATION)
        data.warning.number[:] = 0
        time = float(data.time)
        raise PhysicsError(
            f"the motion of '{body}' diverged after {found:.6g} s; the state is the last good one, "
            f"at {time:.6g} s. {cause}",
            body,
            time,
        )

    def _is_good(self) -> bool:
        velocity = self._data.qvel
        return bool(np.isfinite(self.before).all() and velocity.dot(velocity) < FASTEST**2)
