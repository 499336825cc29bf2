"""Steps of 3D worlds with 1, 10 and 100 robots: ours, plain `mj_step`, and PyBullet, in one run.

Each robot is a TurtleBot3 Burger that drives a circle and pushes boxes on a plane, at 240 Hz. The
limit is `mj_step` alone, in a loop in C, on the same model from the same state with the controls
held: what ours takes longer goes to drives, transforms of all links, checks and news. CPU time of
this thread, medians, the engines in turn; run it on an idle machine:

    pip install 'horus-sim[bench,pybullet]'
    python benchmarks/bench_physics.py [--robots 1 10 100] [--steps 240]

Prints a table and writes benchmarks/results/bench_physics.json.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import statistics
import tempfile
import time
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import REPEATS
from rich.console import Console
from rich.table import Table

from horus_sim.robots import load_robot
from horus_sim.robots.engine import mujoco
from horus_sim.sim3d import Scene, World
from horus_sim.sim3d.control import RobotControlConfig, detect_drive

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

ROBOT = "turtlebot3_burger"
TIMESTEP = 1.0 / 240.0
PITCH_M = 1.6
SPEED = 0.2
TURN = 0.8
BOX_M = 0.12
BOX_KG = 0.2
FRICTION = 0.5
TRACK_M = 0.16
WHEEL_M = 0.033
MOTOR_N_M = 0.5
NO_MASS = '<inertial><mass value="1e-6"/><inertia ixx="1e-9" iyy="1e-9" izz="1e-9"/></inertial>'
WARM_UP_STEPS = 480
RESULTS = Path(__file__).parent / "results" / "bench_physics.json"


@dataclass
class Row:
    """One number of robots: times of a step [us], contacts, and how far robots got [m]."""

    robots: int
    bodies: int
    ours_us: float
    limit_us: float
    pybullet_us: float | None
    contacts: int
    pybullet_contacts: int | None
    travelled_m: float
    pybullet_travelled_m: float | None

    @property
    def real_time_factor(self) -> float:
        """Simulated over CPU time."""
        return 1e6 * TIMESTEP / self.ours_us

    @property
    def share(self) -> float:
        """Of the limit."""
        return self.limit_us / self.ours_us


def places(robots: int) -> list[tuple[float, float]]:
    """Where the robots start [m], in a square."""
    side = math.ceil(math.sqrt(robots))
    return [(PITCH_M * (k % side), PITCH_M * (k // side)) for k in range(robots)]


def boxes(x: float, y: float) -> list[tuple[float, float]]:
    """The boxes of the robot that starts there: on its circle, a quarter turn apart [m]."""
    radius = SPEED / TURN
    angles = [0.5 * math.pi * k for k in range(3)]
    return [(x + radius * math.cos(a), y + radius + radius * math.sin(a)) for a in angles]


def our_world(robots: int) -> World:
    """The scene, with all robots told to drive."""
    surface = {"friction": FRICTION}
    ground = {"kind": "plane", "size": [60.0, 60.0]}
    objects: list[dict[str, Any]] = [{"name": "ground", "shape": ground, "surface": surface}]
    made = []
    for k, (x, y) in enumerate(places(robots)):
        pose = {"xyz": [x, y, 0.01]}
        made.append({"name": f"r{k}", "model": ROBOT, "pose": pose})
        for i, (box_x, box_y) in enumerate(boxes(x, y)):
            shape = {"kind": "box", "size": [BOX_M] * 3}
            pose = {"xyz": [box_x, box_y, 0.5 * BOX_M]}
            box = {"shape": shape, "pose": pose, "mass": BOX_KG, "dynamic": True}
            objects.append({"name": f"b{k}_{i}", "surface": surface} | box)
    scene = {
        "name": "robots",
        "robots": made,
        "objects": objects,
        "physics": {"timestep": TIMESTEP},
    }
    world = World.load(Scene.model_validate(scene))
    found = detect_drive(load_robot(ROBOT).description)
    drive = found and found.model_copy(update={"timeout": None})
    for robot in world.robots.values():
        # Without the watchdog that stops a robot whose program has died.
        robot.set_control(RobotControlConfig(drive=drive))
        robot.command(linear=SPEED, angular=TURN)
    return world


class PyBulletWorld:
    """The same robots and boxes in PyBullet, with the settings that it comes with."""

    def __init__(self, pybullet: ModuleType, robots: int) -> None:
        self._p = p = pybullet
        p.connect(p.DIRECT)
        p.setGravity(0.0, 0.0, -9.81)
        p.setTimeStep(TIMESTEP)
        # Coefficients are multiplied: that of the plane holds beside those of 1.
        plane = p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_PLANE))
        p.changeDynamics(plane, -1, lateralFriction=FRICTION)
        box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.5 * BOX_M] * 3)
        self.robots = []
        asset = files("horus_sim.assets.robots") / f"{ROBOT}.urdf"
        text = asset.read_text(encoding="utf-8")
        # Links without a mass would get one of 1 kg.
        for link in ("base_footprint", "imu_link"):
            text = text.replace(f'<link name="{link}"/>', f'<link name="{link}">{NO_MASS}</link>')
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "burger.urdf"
            path.write_text(text, encoding="utf-8")
            for x, y in places(robots):
                self.robots.append(p.loadURDF(str(path), [x, y, 0.01]))
                for box_x, box_y in boxes(x, y):
                    made = p.createMultiBody(BOX_KG, box, -1, [box_x, box_y, 0.5 * BOX_M])
                    p.changeDynamics(made, -1, lateralFriction=1.0)
        for robot in self.robots:
            self._drive(robot)

    def _drive(self, robot: int) -> None:
        p = self._p
        infos = [p.getJointInfo(robot, i) for i in range(p.getNumJoints(robot))]
        joints = {info[1].decode(): info[0] for info in infos}
        for link in range(-1, len(infos)):
            p.changeDynamics(robot, link, lateralFriction=1.0)
        for side, sign in (("left", -1.0), ("right", 1.0)):
            speed = (SPEED + sign * 0.5 * TRACK_M * TURN) / WHEEL_M
            p.setJointMotorControl2(
                robot,
                joints[f"wheel_{side}_joint"],
                p.VELOCITY_CONTROL,
                targetVelocity=speed,
                force=MOTOR_N_M,
            )

    def step(self, steps: int) -> None:
        """Moves the world."""
        for _ in range(steps):
            self._p.stepSimulation()

    @property
    def contacts(self) -> int:
        """Points that touch."""
        return sum(point[8] <= 0.0 for point in self._p.getContactPoints())

    def positions(self) -> list[tuple[float, float]]:
        """Of the robots [m]."""
        return [self._p.getBasePositionAndOrientation(robot)[0][:2] for robot in self.robots]

    def save(self) -> int:
        """A state to come back to."""
        return self._p.saveState()

    def restore(self, state: int) -> None:
        """Back to a state."""
        self._p.restoreState(state)

    def close(self) -> None:
        """Ends it."""
        self._p.disconnect()


def our_positions(world: World) -> list[tuple[float, float]]:
    """Of the robots [m]."""
    poses = (robot.pose.translation for robot in world.robots.values())
    return [(float(x), float(y)) for x, y, _ in poses]


def travelled(before: list[tuple[float, float]], after: list[tuple[float, float]]) -> float:
    """How far robots got, as the crow flies, the median [m]."""
    return statistics.median(map(math.dist, before, after))


def cpu_us(run: Callable[[int], object], steps: int) -> float:
    """CPU time of this thread for a step [us]."""
    start = time.thread_time_ns()
    run(steps)
    return (time.thread_time_ns() - start) / (1e3 * steps)


def measure(robots: int, steps: int, pybullet: ModuleType | None) -> Row:
    """All engines in turn, each time from the state after the warm-up."""
    world = our_world(robots)
    world.step(WARM_UP_STEPS)
    start, begin = world.snapshot(), our_positions(world)
    model, plain, data = world.model, mujoco.MjData(world.model), mujoco.MjData(world.model)
    mujoco.mj_copyData(plain, model, world.data)
    other = None if pybullet is None else PyBulletWorld(pybullet, robots)
    state, other_begin = 0, []
    if other is not None:
        other.step(WARM_UP_STEPS)
        state, other_begin = other.save(), other.positions()
    ours, limit, theirs = [], [], []
    for _ in range(REPEATS):
        world.apply_snapshot(start)
        ours.append(cpu_us(world.step, steps))
        mujoco.mj_copyData(data, model, plain)
        limit.append(cpu_us(lambda n: mujoco.mj_step(model, data, n), steps))
        if other is not None:
            other.restore(state)
            theirs.append(cpu_us(other.step, steps))
    row = Row(
        robots,
        model.nbody - 1,
        statistics.median(ours),
        statistics.median(limit),
        statistics.median(theirs) if theirs else None,
        world.data.ncon,
        other and other.contacts,
        travelled(begin, our_positions(world)),
        other and travelled(other_begin, other.positions()),
    )
    if other is not None:
        other.close()
    return row


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description="Steps of 3D worlds with 1, 10 and 100 robots.")
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--steps", type=int, default=240)
    arguments = parser.parse_args()
    console = Console(width=130)
    try:
        pybullet = importlib.import_module("pybullet")
    except ImportError:
        pybullet = None
        console.print("pybullet is not installed; for the comparison: pip install pybullet")
    rows = [measure(robots, arguments.steps, pybullet) for robots in arguments.robots]
    table = Table(title="Robots that push boxes, one world at 240 Hz: CPU time of a step, one core")
    for column in (
        "robots", "bodies", "ours", "real time", "mj_step alone", "share of it", "PyBullet",
        "contacts (PyBullet)", "way in the run (PyBullet)",
    ):  # fmt: skip
        table.add_column(column, justify="right")
    for row in rows:
        peer = row.pybullet_us
        table.add_row(
            str(row.robots),
            str(row.bodies),
            f"{row.ours_us:,.1f} us",
            f"{row.real_time_factor:,.1f}x",
            f"{row.limit_us:,.1f} us",
            f"{row.share:.2f}",
            "-" if peer is None else f"{peer:,.1f} us ({peer / row.ours_us:.2f}x)",
            f"{row.contacts} ({row.pybullet_contacts})",
            f"{row.travelled_m:.3f} m ({row.pybullet_travelled_m or math.nan:.3f})",
        )
    console.print(table)
    RESULTS.parent.mkdir(exist_ok=True)
    facts = [
        asdict(row) | {"share": row.share, "real_time_factor": row.real_time_factor} for row in rows
    ]
    RESULTS.write_text(json.dumps(facts, indent=2) + "\n")
    console.print(f"Written to {RESULTS}")


if __name__ == "__main__":
    main()
