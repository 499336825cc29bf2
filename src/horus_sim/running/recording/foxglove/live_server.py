"""A live view in Foxglove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from horus_sim.errors import RecordingError
from horus_sim.running.outlets.due_times import Due
from horus_sim.running.recording.command_log import plain_entry
from horus_sim.running.recording.foxglove.channels import Channels
from horus_sim.running.recording.foxglove.form_names import STATIC_TOPIC
from horus_sim.running.recording.foxglove.sdk import foxglove
from horus_sim.running.topic_plan import CLOCK_TOPIC, SCENE_TOPIC, STATUS_TOPIC

if TYPE_CHECKING:
    from horus_sim.running.world.stepped_world import SteppedWorld

DEFAULT_PORT = 8765
_AGAIN_HZ = 1.0
_KEPT_TOPICS = (STATIC_TOPIC, STATUS_TOPIC, SCENE_TOPIC)
"""Sent once; for viewers that come later they are sent again."""


class FoxgloveServer:
    """Serves every message of a running world to Foxglove; connect it to `url`.

    A viewer that cannot keep up misses messages; the simulation does not wait.

    Args:
        port: Where it listens; 0 takes a free one.
        host: Who may connect: this machine alone unless given. There is no login.

    Attributes:
        port: Where it listens.
        url: Its address.

    Raises:
        RecordingError: The port is taken.
    """

    def __init__(self, port: int = DEFAULT_PORT, host: str = "127.0.0.1") -> None:
        self._channels = Channels()
        try:
            self._server = foxglove.start_server(
                name="horus-sim",
                host=host,
                port=port,
                context=self._channels.context,
                capabilities=[foxglove.Capability.Time],
            )
        except (RuntimeError, OSError) as error:
            raise RecordingError(
                f"the Foxglove server does not start at {host}:{port} ({error}); choose another "
                "port, or 0 for a free one"
            ) from error
        self.port: int = self._server.port
        self.url = f"ws://{host}:{self.port}"
        self._is_fresh = True
        self._kept: dict[str, Any] = {}
        self._again = Due(_AGAIN_HZ)

    def begin_run(self, world: SteppedWorld) -> None:
        """Viewers forget the earlier run."""
        if not self._is_fresh:
            self._server.clear_session()
        self._is_fresh = False
        self._kept.clear()
        self._again.restart()
        self._server.broadcast_time(world.stamp_ns)

    def log(self, topic: str, message: Any, stamp_ns: int) -> None:  # noqa: ANN401 - any message
        """Serves a message, if anybody wants it."""
        if isinstance(message, dict):
            message = plain_entry(message)
        if topic in _KEPT_TOPICS:
            self._kept[topic] = message
        if topic == CLOCK_TOPIC:
            self._server.broadcast_time(stamp_ns)
            if self._again.pop(stamp_ns):
                for kept, last in self._kept.items():
                    if self._channels.is_wanted(kept):
                        self._channels.log(kept, last, stamp_ns)
        if self._channels.is_wanted(topic):
            self._channels.log(topic, message, stamp_ns)

    def close(self) -> None:
        """Ends the server."""
        self._server.stop()
        self._channels.close()
