"""The thread of a page: it moves an arm, does orders between two ticks, and sends frames."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from horus_sim.running.loop.orders import OrderThread
from horus_sim.ui.arm.model.arm_library import ArmLibrary
from horus_sim.ui.arm.model.drawing import arm_frame, cloud_frame, path_frame
from horus_sim.ui.arm.model.moving_arm import MovingArm
from horus_sim.ui.shell.sessions import Sessions
from horus_sim.ui.stream.view_messages import read_pose

if TYPE_CHECKING:
    from horus_sim.arm import Arm
    from horus_sim.running.loop.event_log import EventLog
    from horus_sim.tf import Transform
    from horus_sim.ui.arm.model.moving_arm import ArmState
    from horus_sim.ui.shell.site import Site
    from horus_sim.ui.stream.streaming import Client, Stream

_TICK_S = 1.0 / 60.0
# After a long sleep of the machine the arm goes on where it was.
_LONGEST_TICK_S = 0.1
_TRAIL_EVERY = 6
_Result = TypeVar("_Result")
Order = Callable[[MovingArm], Any]


class ArmThread(OrderThread[MovingArm]):
    """An arm that moves at the pace of the clock.

    Only its thread touches the arm; everybody else uses `call`, `post` and `state`.

    Args:
        arm: The arm to begin with.
        stream: Where frames go.
        log: Where errors of posted orders go.
        channel: Channel of the stream; unique.
        prepare: Brings the arm into the state that it is first seen in.

    Attributes:
        channel: Channel of the stream.
        state: How the arm is; any thread may look.
    """

    address = None

    def __init__(
        self,
        arm: Arm,
        stream: Stream,
        log: EventLog,
        channel: str,
        prepare: Order = lambda _: None,
    ) -> None:
        super().__init__("arm", log)
        self.channel = channel
        self._stream = stream
        self._moving = MovingArm(arm)
        prepare(self._moving)
        self._trail: list[np.ndarray] = []
        self.state = self._moving.state

    def call(self, order: Callable[[MovingArm], _Result]) -> Future[_Result]:
        """Does something with the arm, in its thread; the future has result or exception."""
        return self._orders.call(order)

    def post(self, key: str, order: Order) -> None:
        """Does something soon; a later one under the same key takes the place of an earlier one."""
        self._orders.post(key, order)

    def drag(self, T_world_target: Transform, by: str) -> None:
        """Lets the tool go after a target that is being moved; a later one replaces an earlier."""
        self.post("target", lambda arm: arm.follow(T_world_target, arm.state.mode, by))

    async def show_cloud(self) -> None:
        """Sends the points that the arm reaches."""
        state = self.state
        frame = await asyncio.to_thread(cloud_frame, state.arm, state.revision)
        if self.state.revision == state.revision:
            self._stream.publish(f"{self.channel}_cloud", frame)

    def refresh(self) -> None:
        """Sends a frame, since somebody new looks."""
        self.post("want", lambda _: None)

    def close(self) -> None:
        """Ends the thread."""
        super().close()
        self._forget("", "_cloud", "_path")

    def _run(self) -> None:
        before = time.monotonic()
        self._publish(self.state)
        while not self._orders.is_closed:
            self._orders.wait(_TICK_S if self._moving.is_busy else None)
            if self._orders.is_closed:
                break
            was_busy, was = self._moving.is_busy, self.state
            has_obeyed = self._orders.obey(self._moving, self._note)
            now = time.monotonic()
            if was_busy:
                self._moving.advance(min(now - before, _LONGEST_TICK_S))
            before = now
            self._note()
            self._publish(was)
            if has_obeyed:
                # So that a flood of orders does not make more states than anybody can draw.
                time.sleep(_TICK_S / 2)

    def _note(self) -> None:
        self.state = self._moving.state

    def _forget(self, *suffixes: str) -> None:
        for suffix in suffixes:
            self._stream.forget(self.channel + suffix)

    def _publish(self, was: ArmState) -> None:
        state = self.state
        if state.revision != was.revision:
            self._trail.clear()
            self._forget("_cloud", "_path")
        if self._stream.is_wanted(self.channel):
            self._stream.publish(self.channel, arm_frame(state))
        # The way of the tool, while it is recorded.
        if state.is_recording and not was.is_recording:
            self._trail.clear()
        if state.is_recording:
            self._trail.append(state.T_world_tool.translation)
        has_ended = was.is_recording and not state.is_recording
        if has_ended or (state.is_recording and len(self._trail) % _TRAIL_EVERY == 1):
            points = np.array(self._trail).reshape(-1, 3)
            self._stream.publish(f"{self.channel}_path", path_frame(state.revision, points))


class ArmThreads(Sessions[ArmThread]):
    """The threads of all pages, which share a library of arms.

    Args:
        site: What all pages share.

    Attributes:
        library: Arms to choose from.
    """

    name = "arm"

    def __init__(self, site: Site) -> None:
        super().__init__(site)
        self.library = ArmLibrary(site.uploads)
        site.handlers["arm_target"] = self._hear

    def open(self, arm: Arm, prepare: Order) -> ArmThread:
        """A new one, running.

        Args:
            arm: The arm.
            prepare: Brings the arm into the state that it is first seen in.
        """
        site = self._site
        thread = self.add(lambda channel: ArmThread(arm, site.stream, site.log, channel, prepare))
        thread.start()
        return thread

    def _hear(self, client: Client, message: dict[str, Any]) -> None:
        """A view says where its target is dragged."""
        del client
        thread = self.sessions.get(str(message["arm_target"]))
        if thread is not None:
            thread.drag(read_pose(message), "drag")
