"""Changes to a running world that can be undone, and the scene that results."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, cast

from horus_sim.errors import UiError
from horus_sim.robots import load_robot
from horus_sim.sim3d import ObjectConfig, RobotConfig
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.sim3d.scene.spawning import spawned
from horus_sim.ui.kit.history import History
from horus_sim.ui.kit.names import free_name

if TYPE_CHECKING:
    from pathlib import Path

    from horus_sim.running.loop.loop import Loop
    from horus_sim.running.world.running_world import RunningWorld
    from horus_sim.sim3d import Scene, World
    from horus_sim.sim3d.scene.placed import Placed
    from horus_sim.tf import Transform

_MOST_UNDONE = 200
Config = ObjectConfig | RobotConfig


@dataclass(frozen=True, slots=True)
class Added:
    """Something was put into the world; the part is known once that was undone."""

    name: str
    config: Config
    part: Placed | None = None


@dataclass(frozen=True, slots=True)
class Removed:
    """Something was taken out of the world."""

    name: str
    part: Placed


@dataclass(frozen=True, slots=True)
class Moved:
    """Something was put elsewhere by hand."""

    name: str
    before: Transform
    after: Transform


Edit = Added | Removed | Moved


class WorldEditor:
    """Edits of the world of a simulation, done in its thread.

    Args:
        simulation: The simulation.
    """

    def __init__(self, simulation: Loop[World]) -> None:
        self._simulation = simulation
        self._history: History[Edit] = History(_MOST_UNDONE)
        self._drags: dict[int, tuple[str, Transform]] = {}
        simulation.running.on_replace.append(lambda _: self._forget())

    @property
    def _running(self) -> RunningWorld:
        return self._simulation.running

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return bool(self._history.done)

    @property
    def can_redo(self) -> bool:
        """Whether there is something to do again."""
        return bool(self._history.undone)

    def add_object(self, config: ObjectConfig) -> Future[str]:
        """Puts an object into the world; a name that is taken gets a number.

        Returns:
            Its name.
        """

        def order(world: World) -> str:
            name = free_name(config.name, {*world.robots, *world.objects})
            item = config.model_copy(update={"name": name})
            self._running.spawn(item)
            self._history.add(Added(name, item))
            return name

        return self._simulation.call(order)

    def add_robot(self, model: str | Path, pose: Transform) -> Future[str]:
        """Puts a robot into the world.

        Args:
            model: Name of a shipped one, or a file.
            pose: T_world_robot.
        """
        # Reading takes long: it is done here, and not in the thread of the simulation.
        robot = load_robot(model)

        def order(world: World) -> str:
            name = free_name(robot.name, {*world.robots, *world.objects})
            config = RobotConfig(model=str(model), name=name, pose=PoseConfig.of(pose))
            part = spawned(robot, world.scene, name, pose, world.report)
            self._running.spawn(part, described=config)
            self._history.add(Added(name, config))
            return name

        return self._simulation.call(order)

    def remove(self, name: str) -> Future[None]:
        """Takes something out of the world."""

        def order(world: World) -> None:
            pose = pose_of(world, name)
            self._history.add(Removed(name, replace(self._running.remove(name), pose=pose)))

        return self._simulation.call(order)

    def move(self, name: str, pose: Transform) -> Future[None]:
        """Puts something elsewhere at once.

        Args:
            name: Name of the robot or object.
            pose: T_world_root or T_world_object.
        """

        def order(world: World) -> None:
            before = pose_of(world, name)
            self._running.move(name, pose)
            self._history.add(Moved(name, before, pose))

        return self._simulation.call(order)

    def drag(self, client: int, name: str, pose: Transform) -> None:
        """Moves something while a handle is held; only the newest pose counts."""

        def order(world: World) -> None:
            if client not in self._drags or self._drags[client][0] != name:
                self._drags[client] = (name, pose_of(world, name))
            self._running.move(name, pose)

        self._simulation.post(f"drag {client}", order)

    def end_drag(self, client: int) -> None:
        """The handle was let go, or its browser is gone: one edit for the whole way."""

        def order(world: World) -> None:
            name, before = self._drags.pop(client, ("", None))
            if before is not None and (name in world.robots or name in world.objects):
                self._history.add(Moved(name, before, pose_of(world, name)))

        self._simulation.post(f"end of drag {client}", order)

    def undo(self) -> Future[str]:
        """Takes the last edit back.

        Returns:
            What was undone.
        """
        reverse = partial(_apply, self._running, forward=False)
        return self._simulation.call(lambda _: self._history.undo(reverse).name)

    def redo(self) -> Future[str]:
        """Does the edit again that was undone last."""
        repeat = partial(_apply, self._running, forward=True)
        return self._simulation.call(lambda _: self._history.redo(repeat).name)

    def scene(self) -> Future[Scene]:
        """The scene with all edits: what was added, removed and moved by hand.

        Things that only physics moved start where they started.
        """
        return self._simulation.call(lambda world: edited_scene(world, tuple(self._history.done)))

    def _forget(self) -> None:
        self._history.clear()
        self._drags.clear()


def pose_of(world: World, name: str) -> Transform:
    """T_world_root of a robot or T_world_object."""
    thing = world.robots.get(name) or world.objects[name]
    return thing.pose


def edited_scene(world: World, edits: tuple[Edit, ...]) -> Scene:
    """The scene of a world after edits.

    Raises:
        UiError: Something that another file brings was moved or removed.
    """
    scene = world.scene
    things: dict[str, Config] = {part.name: part for part in (*scene.robots, *scene.objects)}
    for edit in edits:
        if isinstance(edit, Added):
            things[edit.name] = edit.config
            continue
        if edit.name not in things:
            raise UiError(
                f"'{edit.name}' comes from a file that the scene includes, so its change cannot be "
                "saved; undo it, or copy the thing into the scene"
            )
        if isinstance(edit, Removed):
            del things[edit.name]
        else:
            things[edit.name] = _with_pose(world, things[edit.name], edit.after)
    robots = tuple(thing for thing in things.values() if isinstance(thing, RobotConfig))
    objects = tuple(thing for thing in things.values() if isinstance(thing, ObjectConfig))
    return scene.model_copy(update={"robots": robots, "objects": objects})


def _with_pose(world: World, config: Config, pose: Transform) -> Config:
    if isinstance(config, RobotConfig) and config.name in world.robots:
        # The scene gives the robot's frame, from which its root may stand off.
        pose = pose @ world.robots[config.name].description.T_world_root.inverse()
    return config.model_copy(update={"pose": PoseConfig.of(pose)})


def _apply(running: RunningWorld, edit: Edit, *, forward: bool) -> Edit:
    """Does an edit again, or takes it back; the edit as it is to be reversed."""
    if isinstance(edit, Moved):
        running.move(edit.name, edit.after if forward else edit.before)
    elif isinstance(edit, Added) is forward:
        running.spawn(cast("Placed", edit.part))
    else:
        pose = pose_of(cast("World", running.world), edit.name)
        return replace(edit, part=replace(running.remove(edit.name), pose=pose))
    return edit
