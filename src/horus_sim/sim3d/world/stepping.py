"""One physics step that either succeeds or leaves the state before it."""

from __future__ import annotations

import logging
import math
from numbers import Integral

import numpy as np
import numpy.typing as npt

from horus_sim.errors import CommandError, PhysicsError
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.world.snapshot import INTEGRATION, read_physics

FASTEST = 1e5
"""Speed [m/s] or [rad/s] beyond which a state counts as diverged."""

_log = logging.getLogger("horus_sim.sim3d")


def log_warnings() -> None:
    """Sends MuJoCo's warnings to the logger 'horus_sim.sim3d' instead of a file in the folder.

    As information: a world counts them in `World.warnings`, and a divergence is an error anyway.
    """
    mujoco.set_mju_user_warning(_log.info)


def check_count(n: object) -> None:
    """Refuses what is not a number of steps.

    Raises:
        CommandError: It is not an integer, or negative.
    """
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 0:
        raise CommandError(
            f"the world cannot move by {n!r} steps; give a whole number from 0 on, such as "
            "round(seconds / world.timestep)"
        )


class Stepper:
    """Steps one model; a step that fails did not happen.

    Args:
        model: The model.
        data: Its state.

    Attributes:
        before: MuJoCo's integration state as the last step found it.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model = model
        self._data = data
        self.before = read_physics(model, data)
        self._found = self.before.copy()
        # As it was last put; none when a step came after that.
        self._put: npt.NDArray[np.float64] | None = self.before.copy()

    def step(self) -> None:
        """One step.

        Raises:
            PhysicsError: A position, velocity or acceleration is not finite or huge. The text
                names the body; the state is that before the step, or that after the step before
                where somebody wrote values since that no step can take.
        """
        model, data = self._model, self._data
        mujoco.mj_getState(model, data, self._found, INTEGRATION)
        mujoco.mj_step(model, data)
        velocity = data.qvel
        # A comparison with NaN is false. Bad positions and accelerations end in bad velocities.
        if not velocity.dot(velocity) < FASTEST**2:
            self._fail()
        self.before, self._found = self._found, self.before
        self._put = None

    def check(self) -> None:
        """Refuses a state that no step can take, before anybody uses it.

        Raises:
            PhysicsError: Somebody wrote one; the state is the last good one.
        """
        if not (_is_slow(self._data.qvel) and math.isfinite(self._data.qpos.sum())):
            mujoco.mj_getState(self._model, self._data, self._found, INTEGRATION)
            self._fail()

    def keep(self) -> None:
        """The state was put on purpose: the one to go back to, if it is any good."""
        state = read_physics(self._model, self._data)
        if self._is_good(state):
            self._put = state

    def _fail(self) -> None:
        model, data = self._model, self._data
        speeds = np.abs(np.concatenate((data.qvel[:, None], data.qacc[:, None]), axis=1)).max(1)
        dof = int(np.argmax(np.where(np.isfinite(speeds), speeds, np.inf)))
        body = model.body(int(model.dof_bodyid[dof])).name if model.nv else "world"
        mujoco.mj_setState(model, data, self._found, INTEGRATION)
        time = float(data.time)
        if self._is_good(self._found):
            cause = "Use a smaller physics.timestep, weaker commands, or more mass and armature"
            self._go_to(self._found)
        else:
            cause = "Positions or velocities were written that no step can take"
            if self._put is not None:
                self._go_to(self._put)
            else:
                # To keep what every step leads to would cost more than this rare repetition.
                mujoco.mj_setState(model, data, self.before, INTEGRATION)
                mujoco.mj_step(model, data)
        data.warning.number[:] = 0
        raise PhysicsError(
            f"the motion of '{body}' diverged after {time:.6g} s; the state is the last good one. "
            f"{cause}",
            body,
            time,
        )

    def _go_to(self, state: npt.NDArray[np.float64]) -> None:
        mujoco.mj_setState(self._model, self._data, state, INTEGRATION)
        mujoco.mj_forward(self._model, self._data)
        # The solver above may have written another warm start.
        mujoco.mj_setState(self._model, self._data, state, INTEGRATION)

    def _is_good(self, state: npt.NDArray[np.float64]) -> bool:
        return bool(np.isfinite(state).all()) and _is_slow(self._data.qvel)


def _is_slow(velocity: npt.NDArray[np.float64]) -> bool:
    # A comparison with NaN is false; squares might overflow.
    return bool(np.abs(velocity).max(initial=0.0) < FASTEST)
