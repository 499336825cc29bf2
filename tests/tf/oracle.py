"""A transform tree as plain as can be, to compare the native one with.

Samples are dictionaries, poses are 4x4 matrices, and every answer is worked out anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from horus_sim.tf import Transform

from .strategies import matrix_of

NS = 1_000_000_000
NEWEST = 2**63 - 1  # as a time: after every sample
EYE = np.eye(4)
Samples = dict[int, tuple[str, Transform]]


def halfway(a: Transform, b: Transform, u: float) -> np.ndarray:
    """The pose a fraction of the way, by the logarithm of the rotation between the two."""
    start = Rotation.from_quat(a.rotation)
    arc = (start.inv() * Rotation.from_quat(b.rotation)).as_rotvec()
    matrix = np.eye(4)
    matrix[:3, :3] = (start * Rotation.from_rotvec(u * arc)).as_matrix()
    matrix[:3, 3] = (1 - u) * a.translation + u * b.translation
    return matrix


@dataclass
class Unknown:
    frame: str


@dataclass
class Disconnected:
    source_root: str
    target_root: str


@dataclass
class Outside:
    """Links, as (parent, child, oldest, newest), that have no data at a time."""

    links: set[tuple[str, str, int, int]]
    # Whether the frames are in two trees besides, so that this would be as good an answer.
    also_disconnected: bool = False


@dataclass
class Oracle:
    """Mirrors the writing methods of `TFTree`; `look_up` says what a look-up must give."""

    buffer_ns: int = 10 * NS
    statics: dict[str, tuple[str, Transform]] = field(default_factory=dict)
    moving: dict[str, Samples] = field(default_factory=dict)
    present: set[str] = field(default_factory=set)

    # Writing ----------------------------------------------------------------------------------

    def add_static(self, parent: str, child: str, T: Transform) -> None:
        self.statics[child] = (parent, T)
        self.present |= {parent, child}

    def add(self, parent: str, child: str, T: Transform, stamp_ns: int) -> None:
        samples = self.moving.setdefault(child, {})
        samples[stamp_ns] = (parent, T)
        limit_ns = max(samples) - self.buffer_ns
        self.moving[child] = {t: samples[t] for t in sorted(samples) if t >= limit_ns}
        self.present |= {parent, child}

    def is_too_old(self, child: str, stamp_ns: int) -> bool:
        return stamp_ns < max(self.moving.get(child, {stamp_ns: None})) - self.buffer_ns

    def remove(self, frame: str, *, subtree: bool) -> None:
        doomed = [frame]
        for gone in doomed:
            if subtree:
                doomed += [f for f in sorted(self.present) if self.parent_at(f, NEWEST) == gone]
        for gone in doomed:
            self.statics.pop(gone, None)
            self.moving.pop(gone, None)
            self.present.discard(gone)

    def clear(self) -> None:
        self.moving.clear()
        parents = {parent for parent, _ in self.statics.values()}
        self.present &= parents | self.statics.keys()

    # Structure --------------------------------------------------------------------------------

    def parent_at(self, frame: str, time_ns: int) -> str | None:
        """Before the first and after the last sample its parent is held."""
        if frame in self.statics:
            return self.statics[frame][0]
        samples = self.moving.get(frame)
        if not samples:
            return None
        return samples[max((t for t in samples if t <= time_ns), default=min(samples))][0]

    def climb(self, frame: str, time_ns: int) -> list[str]:
        """Frames up to the root; ends with a frame named twice when held parents form a circle."""
        path = [frame]
        while (parent := self.parent_at(path[-1], time_ns)) in self.present:
            path.append(parent)
            if parent in path[:-1]:
                break
        return path

    def has_data(self, frame: str, time_ns: int) -> bool:
        samples = self.moving.get(frame)
        return not samples or min(samples) <= time_ns <= max(samples)

    def cycle(self, parent: str, child: str, stamp_ns: int | None) -> str:
        """Whether a link must be refused: 'yes', 'no', or 'maybe'.

        'maybe' is for a circle that only parents held beyond their samples would close.
        """
        verdict = "no"
        stamps = {*self.moving.get(child, {}), stamp_ns}
        for time_ns in self._times_of_run(parent, child, stamp_ns):
            path = [parent]
            while path[-1] != child and path[-1] not in path[:-1]:
                above = self.parent_at(path[-1], time_ns)
                if above is None:
                    break
                path.append(above)
            if path[-1] == child:
                # The child's own link is held beyond its samples, too.
                hangs = stamp_ns is None or min(stamps) <= time_ns <= max(stamps)
                known = hangs and all(self.has_data(frame, time_ns) for frame in path[:-1])
                if known or time_ns == NEWEST:
                    return "yes"
                verdict = "maybe"
        return verdict

    def _times_of_run(self, parent: str, child: str, stamp_ns: int | None) -> list[int]:
        """Every time that matters at which `child` would hang from `parent`."""
        stamps = {t for samples in self.moving.values() for t in samples} | {-NEWEST, NEWEST}
        if stamp_ns is None:
            return sorted(stamps | {t - 1 for t in stamps})
        new = {**self.moving.get(child, {}), stamp_ns: (parent, EYE)}
        before = [t for t in new if t < stamp_ns and new[t][0] != parent]
        after = [t for t in new if t > stamp_ns and new[t][0] != parent]
        run = [t for t in new if new[t][0] == parent and (not before or t > max(before))]
        first = min(run) if before else -NEWEST
        last = min(after) - 1 if after else NEWEST
        stamps |= {t - 1 for t in stamps} | {first, last}
        return sorted(t for t in stamps if first <= t <= last)

    # Reading ----------------------------------------------------------------------------------

    def link(self, frame: str, time_ns: int) -> np.ndarray:
        """T_parent_child at a time inside the history."""
        if frame in self.statics:
            return matrix_of(self.statics[frame][1])
        samples = self.moving[frame]
        before = max(t for t in samples if t <= time_ns)
        after = min((t for t in samples if t > time_ns), default=before)
        (parent, a), (next_parent, b) = samples[before], samples[after]
        if before in (time_ns, after) or parent != next_parent:
            return matrix_of(a)
        return halfway(a, b, (time_ns - before) / (after - before))

    def look_up(
        self, source: str, target: str, time_ns: int
    ) -> np.ndarray | Unknown | Disconnected | Outside:
        for frame in (source, target):
            if frame not in self.present:
                return Unknown(frame)
        up, down = self.climb(source, time_ns), self.climb(target, time_ns)
        lost = {self._record(f, time_ns) for f in (*up, *down) if not self.has_data(f, time_ns)}
        if len({*up}) < len(up) or len({*down}) < len(down):
            return Outside(lost)
        if up[-1] != down[-1]:
            return Outside(lost, also_disconnected=True) if lost else Disconnected(up[-1], down[-1])
        while up and down and up[-1] == down[-1]:
            up.pop()
            down.pop()
        lost = {self._record(f, time_ns) for f in (*up, *down) if not self.has_data(f, time_ns)}
        if lost:
            return Outside(lost)
        return np.linalg.inv(self._product(down, time_ns)) @ self._product(up, time_ns)

    def look_up_latest(
        self, source: str, target: str
    ) -> tuple[int | None, np.ndarray | Unknown | Disconnected | Outside]:
        """The latest common time, of the newest chain, and what a look-up there must give."""
        for frame in (source, target):
            if frame not in self.present:
                return None, Unknown(frame)
        up, down = self.climb(source, NEWEST), self.climb(target, NEWEST)
        if up[-1] != down[-1]:
            return None, Disconnected(up[-1], down[-1])
        moving = [frame for frame in {*up} ^ {*down} if frame in self.moving]
        time_ns = min((max(self.moving[frame]) for frame in moving), default=None)
        # Parents may have been others at that time, and then there may be no answer.
        return time_ns, self.look_up(source, target, NEWEST if time_ns is None else time_ns)

    def _product(self, links: list[str], time_ns: int) -> np.ndarray:
        product = EYE
        for frame in reversed(links):
            product = product @ self.link(frame, time_ns)
        return product

    def _record(self, frame: str, time_ns: int) -> tuple[str, str, int, int]:
        samples = self.moving[frame]
        parent = self.parent_at(frame, time_ns)
        assert parent is not None
        return parent, frame, min(samples), max(samples)
