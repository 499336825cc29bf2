"""Frames of a transform tree for 3D views: their names when these change, their poses often."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from horus_sim.errors import TFError
from horus_sim.ui.stream.frames import transform_frame

if TYPE_CHECKING:
    from horus_sim.tf import TFTree, Transform
    from horus_sim.ui.stream.streaming import Stream

Groups = Callable[[], Mapping[str, str]]


class FrameStream:
    """Publishes a tree on the channels `<channel>` and `<channel>_layout`.

    Args:
        stream: Stream that carries the frames.
        channel: Name of the channel.
    """

    def __init__(self, stream: Stream, channel: str) -> None:
        self._stream = stream
        self._channel = channel
        self._names: list[str] = []
        self._number = 0

    def publish(self, tree: TFTree, time: float, groups: Groups = dict) -> None:
        """Publishes where every frame is, in the frame that is the root of its tree.

        Args:
            tree: The tree.
            time: Time to state [s].
            groups: Gives 'robot' or 'sensor' by frame; asked when the frames changed.
        """
        parents = {info.name: None if info.is_orphan else info.parent for info in tree.frames()}
        if list(parents) != self._names:
            self._publish_layout(parents, groups())
        roots = {name: _root(name, parents) for name in parents}
        poses = [_pose(tree, name, roots[name]) for name in self._names]
        self._stream.publish(self._channel, transform_frame(poses, self._number, time))

    def _publish_layout(self, parents: dict[str, str | None], groups: Mapping[str, str]) -> None:
        self._names = list(parents)
        self._number += 1
        index = {name: i for i, name in enumerate(self._names)}
        layout = {
            "channel": f"{self._channel}_layout",
            "number": self._number,
            "names": self._names,
            "parents": [index.get(parent or "", -1) for parent in parents.values()],
            "groups": [groups.get(name, "other") for name in self._names],
        }
        self._stream.publish(layout["channel"], json.dumps(layout))


def _root(name: str, parents: Mapping[str, str | None]) -> str:
    seen = {name}
    while (above := parents.get(name)) is not None and above not in seen:
        seen.add(above)
        name = above
    return name


def _pose(tree: TFTree, name: str, root: str) -> Transform | None:
    try:
        return tree.frame_pose(name, root)
    except TFError:
        # A frame without a sample yet is drawn when it has one.
        return None
