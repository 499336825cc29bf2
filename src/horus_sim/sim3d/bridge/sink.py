"""What listens to a bridge beside the topics: recordings, live views, logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from horus_sim.sim3d.bridge.topics import COMMAND_LOG_TOPIC as COMMAND_LOG_TOPIC

if TYPE_CHECKING:
    from horus_sim.sim3d.world import World


class Sink(Protocol):
    """Gets every message of a bridge, in the thread that steps the world."""

    def begin_run(self, world: World) -> None:
        """A run begins: the bridge has started, or the world was reset."""

    def log(self, topic: str, message: Any, stamp_ns: int) -> None:  # noqa: ANN401 - any message
        """Takes a message.

        Args:
            topic: Where it is published.
            message: A message of `horus_sim.hub.messages`, a dict, on ``tf_static`` a tuple of
                static transforms, or on ``scene`` a `SceneShapes`.
            stamp_ns: Simulated time [ns] at which it went out or was taken in.
        """

    def close(self) -> None:
        """No more will come."""
