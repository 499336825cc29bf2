"""A bridge to the topics of the HORUS robotics framework (package ``horus-robotics``, one machine).

`HorusBridge` brings HORUS velocity commands to our topics and our sensor data and transforms to
HORUS topics of the same names. HORUS messages are smaller than ours. `messages.to_horus` refuses
what would lose data and says what to do; over zenoh (``connect("zenoh://")``) nothing of this is
lost. Seen with horus-robotics 0.4.1:

* `LaserScan` has 360 rays: more are cut off, missing ones become 0.0 m. It has no intensities,
  which are left out; this is logged once.
* `Odometry` is planar, without covariances. `JointState` holds 16 joints, names of 31 bytes.
* Frame ids are lost on the way to Python readers, except those of images (31 bytes). This is
  logged once for each message type and not refused; `from_horus` leaves them empty.
* Absent joint velocities and efforts arrive as zeros; this is logged once as well.
* `CmdVel` and `LaserScan` are rounded to 32-bit floats.
* There is no message for named transforms: they travel as dicts, of at most 4,096 bytes.
* Each image that is sent keeps its place in a pool of 1,024 images and 1 GiB (172 of 1920 x 1080
  in colour), which all processes of a HORUS namespace share, until its sender ends; even then the
  memory serves only images that are no larger. The bridge stops before the 1,024th image.

HORUS keeps its topics in ``/dev/shm/horus_<namespace>``; the environment variable
``HORUS_NAMESPACE`` separates runs that must not meet.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Any, Self

from horus_sim.errors import HubError, MessageError
from horus_sim.hub.horus.messages import (
    from_horus,
    horus_module,
    to_horus,
    transforms_to_horus,
)
from horus_sim.hub.messages import CmdVel, Image, Imu, JointState, LaserScan, Odometry, Twist
from horus_sim.hub.qos import QoS
from horus_sim.hub.ros.binding import ros_type
from horus_sim.hub.simulation_client import COMMAND_TOPICS
from horus_sim.hub.topic import topic_name
from horus_sim.hub.transforms.broadcaster import (
    TF_QOS,
    TF_STATIC_QOS,
    TF_STATIC_TOPIC,
    TF_TOPIC,
)
from horus_sim.tf import StaticTransformStamped, TFMessage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from horus_sim.hub.subscription import Subscription
    from horus_sim.hub.transport import Hub, Publisher

MAX_IMAGES = 1023
"""Images that one process sends at most; HORUS fails after 1,024 in all processes together."""

OUTGOING = {ros_type(kind): kind for kind in (Odometry, Imu, LaserScan, JointState, Image)}
_RING = 1024  # messages that a HORUS topic holds
_PERIOD_S = 0.005
_LOOK_PERIOD_S = 0.5
_SENSOR_QOS = QoS(depth=100)

logger = logging.getLogger("horus_sim.hub")


class HorusBridge:
    """Carries messages between the topics of a hub and those of HORUS.

    Topics that robots read velocity commands from come in from HORUS; those of odometry, IMU, laser
    scans, joint states and images go out, and so do transforms, as dicts on ``tf`` and
    ``tf_static``. Topics that appear later are carried as well. Commands that were sent before are
    not: HORUS hands them to every newcomer, and a robot must not drive by them.

    Args:
        hub: The connection to our topics; its name is that of the commander.
        names: HORUS topics that are not called as ours, such as ``{"r1/scan": "front_lidar"}``.

    Attributes:
        refused: Number of messages that were not carried; the log says why, once for each topic.

    Raises:
        MissingExtraError: horus-robotics is not installed.
        HubError: A name does not fit.
    """

    # The pool of images is shared by all bridges of a process.
    _images_sent = 0

    def __init__(self, hub: Hub, names: Mapping[str, str] | None = None) -> None:
        self._horus = horus_module()
        self._hub = hub
        self._names = {topic_name(ours): topic_name(his) for ours, his in (names or {}).items()}
        self.refused = 0
        self._told: set[str] = set()
        self._incoming: dict[str, tuple[Any, Publisher[CmdVel]]] = {}
        self._outgoing: dict[str, tuple[Subscription[Any], Any]] = {}
        self._static: dict[str, StaticTransformStamped] = {}
        self._moving_end = self._horus.Topic(self._name(TF_TOPIC))
        self._static_end = self._horus.Topic(self._name(TF_STATIC_TOPIC))
        self._moving = hub.subscribe(TF_TOPIC, TFMessage, TF_QOS)
        self._fixed = hub.subscribe(TF_STATIC_TOPIC, TFMessage, TF_STATIC_QOS)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.look()

    def look(self) -> None:
        """Looks for topics that appeared, and tells newcomers of HORUS the fixed frames again."""
        for info in self._hub.topics():
            if info.name in self._incoming or info.name in self._outgoing:
                continue
            if ros_type(CmdVel) in info.wanted and not info.name.endswith(COMMAND_TOPICS[Twist]):
                self._open(info.name, CmdVel)
            elif info.publishers and info.kinds and info.kinds[0] in OUTGOING:
                self._open(info.name, OUTGOING[info.kinds[0]])
        self._send_transforms(self._static_end, TF_STATIC_TOPIC, tuple(self._static.values()))

    def spin_once(self) -> int:
        """Moves the messages that wait on either side.

        Returns:
            Number of messages moved.

        Raises:
            HubError: The bridge is closed.
        """
        if self._stop.is_set():
            raise HubError("this bridge is closed; make a new HorusBridge")
        return self._move()

    def _move(self) -> int:
        moved = 0
        for topic, (end, publisher) in self._incoming.items():
            # No more than a full ring: a fast sender must not keep us here.
            for _ in range(_RING):
                received = end.recv()
                if received is None:
                    break
                moved += self._carry(topic, publisher.send, from_horus, received)
        for topic, (subscription, end) in self._outgoing.items():
            while (message := subscription.take()) is not None:
                moved += self._carry(topic, end.send, self._to_horus, message)
        while (moving := self._moving.take()) is not None:
            moved += self._send_transforms(self._moving_end, TF_TOPIC, moving.transforms)
        news: list[StaticTransformStamped] = []
        while (message := self._fixed.take()) is not None:
            for each in message:
                fixed = StaticTransformStamped(each.parent_frame, each.child_frame, each.transform)
                if self._static.get(fixed.child_frame) != fixed:
                    self._static[fixed.child_frame] = fixed
                    news.append(fixed)
        return moved + self._send_transforms(self._static_end, TF_STATIC_TOPIC, news)

    def start(self) -> None:
        """Carries messages from now on, in a thread of its own, until `close`."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="horus-bridge", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Ends the bridge; the hub stays open."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        for _, publisher in self._incoming.values():
            publisher.close()
        for subscription in (self._moving, self._fixed, *(s for s, _ in self._outgoing.values())):
            subscription.close()
        # HORUS has no close(): a topic ends with its last reference.
        self._incoming.clear()
        self._outgoing.clear()

    def _run(self) -> None:
        look_at = 0.0
        while not self._stop.wait(_PERIOD_S):
            if time.monotonic() >= look_at:
                self.look()
                look_at = time.monotonic() + _LOOK_PERIOD_S
            self._move()

    def _name(self, topic: str) -> str:
        return self._names.get(topic, topic)

    def _open(self, topic: str, kind: type) -> None:
        try:
            end = self._horus.Topic(getattr(self._horus, kind.__name__), endpoint=self._name(topic))
        except RuntimeError as error:
            self._refuse(
                topic, f"HORUS did not open '{self._name(topic)}' for {kind.__name__}: {error}"
            )
            return
        if kind is CmdVel:
            for _ in range(_RING):
                if end.recv() is None:
                    break
            self._incoming[topic] = end, self._hub.publisher(topic, CmdVel)
        else:
            self._outgoing[topic] = self._hub.subscribe(topic, kind, _SENSOR_QOS), end

    def _carry(self, topic: str, send: Any, convert: Any, message: Any) -> bool:  # noqa: ANN401
        try:
            send(convert(message))
        except MessageError as refusal:
            self._refuse(topic, str(refusal))
            return False
        return True

    def _send_transforms(self, end: Any, topic: str, transforms: Any) -> int:  # noqa: ANN401
        return sum(
            self._carry(topic, end.send, lambda part: part, part)
            for part in transforms_to_horus(transforms)
        )

    def _to_horus(self, message: Any) -> Any:  # noqa: ANN401
        if not isinstance(message, Image):
            return to_horus(message)
        if HorusBridge._images_sent >= MAX_IMAGES:
            raise MessageError(
                f"this process has sent {MAX_IMAGES} images to HORUS, which has room for 1,024 and "
                "never frees them; restart the process, or send images over zenoh"
            )
        image = to_horus(message)
        HorusBridge._images_sent += 1
        return image

    def _refuse(self, topic: str, cause: str) -> None:
        self.refused += 1
        if topic not in self._told:
            self._told.add(topic)
            logger.warning("topic '%s' is not carried to HORUS: %s", topic, cause)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
