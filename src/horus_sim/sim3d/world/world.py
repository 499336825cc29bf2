"""A running world: robots and objects under physics, stepped, looked at and changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from horus_sim.errors import SceneError, Sim3dError
from horus_sim.files.names import free_name, propose
from horus_sim.robots.description import RobotDescription
from horus_sim.robots.engine import mujoco
from horus_sim.robots.report import NoteKind, Report
from horus_sim.robots.robot import Robot
from horus_sim.sim3d.compile.placement import put_down, stood_up
from horus_sim.sim3d.compile.standing import settled, with_stance
from horus_sim.sim3d.compile.steady import steady_physics
from horus_sim.sim3d.rendering.render import Camera
from horus_sim.sim3d.scene.described_sensors import described_sensors
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.physics import PhysicsConfig, with_wishes
from horus_sim.sim3d.scene.placed import (
    ChosenBase,
    Placed,
    PlacedRobot,
    placed_robot,
    without_sensors,
)
from horus_sim.sim3d.scene.reading import read_scene, scene_path
from horus_sim.sim3d.scene.scene import Scene
from horus_sim.sim3d.scene.shapes import PlaneShape
from horus_sim.sim3d.scene.spawning import Spawnable, spawned, states_pose
from horus_sim.sim3d.scene.world_spec import WorldSpec, world_spec
from horus_sim.sim3d.sensors.collection import Sensors
from horus_sim.sim3d.sensors.kinds import check_entries
from horus_sim.sim3d.world.contacts import Contact, read_contacts
from horus_sim.sim3d.world.live_model import LiveModel
from horus_sim.sim3d.world.object import WorldObject
from horus_sim.sim3d.world.robot import WorldRobot
from horus_sim.sim3d.world.snapshot import WorldSnapshot, layout_of, read_gains, read_physics
from horus_sim.sim3d.world.stepping import check_count, log_warnings
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.sim3d.exchange.exchange import Exchange3d


class Controller(Protocol):
    """Something that acts before every step; see `World.controllers`.

    With `get_state` and `set_state` it is part of saved states, with `reset` of restarts.
    """

    def update(self, world: World, dt: float) -> None:
        """Acts on the world, whose next step takes `dt` seconds."""


@dataclass(frozen=True, slots=True)
class Energy:
    """Potential and kinetic energy [J]; the potential is zero at the world's origin."""

    potential: float
    kinetic: float

    @property
    def total(self) -> float:
        """Their sum [J]."""
        return self.potential + self.kinetic


class World(LiveModel):
    """A running world. Make it with `World.load` or `World.from_robot`.

    One thread steps and changes a world; others may look at `tf` meanwhile, and at nothing else.
    Worlds are independent of each other and may run in several threads.

    Args:
        spec: What it is made of.
        scene: The scene it came from.
        seed: Seed of the random numbers.
        report: Remarks of the importers.

    Attributes:
        scene: The scene it came from.
        sensors: Sensors by name, as 'robot/sensor'; they measure after steps in which they are due.
        controllers: Each `update(world, dt)` is called before every step.
        rng: Random numbers from the seed.
        seed: Seed of the random numbers.
        jumps: How many times the state was set as a whole, by `reset` and `apply_snapshot`.
        news_after: What came in a later step than this one is new: the one before the last
            `step(n)`. Controllers, which are called within it, find the one before the last single
            step.
    """

    def __init__(self, spec: WorldSpec, scene: Scene, seed: int, report: Report) -> None:
        log_warnings()
        super().__init__(spec, report)
        self.scene = scene
        self.controllers: list[Controller] = []
        self.rng = np.random.default_rng(seed)
        self.seed = seed
        self.news_after = -1
        self.jumps = 0
        self._camera: Camera | None = None
        self.sensors = Sensors(self)

    @classmethod
    def load(
        cls,
        scene: Scene | str | Path,
        seed: int = 0,
        overrides: Mapping[str, Any] | Sequence[str] = (),
        package_roots: Iterable[Path | str] = (),
        *,
        strict: bool = False,
    ) -> World:
        """A world from a scene.

        Args:
            scene: A scene, the name of a shipped one, or a YAML, JSON or SDF file.
            seed: Seed of the random numbers; the same seed gives the same bits.
            overrides: What to change, as ``{"physics.timestep": 0.002}``.
            package_roots: Folders, beside that of the file, from which its files may come.
            strict: Refuses a world of which something was repaired or left out.

        Raises:
            SceneError: The scene does not fit; the text names file, line and key.
            DescriptionError: A robot cannot be used.
        """
        if not isinstance(scene, Scene):
            scene = read_scene(scene_path(scene), overrides, package_roots)
        elif overrides or tuple(package_roots):
            raise SceneError("give overrides and package_roots to load_scene: this is a Scene")
        report = Report()
        spec = settled(world_spec(scene, report), scene.physics, report)
        check_entries(spec.sensors)
        world = cls(spec, scene, seed, report)
        world.sensors.add_described(spec.sensors, report)
        if strict:
            world.report.refuse_if_mended(str(scene.source or scene.name))
        return world

    @classmethod
    def from_robot(
        cls,
        robot: Robot | RobotDescription,
        *,
        pose: Transform | None = None,
        joints: Mapping[str, float] | None = None,
        base: ChosenBase = "auto",
        physics: PhysicsConfig | None = None,
        ground: bool = False,
        hold: bool = True,
        frame_prefix: str = "",
        seed: int = 0,
        sensors: bool = True,
        strict: bool = False,
    ) -> World:
        """A world with one robot, whose frames are called as its links.

        Args:
            robot: A loaded robot or a description.
            pose: Where it is put; unless given, at the origin, and standing on the ground if there
                is one and it is free.
            joints: Where joints start [rad] or [m]; the others of a robot on legs start in a
                stance, those of other robots as described.
            base: Whether the world holds its root; as the robot says unless given.
            physics: Step, gravity, solver; unless given as the robot's MJCF file says, else the
                defaults.
            ground: Whether there is a plane at z = 0.
            hold: Whether its drives hold the joints until a command comes.
            frame_prefix: What stands before its frames in the transform tree.
            seed: Seed of the random numbers.
            sensors: Whether it has the sensors that its file describes.
            strict: Refuses a robot of which something was repaired or left out.
        """
        description = robot if isinstance(robot, RobotDescription) else robot.description
        taken = {robot.name, *description.extra_frames}
        taken |= {frame_prefix + link.name for link in description.links}
        floor = ObjectConfig(name=free_name("ground", taken), shape=PlaneShape())
        mjcf = None if isinstance(robot, RobotDescription) else robot.mjcf
        wishes = [] if mjcf is None else [mjcf.physics]
        scene = Scene(
            name="robot",
            physics=with_wishes(physics or PhysicsConfig(), wishes),
            objects=(floor,) if ground else (),
        )
        report = Report()
        if not isinstance(robot, RobotDescription):
            report.notes.extend(robot.report.notes)
        if ground and floor.name != "ground":
            text = f"is called '{floor.name}', since the robot has something called 'ground'"
            report.add(NoteKind.SUBSTITUTION, "ground", text)
        placed = placed_robot(robot, None, pose, joints, frame_prefix, base, hold=hold)
        placed = with_stance(placed)
        if ground and pose is None:
            placed = stood_up(placed, scene.physics)
        placed = placed if sensors else without_sensors(placed)
        spec = world_spec(scene, report).including(placed)
        spec = steady_physics(spec, physics or PhysicsConfig(), report)
        world = cls(spec, scene, seed, report)
        world.sensors.add_described(described_sensors(placed, report), report)
        if strict:
            world.report.refuse_if_mended(f"robot '{placed.name}'")
        return world

    def step(self, n: int = 1) -> None:
        """Moves the world by `n` steps.

        Raises:
            CommandError: `n` is not a count.
            PhysicsError: The motion diverged, or a state was written that no step can take. The
                step that failed did not happen: time, poses and sensors are those before it.
        """
        check_count(n)
        self._check()
        dt, began = self.timestep, self.steps
        for _ in range(n):
            self.news_after = self.steps - 1
            for robot in self._robots.values():
                robot.update_control(dt)
            for controller in self.controllers:
                controller.update(self, dt)
            self._step()
            self.sensors.after_step(self)
        self.news_after = began

    def reset(self, seed: int | None = None) -> None:
        """Puts everything where it started, at time 0.

        What was added or removed meanwhile stays so.

        Args:
            seed: Seed of the random numbers; the earlier one unless given.
        """
        self.seed = self.seed if seed is None else seed
        self.rng = np.random.default_rng(self.seed)
        self.jumps += 1
        self._restart()
        self.news_after = -1
        self.sensors.reset(self.seed)
        for controller in self.controllers:
            reset = getattr(controller, "reset", None)
            if reset is not None:
                reset()

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Who touches whom, as the last step saw it; after the state was set, as it is there."""
        return read_contacts(self.model, self.data if self._has_stepped else self.forward())

    @property
    def energy(self) -> Energy:
        """Energy of all that moves, now."""
        data = self.forward()
        mujoco.mj_energyPos(self.model, data)
        mujoco.mj_energyVel(self.model, data)
        return Energy(float(data.energy[0]), float(data.energy[1]))

    @property
    def warnings(self) -> dict[str, int]:
        """How often something happened that should not; only what did."""
        names = {int(kind): name for name, kind in mujoco.mjtWarning.__members__.items()}
        numbers = self.data.warning.number
        found = {
            names[i].removeprefix("mjWARN_").lower(): int(count)
            for i, count in enumerate(numbers)
            if count
        }
        clamps = sum(robot.clamps for robot in self._robots.values())
        return found | ({"clamped commands": clamps} if clamps else {})

    def render(
        self,
        camera: str | None = None,
        width: int = 640,
        height: int = 480,
        quality: Literal["fast", "nice"] = "fast",
    ) -> npt.NDArray[np.uint8]:
        """A picture.

        Args:
            camera: Name of a camera; a free view of the whole unless given.
            width: [pixels].
            height: [pixels].
            quality: 'nice' has the shadows of lights that cast some, and reflections.

        Returns:
            Colours, shape (height, width, 3).

        Raises:
            RenderError: There is no OpenGL; the text says what to install.
        """
        if self._camera is not None and self._camera.model is not self.model:
            self._camera.close()
            self._camera = None
        if self._camera is None:
            self._camera = Camera(self.model)
        return self._camera.render(self.data, camera, width, height, quality)

    def handle(self, name: str) -> WorldRobot | WorldObject:
        """The robot or object of that name.

        Raises:
            SceneError: There is none.
        """
        found = self._robots.get(name) or self._objects.get(name)
        if found is None:
            names = (*self._robots, *self._objects)
            raise SceneError(propose(name, names, "the world", "robot or object"))
        return found

    def spawn(
        self, thing: Spawnable, *, name: str | None = None, pose: Transform | None = None
    ) -> WorldRobot | WorldObject:
        """Puts a robot or an object into the running world; everything else keeps its state.

        Args:
            thing: A configuration, a loaded robot, the name or file of one, or what `remove` gave.
            name: Name in the world; its own unless given.
            pose: T_world_root or T_world_object; unless given, as configured or described, else
                a free place on the ground, the origin first.

        Raises:
            SceneError: The name is taken, or the thing does not fit.
        """
        part = spawned(thing, self.scene, name, pose, self.report)
        if isinstance(part, PlacedRobot):
            part = with_stance(part)
        if pose is None and not states_pose(thing):
            part = put_down(part, self.spec.physics, self.model, self.data)
        if part.name in self._robots or part.name in self._objects:
            raise SceneError(f"the world has a '{part.name}' already; give another name")
        spec = self.spec.including(part)
        self._rebuild(steady_physics(spec, self.scene.physics, self.report))
        self.sensors.rebind()
        if isinstance(part, PlacedRobot):
            self.sensors.add_described(described_sensors(part, self.report), self.report)
        return self.handle(part.name)

    def remove(self, name: str) -> Placed:
        """Takes a robot or an object out of the running world; everything else keeps its state.

        Returns:
            What was taken out; `spawn` puts it back.

        Raises:
            SceneError: There is none of that name.
        """
        taken = self.spec.part(self.handle(name).name)
        self._rebuild(self.spec.without(name))
        self.sensors.rebind()
        return taken

    def move(self, name: str, pose: Transform) -> None:
        """Puts a robot's root or an object somewhere else at once, at rest.

        Args:
            name: Name of the robot or object.
            pose: T_world_root or T_world_object.

        Raises:
            SceneError: There is none of that name, or it follows a path.
        """
        handle = self.handle(name)
        if isinstance(handle, WorldObject) and handle.motion is not None:
            raise SceneError(f"object '{name}' follows a path; it cannot be moved")
        handle.place(pose)
        self.changed()

    def snapshot(self) -> WorldSnapshot:
        """All that decides how the world goes on; `apply_snapshot` continues bit by bit."""
        controls: list[object] = [robot.control_state() for robot in self._robots.values()]
        controls += [
            get_state() if (get_state := getattr(controller, "get_state", None)) else None
            for controller in self.controllers
        ]
        return WorldSnapshot(
            self.steps,
            read_physics(self.model, self.data),
            read_gains(self.model),
            json.dumps(self.rng.bit_generator.state),
            tuple(controls),
            layout_of(self.model),
            (*self._robots, *self._objects),
            self.sensors.get_state(),
        )

    def apply_snapshot(self, snapshot: WorldSnapshot) -> None:
        """Goes back to a saved state, of this world or of another one made of the same parts.

        Args:
            snapshot: What `snapshot` gave.

        Raises:
            Sim3dError: The state belongs to a world made of other parts.
        """
        before = self.snapshot()
        try:
            self._load(snapshot)
        except Exception as error:
            self._load(before)
            if isinstance(error, Sim3dError):
                raise
            raise Sim3dError(
                f"the state does not fit this world ({type(error).__name__}: {error}); the world "
                "stays as it was"
            ) from error

    def exchange(self) -> Exchange3d:
        """What it publishes and obeys, for `RunningWorld`."""
        from horus_sim.sim3d.exchange.exchange import Exchange3d

        return Exchange3d(self)

    def _load(self, state: WorldSnapshot) -> None:
        count = len(self._robots) + len(self.controllers)
        if state.layout != layout_of(self.model) or len(state.controllers) != count:
            here = ", ".join((*self._robots, *self._objects)) or "nothing"
            there = ", ".join(state.parts) or "nothing"
            raise Sim3dError(
                f"the state belongs to a world with {there}; this one has {here} and "
                f"{len(self.controllers)} controllers: load it into a world of the same parts, "
                "timestep and controllers"
            )
        self.rng.bit_generator.state = json.loads(state.rng)
        rest = state.controllers[len(self._robots) :]
        for controller, saved in zip(self.controllers, rest, strict=True):
            if saved is not None:
                controller.set_state(saved)  # pyright: ignore[reportAttributeAccessIssue]
        self.jumps += 1
        self._go_to(state)
        self.news_after = state.steps - 1
        self.sensors.set_state(state.sensors)
