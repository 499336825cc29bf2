"""What a node hears: the newest message of each topic, when it came, and where frames are."""

from __future__ import annotations

import re
from typing import Any

from horus_sim.errors import DeployError, TFError
from horus_sim.hub import Hub, QoS, TFListener
from horus_sim.hub.message import Message
from horus_sim.hub.messages import String
from horus_sim.hub.ros.binding import ros_type
from horus_sim.hub.topic import TopicInfo
from horus_sim.rl.contract.sources.source import Need
from horus_sim.tf import TFMessage, Transform

_TF = "tf"
_DESCRIPTION = "robot_description"
_ROBOT_NAME = re.compile(r"""<robot\b[^>]*\bname\s*=\s*["']([^"']+)["']""")
# Transforms of several programs come in several messages, and all of them count.
_LATEST = QoS(depth=10)
_LATCHED = QoS(depth=1, latched=True)


class Listening:
    """The topics that a policy needs.

    Args:
        hub: The connection.
        needs: What is read.
        robot: What topics and frames begin with; '' for none.

    Attributes:
        messages: The newest message of each topic, by the names that the needs have.
        news: Topics on which something new has come with the last `take_in`.
    """

    def __init__(self, hub: Hub, needs: tuple[Need, ...], robot: str) -> None:
        self._hub, self._robot = hub, robot
        self.needs = needs
        self.messages: dict[str, Message] = {}
        self.news: set[str] = set()
        self._came_ns: dict[str, int] = {}
        self._kept: dict[str, Message] = {}
        self._subscriptions = {
            need.topic: hub.subscribe(
                self.name(need.topic), need.kind, _LATCHED if _is_kept(need) else _LATEST
            )
            for need in needs
        }
        self._description = hub.subscribe(self.name(_DESCRIPTION), String, _LATCHED)
        # Also for goals that are told in another frame.
        self._frames = TFListener(hub)

    def name(self, topic: str) -> str:
        """What a topic of the contract is called here."""
        return f"{self._robot}/{topic}" if self._robot and topic != _TF else topic

    def take_in(self, now_ns: int) -> None:
        """Takes what has come.

        A message with the stamp of the one before is no news: whoever repeats it has stopped.
        """
        self.news.clear()
        for topic, subscription in self._subscriptions.items():
            newest = subscription.latest()
            if newest is None:
                continue
            before = self.messages.get(topic)
            if before is None or _is_newer(newest, before):
                self.news.add(topic)
                self._came_ns[topic] = now_ns
            self.messages[topic] = newest

    def robot_name(self) -> str | None:
        """Name of the robot in its description, once that has come; None before, and ever after."""
        description = self._description.take()
        found = None if description is None else _ROBOT_NAME.search(description.data)
        return None if found is None else found[1]

    def keep(self, topic: str, message: Message) -> None:
        """Takes a message as heard, until another one comes; another run does not forget it."""
        self._kept[topic] = self.messages[topic] = message

    def forget(self) -> None:
        """Forgets what was heard, as of another run."""
        self.messages.clear()
        self.messages.update(self._kept)
        self._came_ns.clear()

    def absent(self) -> list[Need]:
        """What nothing has come of yet."""
        return [need for need in self.needs if need.topic not in self.messages]

    def silent(self, now_ns: int, limit: float) -> list[tuple[Need, float]]:
        """Sensors that have said nothing new for longer than a limit [s], and for how long [s]."""
        ages = (
            (need, (now_ns - self._came_ns.get(need.topic, now_ns)) * 1e-9)
            for need in self.needs
            if not need.is_command
        )
        return [(need, age) for need, age in ages if age > limit]

    def pose(self, frame: str, reference: str) -> Transform:
        """T_reference_frame.

        Raises:
            DeployError: TF does not know it.
        """
        here = [self._frame(name) for name in (frame, reference)]
        try:
            return self._frames.buffer.lookup_transform(here[0], here[1])
        except TFError as error:
            raise DeployError(
                f"TF does not tell where '{here[0]}' is in '{here[1]}' ({error}); start what "
                "publishes it, or give the robot's name with --robot"
            ) from None

    def explain(self, needs: list[Need]) -> str:
        """Why nothing of these comes, with remedies."""
        known = {info.name: info for info in self._hub.topics() if info.publishers}
        if not known:
            here = f"session '{self._hub.session}' has no topics (is --session right?): "
        else:
            here = ""
        return here + "; ".join(self._explain(need, known) for need in needs)

    def _explain(self, need: Need, known: dict[str, TopicInfo]) -> str:
        name, kind = self.name(need.topic), ros_type(need.kind)
        info = known.get(self._hub.resolved(name))
        if info is not None and kind not in info.kinds:
            return (
                f"topic '{name}' carries {', '.join(info.kinds)}, and the policy reads {kind}: "
                "rename it with HORUS_REMAP"
            )
        if info is not None:
            return f"topic '{name}' ({kind}) has a publisher that said nothing: is it paused?"
        text = f"nobody sends topic '{name}' ({kind}): {need.remedy}"
        same = sorted(topic for topic in known if kind in known[topic].kinds)
        return f"{text}; of this type there {_told(same, need.topic)}" if same else text

    def close(self) -> None:
        """Listens no more."""
        self._frames.close()
        self._description.close()
        for subscription in self._subscriptions.values():
            subscription.close()

    def _frame(self, name: str) -> str:
        own = f"{self._robot}/{name}"
        return own if self._robot and self._frames.tree.has_frame(own) else name


def _told(topics: list[str], wanted: str) -> str:
    """The topics of the right type, and which robot has them."""
    listed = f"{'is' if len(topics) == 1 else 'are'} {', '.join(topics[:5])}"
    robots = [topic.removesuffix(f"/{wanted}") for topic in topics if topic.endswith(f"/{wanted}")]
    if wanted in topics:
        return f"{listed} (without --robot)"
    return f"{listed} (--robot {robots[0]}?)" if robots else listed


def _is_kept(need: Need) -> bool:
    """Whether its last message is wanted although it came before."""
    return need.is_command and not need.is_stream


def _is_newer(message: Any, before: Any) -> bool:  # noqa: ANN401 - any message
    stamp_ns = getattr(message, "stamp_ns", None)
    if isinstance(message, TFMessage) or not stamp_ns:
        return True
    return stamp_ns != before.stamp_ns
