"""A running simulation, asked from another process: pause, reset, and steps in lockstep."""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np

from horus_sim.errors import ConnectionFailedError, SimulationRequestError
from horus_sim.hub.message import Message
from horus_sim.hub.messages import CmdVel, JointCommand, JointTrajectory, Twist
from horus_sim.hub.qos import QoS

if TYPE_CHECKING:
    from horus_sim.hub.transport import Hub, Publisher

T = TypeVar("T", bound=Message)
_QOS = QoS(depth=100)
_AGAIN_S = 0.5
_KEPT = QoS(depth=100_000)
RobotCommand = CmdVel | Twist | JointCommand | JointTrajectory
COMMAND_TOPICS: dict[type[RobotCommand], str] = {
    CmdVel: "cmd_vel",
    Twist: "cmd_twist",
    JointCommand: "joint_command",
    JointTrajectory: "joint_trajectory",
}
"""Type of a command -> its topic below the robot's name."""


class Heard(Generic[T]):
    """The messages of one topic that the steps of a `SimulationClient` brought.

    Attributes:
        topic: The topic.
        news: Messages of the last `step`, oldest first.
        latest: The newest message so far, or None.
    """

    def __init__(self, topic: str) -> None:
        self.topic = topic
        self.news: list[T] = []
        self.latest: T | None = None
        self.waiting: deque[T] = deque()


class SimulationClient:
    """Asks a running simulation for things, and waits for the answers.

    `step` is true lockstep: it returns when the steps are made and all of their messages on the
    topics of `listen` have arrived. Nothing sleeps or polls meanwhile.

    Args:
        hub: The connection, in the session of the simulation.
        timeout: How long [s] to wait for an answer.
    """

    def __init__(self, hub: Hub, timeout: float = 30.0) -> None:
        self._hub = hub
        self._timeout = timeout
        self._numbers = itertools.count(1)
        self._changed = threading.Condition()
        self._replies: dict[str, dict[str, Any]] = {}
        self._heard: dict[str, Heard[Any]] = {}
        self._ends: list[Any] = [hub.subscribe("sim/reply", dict, _QOS, self._take_reply)]
        self._publishers: dict[str, Publisher[dict[str, Any]]] = {}
        self._is_met = False
        self._forget_epochs = hub.on_epoch(self._begin_run)

    def listen(self, topic: str, kind: type[T]) -> Heard[T]:
        """Takes the messages of a topic.

        Args:
            topic: The topic, such as ``burger/scan``.
            kind: Type of its messages; they have a `stamp_ns`.
        """
        heard: Heard[T] = Heard(topic)

        def take(message: T) -> None:
            with self._changed:
                heard.waiting.append(message)
                self._changed.notify_all()

        subscription = self._hub.subscribe(topic, kind, _KEPT, take)
        # By the name that the simulation tells in its replies.
        self._heard[subscription.topic] = heard
        self._ends.append(subscription)
        return heard

    def step(self, steps: int = 1, commands: Mapping[str, RobotCommand] | None = None) -> int:
        """Pauses the simulation, gives commands and makes steps; returns when all has arrived.

        Args:
            steps: How many.
            commands: Commands by robot; they are obeyed before the first of these steps.

        Returns:
            Simulated time [ns] after the steps.

        Raises:
            SimulationRequestError: The simulation refused it; the text says why.
            ConnectionFailedError: No answer came, or a message was lost.
        """
        for robot, command in (commands or {}).items():
            if type(command) not in COMMAND_TOPICS:
                raise SimulationRequestError(
                    f"the command for '{robot}' is {command!r:.60}; give a CmdVel, Twist, "
                    "JointCommand or JointTrajectory"
                )
        plain = {
            robot: {COMMAND_TOPICS[type(command)]: _plain(command)}
            for robot, command in (commands or {}).items()
        }
        reply = self.ask("step", steps=steps, commands=plain)
        sent: dict[str, int] = reply["messages"]
        with self._changed:
            for topic, heard in self._heard.items():
                self._await_messages(heard, sent.get(topic, 0), reply["began_ns"])
        return reply["stamp_ns"]

    def pause(self) -> None:
        """Stops time."""
        self.ask("pause", paused=True)

    def resume(self) -> None:
        """Lets time go on."""
        self.ask("pause", paused=False)

    def reset(self, seed: int | None = None) -> None:
        """Puts everything where it started; messages of the earlier run are forgotten.

        Args:
            seed: Seed of the random numbers; the earlier one unless given.
        """
        self.ask("reset", **({} if seed is None else {"seed": seed}))

    def ask(self, verb: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - plain data
        """Sends a request and waits for its reply.

        Args:
            verb: 'ask', 'pause', 'step', 'reset', 'spawn' or 'remove'.
            fields: Fields of the request.

        Raises:
            SimulationRequestError: It was refused.
            ConnectionFailedError: No answer came.
        """
        if verb not in self._publishers:
            self._publishers[verb] = self._hub.publisher(f"sim/{verb}", dict, _QOS)
        if not self._is_met:
            self._meet()
        reply = self._send(verb, fields, self._timeout)
        if reply is None:
            raise ConnectionFailedError(self._silence(verb))
        if not reply["ok"]:
            raise SimulationRequestError(f"'{verb}' was refused: {reply['error']}")
        return reply

    def close(self) -> None:
        """Ends subscriptions and publishers."""
        self._forget_epochs()
        for end in (*self._ends, *self._publishers.values()):
            end.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin_run(self, _: int) -> None:
        """Another run has begun: what came in the one before does not count."""
        with self._changed:
            for heard in self._heard.values():
                heard.waiting.clear()

    def _meet(self) -> None:
        """Asks until there is an answer: what was sent before both ends knew each other is lost."""
        self._is_met = True
        self._publishers["ask"] = self._hub.publisher("sim/ask", dict, _QOS)
        end = time.monotonic() + self._timeout
        while self._send("ask", {}, _AGAIN_S) is None:
            if time.monotonic() > end:
                self._is_met = False
                raise ConnectionFailedError(self._silence("ask"))

    def _send(self, verb: str, fields: dict[str, Any], wait_s: float) -> dict[str, Any] | None:
        """Sends a request; its reply, or None if there is none in time."""
        identity = f"{self._hub.name}#{next(self._numbers)}"
        with self._changed:
            self._publishers[verb].send({"id": identity, **fields})
            self._changed.wait_for(lambda: identity in self._replies, wait_s)
            return self._replies.pop(identity, None)

    def _silence(self, verb: str) -> str:
        return (
            f"no simulation in session '{self._hub.session}' answered '{verb}' within "
            f"{self._timeout:g} s; is it running, and in this session?"
        )

    def _take_reply(self, reply: dict[str, Any]) -> None:
        with self._changed:
            if str(reply.get("id", "")).startswith(f"{self._hub.name}#"):
                self._replies[reply["id"]] = reply
                self._changed.notify_all()

    def _await_messages(self, heard: Heard[Any], count: int, began_ns: int) -> None:
        """Waits for the messages of these steps, which are later than `began_ns`."""

        def has_come() -> bool:
            while heard.waiting and heard.waiting[0].stamp_ns <= began_ns:
                heard.waiting.popleft()
            return len(heard.waiting) >= count

        if not self._changed.wait_for(has_come, self._timeout):
            raise ConnectionFailedError(
                f"{count} messages on '{heard.topic}' were sent, and {len(heard.waiting)} arrived "
                f"within {self._timeout:g} s"
            )
        heard.news = [heard.waiting.popleft() for _ in range(count)]
        if heard.news:
            heard.latest = heard.news[-1]


def _plain(command: Message) -> dict[str, Any]:
    """The fields of a command as plain data."""
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in asdict(command).items()  # type: ignore[call-overload]
    }
