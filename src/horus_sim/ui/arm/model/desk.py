"""A desk for each open page, with a bench of its own; the shelf of arms is shared by all."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import numpy as np

from horus_sim.arm import Arm
from horus_sim.tf import Transform
from horus_sim.ui.arm.model.arm_files import ArmShelf
from horus_sim.ui.arm.model.drawing import bench_frame, cloud_frame, path_frame
from horus_sim.ui.arm.model.thread import BenchThread
from horus_sim.ui.shell.sessions import Sessions
from horus_sim.ui.stream.view_messages import read_pose

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.ui.arm.model.bench import Bench, BenchState
    from horus_sim.ui.shell.site import Site
    from horus_sim.ui.stream.streaming import Client

_TRAIL_EVERY = 6


class ArmDesk:
    """What one page works at.

    Args:
        site: What all pages share.
        shelf: Arms to choose from.
        arm: On the bench to begin with.
        channel: Of the stream; unique.

    Attributes:
        shelf: Arms to choose from.
        thread: Moves the bench.
        channel: Of the stream.
    """

    address = None

    def __init__(self, site: Site, shelf: ArmShelf, arm: Arm, channel: str) -> None:
        self.shelf = shelf
        self.channel = channel
        self._stream = site.stream
        self._trail: list[np.ndarray] = []
        self._was_recording = False
        self._revision = 0
        self.thread = BenchThread(arm, site.log, self._publish)

    @property
    def state(self) -> BenchState:
        """How the bench is now."""
        return self.thread.state

    def drag(self, T_world_target: Transform, by: str) -> None:
        """Lets the tool go after a target that is being moved; a later one replaces an earlier."""
        self.thread.post("target", lambda bench: bench.follow(T_world_target, bench.state.mode, by))

    async def show_cloud(self) -> None:
        """Sends the points that the arm reaches."""
        state = self.state
        frame = await asyncio.to_thread(cloud_frame, state.arm, state.revision)
        if self.state.revision == state.revision:
            self._stream.publish(f"{self.channel}_cloud", frame)

    def refresh(self) -> None:
        """Sends a frame, since somebody new looks."""
        self.thread.post("want", lambda _: None)

    def close(self) -> None:
        """Ends the bench."""
        self.thread.close()
        for channel in (self.channel, f"{self.channel}_cloud", f"{self.channel}_path"):
            self._stream.forget(channel)

    def _publish(self, state: BenchState) -> None:
        """The thread of the bench calls this."""
        if state.revision != self._revision:
            self._revision = state.revision
            self._trail.clear()
            self._stream.forget(f"{self.channel}_cloud")
            self._stream.forget(f"{self.channel}_path")
        if self._stream.is_wanted(self.channel):
            self._stream.publish(self.channel, bench_frame(state))
        self._draw_trail(state)

    def _draw_trail(self, state: BenchState) -> None:
        """The way of the tool, while it is recorded."""
        if state.is_recording and not self._was_recording:
            self._trail.clear()
        has_ended = self._was_recording and not state.is_recording
        self._was_recording = state.is_recording
        if state.is_recording:
            self._trail.append(state.T_world_tool.translation)
        if has_ended or (state.is_recording and len(self._trail) % _TRAIL_EVERY == 1):
            points = np.array(self._trail).reshape(-1, 3)
            self._stream.publish(f"{self.channel}_path", path_frame(state.revision, points))


class ArmDesks(Sessions[ArmDesk]):
    """The desks of all pages.

    Args:
        site: What all pages share.

    Attributes:
        shelf: Arms to choose from.
    """

    name = "arm"

    def __init__(self, site: Site) -> None:
        super().__init__(site)
        self.shelf = ArmShelf(site.uploads)
        site.handlers["arm_target"] = self._hear

    def open(self, arm: Arm, prepare: Callable[[Bench], object] | None = None) -> ArmDesk:
        """A new desk, running.

        Args:
            arm: On the bench.
            prepare: Puts the bench into the state that it is first seen in.
        """
        desk = self.add(lambda channel: ArmDesk(self._site, self.shelf, arm, channel))
        if prepare is not None:
            desk.thread.prepare(prepare)
        desk.thread.start()
        return desk

    def _hear(self, client: Client, message: dict[str, Any]) -> None:
        """A view says where its target is dragged."""
        del client
        desk = self.sessions.get(str(message["arm_target"]))
        if desk is not None:
            desk.drag(read_pose(message), "drag")
