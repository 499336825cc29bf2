"""Random transforms and look-ups, answered by us and by the real tf2 of Debian or Ubuntu.

    sudo apt-get install python3-tf2          # with it come python3-rospy and python3-geometry-msgs
    python scripts/fuzz/tf2.py [COUNT] [SEED] [FILE]

tf2 runs in a process of its own, under /usr/bin/python3, which alone can import it; TF2_PYTHON
names another. FILE, if given, takes the worlds with tf2's answers, gzipped, for `replay`.

Frames move, change their parents, send late samples and outlive their history; look-ups ask for the
latest and for times on, between and beyond samples. A finding is an answer that differs by more
than 1e-9 in a number or in the kind of error, or a cycle that is refused and is none or the
reverse. Differences that `EXPECTED` explains are counted apart.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from horus_sim.tf import (
    CycleError,
    DisconnectedError,
    ExtrapolationError,
    InvalidTransformError,
    TFTree,
    Transform,
    UnknownFrameError,
)

NS = 1_000_000_000
NEWEST = 2**63 - 1
TOLERANCE = 1e-9
PEER = Path(__file__).with_name("tf2_peer.py")
KINDS = {
    UnknownFrameError: "unknown",
    DisconnectedError: "disconnected",
    ExtrapolationError: "extrapolation",
}
EXPECTED = {
    "joined": "the latest between frames that the newest links join, at whose common time a frame "
    "hung elsewhere: tf2 says two trees, we name the link that began later",
    "itself": "the latest between a frame and itself: tf2 gives the newest stamp of its link, we "
    "give none, since no link lies between",
    "stranger": "an unknown frame and itself: tf2 answers identity, we say that it is unknown, "
    "since a misspelled name should not look like an answer",
    "cycle": "links that close a circle at one time or among the newest: tf2 takes them and fails "
    "or contradicts itself later, we refuse them (tf2 is not given them)",
}
Answer = list[Any]
Pose = list[float]


class RandomWorld:
    """A tree of ours with everything that was done to it, for tf2 to repeat.

    Attributes:
        work: Transforms and look-ups, as `tf2_peer.py` takes them.
        answers: Our answer to each look-up.
        refused: Number of links that we refused as cycles.
        findings: Cycles that we judged otherwise than a plain search does.
    """

    def __init__(self, seed: str) -> None:
        self._rng = rng = random.Random(seed)  # noqa: S311 - no secret
        self.buffer_ns = rng.choice((1, 2, 5, 10)) * NS
        self.work: list[list[Any]] = []
        self.answers: list[Answer] = []
        self.refused = 0
        self.findings: list[str] = []
        self._tree = TFTree(self.buffer_ns / NS)
        self._frames = [f"f{i}" for i in range(rng.randint(3, 8))]
        self._still = {frame for frame in self._frames if rng.random() < 0.2}
        self._statics: dict[str, str] = {}
        self._samples: dict[str, dict[int, str]] = {}
        self._clock_ns = rng.randrange(1_000 * NS, 2_000 * NS)
        # A tree that hardly changes, or one in which everything hangs from everything.
        self._restlessness = rng.choice((0.02, 0.2, 0.6))
        for _ in range(rng.randint(5, 60)):
            self._add()
            for _ in range(rng.choice((0, 2, 4, 8))):
                self._ask()

    def _add(self) -> None:
        rng = self._rng
        self._clock_ns += rng.choice((1_000_000, 50_000_000, 400_000_000, 2 * NS))
        child, parent = rng.sample(self._frames, 2)
        samples = self._samples.get(child, {})
        if child in self._still:
            known = self._statics.get(child)
        else:
            known = samples[max(samples)] if samples else None
        if known is not None and rng.random() > self._restlessness:
            parent = known
        pose = [rng.uniform(-5, 5) for _ in range(3)] + _unit_quaternion(rng)
        if child in self._still:
            self._add_static(parent, child, pose)
        else:
            most_late_ns = self.buffer_ns if rng.random() < 0.2 else NS // 10
            if (stamp_ns := self._clock_ns - rng.randrange(most_late_ns)) not in samples:
                self._add_moving(parent, child, pose, stamp_ns)

    def _add_static(self, parent: str, child: str, pose: Pose) -> None:
        is_cycle = _closes_a_circle({**self._statics, child: parent}, self._samples, child)
        try:
            self._tree.add_static_transform(parent, child, Transform(pose[:3], pose[3:]))
        except CycleError:
            self.refused += 1
            if not is_cycle:
                self.findings.append(f"{parent} -> {child} is refused as a cycle, and is none")
            return
        if is_cycle:
            self.findings.append(f"{parent} -> {child} closes a cycle, and is not refused")
        self._statics[child] = parent
        self.work.append(["static", parent, child, None, pose])

    def _add_moving(self, parent: str, child: str, pose: Pose, stamp_ns: int) -> None:
        samples = {**self._samples.get(child, {}), stamp_ns: parent}
        kept = {t: samples[t] for t in samples if t >= max(samples) - self.buffer_ns}
        is_cycle = _closes_a_circle(self._statics, {**self._samples, child: kept}, child)
        try:
            self._tree.add_transform(parent, child, Transform(pose[:3], pose[3:]), stamp_ns)
        except CycleError:
            self.refused += 1
            if not is_cycle:
                self.findings.append(f"{parent} -> {child} at {stamp_ns} is refused, and no cycle")
            return
        except InvalidTransformError:
            # Older than the history: tf2 is to ignore it.
            if stamp_ns in kept:
                self.findings.append(f"{parent} -> {child} at {stamp_ns} is refused")
        else:
            if is_cycle:
                self.findings.append(f"{parent} -> {child} at {stamp_ns} closes a cycle")
            self._samples[child] = kept
        self.work.append(["moving", parent, child, stamp_ns, pose])

    def _ask(self) -> None:
        rng = self._rng
        source, target = rng.choices([*self._frames, "nowhere"], [9] * len(self._frames) + [1], k=2)
        stamps = sorted(t for samples in self._samples.values() for t in samples)
        time_ns = None
        if stamps and rng.random() < 0.6:
            a, b = rng.choice(stamps), rng.choice(stamps)
            time_ns = rng.choice((a, a - 1, a + 1, (a + b) // 2, a + rng.randint(-NS, NS)))
        self.work.append(["ask", source, target, time_ns])
        self.answers.append(_answer(self._tree, source, target, time_ns))


def _answer(tree: TFTree, source: str, target: str, time_ns: int | None) -> Answer:
    try:
        if time_ns is None:
            T, stamp_ns = tree.lookup_stamped(source, target)
        else:
            T, stamp_ns = tree.lookup_transform(source, target, time_ns), time_ns
    except tuple(KINDS) as error:
        return [KINDS[type(error)], None, str(error)]
    return ["ok", stamp_ns, [*T.translation.tolist(), *T.rotation.tolist()]]


def replay(buffer_ns: int, work: list[list[Any]]) -> list[Answer]:
    """Our answers to the look-ups of a world that was written to a file."""
    tree, answers = TFTree(buffer_ns / NS), []
    for kind, *values in work:
        if kind == "ask":
            answers.append(_answer(tree, *values))
            continue
        parent, child, stamp_ns, pose = values
        T = Transform(pose[:3], pose[3:])
        if kind == "static":
            tree.add_static_transform(parent, child, T)
            continue
        # As tf2 ignores samples that are older than the history.
        with suppress(InvalidTransformError):
            tree.add_transform(parent, child, T, stamp_ns)
    return answers


def _unit_quaternion(rng: random.Random) -> Pose:
    q = np.array([rng.gauss(0, 1) for _ in range(4)])
    return (q / np.linalg.norm(q)).tolist()


def _closes_a_circle(
    statics: dict[str, str], moving: dict[str, dict[int, str]], child: str
) -> bool:
    """Whether `child` is above itself among the newest, or at a time for which all have data."""
    for time_ns in {NEWEST}.union(*moving.values()):
        frame = child
        for _ in range(len(statics) + len(moving)):
            if frame in statics:
                frame = statics[frame]
            else:
                samples = moving.get(frame, {})
                at_ns = max((t for t in samples if t <= time_ns), default=None)
                if at_ns is None or max(samples) < time_ns < NEWEST:
                    break
                frame = samples[at_ns]
            if frame == child:
                return True
    return False


def difference(ask: list[Any], ours: Answer, theirs: Answer) -> str | None:
    """Nothing when the answers agree, a key of `EXPECTED`, or "finding"."""
    source, target, time_ns = ask
    if source == target and (ours[0], theirs[0]) == ("unknown", "ok"):
        return "stranger"
    if ours[0] != theirs[0]:
        disagree = (ours[0], theirs[0], theirs[1]) == ("extrapolation", "disconnected", True)
        return "joined" if disagree and time_ns is None else "finding"
    if ours[0] != "ok":
        return None
    q_ours, q_theirs = np.array(ours[2][3:]), np.array(theirs[2][3:])
    if q_ours @ q_theirs < 0:
        q_theirs = -q_theirs
    away = np.abs([*np.subtract(ours[2][:3], theirs[2][:3]), *(q_ours - q_theirs)])
    if not away.max() <= TOLERANCE:
        return "finding"
    if time_ns is None and source == target:
        return "itself" if theirs[1] else None
    return None if theirs[1] == (ours[1] or 0) else "finding"


def compare(work: list[list[Any]], ours: list[Answer], theirs: list[Answer]) -> Counter[str]:
    """Counts agreements and differences of one world, and prints the first finding of it."""
    seen: Counter[str] = Counter()
    asks = [number for number, item in enumerate(work) if item[0] == "ask"]
    for number, our, their in zip(asks, ours, theirs, strict=True):
        kind = difference(work[number][1:], our, their) or "agree"
        if kind == "finding" and not seen["finding"]:
            print(f"{work[number]}\n  ours {our}\n  tf2  {their}\n  after {_told(work[:number])}")
        seen[kind] += 1
        seen[f"{their[0]} by tf2"] += 1
    return seen


def _told(work: list[list[Any]]) -> list[list[Any]]:
    return [item[:4] for item in work if item[0] != "ask"]


def worlds(count: int, seed: int) -> Iterator[RandomWorld]:
    """Worlds with `count` look-ups or a few more."""
    number = asked = 0
    while asked < count:
        yield (world := RandomWorld(f"{seed}/{number}"))
        number += 1
        asked += len(world.answers)


def tf2_answers(made: Iterable[RandomWorld]) -> Iterator[tuple[RandomWorld, list[Answer]]]:
    """Each world with what tf2 answers to its look-ups."""
    python = os.environ.get("TF2_PYTHON", "/usr/bin/python3")
    # tf2 warns of every sample that it ignores.
    with subprocess.Popen(  # noqa: S603 - the user's choice
        [python, str(PEER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as peer:
        to_peer, from_peer = cast("IO[str]", peer.stdin), cast("IO[str]", peer.stdout)
        for world in made:
            line = json.dumps({"buffer_ns": world.buffer_ns, "work": world.work})
            with suppress(BrokenPipeError):
                to_peer.write(line + "\n")
                to_peer.flush()
            if not (line := from_peer.readline()):
                sys.exit(f"{python} {PEER} ended; run it by hand to see why (is tf2 installed?)")
            yield world, json.loads(line)


def main(count: int, seed: int, file: str | None = None) -> int:
    """Asks `count` questions; returns the number of findings."""
    seen: Counter[str] = Counter()
    written = []
    for world, theirs in tf2_answers(worlds(count, seed)):
        if file is not None:
            record = {"buffer_ns": world.buffer_ns, "work": world.work, "answers": theirs}
            written.append(json.dumps(record, separators=(",", ":")) + "\n")
        seen += compare(world.work, world.answers, theirs)
        seen["cycle"] += world.refused
        for finding in world.findings:
            print(f"{finding}\n  in {_told(world.work)}")
            seen["finding"] += 1
    if file is not None:
        Path(file).write_bytes(gzip.compress("".join(written).encode(), mtime=0))
    asked = sum(number for kind, number in seen.items() if kind.endswith("by tf2"))
    print(", ".join(f"{seen[kind]:,} {kind}" for kind in sorted(seen) if kind.endswith("by tf2")))
    for kind, reason in EXPECTED.items():
        print(f"{seen[kind]:,} expected: {reason}")
    print(f"{asked:,} look-ups, {seen['agree']:,} agree, {seen['finding']} findings")
    return seen["finding"]


if __name__ == "__main__":
    given = [*sys.argv[1:], *("10000", "1")[len(sys.argv) - 1 :]]
    sys.exit(main(int(given[0]), int(given[1]), *given[2:]) > 0)
