"""Quadrotors: a velocity becomes an attitude, torques, and the thrust of four rotors.

The attitude law is that of Lee, Leok and McClamroch, "Geometric tracking control of a quadrotor
UAV on SE(3)", CDC 2010, without its feed-forward terms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from horus_sim.errors import CommandError
from horus_sim.files.config import Config, NotNegative, Positive
from horus_sim.sim3d.control.drive import Watchdog
from horus_sim.sim3d.control.joint_servos import JointServos, Mode
from horus_sim.sim3d.control.mixer import RotorMixer
from horus_sim.sim3d.control.result import Clamp, CommandResult, clamp

Vector = tuple[float, float, float]
_STILL = (0.0, 0.0, 0.0, 0.0)
_ZERO: Vector = (0.0, 0.0, 0.0)
_MOST_INTEGRAL = 2.0  # [m/s^2]
_LEAST_THRUST = 0.2  # of the weight
_SHARE_OF_DRAG = 0.1


class QuadrotorConfig(Config):
    """Four rotors that push along the base's z axis.

    Defaults are those of the Hummingbird in Furrer et al., "RotorS", 2016.

    Attributes:
        rotor_joints: Joints of the rotors, counter-clockwise seen from above. The first and third
            turn clockwise, the others counter-clockwise.
        thrust_constant: Thrust over the square of a rotor's speed [N s^2].
        drag: Torque for one newton of thrust [m].
        max_rotor_speed: Largest speed of a rotor [rad/s].
        max_linear: Largest speed along each axis [m/s].
        max_angular: Largest yaw rate [rad/s].
        max_tilt: Largest angle between the base's z axis and the vertical [rad].
        velocity_gain: Acceleration for a speed that is off by 1 m/s [1/s].
        velocity_integral: Acceleration for a place that is off by 1 m [1/s^2]: the integral of how
            far the speed is from that of an ideal craft, which turns to new commands without delay.
            A quarter of the square of `velocity_gain` damps it critically.
        attitude_rate: Natural frequency of the attitude [rad/s], critically damped.
        timeout: Simulated time [s] for which a command holds; afterwards it brakes and holds its
            place. None for ever.
    """

    rotor_joints: tuple[str, str, str, str]
    thrust_constant: Positive = 8.54858e-6
    drag: Positive = 0.016
    max_rotor_speed: Positive = 838.0
    max_linear: Positive = 5.0
    max_angular: Positive = 2.0
    max_tilt: Positive = 0.6
    velocity_gain: Positive = 2.5
    velocity_integral: NotNegative = 1.5
    attitude_rate: Positive = 14.0
    timeout: Positive | None = 0.5

    @property
    def joints(self) -> tuple[str, ...]:
        """All joints that it drives."""
        return self.rotor_joints

    def build(self, servos: JointServos) -> Quadrotor:
        """A quadrotor on the ground, its rotors still."""
        return Quadrotor(self, servos)


class Quadrotor:
    """Flies a robot at a velocity and a yaw rate; the rotors stand still until it is told to."""

    kind = "quadrotor"

    def __init__(self, config: QuadrotorConfig, servos: JointServos) -> None:
        import mujoco

        robot = servos.robot
        if robot.base != "floating":
            raise CommandError(
                f"robot '{robot.name}' is held by the world and cannot fly; load it with "
                "base='floating'."
            )
        self.config = config
        self._servos = servos
        self._rotors = servos.indices(config.rotor_joints)
        self._actuators = servos.actuator[self._rotors]
        servos.set_mode(self._rotors, Mode.VELOCITY)
        for index in self._rotors:
            # Slow enough never to saturate: turning rotors are to be seen, thrust does not wait.
            # Where the file sets no limit: its reaction must not turn the craft.
            most = _SHARE_OF_DRAG * config.drag * config.thrust_constant * config.max_rotor_speed**2
            effort = float(servos.effort[index])
            gain = (effort if math.isfinite(effort) else most) / config.max_rotor_speed
            servos.set_gains(index, float(servos.kp[index]), gain)
        model = servos.model
        self._body = model.body(robot.root_body).id
        free = model.joint(robot.free_joint)
        self._dof = int(free.dofadr[0])
        # Mass properties at position zero, about the common centre of mass.
        data = mujoco.MjData(model)
        data.qpos[:] = model.qpos0
        data.qpos[int(free.qposadr[0]) : int(free.qposadr[0]) + 7] = (0, 0, 0, 1, 0, 0, 0)
        mujoco.mj_fwdPosition(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        self._mass = float(model.body_subtreemass[self._body])
        centre = data.subtree_com[self._body] - data.xpos[self._body]
        rotation = slice(self._dof + 3, self._dof + 6)
        spread = np.dot(centre, centre) * np.eye(3) - np.outer(centre, centre)
        self._inertia = (full[rotation, rotation] - self._mass * spread).ravel().tolist()
        joints = [int(model.dof_jntid[servos.dof[index]]) for index in self._rotors]
        positions = data.xanchor[joints] - data.subtree_com[self._body]
        turns = np.array((-1.0, 1.0, -1.0, 1.0))
        self._spins = turns * np.sign(data.xaxis[joints][:, 2])
        most = config.thrust_constant * config.max_rotor_speed**2
        self.mixer = RotorMixer(positions, turns, config.drag, most)
        # The wrench is applied at the centre of mass of the base alone.
        self._lever = (centre - data.xipos[self._body] + data.xpos[self._body]).tolist()
        self._gravity = -float(model.opt.gravity[2])
        self._most_level = self._gravity * math.tan(config.max_tilt)
        self._watchdog = Watchdog(config.timeout)
        self._wanted = _STILL
        self._integral = self._ideal_w = _ZERO
        self._is_on = False

    def command(self, linear: Vector, angular: float, time: float) -> CommandResult:
        """Flies at a velocity from now on, and hovers after the time-out.

        Args:
            linear: [m/s], ahead, to the left and up; level, whatever the tilt.
            angular: Yaw rate [rad/s], positive to the left.
            time: Simulated time [s].
        """
        notes: list[Clamp] = []
        most = self.config.max_linear
        given = [
            clamp(value, -most, most, f"linear {axis}", "velocity", notes)
            for axis, value in zip("xyz", linear, strict=True)
        ]
        most = self.config.max_angular
        yaw_rate = clamp(angular, -most, most, "angular", "velocity", notes)
        self._wanted = (given[0], given[1], given[2], yaw_rate)
        self._watchdog.feed(time)
        self._is_on = True
        return CommandResult(self.kind, tuple(notes))

    def stop(self) -> None:
        """Hovers, if it flies."""
        self._wanted = _STILL

    def switch_off(self) -> None:
        """Stops the rotors at once."""
        self._is_on = False
        self._wanted = _STILL
        self._integral = self._ideal_w = _ZERO
        self._servos.data.xfrc_applied[self._body] = 0.0
        for index in self._rotors:
            self._servos.write_velocity(index, 0.0)

    def update(self, time: float, dt: float) -> None:
        """Sets thrusts and torques for the next step."""
        if not self._is_on:
            return
        if self._wanted != _STILL and self._watchdog.has_expired(time):
            self._wanted = _STILL
        data = self._servos.data
        R = data.xmat[self._body].tolist()  # rows of R_world_base, one after another
        vx, vy, vz, *angular_b = data.qvel[self._dof : self._dof + 6].tolist()
        thrust_w = self._wanted_thrust(R, (vx, vy, vz), dt)
        up_w = (R[2], R[5], R[8])
        thrust = max(_dot(thrust_w, up_w), 0.0)
        thrusts = self.mixer.thrusts(thrust, self._wanted_torque(R, angular_b, thrust_w))
        thrust, *torque = self.mixer.wrench(thrusts).tolist()
        force_w = (thrust * up_w[0], thrust * up_w[1], thrust * up_w[2])
        turning = _cross(_rotate(R, self._lever), force_w)
        torque_w = _rotate(R, torque)
        data.xfrc_applied[self._body] = (*force_w, *_sum(torque_w, turning))
        speeds = self._spins * np.sqrt(thrusts / self.config.thrust_constant)
        data.ctrl[self._actuators] = self._servos.kv[self._rotors] * speeds

    def sync(self) -> None:
        """The robot was put elsewhere by hand: nothing to forget."""

    def get_state(self) -> dict[str, Any]:
        """All that the next update depends on."""
        return {
            "wanted": self._wanted,
            "integral": self._integral,
            "ideal": self._ideal_w,
            "is_on": self._is_on,
            "watchdog": self._watchdog.get_state(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from what `get_state` gave."""
        self._wanted = tuple(state["wanted"])
        self._integral, self._ideal_w = tuple(state["integral"]), tuple(state["ideal"])
        self._watchdog.set_state(state["watchdog"])
        self._is_on = state["is_on"]

    def _wanted_thrust(self, R: list[float], velocity_w: Vector, dt: float) -> Vector:
        config = self.config
        heading = math.hypot(R[0], R[3]) or 1.0
        cos, sin = R[0] / heading, R[3] / heading
        ahead, left, up, _ = self._wanted
        wanted_w = (cos * ahead - sin * left, sin * ahead + cos * left, up)
        gain = config.velocity_gain
        self._follow(wanted_w, velocity_w, dt)
        x, y, z = (
            gain * (wanted - speed) + integral
            for wanted, speed, integral in zip(wanted_w, velocity_w, self._integral, strict=True)
        )
        # Never upside down: some thrust is kept while it sinks.
        z = max(z + self._gravity, _LEAST_THRUST * self._gravity)
        level, most = math.hypot(x, y), z * math.tan(config.max_tilt)
        scale = self._mass * (most / level if level > most else 1.0)
        return (scale * x, scale * y, self._mass * z)

    def _follow(self, wanted_w: Vector, velocity_w: Vector, dt: float) -> None:
        """Moves the ideal craft, and adds up how far the real one falls behind it.

        An integral of the difference to the command itself would grow while the craft speeds up
        or brakes, and be worked off later by drifting back.
        """
        gain, step = self.config.velocity_gain, self.config.velocity_integral * dt
        x, y, z = (gain * (wanted - at) for wanted, at in zip(wanted_w, self._ideal_w, strict=True))
        level = math.hypot(x, y)
        share = self._most_level / level if level > self._most_level else 1.0
        z = max(z, (_LEAST_THRUST - 1.0) * self._gravity)
        at_x, at_y, at_z = self._ideal_w
        self._ideal_w = (at_x + share * x * dt, at_y + share * y * dt, at_z + z * dt)
        x, y, z = (
            min(max(integral + step * (at - speed), -_MOST_INTEGRAL), _MOST_INTEGRAL)
            for integral, at, speed in zip(self._integral, self._ideal_w, velocity_w, strict=True)
        )
        self._integral = (x, y, z)

    def _wanted_torque(
        self, R: list[float], angular_b: Sequence[float], thrust_w: Vector
    ) -> Vector:
        up = _unit(thrust_w)
        side = _unit(_cross(up, (R[0], R[3], R[6])))
        ahead = _cross(side, up)
        columns = ((R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8]))
        # Half of the antisymmetric part of R_wanted^T R.
        x, y, z = columns
        errors = (
            0.5 * (_dot(up, y) - _dot(side, z)),
            0.5 * (_dot(ahead, z) - _dot(up, x)),
            0.5 * (_dot(side, x) - _dot(ahead, y)),
        )
        rate = self.config.attitude_rate
        yaw_rate = self._wanted[3]
        response = [
            -rate * rate * error - 2.0 * rate * (speed - yaw_rate * column[2])
            for error, speed, column in zip(errors, angular_b, columns, strict=True)
        ]
        gyroscopic = _cross(angular_b, _rotate(self._inertia, angular_b))
        return _sum(_rotate(self._inertia, response), gyroscopic)


# Plain numbers: for three of them NumPy's calls cost more than the arithmetic.


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _sum(a: Vector, b: Vector) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def _cross(a: Sequence[float], b: Sequence[float]) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _unit(a: Vector) -> Vector:
    length = math.sqrt(_dot(a, a))
    return (a[0] / length, a[1] / length, a[2] / length)


def _rotate(matrix: Sequence[float], a: Sequence[float]) -> Vector:
    return (_dot(matrix[0:3], a), _dot(matrix[3:6], a), _dot(matrix[6:9], a))
