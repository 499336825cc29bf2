"""The sending side of the hub benchmark: ours and raw zenoh, each with its second process."""

from __future__ import annotations

import importlib
import json
import socket
import statistics
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from hub_receiver import COUNTS, IMAGE_QOS, IMAGE_TOPIC, SIZES, raw_session

from horus_sim.hub import TFBroadcaster, connect
from horus_sim.hub.messages import Image
from horus_sim.hub.ros.binding import binding_of
from horus_sim.hub.transforms.broadcaster import TF_QOS
from horus_sim.tf import TFMessage, Transform, TransformStamped

if TYPE_CHECKING:
    from collections.abc import Callable

IMAGE_SHAPE = (578, 605, 3)  # 1.05 MB, about 2^20 bytes
TF = Transform((1.0, 2.0, 3.0), (0.0, 0.0, 0.6, 0.8))
ATTACHMENT_BYTES = 33
PIXELS = np.random.default_rng(0).integers(0, 256, IMAGE_SHAPE, dtype=np.uint8)
# The bytes of our messages. Zeros would not do: all their pages are one, which stays in the cache.
PAYLOADS = {
    "transform": binding_of(TFMessage).encode(
        TFMessage((TransformStamped("odom", "base_link", -1, TF),))
    ),
    "image": binding_of(Image).encode(Image(-1, "cam", PIXELS)),
}
PAUSE_S = {"transform": 0.001, "image": 0.004}
LONGEST_MEETING_S = 60.0


class Sender:
    """Sends to a receiver in a second process.

    Attributes:
        send: For each size, sends a message; its argument says whether the message counts.
        sent_ns: For each size, the times just before messages that count were sent.
    """

    def __init__(self, system: str, address: str) -> None:
        self.send: dict[str, Callable[[bool], None]] = {}
        self.sent_ns: dict[str, list[int]] = {size: [] for size in SIZES}
        script = Path(__file__).with_name("hub_receiver.py")
        self._receiver = subprocess.Popen(
            [sys.executable, script, system, address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def meet(self) -> None:
        """Sends until the receiver has got something of each size.

        Raises:
            RuntimeError: It died, or got nothing for a long time.
        """
        ready = threading.Event()

        def read() -> None:
            if self._receiver.stdout.readline() == "ready\n":  # type: ignore[union-attr]
                ready.set()

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        end = time.monotonic() + LONGEST_MEETING_S
        while reader.is_alive() and time.monotonic() < end:
            for size in SIZES:
                self.send[size](False)  # noqa: FBT003
            time.sleep(0.02)
        if not ready.is_set():
            self._receiver.kill()
            raise RuntimeError(
                f"the receiver ({' '.join(map(str, self._receiver.args))}) died, or got nothing "  # type: ignore[arg-type]
                f"in {LONGEST_MEETING_S:g} s"
            )

    def send_paced(self, size: str, count: int) -> None:
        """Sends messages that count, with a pause after each."""
        for _ in range(count):
            self.sent_ns[size].append(time.monotonic_ns())
            self.send[size](True)  # noqa: FBT003
            time.sleep(PAUSE_S[size])

    def finish(self) -> dict[str, list[float]]:
        """Ends the receiver and gives the latency of every message that counted [us]."""
        time.sleep(0.5)
        output, _ = self._receiver.communicate(timeout=30)
        arrived_ns = json.loads(output)
        latencies = {}
        for size in SIZES:
            arrived, sent = arrived_ns[size], self.sent_ns[size]
            if len(arrived) != len(sent):
                raise RuntimeError(
                    f"{len(arrived)} of {len(sent)} messages arrived ({size}); the machine is too "
                    "busy to measure latencies"
                )
            latencies[size] = [1e-3 * (b - a) for a, b in zip(sent, arrived, strict=True)]
        return latencies

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._receiver.poll() is None:
            self._receiver.kill()
            self._receiver.wait()


class OurSender(Sender):
    """Our topics over zenoh."""

    def __init__(self) -> None:
        session = f"bench-{uuid.uuid4().hex[:12]}"
        super().__init__("ours", session)
        self.hub = connect("zenoh://", session=session)
        self.broadcaster = TFBroadcaster(self.hub)
        images = self.hub.publisher(IMAGE_TOPIC, Image, IMAGE_QOS)
        transforms = self.broadcaster._publisher
        idle, counted = (
            TFMessage((TransformStamped("odom", "base_link", stamp_ns, TF),))
            for stamp_ns in (-1, 0)
        )
        idle_image, counted_image = (Image(stamp_ns, "cam", PIXELS) for stamp_ns in (-1, 0))
        self.send["transform"] = lambda counts: transforms.send(counted if counts else idle)
        self.send["image"] = lambda counts: images.send(counted_image if counts else idle_image)
        self.publish = {
            "transform": lambda: transforms.send(idle),
            "broadcaster": lambda: self.broadcaster.send_transform("odom", "base_link", TF, -1),
            "image": lambda: images.send(idle_image),
            "pixels": lambda: images.send(Image(-1, "cam", PIXELS)),
        }
        self.meet()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self.hub.close()


class RawSender(Sender):
    """The same bytes and 33 beside them, by the same kind of publisher of zenoh."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.session = raw_session(port, listen=True)
        super().__init__("raw", str(port))
        drop = importlib.import_module("zenoh").CongestionControl.DROP
        ext: Any = importlib.import_module("zenoh.ext")
        beside = bytes(ATTACHMENT_BYTES)
        counted = bytes([COUNTS]) + beside[1:]
        self.publish = {}
        for size in SIZES:
            publisher: Any = ext.declare_advanced_publisher(
                self.session,
                size,
                congestion_control=drop,
                cache=ext.CacheConfig(
                    max_samples=(TF_QOS if size == "transform" else IMAGE_QOS).depth,
                    replies_config=ext.RepliesConfig(congestion_control=drop),
                ),
                sample_miss_detection=ext.MissDetectionConfig(heartbeat=0.1),
                publisher_detection=True,
            )
            payload = PAYLOADS[size]
            self.send[size] = lambda counts, publisher=publisher, payload=payload: publisher.put(
                payload, attachment=counted if counts else beside
            )
            self.publish[size] = lambda publisher=publisher, payload=payload: publisher.put(
                payload, attachment=beside
            )
            if size == "image":
                before = payload[: -PIXELS.nbytes]
                self.publish["pixels"] = lambda publisher=publisher, before=before: publisher.put(
                    b"".join((before, PIXELS.data)), attachment=beside
                )
        self.meet()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self.session.close()


def publish_ns(
    publishes: list[Callable[[], object]], burst: int, rounds: int, pause_s: float
) -> list[float]:
    """CPU time of this thread for one call of each [ns], medians over bursts taken in turn.

    The pause after each burst lets the receiver keep up, so that no call waits for it.
    """
    times: list[list[float]] = [[] for _ in publishes]
    for _ in range(rounds):
        for k, publish in enumerate(publishes):
            start = time.thread_time_ns()
            for _ in range(burst):
                publish()
            times[k].append((time.thread_time_ns() - start) / burst)
            time.sleep(pause_s)
    return [statistics.median(values) for values in times]
