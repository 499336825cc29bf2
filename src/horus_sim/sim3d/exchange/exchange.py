"""A 3D world as the loop that runs it sees it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horus_sim.errors import DescriptionError, HorusError, SceneError
from horus_sim.hub.messages import CmdVel, JointState, Odometry, Twist
from horus_sim.robots.frame_name import frame_name
from horus_sim.robots.report import NoteKind, Report
from horus_sim.robots.urdf.writing import to_urdf
from horus_sim.running.naming import Naming
from horus_sim.running.topic_plan import TopicPlan
from horus_sim.sim3d.exchange.entities import (
    box_of,
    entity_of,
    load_beside,
    shipped_models,
    shipped_worlds,
    world_file,
)
from horus_sim.sim3d.exchange.origin import (
    constant_of,
    differences,
    respawn,
    spawn_record,
    state_digest,
)
from horus_sim.sim3d.exchange.sensor_topics import sensor_messages, sensor_topics
from horus_sim.sim3d.exchange.shapes import scene_shapes
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.sim3d.scene.models import MODEL_FORMATS, ModelConfig, load_model
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.placed import check_name
from horus_sim.sim3d.scene.scene import RobotConfig
from horus_sim.sim3d.world.frames import WORLD_FRAME
from horus_sim.sim3d.world.snapshot import WorldSnapshot
from horus_sim.tf import StaticTransformStamped, Transform, TransformStamped

if TYPE_CHECKING:
    from horus_sim.hub.message import Message
    from horus_sim.hub.simulation_client import RobotCommand
    from horus_sim.running.outlets.shapes import SceneShapes
    from horus_sim.running.world.entity import Box, Entity, NamedFile, Vector
    from horus_sim.sim3d.scene.placed import Placed
    from horus_sim.sim3d.world.robot import WorldRobot
    from horus_sim.sim3d.world.world import World

_FARTHEST_M = 1e6
CheckPlan = Callable[[str, TopicPlan], None]


class Exchange3d:
    """What a 3D world publishes and obeys.

    Args:
        world: The world.
    """

    simulator = "sim3d"
    model_formats: tuple[str, ...] = MODEL_FORMATS
    loads_worlds = True

    def __init__(self, world: World) -> None:
        self._world = world
        self.naming = Naming()
        self._starts: dict[str, Transform] = {}
        self._readings: list[tuple[str, str, Message]] = []
        self._check: CheckPlan | None = None
        self._removed: dict[str, Placed] = {}
        world.sensors.listeners.append(self._hear)
        world.sensors.guards.append(self._guard)

    @property
    def name(self) -> str:
        """Name of the scene."""
        return self._world.scene.name

    @property
    def revision(self) -> object:
        """Differs when robots, objects or sensors came or left."""
        return self._world.generation, tuple(self._world.sensors)

    def robots(self) -> Iterator[str]:
        """Names of the robots."""
        return iter(self._world.robots)

    def robot_description(self, robot: str) -> str | None:
        """What a robot is made of, as URDF; None where URDF cannot say it."""
        try:
            return to_urdf(self._world.robots[robot].description)
        except DescriptionError:
            return None

    def plan(self) -> TopicPlan:
        """Which topics belong to whom."""
        return self._plan_with(())

    def on_new_sensor(self, check: CheckPlan) -> None:
        """Calls `check(name, plan)` before a sensor is put into the world."""
        self._check = check

    def take_readings(self) -> list[tuple[str, str, Message]]:
        """Messages of sensors since this was last called: sensor, topic, message."""
        found, self._readings = self._readings, []
        return found

    def figures(self) -> dict[str, int]:
        """How many bodies there are, the world itself not counted, and contacts."""
        world = self._world
        return {"Bodies": int(world.model.nbody) - 1, "Contacts": int(world.data.ncon)}

    def drop_readings(self) -> None:
        """Nobody wants the messages of sensors so far."""
        self._readings.clear()

    def frames(
        self, stamp_ns: int
    ) -> tuple[dict[str, StaticTransformStamped], list[TransformStamped]]:
        """The fixed frames by name, and the moving ones."""
        tree = self._world.tf
        fixed: dict[str, StaticTransformStamped] = {}
        moving: list[TransformStamped] = []
        for info in tree.frames():
            if info.parent is None or info.is_orphan:
                continue
            T_parent_child = tree.lookup_transform(info.name, info.parent)
            if info.is_static:
                fixed[info.name] = StaticTransformStamped(info.parent, info.name, T_parent_child)
            else:
                moving.append(TransformStamped(info.parent, info.name, stamp_ns, T_parent_child))
        for name, robot in self._world.robots.items():
            frame = odom_frame(name)
            if robot.is_floating and frame not in fixed:
                T_world_odom = self._start_of(robot)
                fixed[frame] = StaticTransformStamped(WORLD_FRAME, frame, T_world_odom)
        return fixed, moving

    def begin_run(self, *, keeps_odometry: bool) -> None:
        """A run begins: odometry starts where the robots are, unless it is kept."""
        if not keeps_odometry:
            self._starts.clear()

    def odometry(self, stamp_ns: int, *, by_wheels: bool) -> Iterator[tuple[str, Odometry]]:
        """Odometry of the robots that are not fixed."""
        for name, robot in self._world.robots.items():
            if robot.is_floating:
                yield name, self._odometry(robot, stamp_ns, by_wheels=by_wheels)

    def joint_states(self, stamp_ns: int) -> Iterator[tuple[str, JointState]]:
        """States of the joints by robot."""
        for name, robot in self._world.robots.items():
            if robot.joint_names:
                yield (
                    name,
                    JointState(
                        stamp_ns,
                        robot.joint_names,
                        robot.joint_positions(),
                        robot.joint_velocities(),
                        robot.joint_efforts(),
                    ),
                )

    def shapes(self, before: SceneShapes | None) -> SceneShapes:
        """All that is visible."""
        return scene_shapes(self._world, before)

    def before_step(self) -> None:
        """Nothing to do: the robots' drives watch their commands themselves."""

    def check_command(self, robot: str, command: RobotCommand) -> None:
        """Raises what `command` would raise, and changes nothing."""
        found = self._world.robots[robot]
        was_free = not found.has_control
        try:
            found.control.check(command)
        finally:
            if was_free:
                found.release()

    def command(self, robot: str, command: RobotCommand) -> None:
        """Commands a robot."""
        self._world.robots[robot].command(command)

    def hand_command(
        self, robot: str, linear: float, angular: float, vertical: float
    ) -> CmdVel | Twist | None:
        """The command for a robot that is driven by hand; None where it cannot be driven."""
        found = self._world.robots.get(robot)
        if found is None or not found.has_control or found.control.drive is None:
            return None
        if found.control.kind == "quadrotor":
            return Twist((linear, 0.0, vertical), (0.0, 0.0, angular))
        return CmdVel(linear, angular)

    def spawn(
        self,
        thing: RobotConfig | ObjectConfig | ModelConfig | Placed | str | Path,
        described: RobotConfig | ObjectConfig | None = None,
    ) -> tuple[str, dict[str, Any]]:
        """Puts something into the world: its name, and what a record says of it.

        Args:
            thing: What.
            described: How a record describes it, where it is a part that was built before.
        """
        name = self._world.spawn(thing).name
        try:
            return name, spawn_record(self._world, name, described or thing, self._removed)
        except HorusError:
            self._world.remove(name)
            raise

    def spawn_request(self, request: Mapping[str, Any]) -> RobotConfig | ObjectConfig:
        """What the request 'spawn' asks for."""
        if ("robot" in request) == ("object" in request):
            raise SceneError(
                "request 'spawn' needs either 'robot' or 'object', with the fields of a scene "
                "file: {'robot': {'name': 'second', 'model': 'turtlebot3_burger'}}"
            )
        what = "robot" if "robot" in request else "object"
        if not isinstance(request[what], dict):
            raise SceneError(
                f"'{what}' must be a mapping with the fields of a scene file, got "
                f"{request[what]!r:.60}"
            )
        kind = RobotConfig if what == "robot" else ObjectConfig
        thing = kind.model_validate(request[what])
        if thing.pose is not None and max(map(abs, thing.pose.xyz)) > _FARTHEST_M:
            raise SceneError(
                f"'{what}' is to be put at {thing.pose.xyz} m; choose a place within "
                f"{_FARTHEST_M:g} m of the origin"
            )
        return thing

    def remove(self, name: str) -> Placed:
        """Takes something out of the world."""
        taken = self._removed[name] = self._world.remove(name)
        return taken

    def move(
        self, name: str, pose: Transform, velocity: tuple[Vector, Vector] | None = None
    ) -> None:
        """Puts something elsewhere, at rest or with a velocity [m/s], [rad/s], world frame."""
        if velocity is not None and not self._world.handle(name).is_free:
            raise SceneError(f"'{name}' cannot be given a velocity: it is held by the world")
        self._world.move(name, pose)
        if velocity is not None:
            self._world.handle(name).set_velocity(*velocity)

    def entities(self) -> list[str]:
        """Names of robots and objects."""
        return self.parts()

    def entity(self, name: str) -> Entity:
        """A robot or an object, as it is now."""
        return entity_of(self._world, name)

    def entity_box(self, name: str) -> Box | None:
        """The box around a robot or an object."""
        return box_of(self._world, name)

    def check_name(self, name: str) -> None:
        """Refuses a name that nothing can have."""
        check_name(name)

    def models(self) -> list[NamedFile]:
        """Robots that ship with the package."""
        return shipped_models()

    def model_name(self, uri: str, text: str) -> str:
        """The name that a model has in its file; all that is wrong with the file is told."""
        return load_model(uri, text, self._world.scene, Report()).name

    def model(self, name: str, uri: str, text: str, pose: Transform) -> ModelConfig:
        """A model as `spawn` takes it."""
        return ModelConfig(name=name, uri=uri, text=text, pose=PoseConfig.of(pose))

    def worlds(self) -> list[NamedFile]:
        """Scenes that ship with the package."""
        return shipped_worlds()

    def load_world(self, uri: str) -> tuple[World, list[str]]:
        """Another world in its place, with the same seed, and what was left out of its files."""
        found = load_beside(self._world, uri)
        return found, [str(note) for note in found.report.of(NoteKind.IGNORED)]

    def world_file(self) -> NamedFile:
        """The scene of this world."""
        return world_file(self._world)

    def origin(self) -> dict[str, Any]:
        """Scene, files and versions."""
        return constant_of(self._world)

    def parts(self) -> list[str]:
        """Names of robots and objects."""
        return [*self._world.robots, *self._world.objects]

    def digest(self) -> str:
        """A short text that differs when a bit of the state does."""
        return state_digest(self._world)

    def state(self) -> str:
        """The state without sensors, which do not act on the physics and may be large."""
        state = replace(self._world.snapshot(), sensors={})
        return base64.b64encode(state.to_bytes()).decode()

    def set_state(self, state: str) -> None:
        """Goes to a state; sensors stay as they are."""
        found = WorldSnapshot.from_bytes(base64.b64decode(state))
        self._world.apply_snapshot(replace(found, sensors=self._world.sensors.get_state()))

    def redo(self, entry: Mapping[str, Any]) -> None:
        """Does a recorded spawn, removal or move again."""
        if entry["kind"] == "remove":
            self.remove(entry["name"])
        elif entry["kind"] == "move":
            pose = entry["pose"]
            T_world_thing = Transform(pose["translation"], pose["rotation"])
            self.move(entry["name"], T_world_thing, entry.get("velocity"))
        else:
            respawn(self._world, entry, self._removed)

    def differences(self, origin: Mapping[str, Any]) -> list[str]:
        """In what the world differs from the one of a record."""
        return differences(self._world, origin)

    def close(self) -> None:
        """Listens to sensors no more."""
        sensors = self._world.sensors
        if self._hear in sensors.listeners:
            sensors.listeners.remove(self._hear)
        if self._guard in sensors.guards:
            sensors.guards.remove(self._guard)

    def _plan_with(self, more: tuple[Any, ...]) -> TopicPlan:
        sensors = (*self._world.sensors.values(), *more)
        return TopicPlan.of(self._world.robots, map(sensor_topics, sensors), self.naming)

    def _guard(self, sensor: Any) -> None:  # noqa: ANN401 - any sensor
        if self._check is not None:
            self._check(sensor.name, self._plan_with((sensor,)))

    def _hear(self, sensor: Any, message: Any) -> None:  # noqa: ANN401 - any sensor
        self._readings += (
            (sensor.name, topic, part) for topic, part in sensor_messages(sensor, message)
        )

    def _odometry(self, robot: WorldRobot, stamp_ns: int, *, by_wheels: bool) -> Odometry:
        frame, child = odom_frame(robot.name), robot.frame(robot.description.root)
        counted = None
        if by_wheels and robot.has_control:
            counted = getattr(robot.control.drive, "odometry", None)
        if counted is not None:
            self._start_of(robot)
            return counted.message(stamp_ns, frame, child)
        T_world_base = robot.pose
        linear_w, angular_w = robot.velocity
        into_base = T_world_base.inverse()
        return Odometry(
            stamp_ns,
            frame,
            child,
            self._start_of(robot).inverse() @ T_world_base,
            tuple(into_base.transform_vector(linear_w)),
            tuple(into_base.transform_vector(angular_w)),
        )

    def _start_of(self, robot: WorldRobot) -> Transform:
        """T_world_odom."""
        found = self._starts.get(robot.name)
        if found is None:
            found = self._starts[robot.name] = robot.pose
        return found


def odom_frame(robot: str) -> str:
    """Name of a robot's odometry frame."""
    return frame_name(f"{robot}/odom")
