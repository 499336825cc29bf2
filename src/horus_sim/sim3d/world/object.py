"""An object in a running world, and the path on which it may be carried."""

from __future__ import annotations

import bisect

from horus_sim.robots.frame_name import frame_name
from horus_sim.sim3d.scene.objects import MotionConfig
from horus_sim.sim3d.scene.placed import PlacedObject
from horus_sim.sim3d.world.handle import Handle, LiveState
from horus_sim.tf import Transform


class WorldObject(Handle):
    """A handle to an object; the world makes it.

    Attributes:
        config: The object as the scene describes it.
        motion: Its path, or None.
    """

    def __init__(self, live: LiveState, placed: PlacedObject) -> None:
        super().__init__(live, "object", placed.name)
        self.config = placed.config
        path = placed.config.motion
        self.motion = None if path is None else Motion(path, placed.T_world_scene)

    def bind(self) -> None:
        """Finds the object in the world's model, which has changed."""
        self._find(self.name, is_free=self.config.dynamic)

    @property
    def is_dynamic(self) -> bool:
        """Whether forces move it."""
        return self.config.dynamic

    @property
    def frame(self) -> str:
        """Name of its frame in the transform tree."""
        return frame_name(self.name)

    def __repr__(self) -> str:
        return f"<WorldObject '{self.name}'>"


class Motion:
    """A path through waypoints, a pure function of time.

    Args:
        config: Its waypoints.
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
