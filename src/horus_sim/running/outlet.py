"""What a running world is told to: recordings, live views, logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from horus_sim.running.stepped_world import SteppedWorld


class Outlet(Protocol):
    """Gets every message of a running world, in the thread that steps it."""

    def begin_run(self, world: SteppedWorld) -> None:
        """A run begins: the world has started, or was reset or replaced."""

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
