"""Transforms from Python: our figures beside the peers', in one run.

50 frames, 10 s of history at 100 Hz, look-ups over five links; CPU time, medians. Run it on an idle
machine:

    pip install 'horus-sim[bench]'
    python benchmarks/bench_tf.py

Prints a table and writes benchmarks/results/bench_tf.json.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from measure import call_ns, cpu_ns
from rich.console import Console
from rich.table import Table
from tf_peers import PEERS
from tf_world import SOURCE, STEP_NS, TARGET, Link, make_links, random_times_ns

from horus_sim.tf import TFTree, Transform, UnknownFrameError


@dataclass
class Measure:
    """One row: a value and the figures that it is to reach."""

    title: str
    unit: str
    reach: float
    stretch: float
    value: float
    more_is_better: bool = False
    peers: dict[str, float] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """Which of the two figures is reached."""
        sign = -1 if self.more_is_better else 1
        if sign * self.value <= sign * self.stretch:
            return "stretch"
        return "reached" if sign * self.value <= sign * self.reach else "MISSED"


def make_tree(links: list[Link]) -> TFTree:
    """A tree with all samples."""
    tree = TFTree(buffer_duration=10.0)
    for link in links:
        tree.add_transforms(
            link.parent, link.child, link.stamps_ns, link.translations, link.rotations
        )
    return tree


def append_ns(links: list[Link], calls: int = 5_000) -> float:
    """CPU time of a new sample [ns], with one dropped from the other end of the history."""
    tree, link = make_tree(links), links[4]
    T = Transform(link.translations[0], link.rotations[0])
    stamps = iter(range(int(link.stamps_ns[-1]) + STEP_NS, 2**62, STEP_NS))
    add = tree.add_transform
    counting = cpu_ns(lambda: [next(stamps) for _ in range(calls)], calls)

    def run() -> None:
        for _ in range(calls):
            add(link.parent, link.child, T, next(stamps))

    return cpu_ns(run, calls) - counting


def latest_changed_ns(links: list[Link], calls: int = 5_000) -> float:
    """CPU time of a look-up right after the newest sample of one of its links was replaced [ns]."""
    tree, link = make_tree(links), links[4]
    T = Transform(link.translations[-1], link.rotations[-1])
    newest_ns = int(link.stamps_ns[-1])
    add, look_up = tree.add_transform, tree.lookup_transform

    def replace() -> None:
        for _ in range(calls):
            add(link.parent, link.child, T, newest_ns)

    def replace_and_look_up() -> None:
        for _ in range(calls):
            add(link.parent, link.child, T, newest_ns)
            look_up(SOURCE, TARGET)

    return cpu_ns(replace_and_look_up, calls) - cpu_ns(replace, calls)


def reader_scaling(links: list[Link], seconds: float = 0.4, rounds: int = 7) -> float:
    """Look-ups a second by two native readers over those by one, while all links are written."""
    tree = make_tree(links)
    times_ns = np.repeat(random_times_ns(), 10) // 2 + 5_000_000_000
    stop_writer = threading.Event()

    def write() -> None:
        stamp_ns = int(links[0].stamps_ns[-1])
        while not stop_writer.wait(1e-9 * STEP_NS):
            stamp_ns += (
                STEP_NS // 100
            )  # Slow enough for the history to keep the times that are asked for.
            for link in links:
                tree.add_transform(link.parent, link.child, Transform(), stamp_ns)

    def look_ups(readers: int) -> float:
        done = [0] * readers
        begin, end = threading.Barrier(readers + 1), threading.Event()

        def read(k: int) -> None:
            begin.wait()
            while not end.is_set():
                tree.lookup_transforms(SOURCE, TARGET, times_ns, tolerance_ns=STEP_NS)
                done[k] += len(times_ns)

        threads = [threading.Thread(target=read, args=(k,)) for k in range(readers)]
        for thread in threads:
            thread.start()
        begin.wait()
        start = time.perf_counter()
        time.sleep(seconds)
        end.set()
        for thread in threads:
            thread.join()
        return sum(done) / (time.perf_counter() - start)

    writer = threading.Thread(target=write)
    writer.start()
    ratios = [look_ups(2) / look_ups(1) for _ in range(rounds)]
    stop_writer.set()
    writer.join()
    return statistics.median(ratios)


def resident_growth_mb() -> float:
    """Growth of the resident memory of a fresh process that fills the tree [MB]."""
    program = (
        "import os, sys; sys.path.insert(0, sys.argv[1])\n"
        "from bench_tf import make_links, make_tree\n"
        "def resident():\n"
        "    pages = int(open('/proc/self/statm').read().split()[1])\n"
        "    return pages * os.sysconf('SC_PAGE_SIZE')\n"
        "links = make_links(); make_tree(links[:1])\n"
        "before = resident(); tree = make_tree(links); print((resident() - before) / 1e6)\n"
    )
    here = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", program, here], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def our_measures(links: list[Link]) -> dict[str, Measure]:
    """All rows, without the peers."""
    tree = make_tree(links)
    memory_mb = tree.memory_bytes / 1e6
    T = Transform((1.0, 2.0, 3.0), (0.0, 0.0, 0.6, 0.8))
    U = Transform.from_euler((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
    times_ns = random_times_ns()
    times = times_ns.tolist()
    points = np.random.default_rng(0).normal(size=(100_000, 3))

    def any_time() -> None:
        for time_ns in times:
            tree.lookup_transform(SOURCE, TARGET, time_ns)

    def unknown() -> None:
        with suppress(UnknownFrameError):
            tree.lookup_transform("nowhere", TARGET)

    rows = {
        "latest": Measure(
            "latest by name, tree unchanged",
            "ns",
            100,
            80,
            call_ns(tree.lookup_transform, SOURCE, TARGET),
        ),
        "any_time": Measure(
            "at any time in the 10 s", "ns", 500, 350, cpu_ns(any_time, len(times))
        ),
        "batch": Measure(
            "batch of 1,000 times, each",
            "ns",
            250,
            150,
            cpu_ns(lambda: tree.lookup_transforms(SOURCE, TARGET, times_ns), len(times)),
        ),
        "construct": Measure(
            "Transform()", "ns", 200, 150, call_ns(Transform, (1.0, 2.0, 3.0), (0.0, 0.0, 0.6, 0.8))
        ),
        "compose": Measure("compose", "ns", 80, 60, call_ns(T.compose, U)),
        "inverse": Measure("inverse", "ns", 80, 60, call_ns(T.inverse)),
        "points": Measure(
            "100k points, each", "ns", 2, 1, cpu_ns(lambda: T.transform_points(points), 100_000)
        ),
        "error": Measure("typed error raised and caught", "ns", 1_500, 1_000, call_ns(unknown)),
        "memory": Measure("memory of the tree", "MB", 3.2, 3.0, memory_mb),
    }
    rows["latest_changed"] = Measure(
        "latest by name, tree changed", "ns", 250, 180, latest_changed_ns(links)
    )
    rows["add"] = Measure("add a sample", "ns", 300, 200, append_ns(links))
    rows["readers"] = Measure(
        "two reader threads against one, one writer",
        "x",
        1.7,
        1.8,
        reader_scaling(links),
        more_is_better=True,
    )
    return rows


def add_peers(rows: dict[str, Measure], links: list[Link], console: Console) -> None:
    """Measures the peers that are installed, after making sure that they give the same answer."""
    T = make_tree(links).lookup_transform(SOURCE, TARGET, int(random_times_ns()[0]))
    for name, measure in PEERS.items():
        try:
            measures, answer = measure(links)
        except ImportError:
            console.print(
                f"{name} is not installed; for the comparison: pip install 'horus-sim[bench]'"
            )
            continue
        sign = np.sign(answer[3:] @ T.rotation)
        error = np.abs(answer - [*T.translation, *(sign * T.rotation)]).max()
        console.print(f"{name}: its answer differs from ours by {error:.1e}")
        for key, value in measures.items():
            rows[key].peers[name] = value


ORDER = [
    "latest", "latest_changed", "any_time", "batch", "add", "construct", "compose", "inverse",
    "points", "error", "memory", "readers",
]  # fmt: skip


def main() -> None:
    """Measures, prints and writes."""
    console = Console(width=130)
    links = make_links()
    rows = our_measures(links)
    add_peers(rows, links, console)
    table = Table(title="Transforms from Python: 50 frames, 10 s at 100 Hz, five links; CPU time")
    for column in ("measure", "ours", "reach", "stretch", "", *PEERS):
        table.add_column(column, justify="left" if column == "measure" else "right")
    for key in ORDER:
        row = rows[key]
        peers = [
            f"{row.peers[name]:,.0f} ({row.peers[name] / row.value:.1f}x)"
            if name in row.peers
            else "-"
            for name in PEERS
        ]
        digits = 0 if row.value >= 10 else 2
        table.add_row(
            row.title,
            f"{row.value:,.{digits}f} {row.unit}",
            f"{row.reach:g}",
            f"{row.stretch:g}",
            row.verdict,
            *peers,
        )
    console.print(table)
    resident_mb = resident_growth_mb()
    console.print(
        f"Resident memory of a process grows by {resident_mb:.2f} MB when it fills the tree."
    )
    results = {key: asdict(rows[key]) | {"verdict": rows[key].verdict} for key in ORDER}
    path = Path(__file__).parent / "results" / "bench_tf.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(results | {"resident_growth_mb": resident_mb}, indent=2) + "\n")
    console.print(f"Written to {path}")


if __name__ == "__main__":
    main()
