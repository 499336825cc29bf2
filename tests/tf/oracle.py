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
        """Frames up to the root, or to the first without data when held parents form a circle."""
        path = [frame]
        while (parent := self.parent_at(path[-1], time_ns)) in self.present:
            if parent in path:
                gaps = [i for i, link in enumerate(path) if not self.has_data(link, time_ns)]
                return path[: gaps[0] + 1]
            path.append(parent)
        return path

    def has_data(self, frame: str, time_ns: int) -> bool:
        samples = self.moving.get(frame)
        return not samples or min(samples) <= time_ns <= max(samples)

    def closes_a_cycle(self, parent: str, child: str, stamp_ns: int | None) -> bool:
        """Whether a link would put a frame above itself: the newest, or where all have data."""
        after = Oracle(self.buffer_ns, {**self.statics}, {**self.moving}, {*self.present})
        if stamp_ns is None:
            after.add_static(parent, child, Transform())
        else:
            after.moving[child] = {**after.moving.get(child, {})}
            after.add(parent, child, Transform(), stamp_ns)
        # Parents change at stamps, and data begin and end there.
        stamps = {t for samples in after.moving.values() for t in samples}
        return any(after._meets_itself(child, time_ns) for time_ns in (*stamps, NEWEST))

    def _meets_itself(self, frame: str, time_ns: int) -> bool:
        above = frame
        while time_ns == NEWEST or self.has_data(above, time_ns):
            above = self.parent_at(above, time_ns)
            if above is None or above == frame:
                return above is not None
        return False

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
        if up[-1] != down[-1]:
            return Outside(lost) if lost else Disconnected(up[-1], down[-1])
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
        if time_ns is None:
            return None, self.look_up(source, target, NEWEST)
        answer = self.look_up(source, target, time_ns)
        if isinstance(answer, Disconnected):
            # Parents were others at that time: a link of the newest chain began later.
            links = [f for f in moving if self.parent_at(f, time_ns) != self.parent_at(f, NEWEST)]
            return time_ns, Outside({self._newest_stay(link) for link in links})
        return time_ns, answer

    def _newest_stay(self, frame: str) -> tuple[str, str, int, int]:
        parent, newest = self.parent_at(frame, NEWEST), max(self.moving[frame])
        assert parent is not None
        others = [t for t, (other, _) in self.moving[frame].items() if other != parent]
        start = min(t for t in self.moving[frame] if t > max(others))
        return parent, frame, start, newest

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
