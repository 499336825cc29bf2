"""Transforms as HORUS programs import them: a tree that hears the broadcasters by itself.

from horus_sim.library.tf import TFTree, TFBroadcaster, Transform
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Self

from horus_sim.errors import InvalidTransformError
from horus_sim.hub import (
    StaticTFBroadcaster,
    StaticTFBroadcasterNode,
    TFBroadcaster,
    TFBroadcasterNode,
    TFListener,
    TFListenerNode,
    connect,
)
from horus_sim.robots import load_robot
from horus_sim.tf import StaticTransformStamped, TFBuffer, TFMessage, Transform, TransformStamped
from horus_sim.tf import TFTree as _TFTree

__all__ = [
    "StaticTFBroadcaster",
    "StaticTFBroadcasterNode",
    "StaticTransformStamped",
    "TFBroadcaster",
    "TFBroadcasterNode",
    "TFBuffer",
    "TFListener",
    "TFListenerNode",
    "TFMessage",
    "TFTree",
    "Transform",
    "TransformStamped",
]

WORLD = "world"


class TFTree(_TFTree):
    """A tree that is filled by every broadcaster of its session.

    Args:
        buffer_duration: History kept for each moving frame [s].
        url: Transport to listen on, as in `horus_sim.hub.connect`.
        session: Name of the session.
    """

    def __init__(
        self, buffer_duration: float = 10.0, *, url: str = "inproc://", session: str | None = None
    ) -> None:
        super().__init__(buffer_duration)
        self._hub = connect(url, session)
        self._listener = TFListener(self._hub, TFBuffer(self))

    @classmethod
    def from_urdf(
        cls,
        name_or_path: str | Path,
        *,
        package_roots: Iterable[str | Path] = (),
        url: str = "inproc://",
        session: str | None = None,
    ) -> Self:
        """A tree with the links of a robot, each joint at zero, the root link in ``world``.

        Its frames stand still until `update_frame` moves them. `Robot.tf_tree` gives frames with
        times, into which broadcasters can move the joints.

        Args:
            name_or_path: A file, or the name of a shipped robot.
            package_roots: Folders that hold the packages of the file.
            url: Transport to listen on.
            session: Name of the session.

        Raises:
            DescriptionError: The file cannot be used.
        """
        robot = load_robot(name_or_path, package_roots=package_roots, allow_missing=True)
        tree = cls(url=url, session=session)
        if robot.description.root != WORLD:
            tree.add_frame(robot.description.root, WORLD)
        frames = robot.tf_tree()
        for info in frames.frames():
            if info.parent is not None:
                T_parent_frame = frames.frame_pose(info.name, info.parent)
                tree.add_static_transform(info.parent, info.name, T_parent_frame)
        return tree

    def add_frame(self, name: str, parent: str, transform: Transform | None = None) -> None:
        """Hangs a frame from one that the tree has, or from ``world``, the root.

        Args:
            name: The frame.
            parent: The frame above it.
            transform: T_parent_frame; the identity by default.

        Raises:
            UnknownFrameError: The tree has no such parent.
        """
        if parent != WORLD:
            self.frame(parent)
        self.add_static_transform(parent, name, transform or Transform())

    def update_frame(self, name: str, transform: Transform) -> None:
        """Moves a frame in its parent: T_parent_frame from now on.

        Raises:
            UnknownFrameError: The tree has no such frame.
            InvalidTransformError: It is the root, which has no parent.
        """
        parent = self.frame(name).parent
        if parent is None:
            raise InvalidTransformError(f"'{name}' is a root; only frames with a parent can move")
        self.add_static_transform(parent, name, transform)

    def get_transform(self, source: str, target: str) -> Transform:
        """The pose of `target` in `source`, such as ``get_transform("world", "sensor")``."""
        return self.frame_pose(target, source)

    def close(self) -> None:
        """Stops listening; what was heard stays."""
        self._hub.close()
