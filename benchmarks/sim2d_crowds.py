"""Crowds in one world: our step beside pymunk's and Box2D 3's, and how it grows with the bodies.

The engines take turns on one core, in blocks of steps; figures are CPU time, the median of the
blocks. Ours makes a block in one call. The peers' steps are called from Python, which costs about
a microsecond each and is part of their figures: at 10 bodies it counts, from 100 on it does not.
"""

from __future__ import annotations

import math
import statistics
import time
from dataclasses import dataclass, field

import numpy as np
from rich.table import Table
from sim2d_engines import Engine, Engines, installed_engines
from sim2d_rays import rays_ns
from sim2d_scenes import CROWDS, Scene

SIZES = (10, 100, 1_000, 5_000)
RAY_SIZES = (10, 100, 1_000, 4_000, 10_000)
ROWS = (*CROWDS, "rays")
BLOCK_STEPS = {10: 500, 100: 100, 1_000: 20, 5_000: 8}
REPEATS = 9
WARM_UP_STEPS = 120
FALL_STEPS = 480
"""A heap of 5,000 has come down after 4 s, and hardly moves any more."""
SMALL = 100
NEAR = 1.3


@dataclass
class Crowd:
    """A row of the table: CPU time of each engine [ns]."""

    title: str
    bodies: int
    spent: dict[str, float]
    calls: dict[str, float] = field(default_factory=dict)
    """Of which calls from Python, measured apart [ns]."""
    lost: dict[str, int] = field(default_factory=dict)
    """Bodies that have left their box: an engine that loses many has less to do."""

    def net(self, name: str) -> float:
        """Time of an engine without the calls from Python that were measured [ns]."""
        return max(self.spent[name] - self.calls.get(name, 0.0), 1.0)

    @property
    def ratio(self) -> float | None:
        """Our time over that of the better peer; below 1 we are ahead. None without peers."""
        peers = [self.net(name) for name in self.spent if name != "ours"]
        return self.spent["ours"] / min(peers) if peers else None

    @property
    def target(self) -> float:
        """What the ratio must not exceed."""
        return 1.0 if self.bodies <= SMALL else NEAR


def blocks_row(title: str, bodies: int, scene: Scene, worlds: dict[str, Engine]) -> Crowd:
    """Median CPU time of a step of each world; they take turns."""
    steps = BLOCK_STEPS[bodies]
    times: dict[str, list[float]] = {name: [] for name in worlds}
    for _ in range(REPEATS):
        for name, world in worlds.items():
            start = time.thread_time_ns()
            world.step(steps)
            times[name].append((time.thread_time_ns() - start) / steps)
    spent = {name: statistics.median(values) for name, values in times.items()}
    lost = {name: scene.lost(world.states()) for name, world in worlds.items()}
    return Crowd(title, bodies, spent, lost=lost)


def fall_ns(world: Engine) -> np.ndarray:
    """CPU time of each step while a heap falls and settles [ns], shape (FALL_STEPS,)."""
    times = np.empty(FALL_STEPS)
    for k in range(FALL_STEPS):
        start = time.thread_time_ns()
        world.step()
        times[k] = time.thread_time_ns() - start
    return times


def heap_rows(engines: Engines, bodies: int) -> list[Crowd]:
    """The fall on average, its slowest step, and the heap after it.

    Two falls are the same, so that the faster one of each step counts: what is slow in both is the
    engine, not the machine.
    """
    scene = CROWDS["heap"](bodies)
    falls, worlds = {}, {}
    for name, make in engines.items():
        first = fall_ns(make(scene))
        worlds[name] = make(scene)
        falls[name] = np.minimum(first, fall_ns(worlds[name]))
    return [
        Crowd("heap, falling", bodies, {name: float(t.mean()) for name, t in falls.items()}),
        Crowd("heap, slowest step", bodies, {name: float(t.max()) for name, t in falls.items()}),
        blocks_row("heap, after 4 s", bodies, scene, worlds),
    ]


def crowd_row(engines: Engines, title: str, bodies: int) -> Crowd:
    """A crowd that is always in motion."""
    scene = CROWDS[title](bodies)
    worlds = {name: make(scene) for name, make in engines.items()}
    for world in worlds.values():
        world.step(WARM_UP_STEPS)
    return blocks_row(title.replace("_", " "), bodies, scene, worlds)


def measure_crowds(rows: tuple[str, ...] = ROWS) -> list[Crowd]:
    """All sizes of the rows that are asked for, in the order of the table."""
    engines = installed_engines()
    found: list[Crowd] = []
    for row in rows:
        if row == "rays":
            found += [Crowd("360 rays", n, *rays_ns(n, list(engines))) for n in RAY_SIZES]
        elif row == "heap":
            found += [made for n in SIZES for made in heap_rows(engines, n)]
        else:
            found += [crowd_row(engines, row, n) for n in SIZES]
    titles = list(dict.fromkeys(crowd.title for crowd in found))
    return sorted(found, key=lambda crowd: titles.index(crowd.title))


def growth(crowds: list[Crowd], crowd: Crowd) -> dict[str, float]:
    """The power of the number of bodies with which the times grow from 1,000 on; {} below."""
    base = [c for c in crowds if c.title == crowd.title and c.bodies == 1_000]
    if not base or crowd.bodies <= 1_000:
        return {}
    return {
        name: math.log(crowd.net(name) / base[0].net(name)) / math.log(crowd.bodies / 1_000)
        for name in crowd.spent
    }


def crowds_table(crowds: list[Crowd]) -> Table:
    """Our time, the peers', the ratio to the better one with its target, and the growth."""
    names = list(crowds[0].spent)
    table = Table(title="Crowds in one world: CPU time of a step, or of 360 rays, in us, one core")
    columns = ("crowd", "bodies", *names, "ours / better peer", "target", "", "growth from 1,000")
    for column in columns:
        table.add_column(column, justify="left" if column in ("crowd", "") else "right")
    last = ""
    for crowd in crowds:
        if crowd.title != last and last:
            table.add_section()
        powers = growth(crowds, crowd)
        verdict = "" if crowd.ratio is None else "MISSED"
        if crowd.ratio is not None and crowd.ratio <= crowd.target:
            verdict = "reached"
        table.add_row(
            "" if crowd.title == last else crowd.title,
            f"{crowd.bodies:,}",
            *(_time(crowd, name) for name in names),
            "-" if crowd.ratio is None else f"{crowd.ratio:.2f}",
            f"{crowd.target:g}",
            verdict,
            " / ".join(f"{power:.2f}" for power in powers.values()),
        )
        last = crowd.title
    return table


def _time(crowd: Crowd, name: str) -> str:
    us = crowd.spent[name] / 1000.0
    digits = 0 if us >= 100.0 else 1 if us >= 10.0 else 2
    net = f" ({crowd.net(name) / 1000.0:,.0f} net)" if name in crowd.calls else ""
    return f"{us:,.{digits}f}{net}"
