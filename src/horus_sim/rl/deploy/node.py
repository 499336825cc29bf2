"""A policy as a node: it observes by its contract, acts at its rate, and stops where it is blind.

It knows topics alone, so that it drives a robot of a simulated world and a real one alike.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from horus_sim.errors import DeployError
from horus_sim.hub import Hub, Publisher
from horus_sim.hub.message import Message
from horus_sim.hub.messages import PoseStamped
from horus_sim.rl.contract.contract import Contract
from horus_sim.rl.contract.sources.source import Inputs, Need
from horus_sim.rl.deploy.config import DeployConfig
from horus_sim.rl.deploy.listening import Listening
from horus_sim.rl.training.evaluation import Acting


class State(Enum):
    """What a node does."""

    WAITING = "waiting"
    ACTING = "acting"
    STOPPED = "stopped"
    ARRIVED = "arrived"


class PolicyNode:
    """Lets a policy act on a robot.

    Args:
        hub: The connection.
        contract: What the policy's numbers mean.
        policy: What acts.
        config: Rules.
        tell: Told in a line when something changes.

    Attributes:
        state: What it does.
        observation: The last observation, shape (columns,), float32.
        inputs: What the last observation was made of.
        on_arrival: Called when it is at its goal, or None.
        ticks: Actions so far.

    Raises:
        DeployError: Something is observed or moved that only a simulation knows.
    """

    def __init__(
        self,
        hub: Hub,
        contract: Contract,
        policy: Acting,
        config: DeployConfig | None = None,
        tell: Callable[[str], object] = lambda _: None,
    ) -> None:
        check_deployable(contract)
        self._hub, self._contract, self._policy = hub, contract, policy
        self._config, self._tell = config or DeployConfig(), tell
        self._listening = Listening(hub, contract.needs(), self._config.robot)
        self._publishers: dict[str, Publisher[Any]] = {}
        self.state = State.WAITING
        self.ticks = 0
        self.on_arrival: Callable[[], object] | None = None
        self.observation = np.zeros(contract.columns, np.float32)
        self._reason = ""
        self._begin()

    def _begin(self) -> None:
        """Forgets what was done, as at the beginning of an episode."""
        columns = self._contract.action_columns
        pose, messages = self._listening.pose, self._listening.messages
        self.inputs = Inputs(messages, pose, np.zeros(columns))
        self._is_begun = False

    def restart(self) -> None:
        """Begins anew, as when the simulation did; what was heard is forgotten."""
        self._listening.forget()
        self._begin()
        self._turn(State.WAITING, "a new run begins")

    def set_goal(self, goal: PoseStamped | None) -> None:
        """Says where to go, as a message on the topic of goals would; None leaves it to topics."""
        for need in self._listening.needs:
            if goal is not None and need.kind is PoseStamped:
                self._listening.keep(need.topic, goal)

    def tick(self, now_ns: int) -> State:
        """Observes, acts and sends, or stops the robot where it cannot.

        Args:
            now_ns: The time of the robot's clock [ns].
        """
        listening = self._listening
        listening.take_in(now_ns)
        self._look_at_robot()
        goals = (need for need in listening.needs if need.is_command and not need.is_stream)
        commands = {need.topic for need in goals}
        if listening.news & commands:
            self._begin()
            if self.state is State.ARRIVED:
                self._turn(State.WAITING, "a new goal")
        if absent := listening.absent():
            names = ", ".join(f"'{listening.name(need.topic)}'" for need in absent)
            self._halt(State.WAITING, f"waiting for {names}")
            self._probe(absent)
            return self.state
        if silent := listening.silent(now_ns, self._config.stale):
            need, age = silent[0]
            name, kind = listening.name(need.topic), need.kind.__name__
            self._halt(
                State.STOPPED,
                f"stopped: '{name}' ({kind}) has said nothing new for {age:.1f} s",
                f"{need.topic} is silent",
            )
            return self.state
        try:
            self._act()
        except DeployError as error:
            self._halt(State.STOPPED, f"stopped: {error}")
        return self.state

    def _look_at_robot(self) -> None:
        """Says it where the robot is another one than that of the contract."""
        name, wanted = self._listening.robot_name(), self._contract.robot
        if name is not None and wanted is not None and name != Path(wanted.name).stem:
            self._tell(f"warning: the policy learned on '{wanted.name}', and this is '{name}'")

    def _probe(self, absent: list[Need]) -> None:
        """Reads what can be read already: a robot that does not fit is told before its goal is."""
        topics = {need.topic for need in absent}
        try:
            for part in self._contract.observations:
                source: Any = part.source
                if topics.isdisjoint(need.topic for need in source.needs()) and source.needs():
                    source.read(Inputs(self._listening.messages, self._listening.pose, np.zeros(0)))
        except DeployError as error:
            self._halt(State.STOPPED, f"stopped: {error}")

    def _act(self) -> None:
        inputs, contract = self.inputs, self._contract
        if not self._is_begun:
            for drive in contract.drives:
                drive.begin(inputs)
            self._is_begun = True
        self.observation = self._observe()
        if contract.arrival is not None and not self._config.keeps_on:
            distance = self._distance()
            if distance is not None and distance < contract.arrival:
                self._halt(State.ARRIVED, f"arrived: {distance:.3f} m from the goal", "arrived")
                if self.on_arrival is not None:
                    self.on_arrival()
                return
        action = np.asarray(self._policy.act(self.observation[None])[0], np.float64)
        if not np.isfinite(action).all():
            raise DeployError("the policy gives numbers that are not finite; train anew")
        values, start = {}, 0
        for part in contract.actions:
            values[part.name] = part.quantity(action[start : start + part.size])
            start += part.size
        inputs.action = action
        for drive in contract.drives:
            for topic, message in drive.commands(values, contract.period, inputs).items():
                self._send(topic, message)
        self.ticks += 1
        self._turn(State.ACTING, f"acting at {contract.control_rate:g} Hz")

    def _observe(self) -> Any:  # noqa: ANN401 - an array of float32
        values = []
        for part in self._contract.observations:
            source: Any = part.source
            found = np.asarray(source.read(self.inputs), np.float64)
            if found.shape != (part.size,) or not np.isfinite(found).all():
                raise DeployError(
                    f"observation '{part.name}' is {np.array2string(found, threshold=6)} and takes "
                    f"{part.size} finite numbers; look at what '{source.kind}' reads"
                )
            values.append(found)
        return np.concatenate(values).astype(np.float32)

    def _distance(self) -> float | None:
        for part in self._contract.observations:
            source: Any = part.source
            found = source.distance_to_goal(self.inputs)
            if found is not None:
                return float(found)
        return None

    def stop(self) -> None:
        """Makes the robot stand still."""
        for drive in self._contract.drives:
            for topic, message in drive.stop(self.inputs).items():
                self._send(topic, message)

    def explain_absent(self) -> str:
        """What is missing, and what to do; of a goal only where nothing else is."""
        absent = self._listening.absent()
        sensors = [need for need in absent if not need.is_command]
        return self._listening.explain(sensors or absent)

    def raise_if_stopped(self) -> None:
        """Raises where it did not act.

        Raises:
            DeployError: The text says why.
        """
        if self.state is State.WAITING:
            raise DeployError(self.explain_absent())
        if self.state is State.STOPPED:
            raise DeployError(self._reason)

    @property
    def is_complete(self) -> bool:
        """Whether all sensors have said something; a goal may come later."""
        return not any(not need.is_command for need in self._listening.absent())

    @property
    def waits_for_goal(self) -> bool:
        """Whether nothing but a goal is missing."""
        return self.is_complete and bool(self._listening.absent())

    def close(self) -> None:
        """Stops the robot and leaves the topics."""
        self.stop()
        self._listening.close()
        for publisher in self._publishers.values():
            publisher.close()

    def _halt(self, state: State, line: str, reason: str = "") -> None:
        """Says once why it does not act, and keeps the robot still."""
        if self.state is State.ACTING or state is not State.WAITING:
            self.stop()
        self._turn(state, line, reason)

    def _turn(self, state: State, line: str, reason: str = "") -> None:
        reason = reason or line
        if (state, reason) != (self.state, self._reason):
            self.state, self._reason = state, reason
            self._tell(line)

    def _send(self, topic: str, message: Message) -> None:
        name = self._listening.name(topic)
        publisher = self._publishers.get(name)
        if publisher is None:
            publisher = self._publishers[name] = self._hub.publisher(name, type(message))
        publisher.send(message)


def check_deployable(contract: Contract) -> None:
    """Refuses a contract of which a robot could not tell or do something.

    Raises:
        DeployError: It names the parts.
    """
    owner = f"the policy of task '{contract.task}'"
    unknown = [part.name for part in contract.observations if part.source is None]
    if unknown:
        raise DeployError(
            f"{owner} observes {', '.join(unknown)}, of which its contract tells no sensor; give "
            "the task's Observation terms a 'source' and train anew, or complete the contract"
        )
    moved = {name for drive in contract.drives for name in drive.parts()}
    idle = [part.name for part in contract.actions if part.name not in moved]
    if idle:
        raise DeployError(
            f"{owner} gives {', '.join(idle)}, which no drive of its contract obeys; let the task "
            "say 'drives()' and train anew, or complete the contract"
        )
