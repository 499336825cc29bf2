"""Does a gripper hold a cube? How much it creeps and sinks in, and which setting is to blame.

The robot stands still without gravity, so that its arm plays no part. The cube is put between the
fingers, which close; then its weight pulls it out of the hand, as if the hand pointed down.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from horus_sim.errors import DescriptionError
from horus_sim.files.config import Config
from horus_sim.robots.engine import mujoco
from horus_sim.robots.robot import Robot
from horus_sim.sim3d.control.detection import detect_gripper
from horus_sim.sim3d.control.gripper import GripperConfig
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.trials.grip_place import GripPlace, grip_place
from horus_sim.sim3d.world.contacts import Contact
from horus_sim.sim3d.world.world import World
from horus_sim.tf import Transform

Setting = Literal["friction", "force", "condim", "solver"]
CUBE = "cube"
GRAVITY = 9.81
_SMALLEST, _LARGEST = 0.005, 0.05
_MARGIN = 0.9
_CLOSING_S, _SQUEEZING_S, _SETTLING_S = 4.0, 2.5, 0.5
_TRIAL_S = 3.0
_STILL = 1e-3
"""Creep [m] up to which a cube counts as held."""
_TURNED = math.radians(3.0)
_MUCH_LESS = 0.5
_USUAL_FRICTION = 0.5
_TORSION = 0.02
_STIFFER = 10
_PAIR = 2
_LEAN = math.radians(2.0)
_DOWN = (0.0, math.sin(_LEAN), math.cos(_LEAN))
"""Where the weight pulls, as the gripper sees it: out of the hand, and a little aside, since a cube
that stands on its contacts would not know where to fall."""


class GraspConfig(Config):
    """What is to be held, and for how long.

    Attributes:
        size: Edge of the cube [m]; half of the gripper's width unless given.
        mass: Of the cube [kg].
        duration: Simulated time [s].
        physics: How the world moves; its gravity does not count.
    """

    size: Annotated[float, Field(gt=0)] | None = None
    mass: Annotated[float, Field(gt=0)] = 0.1
    duration: Annotated[float, Field(gt=0)] = 60.0
    physics: PhysicsConfig = PhysicsConfig()


@dataclass(frozen=True, slots=True)
class GraspReport:
    """How a cube was held.

    Attributes:
        size: Edge of the cube [m].
        mass: Of the cube [kg].
        duration: How long it was held [s]; shorter than asked for where it was lost.
        is_held: Whether it was between both fingers until the end.
        creep: How far it moved in the hand [m].
        rate: How fast it moved in the second half [m/s].
        turn: How far it turned in the hand [rad].
        penetration: How deep fingers and cube overlapped at most [m].
        force: With which the fingers pressed, both together [N].
        friction: Coefficient of friction between them, the smaller one.
        slips: The setting that lets it slip, None where it stays or none of them does.
        remedy: What to change, '' where it stays.
    """

    size: float
    mass: float
    duration: float
    is_held: bool
    creep: float
    rate: float
    turn: float
    penetration: float
    force: float
    friction: float
    slips: Setting | None = None
    remedy: str = ""

    @property
    def is_still(self) -> bool:
        """Whether it was held, and moved by a millimetre at most."""
        return self.is_held and self.creep <= _STILL

    @property
    def load(self) -> float:
        """Weight of the cube [N]."""
        return self.mass * GRAVITY

    @property
    def capacity(self) -> float:
        """The weight that friction can hold at this force [N]."""
        return self.friction * self.force


def try_grasp(
    robot: Robot,
    config: GraspConfig | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> GraspReport:
    """Has a robot hold a cube, and finds out why where it does not.

    Args:
        robot: A robot with two fingers that slide towards each other.
        config: The cube and the time.
        progress: Called with the simulated time [s] now and then.

    Raises:
        DescriptionError: The robot has no such gripper, the cube does not fit, or the fingers do
            not meet it.
    """
    config = config or GraspConfig()
    gripper = detect_gripper(robot.description)
    if gripper is None:
        raise DescriptionError(
            f"robot '{robot.name}' has no gripper that was found: two fingers with bounds that "
            "slide towards each other on one link"
        )
    trial = _Trial(robot, gripper, config)
    report = trial.hold(config.duration, progress)
    return report if report.is_still else _explained(trial, report)


class _Trial:
    """A robot with a cube between its fingers."""

    def __init__(self, robot: Robot, gripper: GripperConfig, config: GraspConfig) -> None:
        self._robot, self._gripper, self._config = robot, gripper, config

    def hold(
        self,
        duration: float,
        progress: Callable[[float], None] = lambda _: None,
        change: Callable[[World], None] = lambda _: None,
    ) -> GraspReport:
        """Holds the cube; a change is made to the model before the fingers close."""
        config = self._config
        world, place, size = self._gripped(change)
        down = place.T_world_grip.transform_vector(_DOWN)
        cube = world.model.body(CUBE).id
        pressing = [contact for contact in world.contacts if contact.involves(CUBE)]
        force = sum(contact.normal_force for contact in pressing)
        friction = _friction(world, cube)
        first = self._T_hand_cube(world, place)
        world.data.xfrc_applied[cube, :3] = config.mass * GRAVITY * np.asarray(down)
        _run(world, _SETTLING_S)
        if self._touches_both(world, place):
            # How it gives way when the load comes is no creep.
            first = self._T_hand_cube(world, place)
        steps = max(_PAIR, round(duration / world.timestep))
        poses = [first]
        deepest, done = 0.0, 0
        held = self._touches_both(world, place)
        if not held:
            poses.append(self._T_hand_cube(world, place))
        while held and done < steps:
            count = min(max(1, round(0.05 / world.timestep)), steps - done)
            world.step(count)
            done += count
            poses.append(self._T_hand_cube(world, place))
            depths = [each.depth for each in world.contacts if each.involves(CUBE)]
            deepest = max(deepest, *depths) if depths else deepest
            held = self._touches_both(world, place)
            progress(done * world.timestep)
        moved = [math.dist(pose.translation, first.translation) for pose in poses]
        half = len(poses) // 2
        late = math.dist(poses[-1].translation, poses[half].translation)
        share = (len(poses) - 1 - half) / (len(poses) - 1)
        passed = done * world.timestep
        creep = max(moved)
        return GraspReport(
            size,
            config.mass,
            passed,
            held,
            creep,
            late / (share * passed) if share * passed > 0.0 else 0.0,
            _angle(poses[-1].inverse() @ first),
            deepest,
            force,
            friction,
        )

    def _gripped(self, change: Callable[[World], None]) -> tuple[World, GripPlace, float]:
        """A world in which the fingers press on the cube, which weighs nothing yet."""
        physics = self._config.physics.model_copy(update={"gravity": (0.0, 0.0, 0.0)})
        base = "fixed" if self._robot.mjcf is None else "auto"
        world = World.from_robot(self._robot, base=base, physics=physics)
        name = self._robot.name
        robot = world.robots[name]
        gripper = robot.control.gripper
        if gripper is None:
            raise DescriptionError(
                f"robot '{name}': its fingers have no drive; give their joints effort and velocity"
            )
        robot.command(gripper="open")
        _run(world, _CLOSING_S)
        size = self._config.size
        if size is None:
            size = min(max(0.5 * gripper.max_width, _SMALLEST), _LARGEST)
        if size > _MARGIN * gripper.max_width:
            raise DescriptionError(
                f"robot '{name}': a cube of {size:g} m does not fit between its fingers, which "
                f"open {gripper.max_width:.4g} m; give a smaller --size"
            )
        place = grip_place(world, name, self._gripper)
        item = ObjectConfig.model_validate(
            {
                "name": CUBE,
                "shape": {"kind": "box", "size": (size, size, size)},
                "dynamic": True,
                "mass": self._config.mass,
            }
        )
        world.spawn(item, pose=place.T_world_grip)
        change(world)
        for inwards in (0.5, 0.25, 0.75, 1.0, 1.5):
            if self._closes(world, place, inwards * size):
                return world, place, size
        raise DescriptionError(
            f"robot '{name}': its fingers {place.fingers} do not close on a cube of {size:g} m "
            "between their tips; give another --size, or check their <collision>"
        )

    def _closes(self, world: World, place: GripPlace, inwards: float) -> bool:
        """Closes the fingers on the cube; whether both press on it, and stay.

        Args:
            world: The world.
            place: Where the tips are.
            inwards: How far the middle of the cube is from there [m].
        """
        robot = world.robots[self._robot.name]
        robot.command(gripper="open")
        pose = place.T_world_grip @ Transform((0.0, 0.0, -inwards))
        # Out of the way until they are open.
        world.move(CUBE, place.T_world_grip @ Transform((0.0, 0.0, 10.0)))
        _run(world, _CLOSING_S / 2.0)
        robot.command(gripper="close")
        for _ in range(round(_CLOSING_S / world.timestep)):
            world.move(CUBE, pose)
            world.step()
            if self._touches_both(world, place):
                break
        else:
            return False
        _run(world, _SQUEEZING_S)
        return self._touches_both(world, place)

    def _touches_both(self, world: World, place: GripPlace) -> bool:
        touching = [contact for contact in world.contacts if contact.involves(CUBE)]
        return all(self._touches(world, finger, touching) for finger in place.fingers)

    def _touches(self, world: World, finger: str, touching: list[Contact]) -> bool:
        """Whether a finger, with all that is fixed to it, is among those that touch."""
        model = world.model
        root = world.robots[self._robot.name].body_id(finger)
        welded = {model.body(k).name for k in range(model.nbody) if model.body_weldid[k] == root}
        welded.add(model.body(root).name)
        return any(not welded.isdisjoint(contact.bodies) for contact in touching)

    def _T_hand_cube(self, world: World, place: GripPlace) -> Transform:
        hand = world.robots[self._robot.name].link_pose(place.hand)
        return hand.inverse() @ world.objects[CUBE].pose


def _explained(trial: _Trial, report: GraspReport) -> GraspReport:
    """The report with the setting that lets the cube slip.

    Friction and force follow from the balance of forces; for the others a short trial with the
    present setting is compared with one with a better setting.
    """

    def named(setting: Setting | None, remedy: str) -> GraspReport:
        return replace(report, slips=setting, remedy=remedy)

    if report.friction == 0.0:
        return named("condim", "contacts have no friction: give condim 3 or a friction above 0")
    if report.capacity < report.load:
        friction, force = report.load / max(report.force, 1e-9), report.load / report.friction
        needed = f"friction {friction:.2g} or a force of {force:.3g} N are needed"
        weaker: Setting = "friction" if report.friction < _USUAL_FRICTION else "force"
        return named(
            weaker,
            f"friction {report.friction:.3g} times {report.force:.3g} N "
            f"hold {report.capacity:.3g} N of {report.load:.3g} N; {needed}",
        )
    duration = report.duration or _TRIAL_S
    if report.turn > _TURNED and _helps(trial.hold(duration, change=_spin), report):
        return named("condim", "it turns between the fingers: give them condim 4 or 6, and torsion")
    duration = min(duration, _TRIAL_S)
    if _helps(trial.hold(duration, change=_stiffen), trial.hold(duration)):
        more = max(_STIFFER, math.ceil(report.creep / _STILL)) if report.is_held else _STIFFER
        text = f"friction gives way under load: try physics.impratio {more} times as large"
        return named("solver", text)
    return named(None, "neither friction, force, condim nor solver explain it; look at the shapes")


def _helps(better: GraspReport, base: GraspReport) -> bool:
    """Whether a trial went much better than another."""

    def motion(report: GraspReport) -> float:
        return report.creep + 0.5 * report.size * report.turn

    return better.is_held and motion(better) < _MUCH_LESS * motion(base)


def _spin(world: World) -> None:
    """Contacts that resist spinning and rolling, as patches of a finger would."""
    world.model.geom_condim[:] = 6
    world.model.geom_friction[:, 1] = np.maximum(world.model.geom_friction[:, 1], _TORSION)


def _stiffen(world: World) -> None:
    """Friction that gives way less under a load."""
    world.model.opt.cone = int(mujoco.mjtCone.mjCONE_ELLIPTIC)
    world.model.opt.impratio *= _STIFFER


def _friction(world: World, cube: int) -> float:
    """The least coefficient of sliding friction of the contacts of a body; 0 without any."""
    found = []
    for i in range(world.data.ncon):
        contact = world.data.contact[i]
        bodies = world.model.geom_bodyid[[contact.geom1, contact.geom2]]
        if cube in bodies:
            found.append(float(contact.friction[0]) if contact.dim > 1 else 0.0)
    return min(found, default=0.0)


def _angle(T: Transform) -> float:
    """How far a transform turns [rad]."""
    return 2.0 * math.acos(min(1.0, abs(float(T.rotation[3]))))


def _run(world: World, seconds: float) -> None:
    world.step(round(seconds / world.timestep))
