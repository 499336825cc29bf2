"""Robots on a plane, stepped by hand: control is tested without the world around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
import pytest

from horus_sim.robots.description import (
    Inertial,
    Joint,
    JointDynamics,
    JointLimit,
    JointType,
    Link,
    RobotDescription,
)
from horus_sim.robots.report import Report
from horus_sim.robots.robot import load_robot
from horus_sim.sim3d.compile.assets import AssetStore
from horus_sim.sim3d.compile.options import new_spec
from horus_sim.sim3d.compile.robot.coordinates import Base
from horus_sim.sim3d.compile.robot.robot import add_robot
from horus_sim.sim3d.control import RobotControl, RobotControlConfig
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.placed import PlacedRobot
from horus_sim.tf import Transform


@dataclass
class Bench:
    """A robot with its controllers in a bare model."""

    description: RobotDescription
    model: mujoco.MjModel
    data: mujoco.MjData
    control: RobotControl

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            self.control.update(self.model.opt.timestep)
            mujoco.mj_step(self.model, self.data)

    def run(self, seconds: float) -> None:
        self.step(round(seconds / self.model.opt.timestep))

    def drive(self, seconds: float, **command: float) -> None:
        """Repeats a command at 20 Hz, as a robot's own program would."""
        for _ in range(round(seconds * 20)):
            self.control.command(**command)  # type: ignore[arg-type]
            self.run(0.05)

    @property
    def pose(self) -> tuple[float, float, float]:
        """x, y and yaw of a floating base."""
        x, y, _, w, *_, z = self.data.qpos[:7]
        return float(x), float(y), float(2.0 * np.arctan2(z, w))

    def position(self, joint: str) -> float:
        return float(self.data.qpos[self.model.joint(f"r/{joint}").qposadr[0]])


def make_bench(
    robot: str | RobotDescription,
    *,
    base: Base | None = None,
    height: float = 0.0,
    timestep: float = 1 / 240,
    config: RobotControlConfig | None = None,
    joints: Mapping[str, float] | None = None,
) -> Bench:
    """A robot on a plane; shipped ones by name."""
    if isinstance(robot, str):
        loaded = load_robot(robot)
        robot, base = loaded.description, base or loaded.base
    physics = PhysicsConfig(timestep=timestep)
    spec = new_spec("bench", physics)
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], friction=[1, 0.005, 0.0001]
    )
    placed = PlacedRobot("r", robot, base or "fixed", Transform((0.0, 0.0, height)))
    built = add_robot(spec, AssetStore(spec, Report()), placed, physics)
    model = spec.compile()
    data = mujoco.MjData(model)
    start = {each.name: each.initial_position for each in robot.joints} | dict(joints or {})
    for coordinate in built.coordinates:
        address = model.joint(coordinate.mujoco_name).qposadr[0]
        data.qpos[address] = start[coordinate.name]
    mujoco.mj_forward(model, data)
    control = (config or RobotControlConfig()).build(built, robot, model, data)
    return Bench(robot, model, data, control)


@pytest.fixture
def bench() -> Callable[..., Bench]:
    return make_bench


def make_lever(
    *,
    mass: float = 2.0,
    length: float = 0.5,
    axis: tuple[float, float, float] = (0.0, 1.0, 0.0),
    limit: JointLimit = JointLimit(-3.0, 3.0, 1000.0, 100.0),  # noqa: B008 - frozen
    damping: float = 0.0,
) -> RobotDescription:
    """A point mass at the end of a rod along x, on one hinge; axis y is under gravity, z is not."""
    tiny = 1e-6
    load = Inertial(mass, Transform((length, 0.0, 0.0)), (tiny, tiny, tiny, 0.0, 0.0, 0.0))
    hinge = Joint(
        "hinge",
        JointType.REVOLUTE,
        "base",
        "rod",
        Transform((0.0, 0.0, 2.0)),
        axis=axis,
        limit=limit,
        dynamics=JointDynamics(damping=damping, armature=0.0),
    )
    return RobotDescription("lever", (Link("base"), Link("rod", load)), (hinge,), "base")


@pytest.fixture
def lever() -> Callable[..., RobotDescription]:
    return make_lever
