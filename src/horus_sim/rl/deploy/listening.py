"""What a node hears: the newest message of each topic, when it came, and where frames are."""

from __future__ import annotations

from typing import Any

from horus_sim.errors import DeployError, TFError
from horus_sim.files.names import did_you_mean
from horus_sim.hub import Hub, QoS, TFListener
from horus_sim.hub.message import Message
from horus_sim.hub.ros.binding import ros_type
from horus_sim.rl.contract.sources.source import Need
from horus_sim.tf import TFMessage, Transform

_TF = "tf"
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
                self.name(need.topic), need.kind, _LATCHED if need.is_command else _LATEST
            )
            for need in needs
        }
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

    def explain(self, need: Need) -> str:
        """Why nothing comes, with the remedy."""
        name, kind = self.name(need.topic), need.kind.__name__
        told = ros_type(need.kind) or kind
        resolved = self._hub.resolved(name)
        known = {info.name: info for info in self._hub.topics()}
        info = known.get(resolved)
        senders = 0 if info is None else info.publishers
        if info is not None and senders and told not in info.kinds:
            return f"'{name}' carries {', '.join(info.kinds)}, and the policy reads {told}"
        if senders:
            return f"'{name}' ({kind}) has a publisher and nothing has come; is it paused?"
        same = [other.name for other in known.values() if told in other.kinds]
        hint = f"; topics with {kind}: {', '.join(same[:5])}" if same else ""
        if same and (prefix := _common_prefix(same, need.topic)):
            hint += f" (--robot {prefix}?)"
        elif not same and known:
            near = did_you_mean(name, [topic for topic in known if known[topic].publishers])
            hint = f"; {near}" if near else ""
        return f"nobody sends '{name}' ({kind}): {need.remedy}{hint}"

    def close(self) -> None:
        """Listens no more."""
        self._frames.close()
        for subscription in self._subscriptions.values():
            subscription.close()

    def _frame(self, name: str) -> str:
        own = f"{self._robot}/{name}"
        return own if self._robot and self._frames.tree.has_frame(own) else name


def _common_prefix(topics: list[str], wanted: str) -> str:
    """The robot's name, if just one topic ends with what is wanted."""
    found = [topic.removesuffix(f"/{wanted}") for topic in topics if topic.endswith(f"/{wanted}")]
    return found[0] if len(found) == 1 else ""


def _is_newer(message: Any, before: Any) -> bool:  # noqa: ANN401 - any message
    stamp_ns = getattr(message, "stamp_ns", None)
    if isinstance(message, TFMessage) or not stamp_ns:
        return True
    return stamp_ns != before.stamp_ns
