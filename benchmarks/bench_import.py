"""Robots from URDF: our import beside yourdfpy's, in one run.

Real robots with their meshes; CPU time, medians. The folder of the corpus holds `manifest.json`
(name, urdf, package_roots) and the robots. Run it on an idle machine:

    pip install 'horus-sim[bench]'
    python benchmarks/bench_import.py FOLDER_OF_THE_CORPUS

Prints a table and writes benchmarks/results/bench_import.json.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from horus_sim.errors import MissingResourceError
from horus_sim.robots.description import Mesh
from horus_sim.robots.mesh.meshes import load_mesh
from horus_sim.robots.robot import Robot, load_robot
from horus_sim.robots.uris import resolver_for
from horus_sim.sim3d.compile.robot.robot import build_robot_spec

if TYPE_CHECKING:
    from collections.abc import Callable

REPEATS = 3
WARM_MS = 1000.0
COLD_MS = 500.0
COLD_ROBOTS = ("turtlebot3_burger", "turtlebot3_waffle")
COLD = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from horus_sim.sim3d.compile.robot.robot import build_robot_spec
from horus_sim.robots.robot import load_robot
import mujoco
imports = time.process_time()
robot = load_robot(sys.argv[2], package_roots=[sys.argv[3]])
build_robot_spec(robot.description, robot.base).compile()
print(1e3 * imports, 1e3 * (time.process_time() - imports))
"""


@dataclass
class Row:
    """Times of one robot [ms]; None where a reader gave up."""

    name: str
    links: int
    meshes: int
    read_ms: float
    model_ms: float
    yourdfpy_ms: float | None


def cpu_ms(run: Callable[[], object]) -> float:
    """Median CPU time of all threads for one run [ms]; the engine compiles in several."""
    run()
    times = []
    for _ in range(REPEATS):
        start = time.process_time_ns()
        run()
        times.append((time.process_time_ns() - start) / 1e6)
    return statistics.median(times)


def meshes_of(robot: Robot) -> set[Mesh]:
    """The meshes that a robot is made of."""
    return {
        shape.geometry
        for link in robot.links.values()
        for shape in (*link.visuals, *link.collisions)
        if isinstance(shape.geometry, Mesh)
    }


def yourdfpy_loader(path: Path, roots: list[Path]) -> Callable[[], object]:
    """The same file with the same meshes through yourdfpy."""
    yourdfpy: Any = importlib.import_module("yourdfpy")

    resolver = resolver_for(path, roots)

    def find(fname: str) -> str:
        try:
            return str(resolver.resolve(fname, "peer"))
        except MissingResourceError:
            return fname

    return lambda: yourdfpy.URDF.load(
        str(path),
        filename_handler=find,
        build_scene_graph=True,
        build_collision_scene_graph=True,
        load_meshes=True,
        load_collision_meshes=True,
    )


def measure(folder: Path, about: dict) -> Row:
    """One robot, with our meshes cached."""
    path, roots = folder / about["urdf"], [folder / root for root in about["package_roots"]]

    def read() -> Robot:
        robot = load_robot(path, package_roots=roots, allow_missing=True)
        for mesh in meshes_of(robot):
            load_mesh(mesh)
        return robot

    def model() -> None:
        robot = load_robot(path, package_roots=roots, allow_missing=True)
        build_robot_spec(robot.description, robot.base).compile()

    robot = read()
    row = Row(
        about["name"],
        len(robot.links),
        len(meshes_of(robot)),
        cpu_ms(read),
        cpu_ms(model),
        None,
    )
    try:
        row.yourdfpy_ms = cpu_ms(yourdfpy_loader(path, roots))
    except Exception as error:  # noqa: BLE001 - whatever the peer raises is its result
        logging.getLogger(__name__).info("yourdfpy: %s: %s", about["name"], error)
    return row


def cold(folder: Path, about: dict) -> tuple[float, float]:
    """CPU time of the imports and of the load to a compiled model, in a new process [ms]."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                COLD,
                str(Path(__file__).parent),
                str(folder / about["urdf"]),
                str(folder / about["package_roots"][0]),
            ],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "XDG_CACHE_HOME": cache},
        )
    imports_ms, load_ms = map(float, done.stdout.split())
    return imports_ms, load_ms


def main() -> None:
    """Measures, prints and writes."""
    if len(sys.argv) != 2:
        sys.exit("usage: python benchmarks/bench_import.py FOLDER_OF_THE_CORPUS")
    console = Console(width=110)
    folder = Path(sys.argv[1]).resolve()
    corpus = json.loads((folder / "manifest.json").read_text())
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    colds = {about["name"]: cold(folder, about) for about in corpus if about["name"] in COLD_ROBOTS}
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        rows = [measure(folder, about) for about in track(corpus, "robots", console=console)]
    table = Table(title="Robots from URDF, meshes cached; CPU time in ms, medians")
    for column in ("robot", "links", "meshes", "read", "to a model", "yourdfpy", "yourdfpy / read"):
        table.add_column(column, justify="left" if column == "robot" else "right")
    for row in rows:
        peer, ratio = "gave up", "-"
        if row.yourdfpy_ms is not None:
            peer, ratio = f"{row.yourdfpy_ms:.0f}", f"{row.yourdfpy_ms / row.read_ms:.1f}x"
        table.add_row(
            row.name,
            str(row.links),
            str(row.meshes),
            f"{row.read_ms:.1f}",
            f"{row.model_ms:.0f}",
            peer,
            ratio,
        )
    console.print(table)
    slowest = max(rows, key=lambda row: row.model_ms)
    console.print(
        f"Slowest to a compiled model: {slowest.name}, {slowest.model_ms:.0f} ms "
        f"(to be below {WARM_MS:.0f})"
    )
    for name, (imports_ms, load_ms) in colds.items():
        console.print(
            f"{name} in a new process with an empty cache: {load_ms:.0f} ms (to be below "
            f"{COLD_MS:.0f}), after {imports_ms:.0f} ms of imports"
        )
    results = {
        "robots": [asdict(row) for row in rows],
        "cold_ms": {name: {"imports": a, "load": b} for name, (a, b) in colds.items()},
    }
    path = Path(__file__).parent / "results" / "bench_import.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(results, indent=2) + "\n")
    console.print(f"Written to {path}")


if __name__ == "__main__":
    main()
