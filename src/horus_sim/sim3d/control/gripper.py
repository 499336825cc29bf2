"""Parallel grippers: open, close, and the width between the fingers."""

from __future__ import annotations

from horus_sim.errors import CommandError
from horus_sim.files.config import Config, NotNegative
from horus_sim.sim3d.control.joint_servos import JointServos, Mode
from horus_sim.sim3d.control.joints import JointController
from horus_sim.sim3d.control.result import Clamp, CommandResult, clamp

_SQUEEZE = 0.4  # part of the integral gain at which a servo of the builder's gains oscillates


class GripperConfig(Config):
    """Fingers that slide towards each other.

    Attributes:
        joints: The joints that are driven; a finger that follows another is not among them.
        fingers: How many fingers move, followers included.
        opens_upward: Whether growing positions open.
        closed_width: Width [m] that is left when the joints are at their closed end.
    """

    joints: tuple[str, ...]
    fingers: int = 2
    opens_upward: bool = True
    closed_width: NotNegative = 0.0

    def build(self, servos: JointServos, controller: JointController) -> Gripper:
        """A gripper whose joints the controller moves."""
        return Gripper(self, servos, controller)


class Gripper:
    """Opens and closes fingers."""

    kind = "gripper"

    def __init__(
        self, config: GripperConfig, servos: JointServos, controller: JointController
    ) -> None:
        self.config = config
        self._servos = servos
        self._controller = controller
        self._at = servos.indices(config.joints)
        lower, upper = servos.lower[self._at], servos.upper[self._at]
        self._travel = float((upper - lower).min())
        self._closed = lower if config.opens_upward else upper
        for name, index in zip(config.joints, self._at, strict=True):
            if name not in controller.config.gains:
                kp, kv = float(servos.kp[index]), float(servos.kv[index])
                controller.set_integral_gain(name, _SQUEEZE * 2.0 * kp * kp / kv)

    @property
    def max_width(self) -> float:
        """Width between the fingers [m] when fully open."""
        return self.config.closed_width + self.config.fingers * self._travel

    @property
    def width(self) -> float:
        """Width between the fingers now [m]."""
        positions = self._servos.data.qpos[self._servos.qpos[self._at]]
        mean = float(abs(positions - self._closed).mean())
        return self.config.closed_width + self.config.fingers * mean

    def command(self, width: float | str) -> CommandResult:
        """Moves the fingers.

        Args:
            width: Between the fingers [m], or 'open' or 'close'. On something thicker the fingers
                press ever harder, within a second or so up to the joints' largest effort.
        """
        if isinstance(width, str):
            if width not in ("open", "close"):
                raise CommandError(f"gripper '{width}' is unknown; use 'open', 'close' or a width.")
            width = self.max_width if width == "open" else self.config.closed_width
        notes: list[Clamp] = []
        given = clamp(width, self.config.closed_width, self.max_width, "gripper", "width", notes)
        travel = (given - self.config.closed_width) / self.config.fingers
        sign = 1.0 if self.config.opens_upward else -1.0
        values = {
            name: float(closed) + sign * travel
            for name, closed in zip(self.config.joints, self._closed, strict=True)
        }
        self._controller.clear_integral(self.config.joints)
        self._controller.command(values, Mode.POSITION)
        return CommandResult(self.kind, tuple(notes))
