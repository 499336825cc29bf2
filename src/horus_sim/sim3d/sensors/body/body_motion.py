"""How bodies move now, and what acted on them in the last step.

Acceleration is the change of velocity over the last step, so that a program that adds it up gets
the velocity. The instantaneous one of the equations of motion would not do: the drives' commands
change with every step, and their damping is integrated implicitly.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld, shared

Floats = npt.NDArray[np.float64]
_Signature = tuple[int, Floats]
_UNKNOWN: _Signature = (-1, np.empty(0))
_XBODY = int(mujoco.mjtObj.mjOBJ_XBODY)
_INTEGRATION = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_QPOS = int(mujoco.mjtState.mjSTATE_QPOS)
_QVEL = int(mujoco.mjtState.mjSTATE_QVEL)
_SAME = 1e-9


class BodyMotion:
    """Velocities, accelerations and joint forces in one world; sensors share it.

    Args:
        world: The world.
    """

    def __init__(self, world: MeasuredWorld) -> None:
        self._model = world.model
        self._now = mujoco.MjData(self._model)
        self._before: mujoco.MjData | None = None
        self._known = self._wrench_known = _UNKNOWN
        self._has_accelerations = False

    def velocities(self, world: MeasuredWorld) -> mujoco.MjData:
        """Poses and velocities of now."""
        data, now = world.data, self._now
        if not _is_same(self._known, world):
            now.qpos[:] = data.qpos
            now.qvel[:] = data.qvel
            now.mocap_pos[:] = data.mocap_pos
            now.mocap_quat[:] = data.mocap_quat
            mujoco.mj_kinematics(self._model, now)
            mujoco.mj_comPos(self._model, now)
            mujoco.mj_comVel(self._model, now)
            self._known = _signature(world)
            self._has_accelerations = False
        return now

    def accelerations(self, world: MeasuredWorld) -> mujoco.MjData:
        """Poses and velocities of now, with the accelerations of the last step."""
        now = self.velocities(world)
        if not self._has_accelerations:
            found = self._step_acceleration(world)
            now.qacc[:] = world.forward().qacc if found is None else found
            mujoco.mj_rnePostConstraint(self._model, now)
            # Without a step they also depend on forces, which may change in the same state.
            self._has_accelerations = found is not None
        return now

    def joint_forces(self, world: MeasuredWorld) -> mujoco.MjData:
        """The state before the last step, with the forces between bodies during that step.

        Where there was no step since the state was written, those that would act now.
        """
        acceleration = self._step_acceleration(world)
        if acceleration is None:
            data = world.forward()
            if not data.flg_rnepost:
                mujoco.mj_rnePostConstraint(self._model, data)
            return data
        before = self._before or mujoco.MjData(self._model)
        self._before = before
        if not _is_same(self._wrench_known, world):
            mujoco.mj_setState(self._model, before, world.state_before_step, _INTEGRATION)
            mujoco.mj_forward(self._model, before)
            before.qacc[:] = acceleration
            mujoco.mj_rnePostConstraint(self._model, before)
            self._wrench_known = _signature(world)
        return before

    def _step_acceleration(self, world: MeasuredWorld) -> Floats | None:
        """Change of the velocities in the last step by its duration, shape (nv,).

        None where the state of now did not come from a step: at the start, or written by hand.
        """
        model, data, state = self._model, world.data, world.state_before_step
        if world.steps == 0 or len(state) != mujoco.mj_stateSize(model, _INTEGRATION):
            return None
        qpos, qvel = np.empty(model.nq), np.empty(model.nv)
        mujoco.mj_extractState(model, state, _INTEGRATION, qpos, _QPOS)
        mujoco.mj_extractState(model, state, _INTEGRATION, qvel, _QVEL)
        mujoco.mj_integratePos(model, qpos, data.qvel, world.timestep)
        if model.nq and np.abs(qpos - data.qpos).max() > _SAME * (1.0 + np.abs(qpos).max()):
            return None
        return (data.qvel - qvel) / world.timestep


def velocity_at(world: MeasuredWorld, body: int, p_body_point: Floats) -> tuple[Floats, Floats]:
    """Velocity of a point of a body.

    Args:
        world: The world.
        body: Index of the body.
        p_body_point: The point [m], body frame, shape (3,).

    Returns:
        Linear [m/s] and angular [rad/s] velocity, world frame, shapes (3,).
    """
    data = shared(world, BodyMotion).velocities(world)
    found = np.empty(6)
    mujoco.mj_objectVelocity(world.model, data, _XBODY, body, found, 0)
    angular = found[:3].copy()
    lever = data.xmat[body].reshape(3, 3) @ p_body_point
    return found[3:] + _cross(angular, lever), angular


def specific_force_at(
    world: MeasuredWorld, body: int, p_body_point: Floats
) -> tuple[Floats, Floats]:
    """What an accelerometer and a gyroscope at a point of a body feel.

    Args:
        world: The world.
        body: Index of the body.
        p_body_point: The point [m], body frame, shape (3,).

    Returns:
        Acceleration minus gravity [m/s^2] and angular velocity [rad/s], world frame, shapes (3,).
    """
    data = shared(world, BodyMotion).accelerations(world)
    velocity, acceleration = np.empty(6), np.empty(6)
    mujoco.mj_objectVelocity(world.model, data, _XBODY, body, velocity, 0)
    mujoco.mj_objectAcceleration(world.model, data, _XBODY, body, acceleration, 0)
    lever = data.xmat[body].reshape(3, 3) @ p_body_point
    angular = velocity[:3].copy()
    # The lever arm: tangential and centripetal part.
    turned = _cross(acceleration[:3], lever) + _cross(angular, _cross(angular, lever))
    return acceleration[3:] + turned, angular


def vector(values: Floats) -> tuple[float, float, float]:
    """Three numbers, for a message."""
    x, y, z = values.tolist()
    return x, y, z


def _signature(world: MeasuredWorld) -> _Signature:
    data = world.data
    state = np.concatenate((data.qpos, data.qvel, data.mocap_pos.ravel(), data.mocap_quat.ravel()))
    return world.steps, state


def _is_same(known: _Signature, world: MeasuredWorld) -> bool:
    steps, state = _signature(world)
    return known[0] == steps and np.array_equal(known[1], state)


def _cross(a: Floats, b: Floats) -> Floats:
    # For two single vectors a tenth of the time of np.cross.
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array((y * w - z * v, z * u - x * w, x * v - y * u))
