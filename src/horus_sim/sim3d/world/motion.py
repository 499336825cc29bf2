"""Paths on which objects are carried: a pose for every time."""

from __future__ import annotations

import bisect

from horus_sim.sim3d.scene.objects import MotionConfig
from horus_sim.tf import Transform


class Motion:
    """A path through waypoints, a pure function of time.

    Args:
        config: The waypoints.
        T_world_scene: Frame in which they are given.
    """

    def __init__(self, config: MotionConfig, T_world_scene: Transform) -> None:
        self._times = [waypoint.time for waypoint in config.waypoints]
        self._poses = [T_world_scene @ point.pose.transform() for point in config.waypoints]
        self._loop = config.loop

    def pose_at(self, time: float) -> Transform:
        """T_world_object at a time [s]."""
        end = self._times[-1]
        if self._loop == "repeat":
            time %= end
        elif self._loop == "pingpong":
            time %= 2 * end
            time = min(time, 2 * end - time)
        if time >= end:
            return self._poses[-1]
        i = bisect.bisect_right(self._times, time) - 1
        share = (time - self._times[i]) / (self._times[i + 1] - self._times[i])
        return self._poses[i].interpolate(self._poses[i + 1], share)
