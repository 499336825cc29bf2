"""A trot: which feet are lifted when, and what that asks of the joints."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.models.legs import LeggedRobot

# Feet that move together: front left and rear right, then the others.
_TURNS = np.array((1.0, -1.0, -1.0, 1.0))
# Slower than this is standing [m/s, rad/s].
_STILL = 1e-3


class Trot:
    """The pattern that a policy changes by its actions.

    Args:
        robot: The robot.
        stride: Time from one step of a foot to the next [s].
        scale: Offset of a joint's target for an action of 1 [rad].
    """

    def __init__(self, robot: LeggedRobot, stride: float, scale: float) -> None:
        self._robot, self._scale = robot, scale
        self._rate = 2.0 * np.pi / stride
        counts = [len(leg.joints) for leg in robot.legs]
        self._leg_of = np.repeat(np.arange(len(counts)), counts)

    @staticmethod
    def moves(command: Floats) -> npt.NDArray[np.bool_]:
        """Whether a command is not to stand still, shape (n,) for commands of shape (n, 3)."""
        return np.abs(command).max(axis=-1) > _STILL

    def clock(self, time: npt.NDArray[Any], moves: npt.NDArray[np.bool_]) -> Floats:
        """Sine and cosine of the phase; 0 where it stands, shape (n, 2).

        Args:
            time: Since it began [s], shape (n,).
            moves: Whether it does not stand still, shape (n,).
        """
        phase = self._rate * time
        return np.stack([np.sin(phase) * moves, np.cos(phase) * moves], axis=-1)

    @staticmethod
    def lifts(clock: Floats) -> Floats:
        """How high feet are to be, as shares of the robot's lift, shape (n, feet)."""
        return np.maximum(0.0, clock[..., :1] * _TURNS)

    def targets(self, actions: npt.NDArray[Any], clock: Floats) -> Floats:
        """Where joints are to go [rad], shape (n, joints).

        Args:
            actions: Offsets from the trot, shape (n, joints).
            clock: As `clock` gave it, shape (n, 2).
        """
        swing = self.lifts(clock)[..., self._leg_of] * self._robot.swing
        return self._robot.stance + self._scale * actions + swing
