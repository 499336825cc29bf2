"""Topics: what sending costs and how long messages travel, beside raw zenoh in one run.

A 192-byte transform and a 1 MB image, inside one process and to a second one. Run it on an idle
machine with at least two cores:

    pip install 'horus-sim[zenoh]'
    python benchmarks/bench_hub.py

Prints a table and writes benchmarks/results/bench_hub.json.
"""

from __future__ import annotations

import importlib.util
import json
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from hub_receiver import SIZES
from hub_senders import PIXELS, TF, OurSender, RawSender, publish_ns
from measure import call_ns
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rosbags.typesys import Stores, get_typestore

from horus_sim.hub import QoS, TFBroadcaster, TFListener, connect
from horus_sim.hub.messages import Image
from horus_sim.hub.ros.binding import binding_of
from horus_sim.tf import TFMessage, TransformStamped

ROUNDS = 20
# Of raw zenoh's time, for sending and, but for the last, on the way.
TRANSFORM_RATIO = 1.3
IMAGE_RATIO = 1.15
BROADCASTER_RATIO = 1.6
PER_ROUND = {"transform": 100, "image": 20}


@dataclass
class Measure:
    """One row: a value, raw zenoh's, and the figure that it is to stay below.

    The figure is a multiple of raw zenoh's value where there is one, else it has the row's unit.
    """

    title: str
    unit: str
    value: float
    reach: float | None = None
    raw: float | None = None

    @property
    def ratio(self) -> float | None:
        """Ours over raw zenoh's."""
        return None if self.raw is None else self.value / self.raw

    @property
    def verdict(self) -> str:
        """Whether the figure is reached."""
        if self.reach is None:
            return ""
        value = self.value if self.ratio is None else self.ratio
        return "reached" if value <= self.reach else "MISSED"

    @property
    def reach_text(self) -> str:
        """The figure with its unit."""
        if self.reach is None:
            return "-"
        return f"{self.reach:,g}{f' {self.unit}' if self.raw is None else 'x'}"


def inproc_publish() -> dict[str, Measure]:
    """CPU time of sending to a subscription in this process."""
    rows = {}
    transform, image = TransformStamped("odom", "base_link", 0, TF), Image(0, "camera", PIXELS)
    with connect(session="bench") as hub:
        for key, message in (("transform", transform), ("image", image)):
            publisher = hub.publisher(key, type(message))
            hub.subscribe(key, type(message))
            title = f"inproc: send a prebuilt {key}"
            value = call_ns(publisher.send, message)
            rows[f"inproc_send_{key}"] = Measure(title, "ns", value, reach=250)
        broadcaster = TFBroadcaster(hub)
        arguments = ("odom", "base_link", TF, 0)
        with hub.subscribe("tf", TFMessage):
            value = call_ns(broadcaster.send_transform, *arguments)
        rows["inproc_broadcaster"] = Measure(
            "inproc: TFBroadcaster.send_transform", "ns", value, reach=1_000
        )
        TFListener(hub)
        value = call_ns(broadcaster.send_transform, *arguments)
        rows["inproc_listener"] = Measure(
            "inproc: the same, into the tree of a TFListener", "ns", value
        )
    return rows


def codec_measures() -> dict[str, Measure]:
    """CPU time of 50 transforms to bytes and back, and of rosbags with the same bytes."""
    binding = binding_of(TFMessage)
    message = TFMessage([TransformStamped(f"link_{i}", f"link_{i + 1}", i, TF) for i in range(50)])
    data = binding.encode(message)
    store = get_typestore(Stores.ROS2_JAZZY)
    theirs = store.deserialize_cdr(data, binding.name)
    calls = {
        "encode": (binding.encode, (message,)),
        "decode": (binding.decode, (data,)),
        "rosbags_encode": (store.serialize_cdr, (theirs, binding.name)),
        "rosbags_decode": (store.deserialize_cdr, (data, binding.name)),
    }
    return {
        f"cdr_{name}": Measure(
            f"CDR of 50 transforms: {name.replace('_', ' ')}",
            "ns",
            # rosbags takes a millisecond and more.
            call_ns(call, *arguments, calls=200),
            reach=None if name.startswith("rosbags") else 10_000,
        )
        for name, (call, arguments) in calls.items()
    }


def inproc_latency(count: int = 1_000) -> dict[str, Measure]:
    """Wall time from sending to another thread that waits."""
    arrived_ns: list[int] = []
    sent_ns = []
    with connect(session="bench") as hub:
        publisher = hub.publisher("transform", TransformStamped)
        # Deep enough for all: whoever is kept from running takes them later.
        subscription = hub.subscribe("transform", TransformStamped, QoS(depth=count))

        def receive() -> None:
            for _ in range(count):
                subscription.wait()
                arrived_ns.append(time.monotonic_ns())

        thread = threading.Thread(target=receive)
        thread.start()
        message = TransformStamped("odom", "base_link", 0, TF)
        for _ in range(count):
            time.sleep(0.001)
            sent_ns.append(time.monotonic_ns())
            publisher.send(message)
        thread.join()
    latencies = (np.array(arrived_ns) - np.array(sent_ns)) * 1e-3
    title = "inproc: to a waiting thread"
    return {
        "inproc_latency": Measure(f"{title}, median", "us", float(np.median(latencies))),
        "inproc_latency_p99": Measure(f"{title}, p99", "us", float(np.percentile(latencies, 99))),
    }


def zenoh_measures(console: Console) -> dict[str, Measure]:
    """Sending to a second process, ours and raw zenoh in turn."""
    rows = {}
    with OurSender() as ours, RawSender() as raw:
        prebuilt_ns, broadcast_ns, raw_ns = publish_ns(
            [
                ours.publish["transform"],
                ours.publish["broadcaster"],
                raw.publish["transform"],
            ],
            burst=50,
            rounds=200,
            pause_s=0.003,
        )
        image_ns, raw_image_ns = publish_ns(
            [ours.publish["image"], raw.publish["image"]], burst=1, rounds=300, pause_s=0.005
        )
        pixels_ns, raw_pixels_ns = publish_ns(
            [ours.publish["pixels"], raw.publish["pixels"]], burst=1, rounds=300, pause_s=0.005
        )
        rows["zenoh_send_transform"] = Measure(
            "zenoh: send a prebuilt transform", "ns", prebuilt_ns, TRANSFORM_RATIO, raw_ns
        )
        rows["zenoh_broadcaster"] = Measure(
            "zenoh: TFBroadcaster.send_transform", "ns", broadcast_ns, BROADCASTER_RATIO, raw_ns
        )
        rows["zenoh_send_image"] = Measure(
            "zenoh: send a prebuilt 1 MB image", "ns", image_ns, IMAGE_RATIO, raw_image_ns
        )
        rows["zenoh_send_pixels"] = Measure(
            "zenoh: make an image from its pixels and send it",
            "ns",
            pixels_ns,
            raw=raw_pixels_ns,
        )
        for _ in track(range(ROUNDS), description="latency", console=console, transient=True):
            for size in SIZES:
                for sender in (ours, raw):
                    sender.send_paced(size, PER_ROUND[size])
        our_us, raw_us = ours.finish(), raw.finish()
    for size, ratio in (("transform", TRANSFORM_RATIO), ("image", IMAGE_RATIO)):
        for name, percent in (("median", 50), ("p99", 99)):
            rows[f"zenoh_latency_{size}_{name}"] = Measure(
                f"zenoh: latency, prebuilt {size}, {name}",
                "us",
                float(np.percentile(our_us[size], percent)),
                ratio if percent == 50 else None,
                float(np.percentile(raw_us[size], percent)),
            )
    return rows


def main() -> None:
    """Measures, prints and writes."""
    console = Console(width=110)
    rows = codec_measures() | inproc_publish() | inproc_latency()
    if importlib.util.find_spec("zenoh") is None:
        console.print("zenoh is not installed; for its rows: pip install 'horus-sim[zenoh]'")
    else:
        rows |= zenoh_measures(console)
    table = Table(title="Topics: CPU time of the sending thread, and wall time on the way")
    for column in ("measure", "ours", "raw zenoh", "ratio", "reach", ""):
        table.add_column(column, justify="left" if column == "measure" else "right")
    for row in rows.values():
        table.add_row(
            row.title,
            f"{row.value:,.0f} {row.unit}",
            "-" if row.raw is None else f"{row.raw:,.0f} {row.unit}",
            "-" if row.ratio is None else f"{row.ratio:.2f}x",
            row.reach_text,
            row.verdict,
        )
    console.print(table)
    results = {
        key: asdict(row) | {"ratio": row.ratio, "verdict": row.verdict} for key, row in rows.items()
    }
    path = Path(__file__).parent / "results" / "bench_hub.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(results, indent=2) + "\n")
    console.print(f"Written to {path}")


if __name__ == "__main__":
    main()
