"""Joints under position, velocity and effort control, with gravity compensation."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from horus_sim.errors import CommandError
from horus_sim.files.config import Config, NotNegative, Positive
from horus_sim.sim3d.control.joint_servos import JointServos, Mode, holding_joints
from horus_sim.sim3d.control.result import Clamp, CommandResult, quoted
from horus_sim.sim3d.control.trajectory import JointTrajectory, within_limits

FloatArray = npt.NDArray[np.float64]
_Running = tuple[JointTrajectory, list[int], float]
"""A trajectory, the places of its joints, and when it begins [s]."""
_JUMP = 0.05  # [rad or m]


class JointGains(Config):
    """Gains of one joint's PID servo.

    Attributes:
        kp: Gain of the position [N m/rad or N/m].
        kd: Gain of the velocity [N m s/rad or N s/m]; also that of the velocity servo.
        ki: Gain of the integral [N m/(rad s) or N/(m s)].
        integral_limit: Largest effort [N m or N] of the integral; None is the joint's own limit.
    """

    kp: Positive
    kd: NotNegative
    ki: NotNegative = 0.0
    integral_limit: Positive | None = None


class JointControlConfig(Config):
    """How joints are controlled.

    Attributes:
        gains: PID gains by joint, in place of the builder's.
        gravity_compensation: Whether servos add what holds the links up (gravity and Coriolis
            efforts); None does so for robots that are bolted down.
        compensate_effort: Whether effort commands come on top of gravity compensation too, as on
            torque-controlled arms: an effort of zero then floats.
        limit_velocity: Whether position commands are approached at the joints' top speeds.
    """

    gains: dict[str, JointGains] = Field(default_factory=dict)
    gravity_compensation: bool | None = None
    compensate_effort: bool = False
    limit_velocity: bool = True

    def build(
        self, servos: JointServos, joints: Sequence[str], held: Collection[str] = ()
    ) -> JointController:
        """A controller of these joints, which hold where they are.

        Args:
            servos: The drives of the robot.
            joints: Those to control here.
            held: Those that hold although they turn freely.
        """
        return JointController(self, servos, joints, held)


class JointController:
    """Controls many joints at once; arrays have one entry for each, in the order of `names`."""

    def __init__(
        self,
        config: JointControlConfig,
        servos: JointServos,
        joints: Sequence[str],
        held: Collection[str] = (),
    ) -> None:
        self.config = config
        self.names = tuple(joints)
        self._servos = servos
        self._at = np.array(servos.indices(joints), dtype=np.intp)
        self._place = {name: place for place, name in enumerate(joints)}
        self._integral_gain = np.zeros(len(self._at))
        self._integral_bound = servos.effort[self._at].copy()
        for name, gains in config.gains.items():
            if name not in self._place:
                servos.index(name)  # names the close matches
                raise CommandError(f"joint '{name}' belongs to a drive; it takes no joint gains.")
            place = self._place[name]
            servos.set_gains(int(self._at[place]), gains.kp, gains.kd)
            self._integral_gain[place] = gains.ki
            if gains.integral_limit is not None:
                self._integral_bound[place] = gains.integral_limit
        compensates = config.gravity_compensation
        self._compensates = float(servos.is_fixed if compensates is None else compensates)
        self._compensates_effort = self._compensates * config.compensate_effort
        self._qpos = servos.qpos[self._at]
        self._load = servos.load_dof
        self._actuator = servos.actuator[self._at]
        self._kp = servos.kp[self._at]
        self._feed = servos.kv[self._at] + servos.damping[self._at]
        fastest = servos.velocity[self._at]
        self._fastest = fastest if config.limit_velocity else np.full_like(fastest, np.inf)
        self._trajectories: list[_Running] = []
        also_held = np.array([name in held for name in joints], dtype=np.bool_)
        self._held = holding_joints(servos)[self._at] | also_held
        self.hold()

    @property
    def targets(self) -> dict[str, float]:
        """What each joint was told, in the unit of its mode."""
        return dict(zip(self.names, self._target.tolist(), strict=True))

    @property
    def is_moving(self) -> bool:
        """Whether a trajectory runs or a reference is still on its way."""
        return bool(self._trajectories) or self._approaches

    def set_integral_gain(self, name: str, ki: float) -> None:
        """Changes the integral gain [N m/(rad s) or N/(m s)] of a joint."""
        self._integral_gain[self._find(name)] = ki
        self._refresh()

    def clear_integral(self, names: Iterable[str]) -> None:
        """Forgets what the integrals of joints have summed up."""
        self._integral[[self._find(name) for name in names]] = 0.0

    def hold(self) -> None:
        """Every joint holds its position, except those that turn freely; see `holding_joints`."""
        servos, held = self._servos, self._held
        self._target = np.where(held, servos.data.qpos[self._qpos], 0.0)
        self._reference = self._target.copy()
        self._integral = np.zeros(len(self._at))
        self._trajectories.clear()
        servos.set_mode(self._at[held].tolist(), Mode.POSITION)
        servos.set_mode(self._at[~held].tolist(), Mode.EFFORT)
        self._refresh()
        if self._compensated:
            self._measure_bias()

    def check(self, values: Mapping[str, float]) -> tuple[list[int], FloatArray]:
        """The places of joints and their values as numbers, where these can be commanded.

        Raises:
            CommandError: A joint is unknown, or a value is not a finite number.
        """
        places = [self._find(name) for name in values]
        try:
            asked = [float(value) for value in values.values()]
        except (TypeError, ValueError) as error:
            raise CommandError(f"joints take numbers; got {dict(values)!r}.") from error
        bad = [name for name, value in zip(values, asked, strict=True) if not math.isfinite(value)]
        if bad:
            raise CommandError(f"the command for {quoted(bad)} is not finite; send a number.")
        return places, np.array(asked, dtype=np.float64)

    def command(self, values: Mapping[str, float], mode: Mode) -> CommandResult:
        """Gives joints a position [rad or m], velocity [.../s] or effort [N m or N]."""
        servos = self._servos
        places, asked = self.check(values)
        at = self._at[places]
        if mode is Mode.POSITION:
            low, high = servos.lower[at], servos.upper[at]
        else:
            high = (servos.velocity if mode is Mode.VELOCITY else servos.effort)[at]
            low = -high
        given = np.clip(asked, low, high)
        entering = servos.mode[at] != Mode.POSITION
        self._reference[places] = np.where(
            entering, servos.data.qpos[self._qpos[places]], self._reference[places]
        )
        self._integral[places] = np.where(entering, 0.0, self._integral[places])
        self._target[places] = given
        self._end_trajectories(places)
        servos.set_mode(at.tolist(), mode)
        self._refresh()
        quantity = mode.name.lower()
        notes = [
            Clamp(f"joint '{name}'", quantity, wanted, got)
            for name, wanted, got in zip(values, asked.tolist(), given.tolist(), strict=True)
            if wanted != got
        ]
        return CommandResult(f"joint_{quantity}", tuple(notes))

    def follow(self, trajectory: JointTrajectory, start: float) -> CommandResult:
        """Follows a trajectory; one of other joints goes on beside it.

        Way-points outside a joint's range are moved to its end, and a motion that is too fast for
        a joint is slowed down as a whole. A first way-point later than zero is reached from where
        the joints are.

        Args:
            trajectory: Where the joints are to be, and when.
            start: Time at which it begins [s]; the joints hold until then.

        Raises:
            CommandError: A joint is unknown, or the motion would begin with a jump.
        """
        trajectory, places, notes = self.plan(trajectory, start)
        self._servos.set_mode(self._at[places].tolist(), Mode.POSITION)
        self._integral[places] = 0.0
        self._end_trajectories(places)
        self._trajectories.append((trajectory, places, start))
        self._refresh()
        return CommandResult("joint_trajectory", notes)

    def references(self, names: Iterable[str]) -> FloatArray:
        """Where joints are to be now [rad or m]: where they are, unless they hold a position.

        Raises:
            CommandError: A joint is unknown.
        """
        places = [self._find(name) for name in names]
        measured = self._servos.data.qpos[self._qpos[places]]
        return np.where(self._is_position[places], self._reference[places], measured)

    def reference_speeds(self, names: Iterable[str], time: float) -> FloatArray:
        """How fast running trajectories move joints now [rad/s or m/s]; 0 where none does.

        Raises:
            CommandError: A joint is unknown.
        """
        speeds = np.zeros(len(self._at))
        for trajectory, moved, start in self._trajectories:
            speeds[moved] = trajectory.sample(time - start)[1]
        return speeds[[self._find(name) for name in names]]

    def plan(
        self, trajectory: JointTrajectory, time: float
    ) -> tuple[JointTrajectory, list[int], tuple[Clamp, ...]]:
        """A trajectory as `follow` would do it, the places of its joints, and what was clamped.

        Raises:
            CommandError: A joint is unknown, or the motion would begin with a jump.
        """
        servos, names = self._servos, trajectory.names
        places = [self._find(name) for name in names]
        at = self._at[places]
        start = self.references(names)
        if trajectory.times[0] > 0.0:
            trajectory = trajectory.coming_from(start, self.reference_speeds(names, time))
        trajectory, notes = within_limits(
            trajectory, servos.lower[at], servos.upper[at], servos.velocity[at]
        )
        for name, joint_is, begins in zip(names, start, trajectory.positions[0], strict=True):
            if abs(begins - joint_is) > _JUMP:
                raise CommandError(
                    f"the trajectory begins with joint '{name}' at {begins:.4g}, which is at "
                    f"{joint_is:.4g}; give the first way-point a time later than 0 to get there."
                )
        return trajectory, places, notes

    def update(self, time: float, dt: float) -> None:
        """Sets the drives' efforts for the next step."""
        if self._trajectories:
            self._advance_trajectories(time)
        if self._approaches:
            self._approach(dt)
        if self._integrates:
            self._integrate(dt)
        data = self._servos.data
        if self._compensated:
            data.ctrl[self._actuator] = self._effort + self._bias_share @ data.qfrc_bias[self._load]
        elif self._is_stale:
            data.ctrl[self._actuator] = self._effort
            self._is_stale = False

    def get_state(self) -> dict[str, Any]:
        """All that the next update depends on."""
        return {
            "mode": self._servos.mode[self._at].copy(),
            "target": self._target.copy(),
            "reference": self._reference.copy(),
            "integral": self._integral.copy(),
            "trajectories": [_state_of(running) for running in self._trajectories],
            # As the last step left them; the engine's own state does not hold them.
            "bias": self._servos.data.qfrc_bias[self._load].copy(),
            "force": self._servos.data.actuator_force[self._actuator].copy(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from what `get_state` gave."""
        for place, mode in enumerate(state["mode"]):
            self._servos.set_mode([int(self._at[place])], Mode(int(mode)))
        self._target, self._reference, self._integral = (
            state[key].copy() for key in ("target", "reference", "integral")
        )
        self._servos.data.qfrc_bias[self._load] = state["bias"]
        self._servos.data.actuator_force[self._actuator] = state["force"]
        self._trajectories.clear()
        for *fields, start in state["trajectories"]:
            trajectory = JointTrajectory(*fields)
            places = [self._find(name) for name in trajectory.names]
            self._trajectories.append((trajectory, places, start))
        self._refresh()

    def _measure_bias(self) -> None:
        """Works out gravity and Coriolis efforts where no step has done so yet."""
        import mujoco

        model, data = self._servos.model, self._servos.data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 0, data.qfrc_bias)

    def _find(self, name: str) -> int:
        if name not in self._place:
            self._servos.index(name)  # names the close matches
            raise CommandError(
                f"joint '{name}' belongs to the robot's drive; command the drive with linear and "
                "angular, or configure the robot without it (drive=None)."
            )
        return self._place[name]

    def _refresh(self) -> None:
        """Works out what each drive is sent while nothing changes."""
        mode = self._servos.mode[self._at]
        self._is_position = mode == Mode.POSITION
        still = self._is_position & (self._reference != self._target)
        self._approaches = bool(still.any())
        self._integrates = bool((self._integral_gain[self._is_position] > 0.0).any())
        self._set_effort(0.0)
        mask = np.where(mode == Mode.EFFORT, self._compensates_effort, self._compensates)
        self._compensated = bool(mask.any())
        self._bias_share = mask[:, None] * self._servos.load_share[self._at]

    def _set_effort(self, reference_velocity: FloatArray | float) -> None:
        mode = self._servos.mode[self._at]
        position = self._kp * self._reference + self._feed * reference_velocity + self._integral
        velocity = self._feed * self._target
        self._effort = np.where(
            self._is_position, position, np.where(mode == Mode.VELOCITY, velocity, self._target)
        )
        self._is_stale = True

    def _approach(self, dt: float) -> None:
        before = self._reference
        step = np.clip(self._target - before, -self._fastest * dt, self._fastest * dt)
        self._reference = np.where(self._is_position, before + step, before)
        arrived = np.abs(self._reference - self._target) <= 1e-15 + 1e-12 * np.abs(self._target)
        self._reference = np.where(arrived & self._is_position, self._target, self._reference)
        still = self._is_position & (self._reference != self._target)
        self._approaches = bool(still.any())
        self._set_effort(np.where(still, step / dt, 0.0) if self._approaches else 0.0)

    def _end_trajectories(self, places: list[int]) -> None:
        """Ends those that move one of these joints."""
        self._trajectories = [
            running for running in self._trajectories if not {*running[1]} & {*places}
        ]

    def _advance_trajectories(self, time: float) -> None:
        reference_velocity = np.zeros(len(self._at))
        for trajectory, places, start in self._trajectories:
            position, velocity, _ = trajectory.sample(time - start)
            at = self._at[places]
            position = np.clip(position, self._servos.lower[at], self._servos.upper[at])
            self._reference[places] = self._target[places] = position
            reference_velocity[places] = velocity
        self._set_effort(reference_velocity)
        self._trajectories = [
            running for running in self._trajectories if time - running[2] < running[0].duration
        ]

    def _integrate(self, dt: float) -> None:
        data = self._servos.data
        error = self._reference - data.qpos[self._qpos]
        step = self._integral_gain * error * dt
        # No winding up: a saturated drive integrates only back.
        force = data.actuator_force[self._actuator]
        saturated = np.abs(force) >= self._servos.effort[self._at] * (1.0 - 1e-9)
        step = np.where(self._is_position & ~(saturated & (force * step > 0.0)), step, 0.0)
        bound = self._integral_bound
        integral = np.clip(self._integral + step, -bound, bound)
        self._effort = self._effort + np.where(self._is_position, integral - self._integral, 0.0)
        self._integral = integral
        self._is_stale = True


def _state_of(running: _Running) -> tuple[Any, ...]:
    trajectory, _, start = running
    return (
        trajectory.names,
        trajectory.times,
        trajectory.positions,
        trajectory.method,
        trajectory.velocities,
        trajectory.accelerations,
        start,
    )
