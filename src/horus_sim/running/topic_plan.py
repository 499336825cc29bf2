"""Which topic belongs to whom, so that clashes are found before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from horus_sim.errors import HubError, SceneError
from horus_sim.hub.message import Message
from horus_sim.hub.messages import (
    CmdVel,
    JointState,
    Odometry,
    String,
    Twist,
)
from horus_sim.hub.simulation_client import COMMAND_TOPICS
from horus_sim.hub.topic import topic_name
from horus_sim.hub.transforms.broadcaster import TF_STATIC_TOPIC, TF_TOPIC
from horus_sim.running.naming import Naming

CLOCK_TOPIC = "clock"
STATUS_TOPIC = "sim/status"
REPLY_TOPIC = "sim/reply"
COMMAND_LOG_TOPIC = "sim/command_log"
"""Entries are dicts with ``kind`` and ``step``; see `horus_sim.running.recording.CommandLog`."""
DESCRIPTION_TOPIC = "robot_description"
"""Below the robot's name: what it is made of, as URDF."""
SCENE_TOPIC = "scene"
"""What the world looks like, for outlets alone; a `SceneShapes`."""
REQUESTS: dict[str, tuple[str, ...]] = {
    "ask": (),
    "pause": ("paused",),
    "step": ("steps", "commands"),
    "reset": ("seed",),
    "spawn": ("robot", "object"),
    "remove": ("name",),
}
"""Request -> fields that it may have beside 'id'."""

COMMAND_TYPES = {topic: kind for kind, topic in COMMAND_TOPICS.items()}
"""Topic below the robot's name -> type of its messages."""
DRIVE_TYPES = (CmdVel, Twist)
"""Commands that one commander at a time gives."""
STATE_TYPES: dict[str, type[Message]] = {
    "odom": Odometry,
    "joint_states": JointState,
    DESCRIPTION_TOPIC: String,
}
"""The same of what a robot tells; a sensor of that type may take the topic over."""

_RESERVED = {
    CLOCK_TOPIC: "the simulated time",
    TF_TOPIC: "transforms",
    TF_STATIC_TOPIC: "fixed transforms",
    STATUS_TOPIC: "the state of the simulation",
    REPLY_TOPIC: "replies to requests",
    COMMAND_LOG_TOPIC: "the log of commands",
    SCENE_TOPIC: "the shapes of the world",
    **{f"sim/{verb}": "requests" for verb in REQUESTS},
}
_SIMULATION = "sim/"


@dataclass(frozen=True, slots=True)
class SensorTopics:
    """What a sensor publishes.

    Attributes:
        name: Name of the sensor.
        topic: Its topic as it was written, before unfit characters were replaced.
        kinds: Type of the messages by topic as it was written; None where it is unknown.
    """

    name: str
    topic: str
    kinds: dict[str, type | None]


@dataclass(frozen=True, slots=True)
class _Claim:
    """A topic that somebody has.

    Attributes:
        owner: Who, as in "sensor 'burger/imu'".
        name: Name as it was written, before unfit characters were replaced.
        kind: Type of its messages; None where it is unknown.
        yields: Whether a sensor of the same type may take it over.
    """

    owner: str
    name: str
    kind: type | None
    yields: bool = False


@dataclass(slots=True)
class TopicPlan:
    """The topics of a world.

    Attributes:
        naming: What topics are called.
        taken: Topics of robots that sensors publish instead.
        robots: Robots that clash, by name, and why.
        sensors: Sensors that clash, by name, and why.
    """

    naming: Naming
    taken: set[str] = field(default_factory=set)
    robots: dict[str, str] = field(default_factory=dict)
    sensors: dict[str, str] = field(default_factory=dict)
    _claims: dict[str, _Claim] = field(default_factory=dict)

    @classmethod
    def of(
        cls, robots: Iterable[str], sensors: Iterable[SensorTopics], naming: Naming
    ) -> TopicPlan:
        """The plan of a world.

        Args:
            robots: Names of its robots.
            sensors: What its sensors publish.
            naming: What topics are called.
        """
        plan = cls(naming)
        for name in robots:
            plan._add_robot(name)
        for sensor in sensors:
            plan._add_sensor(sensor)
        return plan

    def has(self, topic: str) -> bool:
        """Whether a topic belongs to a robot, a sensor or the simulator."""
        return topic in self._claims or topic in _RESERVED

    def check(self) -> None:
        """Refuses a world whose topics clash.

        Raises:
            SceneError: The text names a robot or a sensor that clashes.
        """
        for text in (*self.robots.values(), *self.sensors.values()):
            raise SceneError(text)

    def check_sensor(self, name: str) -> None:
        """Refuses a sensor whose topic clashes.

        Raises:
            SceneError: The text names it.
        """
        if name in self.sensors:
            raise SceneError(self.sensors[name])

    def _add_robot(self, name: str) -> None:
        owner = f"robot '{name}'"
        claims = {
            self.naming.robot_topic(name, topic): _Claim(
                owner, f"{name}/{topic}", kind, yields=topic in STATE_TYPES
            )
            for topic, kind in (STATE_TYPES | COMMAND_TYPES).items()
        }
        for topic, claim in claims.items():
            cause = self._clash(topic, claim)
            if cause is not None:
                self.robots[name] = f"{owner} {cause}; give it another 'name'"
                return
        self._claims |= claims

    def _add_sensor(self, sensor: SensorTopics) -> None:
        owner = f"sensor '{sensor.name}'"
        claims = {
            self.naming.topic(topic): _Claim(owner, sensor.topic, kind)
            for topic, kind in sensor.kinds.items()
        }
        for topic, claim in claims.items():
            cause = self._clash(topic, claim)
            if cause is not None:
                self.sensors[sensor.name] = f"{owner} {cause}; give it another 'topic'"
                return
        self.taken |= {topic for topic in claims if topic in self._claims}
        self._claims |= claims

    def _clash(self, topic: str, claim: _Claim) -> str | None:
        """Why a topic cannot be had, or None."""
        try:
            topic_name(topic)
        except HubError as error:
            return f"cannot have topics: {error}"
        if topic in _RESERVED:
            return f"has the topic '{topic}', which carries {_RESERVED[topic]}"
        if topic.startswith(_SIMULATION):
            return f"has the topic '{topic}', and '{_SIMULATION}' is kept for the simulation itself"
        other = self._claims.get(topic)
        if other is None or (other.yields and other.kind is claim.kind and not claim.yields):
            return None
        has_same = other.kind is claim.kind and other.name == claim.name
        if has_same and not claim.yields and not other.owner.startswith("robot"):
            return None  # several sensors of a kind may share a topic that all of them name
        kinds = "" if other.kind is None else f", which carries {other.kind.__name__}"
        return f"has the topic '{topic}' of {other.owner}{kinds}"
