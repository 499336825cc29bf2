"""A 2D world as the loop that runs it sees it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from horus_sim.errors import Sim2dError
from horus_sim.hub.messages import CmdVel, JointState, Odometry
from horus_sim.running.naming import Naming
from horus_sim.running.recording.recorded_files import DIGITS
from horus_sim.running.topic_plan import TopicPlan
from horus_sim.sim2d.engine.frames import Frames, placed, planar
from horus_sim.sim2d.exchange.driving import Driving, wheel_speeds
from horus_sim.sim2d.exchange.entities import box_of, entity_of, shipped_worlds, world_file
from horus_sim.sim2d.exchange.origin import differences, origin_of
from horus_sim.sim2d.exchange.readings import ReadingMessages
from horus_sim.sim2d.exchange.shapes import body_shapes
from horus_sim.sim2d.scenario.checks import WORLD
from horus_sim.sim2d.simulation.snapshot import Snapshot
from horus_sim.tf import StaticTransformStamped, Transform, TransformStamped

if TYPE_CHECKING:
    from horus_sim.hub.message import Message
    from horus_sim.hub.simulation_client import RobotCommand
    from horus_sim.running.outlets.shapes import SceneShapes
    from horus_sim.running.world.entity import Box, Entity, NamedFile, Vector
    from horus_sim.sim2d.engine.robot import Robot
    from horus_sim.sim2d.simulation.simulator import Simulator


class Exchange2d:
    """What a 2D world publishes and obeys.

    Args:
        sim: The simulator.
    """

    simulator = "sim2d"
    model_formats: tuple[str, ...] = ()
    loads_worlds = False
    revision = 0

    def __init__(self, sim: Simulator) -> None:
        self._sim = sim
        self.naming = Naming()
        self._driving = Driving(sim)
        self._starts: dict[str, Transform] = {}
        self._frames = Frames(sim.layout)
        self._readings = ReadingMessages(sim, self._frames)

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self._sim.scenario.config.name

    def robots(self) -> Iterator[str]:
        """Ids of the robots."""
        return iter(self._sim.robots)

    def robot_description(self, robot: str) -> None:
        """None: URDF describes robots in three dimensions."""

    def plan(self) -> TopicPlan:
        """Which topics belong to whom."""
        return TopicPlan.of(self._sim.robots, self._readings.topics(), self.naming)

    def on_new_sensor(self, check: Callable[[str, TopicPlan], None]) -> None:
        """Nothing to do: sensors do not come while it runs."""

    def figures(self) -> dict[str, int]:
        """How many bodies and contacts there are."""
        return {"Bodies": len(self._sim.bodies), "Contacts": len(self._sim.contacts)}

    def frames(
        self, stamp_ns: int
    ) -> tuple[dict[str, StaticTransformStamped], list[TransformStamped]]:
        """The fixed frames by name, and the moving ones."""
        states = self._sim.states()
        fixed = {
            name: StaticTransformStamped(WORLD, name, T_world_body)
            for name, T_world_body in placed(self._frames.still, states)
        }
        for frame, (body, T_body_sensor) in self._frames.mounts.items():
            fixed[frame] = StaticTransformStamped(body, frame, T_body_sensor)
        for ident, robot in self._sim.robots.items():
            frame = f"{ident}/odom"
            fixed[frame] = StaticTransformStamped(WORLD, frame, self._start_of(robot))
        moving = [
            TransformStamped(WORLD, name, stamp_ns, T_world_body)
            for name, T_world_body in placed(self._frames.moving, states)
        ]
        return fixed, moving

    def begin_run(self, *, keeps_odometry: bool) -> None:
        """A run begins: odometry starts where the robots are, unless it is kept."""
        self._readings.restart()
        self._driving.stop()
        if not keeps_odometry:
            self._starts.clear()

    def odometry(self, stamp_ns: int, *, by_wheels: bool) -> Iterator[tuple[str, Odometry]]:
        """The true motion of the robots: nothing in a 2D robot counts its wheels by itself."""
        del by_wheels
        for ident, robot in self._sim.robots.items():
            body = next(iter(robot.bodies.values()))
            T_world_base = planar(*body.pose)
            vx, vy, turn = body.velocity
            linear = T_world_base.inverse().transform_vector((vx, vy, 0.0))
            T_odom_base = self._start_of(robot).inverse() @ T_world_base
            speeds = (tuple(linear), (0.0, 0.0, turn))
            yield ident, Odometry(stamp_ns, f"{ident}/odom", body.name, T_odom_base, *speeds)

    def joint_states(self, stamp_ns: int) -> Iterator[tuple[str, JointState]]:
        """Angles and speeds of the wheels by robot."""
        for ident, robot in self._sim.robots.items():
            if robot.motors:
                wheels = robot.wheel_states()
                yield ident, JointState(stamp_ns, tuple(robot.motors), wheels[:, 1], wheels[:, 0])

    def take_readings(self) -> list[tuple[str, str, Message]]:
        """Readings since this was last called: sensor, topic, message."""
        return self._readings.take()

    def drop_readings(self) -> None:
        """Nothing to do: readings are looked at when they are wanted."""

    def shapes(self, before: SceneShapes | None) -> SceneShapes:
        """All bodies; the same ones throughout."""
        return before or body_shapes(self._sim)

    def before_step(self) -> None:
        """Stops robots whose commanders are silent."""
        self._driving.before_step()

    def check_command(self, robot: str, command: RobotCommand) -> None:
        """Raises what `command` would raise, and changes nothing."""
        wheel_speeds(self._sim.robots[robot], command)

    def command(self, robot: str, command: RobotCommand) -> None:
        """Commands a robot; its controller waits meanwhile."""
        self._driving.command(self._sim.robots[robot], command)

    def hand_command(
        self, robot: str, linear: float, angular: float, vertical: float
    ) -> CmdVel | None:
        """The command for a robot that is driven by hand; None where it cannot be driven."""
        del vertical
        found = self._sim.robots.get(robot)
        return None if found is None or not found.motors else CmdVel(linear, angular)

    def spawn(self, *arguments: object, **options: object) -> NoReturn:
        """Refused, as to remove something: the bodies of a 2D world are those of its files."""
        del arguments, options
        raise Sim2dError(
            f"nothing comes or goes while the 2D scenario '{self.name}' runs; change its files"
        )

    spawn_request = remove = model = model_name = check_name = load_world = spawn

    def move(
        self, name: str, pose: Transform, velocity: tuple[Vector, Vector] | None = None
    ) -> None:
        """Puts a body elsewhere, at rest or with a velocity; only x, y and yaw count."""
        x, y, _ = pose.translation.tolist()
        body = self._sim.body(name)
        if velocity is not None and not entity_of(self._sim, name).is_free:
            raise Sim2dError(f"body '{name}' cannot be given a velocity: it is fixed")
        body.set_pose(x, y, float(pose.to_euler()[2]))
        linear, angular = velocity or ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        body.set_velocity(linear[0], linear[1], angular[2])

    def entities(self) -> list[str]:
        """Names of the bodies."""
        return self.parts()

    def entity(self, name: str) -> Entity:
        """A body, as it is now."""
        return entity_of(self._sim, name)

    def entity_box(self, name: str) -> Box:
        """The box around a body."""
        return box_of(self._sim, name)

    def models(self) -> list[NamedFile]:
        """None: nothing comes while it runs."""
        return []

    def worlds(self) -> list[NamedFile]:
        """Scenarios that ship with the package."""
        return shipped_worlds()

    def world_file(self) -> NamedFile:
        """The scenario of this world."""
        return world_file(self._sim)

    def origin(self) -> dict[str, Any]:
        """Files and options of the scenario."""
        return origin_of(self._sim)

    def parts(self) -> list[str]:
        """Names of the bodies."""
        return list(self._sim.bodies)

    def digest(self) -> str:
        """A short text that differs when a bit of the state does."""
        return hashlib.sha256(self._sim.world_state()).hexdigest()[:DIGITS]

    def state(self) -> str:
        """The state with what controllers remember."""
        return base64.b64encode(self._sim.snapshot().to_bytes()).decode()

    def set_state(self, state: str) -> None:
        """Goes to a state."""
        self._sim.apply_snapshot(Snapshot.from_bytes(base64.b64decode(state)))

    def redo(self, entry: Mapping[str, Any]) -> None:
        """Does a recorded move again."""
        if entry["kind"] != "move":
            self.spawn()
        pose = entry["pose"]
        T_world_body = Transform(pose["translation"], pose["rotation"])
        self.move(entry["name"], T_world_body, entry.get("velocity"))

    def differences(self, origin: Mapping[str, Any]) -> list[str]:
        """In what the simulator differs from the one of a record."""
        return differences(self._sim, origin)

    def close(self) -> None:
        """Nobody drives from outside any more."""
        self._driving.stop()

    def _start_of(self, robot: Robot) -> Transform:
        """T_world_odom."""
        if robot.id not in self._starts:
            self._starts[robot.id] = planar(*robot.pose)
        return self._starts[robot.id]
