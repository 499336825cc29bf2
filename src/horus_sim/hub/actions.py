"""Actions: goals that take a while, tell how far they are, and can be cancelled."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Self

from horus_sim.hub.qos import QoS
from horus_sim.hub.ros.action_type import CANCEL, action_type
from horus_sim.hub.ros.binding import ros_message
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    from horus_sim.hub.transport import Hub

Fields = Mapping[str, Any]
_MOST_KEPT = 100
_FEEDBACK_QOS = QoS(depth=10)
_STATUS_QOS = QoS(depth=1, latched=True)


class GoalState(IntEnum):
    """States of a goal, as in action_msgs/msg/GoalStatus."""

    ACCEPTED = 1
    EXECUTING = 2
    CANCELING = 3
    SUCCEEDED = 4
    CANCELED = 5
    ABORTED = 6


class CancelCode(IntEnum):
    """Answers to a request to cancel, as in action_msgs/srv/CancelGoal."""

    NONE = 0
    REJECTED = 1
    UNKNOWN_GOAL_ID = 2
    GOAL_TERMINATED = 3


class Goal:
    """A goal that was accepted. Whoever pursues it ends it once, with `end`.

    Attributes:
        ident: Its 16 bytes.
        request: The fields of the goal.
        stamp_ns: When it was accepted [ns].
        state: How it is doing.
    """

    def __init__(self, server: ActionServer, ident: bytes, request: Fields) -> None:
        self.ident = ident
        self.request = request
        self.stamp_ns = time.time_ns()
        self.state = GoalState.EXECUTING
        self._server = server
        self._outcome: Future[dict[str, Any]] = Future()

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._outcome.done()

    def tell(self, **feedback: Any) -> None:  # noqa: ANN401 - fields of the feedback
        """Tells how far it is."""
        self._server.tell(self, feedback)

    def end(self, state: GoalState, **result: Any) -> None:  # noqa: ANN401 - fields of the result
        """Ends it; an end that comes later is ignored.

        Args:
            state: SUCCEEDED, ABORTED or CANCELED.
            result: Fields of the result.
        """
        with self._server.lock:
            if self._outcome.done():
                return
            self.state = state
            self._outcome.set_result({"status": int(state), "result": result})
        self._server.tell_states()


class ActionServer:
    """Serves an action under ROS's names: three services and two topics below its own.

    Args:
        hub: The connection.
        name: Name of the action, such as ``simulate_steps``.
        kind: Full name of its type.
        pursue: Called with every goal, in the thread that brings it: it must be quick, and end the
            goal later.
        cancel: Called with a goal that is to be cancelled, likewise; it need not be.

    Raises:
        HubError: Somebody serves it already.
        MessageError: The type is unknown.
    """

    def __init__(
        self,
        hub: Hub,
        name: str,
        kind: str,
        pursue: Callable[[Goal], object],
        cancel: Callable[[Goal], object],
    ) -> None:
        types = action_type(kind)
        self.lock = threading.RLock()
        self._pursue, self._cancel = pursue, cancel
        self._goals: dict[bytes, Goal] = {}
        below = f"{name}/_action"
        self._feedback_kind = ros_message(types.feedback)
        self._status_kind = ros_message("action_msgs/msg/GoalStatusArray")
        self._ends: list[Any] = []
        try:
            self._feedback = hub.publisher(f"{below}/feedback", self._feedback_kind, _FEEDBACK_QOS)
            self._ends.append(self._feedback)
            self._status = hub.publisher(f"{below}/status", self._status_kind, _STATUS_QOS)
            self._ends.append(self._status)
            # Goals last, and all services behind the topics: a client may wait for them to appear.
            for service, service_kind, handler in (
                ("get_result", types.get_result, self._give_result),
                ("cancel_goal", CANCEL, self._take_cancel),
                ("send_goal", types.send_goal, self._take),
            ):
                end = hub.serve(f"{below}/{service}", service_kind, handler, in_own_thread=False)
                self._ends.append(end)
        except BaseException:
            self.close()
            raise

    def tell(self, goal: Goal, feedback: Fields) -> None:
        """Sends how far a goal is."""
        ident = {"uuid": list(goal.ident)}
        self._feedback.send(self._feedback_kind(goal_id=ident, feedback=dict(feedback)))

    def tell_states(self) -> None:
        """Sends the states of all goals."""
        with self.lock:
            states = [
                {"goal_info": _info(goal), "status": int(goal.state)} for goal in self._known()
            ]
        self._status.send(self._status_kind(status_list=states))

    def close(self) -> None:
        """Ends the action; goals that are under way are not told."""
        for end in reversed(self._ends):
            end.close()
        self._ends.clear()

    def _known(self) -> list[Goal]:
        return list(self._goals.values())

    def _take(self, request: Fields) -> dict[str, Any]:
        ident = bytes(request["goal_id"]["uuid"])
        with self.lock:
            if ident in self._goals:
                return {"accepted": False}
            goal = self._goals[ident] = Goal(self, ident, request["goal"])
            self._forget_old()
        self.tell_states()
        self._pursue(goal)
        return {"accepted": True, "stamp": _time(goal.stamp_ns)}

    def _forget_old(self) -> None:
        ended = [ident for ident, goal in self._goals.items() if goal.is_over]
        for ident in ended[: max(0, len(self._goals) - _MOST_KEPT)]:
            del self._goals[ident]

    def _give_result(self, request: Fields) -> dict[str, Any] | Future[dict[str, Any]]:
        goal = self._goals.get(bytes(request["goal_id"]["uuid"]))
        # ROS answers so where it knows no such goal: status unknown.
        return {"status": 0} if goal is None else goal._outcome

    def _take_cancel(self, request: Fields) -> dict[str, Any]:
        """As ROS has it: one goal, those up to a time, or all."""
        info = request["goal_info"]
        ident, before_ns = bytes(info["goal_id"]["uuid"]), _stamp_ns(info["stamp"])
        with self.lock:
            goals = self._known()
            if any(ident):
                goals = [goal for goal in goals if goal.ident == ident]
                if not goals:
                    return {"return_code": int(CancelCode.UNKNOWN_GOAL_ID)}
                if goals[0].is_over:
                    return {"return_code": int(CancelCode.GOAL_TERMINATED)}
            elif before_ns:
                goals = [goal for goal in goals if goal.stamp_ns <= before_ns]
            goals = [goal for goal in goals if not goal.is_over]
            for goal in goals:
                goal.state = GoalState.CANCELING
        self.tell_states()
        for goal in goals:
            self._cancel(goal)
        return {"goals_canceling": [_info(goal) for goal in goals]}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _info(goal: Goal) -> dict[str, Any]:
    return {"goal_id": {"uuid": list(goal.ident)}, "stamp": _time(goal.stamp_ns)}


def _time(stamp_ns: int) -> dict[str, int]:
    seconds, nanoseconds = divmod(stamp_ns, NS_PER_S)
    return {"sec": seconds, "nanosec": nanoseconds}


def _stamp_ns(stamp: Fields) -> int:
    return stamp["sec"] * NS_PER_S + stamp["nanosec"]
