"""How right the 2D engine is, beside pymunk and Box2D 3: closed forms, with steps of 1/120 s.

    pip install 'horus-sim[bench]'
    python benchmarks/sim2d_accuracy.py

Prints a table and writes benchmarks/results/sim2d_accuracy.json. Nothing here is timed. Each
engine has the settings it comes with, so that Box2D puts to sleep what lies still.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import sim2d_trials as trials
from rich.console import Console
from rich.table import Table
from sim2d_engines import Box2d3, installed_engines

RESULTS = Path(__file__).parent / "results" / "sim2d_accuracy.json"
SAME = 0.02


@dataclass
class Row:
    """What is measured, what is expected, and what came out.

    Attributes:
        title: What it is.
        expected: The right value, in SI units.
        unit: How it is printed.
        scale: From SI units to that.
        resolution: Errors below this (SI) are no errors.
        values: By engine, in SI units.
    """

    title: str
    expected: float
    unit: str
    scale: float = 1.0
    resolution: float = 0.0
    values: dict[str, float] = field(default_factory=dict)

    def error(self, engine: str) -> float:
        """How far off an engine is, in SI units."""
        off = abs(self.values[engine] - self.expected)
        return 0.0 if off <= self.resolution else off

    @property
    def best(self) -> list[str]:
        """The engines whose error is the smallest, or within 2 % of it."""
        errors = {name: self.error(name) for name in self.values}
        return [name for name, off in errors.items() if off <= (1.0 + SAME) * min(errors.values())]


def rows() -> list[tuple[Callable[[trials.Make], list[float]], list[Row]]]:
    """The trials, and a row for each of their values."""
    height = trials.BOUNCE_E**2 * trials.BOUNCE_M_S**2 / (2.0 * trials.G)
    slide = trials.slide_m()
    mm = {"unit": "mm", "scale": 1e3, "resolution": 1e-6}
    share = {"unit": "%", "scale": 100.0, "resolution": 1e-6}
    return [
        (trials.free_fall, [Row("free fall, 1 s: height", -0.5 * trials.G, **mm)]),
        (
            trials.elastic_collision,
            [
                Row("elastic hit, 1 kg on 3 kg: its speed", -0.5, "m/s", resolution=1e-6),
                Row("elastic hit: momentum", 1.0, "kg m/s", resolution=1e-6),
            ],
        ),
        (
            trials.cradle,
            [
                Row("Newton's cradle, 5 balls: the last", 1.0, "m/s", resolution=1e-6),
                Row("Newton's cradle: fastest other", 0.0, "m/s", resolution=1e-6),
            ],
        ),
        (trials.gas_energy, [Row("gas of 100, 30 s: energy", 1.0, **share)]),
        (
            trials.bounce,
            [
                Row("bounce, e .5 at 3 m/s: height, worst of 16", height, **mm),
                Row("bounce: gap where it turned, worst of 16", 0.0, **mm),
            ],
        ),
        (
            trials.slope,
            [
                Row("slope, mu .5, tan .6: slid in 1 s", slide, **mm),
                Row("slope, mu .5, tan .45: crept in 10 s", 0.0, **mm),
            ],
        ),
        (
            trials.stack,
            [
                Row("stack of ten boxes, 10 s: deepest overlap", 0.0, **mm),
                Row("stack: shift of the top", 0.0, **mm),
            ],
        ),
        (
            trials.mass_ratio,
            [
                Row("100 kg on 1 kg, 10 s: deepest overlap", 0.0, **mm),
                Row("100 kg on 1 kg: fastest", 0.0, "mm/s", 1e3, 1e-6),
            ],
        ),
        (
            trials.pendulum,
            [
                Row("pendulum, 1 rad: period", trials.period_s(), "ms", 1e3, 1e-6),
                Row("pendulum: energy after 60 s", 1.0, **share),
            ],
        ),
        (
            trials.swinging,
            [
                Row("double pendulum: energy after 20 s", 1.0, **share),
                Row("chain of ten: energy after 30 s", 1.0, **share),
            ],
        ),
        (trials.stretch, [Row("chain of 20 with 100 times at its end: stretch", 0.0, **mm)]),
        (
            trials.rods,
            [
                Row("rods at 10 rad/s past a peg, of 24", 0.0, ""),
                Row("rods at 40 rad/s past a peg, of 24", 0.0, ""),
            ],
        ),
        (
            trials.bullets,
            [
                Row("bullets at 15 m/s through a wall, of 24", 0.0, ""),
                Row("bullets at 100 m/s (our cap raised), of 24", 0.0, ""),
            ],
        ),
        (
            trials.fast_circles_lost,
            [Row("fast circles that left a box with walls of 5 cm, of 100", 0.0, "")],
        ),
        (
            trials.lying_heaps,
            [
                Row(f"heap of {count}, 10 s: {title}", 0.0, unit, 1e3, 1e-6)
                for count in ("100", "1,000")
                for title, unit in (("deepest overlap", "mm"), ("fastest, last second", "mm/s"))
            ],
        ),
    ]


def cell(row: Row, engine: str) -> str:
    """Value, and error in parentheses where zero is not what is expected."""
    value, error = row.scale * row.values[engine], row.scale * row.error(engine)
    if row.unit == "":
        return f"{value:.0f}"
    shown = f"{value:,.6g}" if row.expected else f"{value:,.3g}"
    return f"{shown} ({error:.2g})" if row.expected else shown


def main() -> None:
    """Runs, prints and writes."""
    console = Console(width=150)
    engines = installed_engines()
    if "Box2D 3" in engines:
        engines["Box2D 3"] = partial(Box2d3, sleeps=True)
    table = Table(title="2D engines against closed forms, steps of 1/120 s: value (error)")
    for column in ("trial", "expected", *engines, "best"):
        table.add_column(column, justify="left" if column in ("trial", "best") else "right")
    found: list[Row] = []
    for run, its_rows in rows():
        for name, make in engines.items():
            for row, value in zip(its_rows, run(make), strict=True):
                row.values[name] = float(value)
        for row in its_rows:
            best = "all" if len(row.best) == len(engines) else ", ".join(row.best)
            table.add_row(
                row.title,
                f"{row.scale * row.expected:,.6g} {row.unit}".strip(),
                *(cell(row, name) for name in engines),
                best,
            )
        table.add_section()
        found += its_rows
    console.print(table)
    results = [
        asdict(row) | {"errors": {name: row.error(name) for name in row.values}, "best": row.best}
        for row in found
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    console.print(f"Written to {RESULTS}")


if __name__ == "__main__":
    main()
