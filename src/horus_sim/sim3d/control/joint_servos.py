"""The drives of one robot's joints, each switched between position, velocity and effort.

A drive is MuJoCo's general actuator with force = ctrl - kp q - kv v, clipped to the joint's effort
limit by the engine. As a position servo it has both terms, as a velocity servo the second, and as
an effort drive none; the velocity term is integrated implicitly, so that stiff servos are stable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from horus_sim.errors import UnknownJointError
from horus_sim.files.names import propose

if TYPE_CHECKING:
    import mujoco

    from horus_sim.sim3d.compile.robot.coordinates import BuiltRobot, Coordinate

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]
_ARM_LENGTH = 3


class Mode(IntEnum):
    """What a drive regulates."""

    EFFORT = 0
    VELOCITY = 1
    POSITION = 2


class JointServos:
    """The driven joints of one robot in a compiled model; arrays have shape (n,).

    Args:
        robot: The robot as the builder put it into the model.
        model: The compiled model.
        data: Its state.

    Attributes:
        robot: The robot.
        is_fixed: Whether the robot is bolted down.
        names: Names of the joints in the robot, without prefix.
        qpos: Addresses of the positions in `data.qpos`.
        dof: Addresses of the velocities in `data.qvel`.
        actuator: Indices in `data.ctrl`.
        lower: Smallest position [rad or m]; -inf without.
        upper: Largest position [rad or m]; inf without.
        velocity: Largest speed [rad/s or m/s]; inf without.
        effort: Largest effort [N m or N]; inf without.
        kp: Stiffness of the position servo [N m/rad or N/m].
        kv: Damping of the servo [N m s/rad or N s/m].
        damping: Damping of the joint itself [N m s/rad or N s/m].
        holds: Whether the joint holds at rest, whatever its bounds.
        sprung: Whether a spring of its own moves the joint.
        load_dof: Addresses of all velocities that the drives move, followers too, shape (m,).
        load_share: How fast each of these moves for one unit of each drive, shape (n, m).
        mode: `Mode` of each, as small integers.
    """

    def __init__(self, robot: BuiltRobot, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        driven = [coordinate for coordinate in robot.coordinates if coordinate.drive is not None]
        drives = [coordinate.drive for coordinate in driven if coordinate.drive is not None]
        joints = [model.joint(coordinate.mujoco_name) for coordinate in driven]
        actuators = [model.actuator(coordinate.mujoco_name).id for coordinate in driven]
        self.model = model
        self.data = data
        self.names = tuple(coordinate.name for coordinate in driven)
        self.qpos: IntArray = np.array([int(joint.qposadr[0]) for joint in joints], dtype=np.intp)
        self.dof: IntArray = np.array([int(joint.dofadr[0]) for joint in joints], dtype=np.intp)
        self.actuator: IntArray = np.array(actuators, dtype=np.intp)
        self.lower = _bounds([each.lower for each in driven], -np.inf)
        self.upper = _bounds([each.upper for each in driven], np.inf)
        self.velocity = _bounds([each.velocity for each in driven], np.inf)
        self.effort = _bounds([each.effort for each in driven], np.inf)
        self.kp = np.array([drive.kp for drive in drives], dtype=np.float64)
        self.kv = np.array([drive.kv for drive in drives], dtype=np.float64)
        self.damping: FloatArray = model.dof_damping[self.dof].copy()
        self.holds = np.array([drive.holds for drive in drives], dtype=np.bool_)
        self.sprung = np.array([np.any(joint.stiffness > 0.0) for joint in joints], dtype=np.bool_)
        self.load_dof, self.load_share = _loads(robot.coordinates, driven, model)
        self.mode = np.full(len(driven), -1, dtype=np.int8)
        self.robot = robot
        self.is_fixed = robot.base == "fixed"
        self._index = {name: index for index, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    def index(self, name: str) -> int:
        """Place of a joint in the arrays.

        Raises:
            UnknownJointError: The robot has no drive on a joint of that name; the text proposes
                close names.
        """
        if name not in self._index:
            culprit = f"robot '{self.robot.name}'"
            raise UnknownJointError(propose(name, self.names, culprit, "driven joint"))
        return self._index[name]

    def indices(self, names: Iterable[str]) -> list[int]:
        """Places of several joints."""
        return [self.index(name) for name in names]

    def set_mode(self, indices: Sequence[int], mode: Mode) -> None:
        """Switches drives. Their control signal is up to the caller."""
        for index in indices:
            if self.mode[index] == mode:
                continue
            self.mode[index] = mode
            kp = self.kp[index] if mode == Mode.POSITION else 0.0
            kv = self.kv[index] if mode != Mode.EFFORT else 0.0
            set_servo(self.model, self.actuator[index], kp, kv)

    def set_gains(self, index: int, kp: float, kv: float) -> None:
        """Changes the gains of one drive."""
        self.kp[index] = kp
        self.kv[index] = kv
        mode, self.mode[index] = Mode(max(int(self.mode[index]), 0)), -1
        self.set_mode([index], mode)

    def write_position(self, index: int, position: float) -> None:
        """Sets where a position servo goes [rad or m]."""
        self.data.ctrl[self.actuator[index]] = self.kp[index] * position

    def write_velocity(self, index: int, velocity: float) -> None:
        """Sets the speed of a velocity servo [rad/s or m/s]."""
        gain = self.kv[index] + self.damping[index]
        self.data.ctrl[self.actuator[index]] = gain * velocity


def set_servo(
    model: mujoco.MjModel,
    actuators: IntArray | np.intp,
    kp: FloatArray | float,
    kv: FloatArray | float,
) -> None:
    """Sets what drives do by themselves: force = ctrl - kp q - kv v.

    Args:
        model: The compiled model.
        actuators: Indices of the drives in `data.ctrl`.
        kp: Stiffness [N m/rad or N/m].
        kv: Damping [N m s/rad or N s/m].
    """
    # From zero, so that no gain is a negative zero.
    model.actuator_biasprm[actuators, 1] = 0.0 - np.asarray(kp)
    model.actuator_biasprm[actuators, 2] = 0.0 - np.asarray(kv)


def holding_joints(servos: JointServos) -> npt.NDArray[np.bool_]:
    """Whether each driven joint holds its position at rest, shape (n,).

    A joint with an end to its range holds. One without, such as a wheel, a caster or a pendulum,
    turns freely, unless something below it holds, or it is one of at least three joints in a row
    of a robot that is bolted down: these are arms. Of a robot that stands on legs, all but wheels
    hold. A joint with a spring, such as a wheel's suspension, is left to its spring.

    Args:
        servos: The drives of the robot.
    """
    holds = np.isfinite(servos.lower) & np.isfinite(servos.upper) & ~servos.sprung
    holds |= servos.holds
    chains = [list(_driven_above(servos, index)) for index in range(len(servos))]
    for index, chain in enumerate(chains):
        if holds[index] or (servos.is_fixed and len(chain) >= _ARM_LENGTH):
            holds[chain] = True
    return holds & ~servos.sprung


def _driven_above(servos: JointServos, index: int) -> Iterator[int]:
    """A driven joint and all those between it and the root."""
    model = servos.model
    of_dof = {int(dof): place for place, dof in enumerate(servos.dof)}
    body = int(model.dof_bodyid[servos.dof[index]])
    while body > 0:
        first = int(model.body_dofadr[body])
        for dof in range(first, first + int(model.body_dofnum[body])):
            if dof in of_dof:
                yield of_dof[dof]
        body = int(model.body_parentid[body])


def _loads(
    coordinates: Sequence[Coordinate], driven: Sequence[Coordinate], model: mujoco.MjModel
) -> tuple[IntArray, FloatArray]:
    """Which velocities the drives move, directly or through joints that follow, and how fast."""
    row = {coordinate.name: index for index, coordinate in enumerate(driven)}
    mimics = {coordinate.name: coordinate.mimic for coordinate in coordinates}
    dofs, entries = [], []
    for coordinate in coordinates:
        name, share = coordinate.name, 1.0
        while name not in row and (mimic := mimics.get(name)) is not None:
            name, share = mimic.joint, share * mimic.multiplier
        if name in row:
            entries.append((row[name], len(dofs), share))
            dofs.append(int(model.joint(coordinate.mujoco_name).dofadr[0]))
    matrix = np.zeros((len(driven), len(dofs)))
    for at, column, share in entries:
        matrix[at, column] = share
    return np.array(dofs, dtype=np.intp), matrix


def _bounds(values: list[float | None], otherwise: float) -> FloatArray:
    return np.array([otherwise if value is None else value for value in values], dtype=np.float64)
