"""Robots on legs that walk at the velocity that they are told, by a gait."""

from __future__ import annotations

from typing import Any

import numpy as np

from horus_sim.errors import CommandError
from horus_sim.files.config import Config, Positive
from horus_sim.robots.description import JointType, RobotDescription
from horus_sim.sim3d.control.drive import Watchdog
from horus_sim.sim3d.control.gait import Gait, LegMotion, gait_source
from horus_sim.sim3d.control.ground_scan import GroundScan
from horus_sim.sim3d.control.joint_servos import JointServos, Mode
from horus_sim.sim3d.control.result import Clamp, CommandResult, clamp

_ROUNDING = 1e-9  # [s]
_DEEPEST = 5.0  # [m]
_FEWEST_JOINTS = 8  # four legs of two
_AXES = ("linear x", "linear y", "angular")


class LeggedDriveConfig(Config):
    """Legs that walk by a gait.

    Attributes:
        gait: Name of the gait: that of a shipped policy, or a file.
        timeout: Simulated time [s] for which a command holds; afterwards it stands. None for ever.
    """

    gait: str
    timeout: Positive | None = 0.5

    @property
    def joints(self) -> tuple[str, ...]:
        """None that it takes for itself: joints can be commanded one by one, too."""
        return ()

    def build(self, servos: JointServos) -> LeggedDrive:
        """A robot that stands, and walks when it is told to."""
        source = gait_source()
        if source is None:
            raise CommandError(
                f"nothing offers the gait '{self.gait}' of robot '{servos.robot.name}'; import "
                "horus_sim.rl first, which has it"
            )
        return LeggedDrive(self, source.load(self.gait), servos)


def detect_legs(description: RobotDescription) -> LeggedDriveConfig | None:
    """A drive for a robot for which there is a gait."""
    moving = [joint for joint in description.joints if joint.kind is JointType.REVOLUTE]
    if len(moving) < _FEWEST_JOINTS:
        return None
    source = gait_source()
    name = None if source is None else source.name_for(description)
    return None if name is None else LeggedDriveConfig(gait=name)


class LeggedDrive:
    """Walks at a velocity; until the first command, and after one to joints, it leaves them alone.

    Args:
        config: Settings.
        gait: The gait.
        servos: The drives of the robot.

    Attributes:
        is_on: Whether it holds the joints.
    """

    kind = "legs"

    def __init__(self, config: LeggedDriveConfig, gait: Gait, servos: JointServos) -> None:
        robot = servos.robot
        if robot.base != "floating":
            raise CommandError(
                f"robot '{robot.name}' is held by the world and cannot walk; load it with "
                "base='floating'."
            )
        self.config, self.is_on = config, False
        self._gait, self._servos = gait, servos
        self._at = servos.indices(gait.joints)
        self._own_gains = servos.kp[self._at].copy(), servos.kv[self._at].copy()
        model = servos.model
        free = model.joint(robot.free_joint)
        self._ground = None
        if len(gait.scan):
            body = model.body(robot.root_body).id
            self._ground = GroundScan(model, servos.data, body, gait.scan, _DEEPEST)
        self._free, self._dof = int(free.qposadr[0]), int(free.dofadr[0])
        self._low, self._high = servos.lower[self._at], servos.upper[self._at]
        self._watchdog = Watchdog(config.timeout)
        self._wanted = np.zeros(3)
        self._begin(0.0)

    def _begin(self, time: float) -> None:
        self._started = self._next = time
        self._action = np.zeros(len(self._at))
        self._targets = self._servos.data.qpos[self._servos.qpos[self._at]].copy()

    def command(self, ahead: float, aside: float, turning: float, time: float) -> CommandResult:
        """Walks from now on, and stands after the time-out.

        Args:
            ahead: [m/s].
            aside: To the left [m/s].
            turning: To the left [rad/s].
            time: Simulated time [s].
        """
        notes: list[Clamp] = []
        given = zip((ahead, aside, turning), self._gait.ranges, _AXES, strict=True)
        wanted = [clamp(value, *ends, axis, "velocity", notes) for value, ends, axis in given]
        self._wanted[:] = wanted
        self._watchdog.feed(time)
        if not self.is_on:
            self._switch(on=True)
            self._begin(time)
        return CommandResult(self.kind, tuple(notes))

    def stop(self) -> None:
        """Stands."""
        self._wanted[:] = 0.0

    def release(self) -> None:
        """Leaves the joints alone until the next command."""
        if self.is_on:
            self._switch(on=False)
        self._wanted[:] = 0.0

    def update(self, time: float, dt: float) -> None:
        """Sets where joints go in the next step."""
        del dt
        if not self.is_on:
            return
        if self._watchdog.has_expired(time):
            self._wanted[:] = 0.0
        if time >= self._next - _ROUNDING:
            self._next = max(self._next + self._gait.period, time)
            targets, self._action = self._gait.decide(self._motion(time), self._action)
            self._targets = np.clip(targets, self._low, self._high)
        servos = self._servos
        servos.data.ctrl[servos.actuator[self._at]] = servos.kp[self._at] * self._targets

    def sync(self) -> None:
        """The robot was put elsewhere by hand: nothing to forget."""

    def get_state(self) -> dict[str, Any]:
        """All that the next update depends on."""
        return {
            "is_on": self.is_on,
            "wanted": self._wanted.copy(),
            "watchdog": self._watchdog.get_state(),
            "times": (self._started, self._next),
            "action": self._action.copy(),
            "targets": self._targets.copy(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues from what `get_state` gave."""
        self._switch(on=bool(state["is_on"]))
        self._wanted[:] = state["wanted"]
        self._watchdog.set_state(state["watchdog"])
        self._started, self._next = state["times"]
        self._action, self._targets = state["action"].copy(), state["targets"].copy()

    def _switch(self, *, on: bool) -> None:
        """Gives the joints the gains of the gait, or their own."""
        self.is_on = on
        gains = (self._gait.stiffness, self._gait.damping) if on else self._own_gains
        for index, kp, kv in zip(self._at, *gains, strict=True):
            self._servos.set_gains(index, float(kp), float(kv))
        if on:
            self._servos.set_mode(self._at, Mode.POSITION)

    def _motion(self, time: float) -> LegMotion:
        data, servos = self._servos.data, self._servos
        w, x, y, z = data.qpos[self._free + 3 : self._free + 7].tolist()
        up = (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
        return LegMotion(
            angular_b=data.qvel[self._dof + 3 : self._dof + 6].copy(),
            up_b=np.array(up),
            command=self._wanted.copy(),
            positions=data.qpos[servos.qpos[self._at]].copy(),
            velocities=data.qvel[servos.dof[self._at]].copy(),
            time=time - self._started,
            heights=np.empty(0) if self._ground is None else self._ground.heights(),
        )
