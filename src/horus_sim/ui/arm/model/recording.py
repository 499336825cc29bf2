"""Recordings of what the arm did, and the files that they become."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.arm import Trajectory
from horus_sim.errors import UiError
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm import Arm

LONGEST_S = 600.0


class Recorder:
    """Collects joint positions over time.

    Args:
        arm: The arm.
    """

    def __init__(self, arm: Arm) -> None:
        self._arm = arm
        self._stamps: list[int] = []
        self._rows: list[npt.NDArray[np.float64]] = []

    @property
    def duration(self) -> float:
        """Length so far [s]."""
        return self._stamps[-1] / NS_PER_S if self._stamps else 0.0

    @property
    def is_full(self) -> bool:
        """Whether it is as long as it may become."""
        return self.duration >= LONGEST_S

    def add(self, passed_s: float, q: npt.NDArray[np.float64]) -> None:
        """Takes joint positions, `passed_s` seconds after those before."""
        stamp = self._stamps[-1] + max(1, round(passed_s * NS_PER_S)) if self._stamps else 0
        self._stamps.append(stamp)
        self._rows.append(q.copy())

    def finish(self) -> Trajectory:
        """What was recorded.

        Raises:
            UiError: It is shorter than two points.
        """
        if len(self._stamps) < 2:
            raise UiError("the recording is empty; move the arm before you stop it")
        stamps_ns, q = np.array(self._stamps, np.int64), np.array(self._rows)
        qd = np.gradient(q, stamps_ns / NS_PER_S, axis=0)
        qdd = np.gradient(qd, stamps_ns / NS_PER_S, axis=0)
        return Trajectory(stamps_ns, q, qd, qdd, self._arm.joint_names)


def to_json(arm: Arm, trajectory: Trajectory) -> str:
    """A trajectory as JSON: names and units of the joints, stamps [ns], positions, the tool [m]."""
    tool = arm.fk_batch(trajectory.q)[:, :3, 3]
    return json.dumps(
        {
            "arm": arm.name,
            "joint_names": list(trajectory.joint_names),
            "units": [joint.unit for joint in arm.description.joints],
            "stamps_ns": trajectory.stamps_ns.tolist(),
            "q": trajectory.q.tolist(),
            "tool_xyz_m": tool.tolist(),
        }
    )
