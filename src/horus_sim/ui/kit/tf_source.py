"""Where the TF pages get transforms from: the running world, or the topics of a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from horus_sim.hub import connect
from horus_sim.hub.transforms.findings import find_problems
from horus_sim.hub.transforms.watch import Watch

if TYPE_CHECKING:
    from horus_sim.tf import FrameInfo, TFTree
    from horus_sim.tf.validation import TreeFinding


class TFSource:
    """The transforms of a tree, such as that of a running world.

    Args:
        look: Gives the tree of now.
    """

    def __init__(self, look: Callable[[], TFTree]) -> None:
        self._look = look

    @property
    def tree(self) -> TFTree:
        """The tree to look up in."""
        return self._look()

    def frames(self) -> Sequence[FrameInfo]:
        """Every frame."""
        return self.tree.frames()

    def problems(self) -> list[TreeFinding]:
        """What is wrong with them."""
        return find_problems(self.frames())

    def close(self) -> None:
        """Nothing more is looked at."""


class HubSource(TFSource):
    """The transforms that programs broadcast.

    Args:
        url: ``inproc://`` or ``zenoh://``, as in `horus_sim.hub.connect`.
        name: Name of the session, or '' for that of the environment.

    Raises:
        HubError: There is no such transport, or the name is not fit.
    """

    def __init__(self, url: str, name: str = "") -> None:
        self.hub = connect(url, session=name or None)
        self._watch = Watch(self.hub)
        super().__init__(lambda: self._watch.buffer.tree)

    def frames(self) -> Sequence[FrameInfo]:
        """Every frame, refused ones not counted."""
        return self._watch.buffer.frames()

    def problems(self) -> list[TreeFinding]:
        """What is wrong with them, also what the tree refused."""
        return self._watch.problems()

    def close(self) -> None:
        """Stops listening."""
        self.hub.close()
