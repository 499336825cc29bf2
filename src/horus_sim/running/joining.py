"""What a running world is joined to: topics, a recording, a live view."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from horus_sim.errors import HubError, MissingExtraError
from horus_sim.hub.messages import Clock
from horus_sim.running.topic_plan import CLOCK_TOPIC
from horus_sim.running.world.config import RunningConfig
from horus_sim.running.world.running_world import RunningWorld

if TYPE_CHECKING:
    from horus_sim.hub import Hub, Publisher
    from horus_sim.running.outlets.outgoing import Outlet
    from horus_sim.running.recording.foxglove.compression import Packing
    from horus_sim.running.recording.mcap.run_recorder import RunRecorder
    from horus_sim.running.world.stepped_world import SteppedWorld

DEFAULT_URL = "zenoh://"
# A world that has just ended may be known for a moment.
_LEAVING_S = 2.0
# Until those who begin now have heard of each other.
_MEETING_S = 0.3


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a running world is to be joined to; plain data, which another process can be given.

    Attributes:
        url: Transport of the topics; None is the usual one.
        session: Name of the session.
        net: Address for other machines.
        record: MCAP file, or the folder of a ROS 2 bag.
        record_images: How it packs pictures; raw unless given.
        foxglove_port: Port of the live view.
        has_page: Whether the world is shown as a page, which brings topics with it.
        horus: Whether programs of HORUS join it.
        ros_names: Whether topics and frames are called as those of a ROS robot.
    """

    url: str | None = None
    session: str | None = None
    net: str | None = None
    record: str | None = None
    record_images: str | None = None
    foxglove_port: int | None = None
    has_page: bool = False
    horus: bool = False
    ros_names: bool = False

    @property
    def has_topics(self) -> bool:
        """Whether topics were asked for by name."""
        return self.horus or any(value is not None for value in (self.url, self.session, self.net))

    @property
    def is_attended(self) -> bool:
        """Whether somebody takes part while it runs."""
        return self.has_page or self.has_topics or self.foxglove_port is not None


@dataclass(slots=True)
class Joined:
    """A running world and what it is joined to.

    Attributes:
        running: Steps the world.
        notes: What to tell the user at once, one thing a line.
        summaries: Each gives a line for the end.
        failures: Each gives why an outlet ended early, or None.
        no_topics: Why there are no topics although they were to be; empty otherwise.
    """

    running: RunningWorld
    notes: list[str] = field(default_factory=list)
    summaries: list[Callable[[], str]] = field(default_factory=list)
    failures: list[Callable[[], object]] = field(default_factory=list)
    no_topics: str = ""

    @property
    def has_failed(self) -> bool:
        """Whether a recording or a video ended early."""
        return any(failure() is not None for failure in self.failures)


@contextmanager
def join(world: SteppedWorld, wishes: Wishes) -> Iterator[Joined]:
    """Joins a world to what is wished for, until the end of the block.

    Args:
        world: The world.
        wishes: What it is joined to. Topics that come with a page may be missing, and
            `Joined.no_topics` says why; what was asked for by name must be had.
    """
    with ExitStack() as stack:
        claim = ExitStack()
        hub, no_topics = _open_topics(wishes, stack, claim)
        running = RunningWorld(world, hub, RunningConfig(ros_names=wishes.ros_names))
        stack.callback(running.close)
        claim.close()
        joined = Joined(running, no_topics=no_topics)
        if hub is not None:
            where = wishes.url or DEFAULT_URL
            joined.notes.append(f"topics of session '{hub.session}' at {where}")
        elif no_topics:
            joined.notes.append(f"no topics: {no_topics}")
        if wishes.horus:
            _bridge_to_horus(wishes, stack)
            joined.notes.append("topics of HORUS under the same names")
        if wishes.record is not None:
            recorder = _recorder(wishes.record, cast("Any", wishes.record_images or "raw"))
            running.add_outlet(recorder)
            joined.summaries.append(recorder.summary)
            joined.failures.append(lambda: recorder.error)
        if wishes.foxglove_port is not None:
            from horus_sim.running.recording import FoxgloveServer

            server: FoxgloveServer = FoxgloveServer(wishes.foxglove_port)
            running.add_outlet(cast("Outlet", server))
            joined.notes.append(f"open Foxglove and connect to {server.url}")
        yield joined


def require_alone(hub: Hub) -> None:
    """Refuses a session that has a world already: listeners would get the messages of both."""
    end = time.monotonic() + _LEAVING_S
    while others := hub.publishers_of(CLOCK_TOPIC):
        if time.monotonic() > end:
            raise HubError(_taken(hub, others))
        time.sleep(0.1)


def _claim(hub: Hub) -> Publisher[Clock]:
    """Lets others know that a world begins in this session; of two at once, one gives way.

    Returns:
        To be closed when the world itself has the topic.

    Raises:
        HubError: This one gives way.
    """
    require_alone(hub)
    claim = hub.publisher(CLOCK_TOPIC, Clock)
    time.sleep(_MEETING_S)
    others = hub.publishers_of(CLOCK_TOPIC)
    if others and min(others) < hub.name:
        raise HubError(_taken(hub, others))
    return claim


def _taken(hub: Hub, others: list[str]) -> str:
    return (
        f"'{others[0]}' runs a world in session '{hub.session}' already; end it, or give this one "
        "a session of its own (--session NAME, or HORUS_SESSION_ID)"
    )


def _recorder(path: str, images: Packing) -> RunRecorder:
    """What writes a recording: an MCAP file for Foxglove, or a ROS 2 bag."""
    from horus_sim.running.recording import BagRecorder, McapRecorder

    kind = McapRecorder if path.endswith(".mcap") else BagRecorder
    return kind(path, images=images)


def _bridge_to_horus(wishes: Wishes, stack: ExitStack) -> None:
    from horus_sim.hub import connect
    from horus_sim.hub.horus import HorusBridge

    # A connection of its own: its commands are those of a commander called 'horus'.
    hub = stack.enter_context(connect(wishes.url or DEFAULT_URL, wishes.session, name="horus"))
    stack.enter_context(HorusBridge(hub)).start()


def _open_topics(wishes: Wishes, stack: ExitStack, claim: ExitStack) -> tuple[Hub | None, str]:
    """The connection, or why there is none.

    Args:
        wishes: What is wanted.
        stack: Closes the connection in the end.
        claim: To be closed when the world itself is on topics.
    """
    from horus_sim.hub import connect

    if not (wishes.has_topics or wishes.has_page):
        return None, ""
    url = wishes.url or DEFAULT_URL
    if url == "inproc://":
        raise HubError("nobody else could join 'inproc://' topics of this command; use 'zenoh://'")
    try:
        with ExitStack() as opening:
            hub = opening.enter_context(connect(url, wishes.session, net=wishes.net))
            claim.callback(_claim(hub).close)
            stack.enter_context(opening.pop_all())
            return hub, ""
    except (HubError, MissingExtraError) as error:
        if wishes.has_topics:
            raise
        return None, str(error)
