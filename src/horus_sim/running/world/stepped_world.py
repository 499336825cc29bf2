"""What a simulated world is to the loop that runs it, be it 3D or 2D."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from horus_sim.hub.message import Message
    from horus_sim.hub.messages import CmdVel, JointState, Odometry, Twist
    from horus_sim.hub.simulation_client import RobotCommand
    from horus_sim.running.naming import Naming
    from horus_sim.running.outlets.shapes import SceneShapes
    from horus_sim.running.topic_plan import TopicPlan
    from horus_sim.running.world.entity import Box, Entity, NamedFile, Vector
    from horus_sim.tf import StaticTransformStamped, Transform, TransformStamped


class SteppedWorld(Protocol):
    """A world that moves in steps. `World` and `Simulator` are such worlds."""

    @property
    def timestep(self) -> float:
        """Simulated time of one step [s]."""
        ...

    @property
    def time(self) -> float:
        """Simulated time [s] since the start."""
        ...

    @property
    def steps(self) -> int:
        """Steps since the start."""
        ...

    @property
    def stamp_ns(self) -> int:
        """Simulated time [ns] since the start."""
        ...

    @property
    def seed(self) -> int:
        """Seed of its random numbers."""
        ...

    @property
    def jumps(self) -> int:
        """How many times the state was set as a whole."""
        ...

    def step(self) -> object:
        """Makes one step. False says that it was held up and nothing happened."""
        ...

    def reset(self, seed: int | None = None) -> None:
        """Puts everything where it started."""
        ...

    def exchange(self) -> Exchange:
        """What it publishes and obeys."""
        ...


class Exchange(Protocol):
    """What a world publishes and obeys, and what a record needs to do it all again.

    Attributes:
        simulator: 'sim3d' or 'sim2d'; a record says with which it was made.
        model_formats: Formats of the models that can be put into it while it runs; none where
            nothing comes or goes.
        loads_worlds: Whether another world can take its place.
        naming: What topics and frames are called; who runs the world sets it.
    """

    simulator: str
    model_formats: tuple[str, ...]
    loads_worlds: bool
    naming: Naming

    @property
    def name(self) -> str:
        """Name of the scene or scenario."""
        ...

    @property
    def revision(self) -> object:
        """Differs when robots, objects or sensors came or left."""
        ...

    def robots(self) -> Iterable[str]:
        """Names of the robots."""
        ...

    def robot_description(self, robot: str) -> str | None:
        """What a robot is made of, as URDF; None where URDF cannot say it."""
        ...

    def plan(self) -> TopicPlan:
        """Which topics belong to whom."""
        ...

    def on_new_sensor(self, check: Callable[[str, TopicPlan], None]) -> None:
        """Calls `check(name, plan)` before a sensor is put into the world; it may refuse it."""
        ...

    def figures(self) -> dict[str, int]:
        """What can be counted in it, such as bodies and contacts, by a name for people."""
        ...

    def frames(
        self, stamp_ns: int
    ) -> tuple[dict[str, StaticTransformStamped], list[TransformStamped]]:
        """The fixed frames by name, and the moving ones."""
        ...

    def begin_run(self, *, keeps_odometry: bool) -> None:
        """A run begins: odometry starts where the robots are, unless it is kept."""
        ...

    def odometry(self, stamp_ns: int, *, by_wheels: bool) -> Iterable[tuple[str, Odometry]]:
        """Odometry by robot."""
        ...

    def joint_states(self, stamp_ns: int) -> Iterable[tuple[str, JointState]]:
        """States of the joints by robot."""
        ...

    def take_readings(self) -> Iterable[tuple[str, str, Message]]:
        """Messages of sensors since this was last called: sensor, topic, message."""
        ...

    def drop_readings(self) -> None:
        """Nobody wants the messages since `take_readings` was last called."""
        ...

    def shapes(self, before: SceneShapes | None) -> SceneShapes:
        """What the world looks like."""
        ...

    def before_step(self) -> None:
        """Called before each step."""
        ...

    def check_command(self, robot: str, command: RobotCommand) -> None:
        """Raises what `command` would raise, and changes nothing."""
        ...

    def command(self, robot: str, command: RobotCommand) -> object:
        """Commands a robot."""
        ...

    def hand_command(
        self, robot: str, linear: float, angular: float, vertical: float
    ) -> CmdVel | Twist | None:
        """The command for a robot that is driven by hand; None where it cannot be driven.

        Args:
            robot: Its name.
            linear: Ahead [m/s].
            angular: To the left [rad/s].
            vertical: Up [m/s], for what flies.
        """
        ...

    def spawn(self, thing: Any, described: Any = None) -> tuple[str, dict[str, Any]]:  # noqa: ANN401
        """Puts something into the world: its name, and what a record says of it."""
        ...

    def spawn_request(self, request: Mapping[str, Any]) -> object:
        """What the request 'spawn' asks for, as `spawn` takes it."""
        ...

    def remove(self, name: str) -> object:
        """Takes something out of the world; `spawn` takes what it returns."""
        ...

    def move(
        self, name: str, pose: Transform, velocity: tuple[Vector, Vector] | None = None
    ) -> None:
        """Puts something elsewhere.

        Args:
            name: Its name.
            pose: T_world_thing.
            velocity: Linear [m/s] and angular [rad/s] velocity from then on, world frame; at rest
                unless given.
        """
        ...

    def entities(self) -> list[str]:
        """Names of all that is in it and can be moved or looked at by itself."""
        ...

    def entity(self, name: str) -> Entity:
        """One of them, as it is now."""
        ...

    def entity_box(self, name: str) -> Box | None:
        """The box around it, along its own axes; None where it has no end."""
        ...

    def check_name(self, name: str) -> None:
        """Refuses a name that nothing in it can have."""
        ...

    def models(self) -> list[NamedFile]:
        """Models that can be put into it by name."""
        ...

    def model_name(self, uri: str, text: str) -> str:
        """The name that a model has in its file.

        Args:
            uri: The file, or the name of one of `models`.
            text: The content of a file instead.

        Raises:
            UnknownNameError: There is no such file.
            UnsupportedFormatError: It is of a format that cannot be read.
            MissingResourceError: A file that it names is missing.
            DescriptionError: It cannot be used.
        """
        ...

    def model(self, name: str, uri: str, text: str, pose: Transform) -> object:
        """A model under a name and at a pose, T_world_model, as `spawn` takes it."""
        ...

    def worlds(self) -> list[NamedFile]:
        """Worlds that ship with the simulator."""
        ...

    def load_world(self, uri: str) -> tuple[SteppedWorld, list[str]]:
        """Another world in its place, with the same seed, and what was left out of its files.

        Args:
            uri: One of `worlds`, or a file beside that of this world or below its package roots;
                empty for a world without anything in it.

        Raises:
            UnknownNameError: There is no such file.
            UnsupportedFormatError: It is of a format that cannot be read.
            MissingResourceError: A file that it names is missing.
            SceneError: It cannot be used.
            DescriptionError: A robot in it cannot be used.
        """
        ...

    def world_file(self) -> NamedFile:
        """The file of this world; its `uri` is empty where a program made it."""
        ...

    def origin(self) -> dict[str, Any]:
        """What the world was made of, as plain data; the same for all runs."""
        ...

    def parts(self) -> list[str]:
        """Names of what is in it."""
        ...

    def digest(self) -> str:
        """A short text that differs when a bit of the state does."""
        ...

    def state(self) -> str:
        """The state as text, which `set_state` takes."""
        ...

    def set_state(self, state: str) -> None:
        """Goes to a state."""
        ...

    def redo(self, entry: Mapping[str, Any]) -> None:
        """Does a recorded spawn, removal or move again."""
        ...

    def differences(self, origin: Mapping[str, Any]) -> list[str]:
        """In what it differs from a recorded origin, for people."""
        ...

    def close(self) -> None:
        """Nothing more is wanted of it."""
        ...
