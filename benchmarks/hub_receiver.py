"""The second process of the hub benchmark: notes when messages arrive.

    python hub_receiver.py ours <session>
    python hub_receiver.py raw <port>

Prints ``ready`` once a message of each size has come, and the arrival times of those that count
when standard input ends: monotonic nanoseconds, which are the same for all processes of a machine.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from horus_sim.hub import QoS, connect
from horus_sim.hub.messages import Image
from horus_sim.hub.transforms.broadcaster import TF_QOS, TF_TOPIC
from horus_sim.tf import TFMessage

if TYPE_CHECKING:
    from collections.abc import Callable

IMAGE_TOPIC = "image"
IMAGE_QOS = QoS()
SIZES = ("transform", "image")
# The first byte beside a raw payload, and a stamp that is not negative, say that a message counts.
COUNTS = 1


class Arrivals:
    """When the messages of one size arrived that count."""

    def __init__(self) -> None:
        self.times_ns: list[int] = []
        self.any = threading.Event()

    def note_image(self, image: Image) -> None:
        """Callback of the topic of images."""
        self._note(counts=image.stamp_ns >= 0)

    def note_transforms(self, message: TFMessage) -> None:
        """Callback of the topic of transforms."""
        self._note(counts=message.transforms[0].stamp_ns >= 0)

    def note_sample(self, sample: Any) -> None:  # noqa: ANN401 - a zenoh sample
        """Callback of a zenoh subscriber; as far as we go, the bytes are in Python."""
        _, beside = sample.payload.to_bytes(), sample.attachment.to_bytes()
        self._note(counts=beside[0] == COUNTS)

    def _note(self, *, counts: bool) -> None:
        if counts:
            self.times_ns.append(time.monotonic_ns())
        self.any.set()


def raw_session(port: int, *, listen: bool) -> Any:  # noqa: ANN401 - a zenoh session
    """A zenoh peer that listens on a port of this machine, or is connected to it directly."""
    zenoh: Any = importlib.import_module("zenoh")
    config = zenoh.Config()
    endpoints = json.dumps([f"tcp/127.0.0.1:{port}"])
    config.insert_json5("mode", '"peer"')
    config.insert_json5("scouting/multicast/enabled", "false")
    config.insert_json5("timestamping/enabled", "true")
    config.insert_json5("listen/endpoints", endpoints if listen else "[]")
    config.insert_json5("connect/endpoints", "[]" if listen else endpoints)
    return zenoh.open(config)


def main() -> None:
    """Receives until standard input ends."""
    system, address = sys.argv[1:]
    arrivals = {size: Arrivals() for size in SIZES}
    close: Callable[[], object]
    if system == "ours":
        hub = connect("zenoh://", session=address)
        ends: list[Any] = [
            hub.subscribe(TF_TOPIC, TFMessage, TF_QOS, arrivals["transform"].note_transforms),
            hub.subscribe(IMAGE_TOPIC, Image, IMAGE_QOS, arrivals["image"].note_image),
        ]
        close = hub.close
    else:
        session = raw_session(int(address), listen=False)
        ext: Any = importlib.import_module("zenoh.ext")
        ends = [
            ext.declare_advanced_subscriber(
                session,
                size,
                arrivals[size].note_sample,
                recovery=ext.RecoveryConfig(heartbeat=True),
                subscriber_detection=True,
            )
            for size in SIZES
        ]
        close = session.close
    for arrival in arrivals.values():
        arrival.any.wait()
    print("ready", flush=True)
    sys.stdin.read()
    print(json.dumps({size: arrivals[size].times_ns for size in SIZES}), flush=True)
    del ends
    close()


if __name__ == "__main__":
    main()
