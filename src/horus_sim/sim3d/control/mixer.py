"""From wanted thrust and torques to the thrust of each rotor."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


class RotorMixer:
    """Shares a wrench among rotors that all push along the body's z axis.

    Args:
        positions: Rotors in the body [m], seen from the centre of mass, shape (n, 3).
        turns: 1 for a rotor that turns counter-clockwise seen from above, -1 for clockwise, (n,).
        drag: Torque about z for one newton of thrust [m].
        max_thrust: Largest thrust of one rotor [N].
    """

    def __init__(
        self, positions: npt.ArrayLike, turns: npt.ArrayLike, drag: float, max_thrust: float
    ) -> None:
        at = np.asarray(positions, dtype=np.float64)
        turns = np.asarray(turns, dtype=np.float64)
        # Rows: thrust, roll, pitch and yaw torque of one newton of each rotor. The air resists the
        # rotor's turning, so the body is turned the other way.
        self.allocation = np.stack((np.ones(len(at)), at[:, 1], -at[:, 0], -turns * drag))
        self._inverse: FloatArray = np.linalg.pinv(self.allocation).astype(np.float64)
        self.max_thrust = max_thrust

    def thrusts(self, thrust: float, torque: npt.ArrayLike) -> FloatArray:
        """Thrust of each rotor [N] that comes closest to a wanted wrench, shape (n,).

        When rotors saturate yaw is given up first, then roll and pitch in proportion; thrust is
        kept as far as it goes.

        Args:
            thrust: Along the body's z [N].
            torque: About the body's axes [N m], shape (3,).
        """
        roll, pitch, yaw = np.asarray(torque, dtype=np.float64)
        most = self.max_thrust
        level: FloatArray = np.clip(self._inverse[:, 0] * thrust, 0.0, most)
        tilt: FloatArray = self._inverse[:, 1] * roll + self._inverse[:, 2] * pitch
        level = level + _share(level, tilt, most) * tilt
        turn: FloatArray = self._inverse[:, 3] * yaw
        # A share that just fits may end a rounding error outside.
        return np.clip(level + _share(level, turn, most) * turn, 0.0, most)

    def wrench(self, thrusts: npt.ArrayLike) -> FloatArray:
        """Thrust [N] and torques about x, y and z [N m] of given thrusts [N], shape (4,)."""
        return self.allocation @ np.asarray(thrusts, dtype=np.float64)


def _share(level: FloatArray, change: FloatArray, most: float) -> float:
    """The largest part of `change`, at most all, that keeps each thrust between 0 and `most`."""
    room = np.where(change > 0.0, most - level, level)
    moving = np.abs(change) > 1e-12
    if not moving.any():
        return 1.0
    return float(min(1.0, (room[moving] / np.abs(change[moving])).min()))
