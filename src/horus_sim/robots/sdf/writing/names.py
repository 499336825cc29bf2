"""What links and joints are called in SDF, where all members of a model share their names."""

from __future__ import annotations

from horus_sim.files.names import free_name
from horus_sim.robots.description import RobotDescription

WORLD = "world"


class Names:
    """Names of a description as SDF can have them.

    Links of nested models ('inner::link') are written into the model itself: '::' becomes '_'.
    Joints and frames that are called as something before them get underscores.

    Args:
        description: The robot.
    """

    def __init__(self, description: RobotDescription) -> None:
        self._taken = {WORLD}
        self.links = {
            link.name: WORLD if link.name == WORLD == description.root else self.new(link.name)
            for link in description.links
        }
        joints = (*description.joints, *description.loops)
        self.joints = {joint.name: self.new(joint.name) for joint in joints}
        self.frames = {frame: self.new(frame) for frame in description.extra_frames}

    def new(self, name: str) -> str:
        """A name like this one that nothing has."""
        plain = name.replace("::", "_")
        if plain.startswith("__") and plain.endswith("__"):
            plain = f"_{plain.strip('_')}"
        free = free_name(plain or "_", self._taken)
        self._taken.add(free)
        return free
