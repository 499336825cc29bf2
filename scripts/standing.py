"""How robots stand, drift and tremble when nobody commands them, and how fast they are simulated.

Each URDF and MJCF file is put on a ground plane on default settings and left alone. The table says
how far its root has tilted and moved since the start, how fast its fastest link that something
holds was in the last ten seconds, and how many seconds of simulated time a second of one processor
makes: without sensors, and with those that its file describes. Links below joints that turn or
swing freely are not held.

    python scripts/standing.py FILE_OR_FOLDER ... [--seconds 60] [--package-root FOLDER ...]
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.errors import HorusError
from horus_sim.robots import load_robot, robot_names
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d import World
from horus_sim.sim3d.control.joint_servos import Mode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from horus_sim.sim3d.world.robot import WorldRobot

SUFFIXES = (".urdf", ".xml", ".mjcf")
LAST_S = 10.0
SENSED_S = 2.0
SAMPLES = 100
_MJCF = re.compile(rb"<mujoco[\s>]")


@dataclass(frozen=True, slots=True)
class Standing:
    """What became of one robot.

    Attributes:
        tilt_deg: Angle of its root against where it started.
        drift_mm: Distance of its root from where it started, across the ground.
        sunk_mm: How much lower it is than at the start.
        fastest_mm_s: Speed of its fastest held link in the last seconds.
        link: That link.
        real_time_factor: Simulated seconds in a second of one processor, without sensors.
        with_sensors: The same with the sensors that its file describes; None where it has none.
        start: How its joints started, or why it falls.
    """

    tilt_deg: float
    drift_mm: float
    sunk_mm: float
    fastest_mm_s: float
    link: str
    real_time_factor: float
    with_sensors: float | None
    start: str


def measure(path: Path | str, seconds: float, roots: Sequence[Path]) -> tuple[str, Standing]:
    """Leaves one robot alone; its base and what became of it.

    Raises:
        HorusError: It cannot be used, or its motion diverged.
    """
    loaded = load_robot(path, package_roots=roots, allow_missing=True)
    world = World.from_robot(loaded, ground=True, sensors=False)
    (robot,) = world.robots.values()
    before = robot.pose
    last = min(LAST_S, seconds / 2)
    began = time.process_time()
    world.step(round((seconds - last) / world.timestep))
    links = held_links(world, robot)
    fastest, link = 0.0, ""
    for _ in range(SAMPLES):
        world.step(max(1, round(last / SAMPLES / world.timestep)))
        used = time.process_time()
        for name in links:
            speed = float(np.linalg.norm(robot.link_velocity(name)[0]))
            if speed > fastest:
                fastest, link = speed, name
        began += time.process_time() - used
    spent = time.process_time() - began
    T = before.inverse() @ robot.pose
    moved = np.subtract(robot.pose.translation, before.translation)
    angle = 2 * math.acos(min(1.0, abs(float(T.rotation[3]))))
    return loaded.base, Standing(
        math.degrees(angle),
        1e3 * float(np.hypot(*moved[:2])),
        -1e3 * float(moved[2]),
        1e3 * fastest,
        link,
        world.time / spent,
        factor_with_sensors(World.from_robot(loaded, ground=True)),
        how_it_started(world),
    )


def factor_with_sensors(world: World) -> float | None:
    """How fast a world is whose sensors measure; None for one without sensors."""
    if not world.sensors:
        return None
    world.step(round(SENSED_S / world.timestep))  # what is made at first use does not count
    began = time.process_time()
    world.step(round(SENSED_S / world.timestep))
    return SENSED_S / (time.process_time() - began)


def held_links(world: World, robot: WorldRobot) -> list[str]:
    """The links that no free joint lets move against the root."""
    held: set[int] = set()
    if robot.has_control:
        servos = robot.control.servos
        held = {int(dof) for dof in servos.load_dof}
        holding = servos.mode == Mode.POSITION
        shares = np.abs(servos.load_share)
        held -= {int(dof) for dof in servos.load_dof[(shares[~holding] > 0).any(axis=0)]}
    model = world.model
    root = robot.body_id(robot.link_names[0])
    return [name for name in robot.link_names if _is_held(model, robot.body_id(name), root, held)]


def _is_held(model: mujoco.MjModel, body: int, root: int, held: set[int]) -> bool:
    while body not in (root, 0):
        first = int(model.body_dofadr[body])
        if not held.issuperset(range(first, first + int(model.body_dofnum[body]))):
            return False
        body = int(model.body_parentid[body])
    return True


def how_it_started(world: World) -> str:
    """What the report says of its stance."""
    (placed,) = world.spec.robots
    if not placed.is_free:
        return "held"
    if placed.stance is None or not (placed.stance.carried or placed.stance.problem):
        return "as described, no legs"
    if placed.stance.problem and not placed.stance.source:
        return "no pose holds it"
    weak = " (too weak)" if placed.stance.problem else ""
    source = placed.stance.source.removeprefix("a ").removeprefix("the ")
    return (source.removesuffix(" that was found for it") or "as described") + weak


def files_below(given: Sequence[Path]) -> Iterator[Path | str]:
    """Files, those in folders that may be robots, and shipped robots by name."""
    for path in given:
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                if file.suffix.lower() in SUFFIXES and file.is_file() and _is_robot(file):
                    yield file
        else:
            yield path if path.exists() else str(path)


def _is_robot(file: Path) -> bool:
    return file.suffix.lower() == ".urdf" or bool(_MJCF.search(file.read_bytes()[:100_000]))


def main() -> int:
    """Prints a line for each robot; the exit code says whether one was refused."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    names = ", ".join(robot_names())
    parser.add_argument("robots", nargs="+", type=Path, help=f"files, folders, or of {names}")
    parser.add_argument("--seconds", type=float, default=60.0, help="simulated time of each")
    parser.add_argument("--package-root", type=Path, action="append", default=[])
    options = parser.parse_args()
    folders = [path for path in options.robots if path.is_dir()]
    columns = "robot | base | joints start | tilt [deg] | drift [mm] | sunk [mm] | fastest [mm/s]"
    print(f"| {columns} | real-time factor | with sensors |\n|---|---|---|---|---|---|---|---|---|")
    refused = 0
    for file in files_below(options.robots):
        name = str(file)
        for folder in folders:
            name = name.removeprefix(f"{folder}/")
        try:
            roots = (*options.package_root, *folders)
            base, found = measure(file, options.seconds, roots)
        except HorusError as error:
            refused += 1
            print(
                f"| {name} | refused | {' '.join(str(error).split())[:150]} | | | | | | |",
                flush=True,
            )
            continue
        sensed = "" if found.with_sensors is None else f"{found.with_sensors:.3g}"
        print(
            f"| {name} | {base} | {found.start} | {found.tilt_deg:.2f} | {found.drift_mm:.2f} | "
            f"{found.sunk_mm:.2f} | {found.fastest_mm_s:.3f} {found.link} | "
            f"{found.real_time_factor:.0f} | {sensed} |",
            flush=True,
        )
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
