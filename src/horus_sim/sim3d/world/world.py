"""A running world: robots and objects under physics, stepped, looked at and changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from horus_sim.errors import SceneError, Sim3dError
from horus_sim.files.names import Named, propose
from horus_sim.robots.description import RobotDescription
from horus_sim.robots.engine import mujoco
from horus_sim.robots.report import Report
from horus_sim.sim3d.compile.compile_spec import RobotPart, WorldSpec
from horus_sim.sim3d.compile.placement import put_down, stood_up
from horus_sim.sim3d.compile.resolve import Part, resolve, robot_part, spawned_part, states_pose
from horus_sim.sim3d.scene.contents import contents_of, open_scene
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.physics import PhysicsConfig
from horus_sim.sim3d.scene.scene import RobotConfig, Scene
from horus_sim.sim3d.scene.shapes import PlaneShape
from horus_sim.sim3d.sensors.collection import Sensors
from horus_sim.sim3d.sensors.kinds import check_entries
from horus_sim.sim3d.world.contacts import Contact, read_contacts
from horus_sim.sim3d.world.controller import Controller
from horus_sim.sim3d.world.energy import Energy
from horus_sim.sim3d.world.frames import WorldTF
from horus_sim.sim3d.world.object import WorldObject
from horus_sim.sim3d.world.robot import WorldRobot
from horus_sim.sim3d.world.snapshot import WorldSnapshot, layout_of
from horus_sim.sim3d.world.stage import Stage
from horus_sim.sim3d.world.stepping import check_count, log_warnings
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from horus_sim.robots.robot import Robot
    from horus_sim.sim3d.exchange.exchange import Exchange3d
    from horus_sim.sim3d.rendering.render import Camera


class World:
    """A running world. Make it with `World.load` or `World.from_robot`.

    One thread steps and changes a world; others may look at `tf` meanwhile, and at nothing else.
    Worlds are independent of each other and may run in several threads.

    Args:
        spec: What it is made of.
        scene: The scene it came from.
        seed: Of its random numbers.
        report: Remarks of the importers.

    Attributes:
        scene: The scene it came from.
        robots: By name.
        objects: By name.
        sensors: By name, as 'robot/sensor'; they measure after the steps in which they are due.
        tf: Every link and object under 'world', stamped with simulated time.
        controllers: Each `update(world, dt)` is called before every step.
        rng: Random numbers from the seed.
        report: What importers and builder changed, supposed or left out.
    """

    def __init__(self, spec: WorldSpec, scene: Scene, seed: int, report: Report) -> None:
        log_warnings()
        self.scene = scene
        self.report = report
        self.tf = WorldTF()
        self.controllers: list[Controller] = []
        self.rng = np.random.default_rng(seed)
        self._seed = seed
        self._news_after = -1
        self._jumps = 0
        self._camera: Camera | None = None
        self._stage = Stage(spec, self.tf, report)
        self.sensors = Sensors(self)
        self.robots = Named(self._stage.robots, "the world", "robot")
        self.objects = Named(self._stage.objects, "the world", "object")

    @classmethod
    def load(
        cls,
        scene: Scene | str | Path,
        seed: int = 0,
        overrides: Mapping[str, Any] | Sequence[str] = (),
        package_roots: Iterable[Path | str] = (),
    ) -> World:
        """A world from a scene.

        Args:
            scene: A scene, the name of a shipped one, or a YAML, JSON or SDF file.
            seed: Of its random numbers; the same seed gives the same bits.
            overrides: What to change, as ``{"physics.timestep": 0.002}``.
            package_roots: Folders, beside that of the file, from which its files may come.

        Raises:
            SceneError: The scene does not fit; the text names file, line and key.
            DescriptionError: A robot cannot be used.
        """
        if isinstance(scene, Scene):
            if overrides or tuple(package_roots):
                raise SceneError("give overrides and package_roots to load_scene: this is a Scene")
            contents = contents_of(scene)
        else:
            contents = open_scene(scene, overrides, package_roots)
        check_entries(contents.sensors)
        report = Report()
        world = cls(resolve(contents, report), contents.scene, seed, report)
        world.sensors.add_described(world.spec.sensors, report)
        return world

    @classmethod
    def from_robot(
        cls,
        robot: Robot | RobotDescription,
        *,
        pose: Transform | None = None,
        base: Literal["auto", "fixed", "floating"] = "auto",
        physics: PhysicsConfig | None = None,
        ground: bool = False,
        hold: bool = True,
        frame_prefix: str = "",
        seed: int = 0,
    ) -> World:
        """A world with one robot, whose frames are called as its links.

        Args:
            robot: A loaded robot or a description.
            pose: Where it is put; unless given, at the origin, and standing on the ground if there
                is one and it is free.
            base: Whether the world holds its root; as the robot says unless given.
            physics: Step, gravity, solver; the defaults unless given.
            ground: Whether there is a plane at z = 0.
            hold: Whether its drives hold the joints until a command comes.
            frame_prefix: Before its frames in the transform tree.
            seed: Of its random numbers.
        """
        floor = ObjectConfig(name="ground", shape=PlaneShape())
        scene = Scene(
            name="robot",
            physics=physics or PhysicsConfig(),
            objects=(floor,) if ground else (),
        )
        report = Report()
        if not isinstance(robot, RobotDescription):
            report.notes.extend(robot.report.notes)
        spec = resolve(contents_of(scene), report)
        part = robot_part(robot, None, pose, None, frame_prefix, base, hold=hold)
        if ground and pose is None:
            part = stood_up(part, scene.physics)
        return cls(replace(spec, robots=(part,)), scene, seed, report)

    @property
    def model(self) -> mujoco.MjModel:
        """The MuJoCo model; another one after something was added or removed."""
        return self._stage.model

    @property
    def data(self) -> mujoco.MjData:
        """The MuJoCo state; call `changed` after writing positions or velocities into it.

        Poses in it are those of now; forces and contacts are those of the last step.
        """
        return self._stage.data

    @property
    def generation(self) -> int:
        """How many times `model` and `data` were replaced."""
        return self._stage.generation

    @property
    def jumps(self) -> int:
        """How many times the state was set as a whole, by `reset` and `apply_snapshot`."""
        return self._jumps

    @property
    def seed(self) -> int:
        """Of its random numbers."""
        return self._seed

    @property
    def state_before_step(self) -> npt.NDArray[np.float64]:
        """MuJoCo's integration state as the last step found it; valid until the next."""
        return self._stage.state_before_step

    @property
    def timestep(self) -> float:
        """Simulated time of one step [s]."""
        return self._stage.timestep

    @property
    def steps(self) -> int:
        """Steps since the start."""
        return self._stage.steps

    @property
    def news_after(self) -> int:
        """What came in a later step than this one is new: the one before the last `step(n)`.

        Controllers, which are called within it, find the one before the last single step.
        """
        return self._news_after

    @property
    def time(self) -> float:
        """Simulated time [s] since the start."""
        return self._stage.time

    @property
    def stamp_ns(self) -> int:
        """Simulated time [ns] since the start."""
        return self._stage.stamp_ns

    @property
    def spec(self) -> WorldSpec:
        """What it is made of now, and the files of the scene it came from."""
        return self._stage.spec

    def step(self, n: int = 1) -> None:
        """Moves the world by `n` steps.

        Raises:
            CommandError: `n` is no count.
            PhysicsError: The motion diverged, or a state was written that no step can take. The
                step that failed did not happen: time, poses and sensors are those before it.
        """
        check_count(n)
        stage, sensors = self._stage, self.sensors
        stage.check()
        dt, began = stage.timestep, stage.steps
        for _ in range(n):
            self._news_after = stage.steps - 1
            for robot in stage.controlled:
                robot.control.update(dt)
            for controller in self.controllers:
                controller.update(self, dt)
            stage.step()
            sensors.after_step(self)
        self._news_after = began

    def reset(self, seed: int | None = None) -> None:
        """Puts everything where it started, at time 0.

        What was added or removed meanwhile stays so.

        Args:
            seed: Of the random numbers; the earlier one unless given.
        """
        self._seed = self._seed if seed is None else seed
        self.rng = np.random.default_rng(self._seed)
        self._jumps += 1
        self._stage.restart()
        self._news_after = -1
        self.sensors.reset(self._seed)
        for controller in self.controllers:
            reset = getattr(controller, "reset", None)
            if reset is not None:
                reset()

    def changed(self) -> None:
        """Brings poses and transforms up to date; call it after writing into `data`."""
        self._stage.changed()

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Who touches whom, as the last step saw it; after the state was set, as it is there."""
        stepped = self._stage.has_stepped
        return read_contacts(self.model, self.data if stepped else self.forward())

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
        return found | ({"clamped commands": self._stage.clamps} if self._stage.clamps else {})

    def forward(self) -> mujoco.MjData:
        """A copy of the state with everything that follows from it: velocities, forces, contacts.

        It is valid until the world changes. `data` itself holds poses of now, but the rest as the
        last step began.
        """
        return self._stage.forward()

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
        from horus_sim.sim3d.rendering.render import Camera

        if self._camera is not None and self._camera.model is not self.model:
            self._camera.close()
            self._camera = None
        if self._camera is None:
            self._camera = Camera(self.model)
        return self._camera.render(self.data, camera, width, height, quality)

    def spawn(
        self,
        thing: RobotConfig | ObjectConfig | Robot | RobotDescription | Part | str | Path,
        *,
        name: str | None = None,
        pose: Transform | None = None,
    ) -> WorldRobot | WorldObject:
        """Puts a robot or an object into the running world; everything else keeps its state.

        Args:
            thing: A configuration, a loaded robot, the name or file of one, or what `remove` gave.
            name: In the world; its own unless given.
            pose: T_world_root or T_world_object; unless given, as configured or described, else
                a free place on the ground, the origin first.

        Raises:
            SceneError: The name is taken, or the thing does not fit.
        """
        part = spawned_part(thing, self.scene, name, pose, self.report)
        if pose is None and not states_pose(thing):
            part = put_down(part, self.spec.physics, self.model, self.data)
        if part.name in self._stage.robots or part.name in self._stage.objects:
            raise SceneError(f"the world has a '{part.name}' already; give another name")
        if isinstance(part, RobotPart):
            spec = replace(self.spec, robots=(*self.spec.robots, part))
        else:
            spec = replace(self.spec, objects=(*self.spec.objects, part))
        self._stage.rebuild(spec)
        self.sensors.rebind()
        if isinstance(part, RobotPart):
            return self._stage.robots[part.name]
        return self._stage.objects[part.name]

    def remove(self, name: str) -> Part:
        """Takes a robot or an object out of the running world; everything else keeps its state.

        Returns:
            What was taken out; `spawn` puts it back.

        Raises:
            SceneError: There is none of that name.
        """
        self._check_known(name)
        spec = self.spec
        taken = next(part for part in (*spec.robots, *spec.objects) if part.name == name)
        robots = tuple(part for part in spec.robots if part is not taken)
        objects = tuple(part for part in spec.objects if part is not taken)
        self._stage.rebuild(replace(spec, robots=robots, objects=objects))
        self.sensors.rebind()
        return taken

    def move(self, name: str, pose: Transform) -> None:
        """Puts a robot's root or an object somewhere else at once, at rest.

        Args:
            name: Of the robot or object.
            pose: T_world_root or T_world_object.

        Raises:
            SceneError: There is none of that name, or it follows a path.
        """
        self._check_known(name)
        handle = self._stage.robots.get(name) or self._stage.objects[name]
        if isinstance(handle, WorldObject) and handle.motion is not None:
            raise SceneError(f"object '{name}' follows a path; it cannot be moved")
        handle.place(pose)
        self.changed()

    def snapshot(self) -> WorldSnapshot:
        """All that decides how the world goes on; `apply_snapshot` continues bit by bit."""
        states: list[object] = [
            get_state() if (get_state := getattr(controller, "get_state", None)) else None
            for controller in self.controllers
        ]
        rng = json.dumps(self.rng.bit_generator.state)
        return self._stage.save(rng, states, self.sensors.get_state())

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
        count = len(self._stage.robots) + len(self.controllers)
        if state.layout != layout_of(self.model) or len(state.controllers) != count:
            here = ", ".join((*self._stage.robots, *self._stage.objects)) or "nothing"
            there = ", ".join(state.parts) or "nothing"
            raise Sim3dError(
                f"the state belongs to a world with {there}; this one has {here} and "
                f"{len(self.controllers)} controllers: load it into a world of the same parts, "
                "timestep and controllers"
            )
        self.rng.bit_generator.state = json.loads(state.rng)
        rest = state.controllers[len(self.robots) :]
        for controller, saved in zip(self.controllers, rest, strict=True):
            if saved is not None:
                controller.set_state(saved)  # pyright: ignore[reportAttributeAccessIssue]
        self._jumps += 1
        self._stage.load(state)
        self._news_after = state.steps - 1
        self.sensors.set_state(state.sensors)

    def _check_known(self, name: str) -> None:
        names = (*self._stage.robots, *self._stage.objects)
        if name not in names:
            raise SceneError(propose(name, names, "the world", "robot or object"))
