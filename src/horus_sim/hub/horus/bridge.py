"""A bridge to the topics of the HORUS robotics framework (package ``horus-robotics``, one machine).

`HorusBridge` brings HORUS velocity commands to our topics and our sensor data to HORUS topics.
HORUS messages are smaller than ours. `horus_messages.to_horus` refuses what would lose data and
says what to do; over zenoh (``connect("zenoh://")``) nothing of this is lost. Seen with
horus-robotics 0.4.1:

* `LaserScan` has 360 rays: more are cut off, missing ones become 0.0 m. It has no intensities.
* `Odometry` is planar, without covariances. `JointState` holds 16 joints, names of 31 bytes.
* Frame ids are lost on the way to Python readers, except those of images (31 bytes). This is
  logged once for each message type and not refused; `from_horus` leaves them empty.
* Absent joint velocities and efforts arrive as zeros; this is logged once as well.
* `CmdVel` and `LaserScan` are rounded to 32-bit floats.
* Each image that is sent keeps its place in a pool of 1,024 images and 1 GiB (172 of 1920 x 1080
  in colour), which all processes of a HORUS namespace share, until its sender ends; even then the
  memory serves only images that are no larger. The bridge stops before the 1,024th image.

HORUS keeps its topics in ``/dev/shm/horus_<namespace>``; the environment variable
``HORUS_NAMESPACE`` separates runs that must not meet.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from horus_sim.errors import HubError, MessageError
from horus_sim.hub.horus.messages import from_horus, horus_module, to_horus
from horus_sim.hub.messages import CmdVel, Image, Imu, JointState, LaserScan, Odometry
from horus_sim.hub.topic import topic_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from horus_sim.hub.message import Message
    from horus_sim.hub.subscription import Subscription
    from horus_sim.hub.transport import Hub, Publisher

MAX_IMAGES = 1023
"""Images that one process sends at most; HORUS fails after 1,024 in all processes together."""

INCOMING: dict[str, type[Message]] = {"cmd_vel": CmdVel}
OUTGOING: dict[str, type[Message]] = {
    "odom": Odometry,
    "imu": Imu,
    "scan": LaserScan,
    "joint_states": JointState,
    "image": Image,
}

_RING = 1024  # messages that a HORUS topic holds

logger = logging.getLogger("horus_sim.hub")


class HorusBridge:
    """Carries messages between the topics of a hub and those of HORUS, when it is told to.

    ``cmd_vel`` comes in from HORUS; ``odom``, ``imu``, ``scan``, ``joint_states`` and ``image`` go
    out. Commands that were sent before the bridge was made are not carried: HORUS hands them to
    every newcomer, and a robot must not drive by them.

    Args:
        hub: The connection to our topics.
        robot: Name before our topics, as in ``{robot}/cmd_vel``, and before those of HORUS; empty
            for none.
        topics: HORUS topic for each of our topics (without `robot`), such as
            ``{"scan": "front_lidar"}``. Others are not carried then. None for all, with our names.

    Raises:
        MissingExtraError: horus-robotics is not installed.
        HubError: A topic is unknown or unfit, or HORUS could not open it.
    """

    # The pool of images is shared by all bridges of a process.
    _images_sent = 0

    def __init__(self, hub: Hub, robot: str = "", topics: Mapping[str, str] | None = None) -> None:
        horus = horus_module()
        kinds = INCOMING | OUTGOING
        if topics is None:
            topics = {name: _join(robot, name) for name in kinds}
        unknown = [name for name in topics if name not in kinds]
        if unknown:
            raise HubError(f"no topic '{unknown[0]}' in the bridge; use {', '.join(kinds)}")
        self._closed = False
        self._incoming: list[tuple[Any, Publisher[Any]]] = []
        self._outgoing: list[tuple[Subscription[Any], Any]] = []
        names = {name: topic_name(horus_name) for name, horus_name in topics.items()}
        ends = {name: _open(horus, kinds[name], horus_name) for name, horus_name in names.items()}
        for name, end in ends.items():
            topic = _join(robot, name)
            if name in INCOMING:
                _discard(end)
                self._incoming.append((end, hub.publisher(topic, kinds[name])))
            else:
                self._outgoing.append((hub.subscribe(topic, kinds[name]), end))

    def spin_once(self) -> int:
        """Moves the messages that wait on either side.

        A message that is refused is dropped; the others are moved all the same, and then the first
        refusal is raised.

        Returns:
            Number of messages moved.

        Raises:
            MessageError: A message would lose data, or no image can be sent any more.
            HubError: The bridge is closed.
        """
        if self._closed:
            raise HubError("this bridge is closed; make a new HorusBridge")
        moved = 0
        refusals: list[MessageError] = []
        for end, publisher in self._incoming:
            # No more than a full ring: a fast sender must not keep us here.
            for _ in range(_RING):
                received = end.recv()
                if received is None:
                    break
                try:
                    publisher.send(from_horus(received))
                    moved += 1
                except MessageError as refusal:
                    refusals.append(refusal)
        for subscription, end in self._outgoing:
            while (message := subscription.take()) is not None:
                try:
                    self._send(end, message)
                    moved += 1
                except MessageError as refusal:
                    refusals.append(refusal)
        for refusal in refusals[1:]:
            logger.warning("not carried: %s", refusal)
        if refusals:
            raise refusals[0]
        return moved

    def close(self) -> None:
        """Ends the bridge; the hub stays open."""
        self._closed = True
        for _, publisher in self._incoming:
            publisher.close()
        for subscription, _ in self._outgoing:
            subscription.close()
        # HORUS has no close(): a topic ends with its last reference.
        self._incoming.clear()
        self._outgoing.clear()

    @staticmethod
    def _send(end: Any, message: Message) -> None:  # noqa: ANN401 - a HORUS topic
        if not isinstance(message, Image):
            end.send(to_horus(message))
            return
        if HorusBridge._images_sent >= MAX_IMAGES:
            raise MessageError(
                f"this process has sent {MAX_IMAGES} images to HORUS, which has room for 1,024 and "
                "never frees them; restart the process, or send images over zenoh"
            )
        end.send(to_horus(message))
        HorusBridge._images_sent += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _open(horus: Any, kind: type[Message], name: str) -> Any:  # noqa: ANN401
    try:
        return horus.Topic(getattr(horus, kind.__name__), endpoint=name)
    except RuntimeError as error:
        raise HubError(f"HORUS did not open '{name}' for {kind.__name__}: {error}") from error


def _discard(end: Any) -> None:  # noqa: ANN401
    for _ in range(_RING):
        if end.recv() is None:
            return


def _join(robot: str, name: str) -> str:
    return f"{robot}/{name}" if robot else name
