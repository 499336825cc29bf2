"""The sensors of a world: found by name, updated after every step, saved with its state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from horus_sim.errors import HorusError, SceneError, Sim3dError, UnknownNameError
from horus_sim.files.names import propose
from horus_sim.robots.report import NoteKind, Report
from horus_sim.sim3d.sensors.kinds import sensor_config
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld
from horus_sim.sim3d.sensors.mount import find_mount
from horus_sim.sim3d.sensors.sdf_sensors import WIDE_ANGLE, WIDEST_DEG, fields_from_sdf
from horus_sim.sim3d.sensors.sensor import Listener, Sensor, SensorConfig

if TYPE_CHECKING:
    from horus_sim.sim3d.scene.scene import SensorEntry

_NEVER = 2**63


class Sensors(Mapping[str, Sensor[Any, Any]]):
    """The sensors of a world, by name: ``sensors["burger/imu"].read()``.

    Args:
        world: The world in which they measure.

    Attributes:
        listeners: Each is called with sensor and message when a message becomes available.
        guards: Each is called with a sensor before it is put into the world, and may refuse it by
            an exception.
    """

    def __init__(self, world: MeasuredWorld) -> None:
        self._world = world
        self._sensors: dict[str, Sensor[Any, Any]] = {}
        self._generation = world.generation
        self._next_ns = _NEVER
        self.listeners: list[Listener] = []
        self.guards: list[Callable[[Sensor[Any, Any]], object]] = []

    def __getitem__(self, name: str) -> Sensor[Any, Any]:
        self.rebind()
        try:
            return self._sensors[name]
        except KeyError:
            raise UnknownNameError(propose(name, self._sensors, "the world", "sensor")) from None

    def __iter__(self) -> Iterator[str]:
        self.rebind()
        return iter(self._sensors)

    def __len__(self) -> int:
        self.rebind()
        return len(self._sensors)

    def __repr__(self) -> str:
        return f"<sensors: {', '.join(self) or 'none'}>"

    def add(self, config: SensorConfig | Mapping[str, Any]) -> Sensor[Any, Any]:
        """Puts a sensor into the world.

        Args:
            config: Its configuration, or the fields of one, as in a scene file.

        Raises:
            SceneError: The name or the frame is taken, or the mount is unknown.
        """
        self.rebind()
        if isinstance(config, Mapping):
            config = sensor_config(config)
        if not isinstance(config, SensorConfig):
            raise SceneError(
                f"{config!r:.60} is not a sensor; give a configuration such as "
                "ImuConfig(mount=...), or its fields"
            )
        name = config.full_name(find_mount(self._world, config.mount).owner)
        if name in self._sensors:
            raise SceneError(f"the world has a sensor '{name}' already; give another 'name'")
        try:
            sensor = config.build(self._world)
        except HorusError as error:
            if f"'{name}'" in str(error):
                raise
            raise SceneError(f"sensor '{name}': {error}") from error
        try:
            for guard in tuple(self.guards):
                guard(sensor)
        except Exception:
            sensor.detach()
            raise
        sensor.audience = self.listeners
        self._sensors[sensor.name] = sensor
        self._next_ns = min(self._next_ns, sensor.next_ns)
        return sensor

    def add_described(self, described: Iterable[SensorEntry], report: Report) -> None:
        """Puts the sensors of a scene into the world.

        Args:
            described: The sensors as the scene holds them.
            report: Gets a remark for each that cannot be used.

        Raises:
            SceneError: One does not fit.
        """
        for item in described:
            fields: dict[str, Any] | None = item.model_dump()
            culprit = f"sensor '{fields['name']}'"
            if "sdf" in fields:
                try:
                    fields = fields_from_sdf(fields, self._world.timestep)
                except SceneError as error:
                    text = str(error).removeprefix(f"{culprit}: ")
                    report.add(NoteKind.WARNING, culprit, f"left out: {text}")
                    continue
            if fields is None:
                text = f"the simulator has no sensor of SDF's type '{item.kind}'"
                report.add(NoteKind.IGNORED, culprit, text)
                continue
            if item.kind in WIDE_ANGLE:
                text = (
                    f"a flat picture, at most {WIDEST_DEG:g} degrees wide, without the lens of the "
                    "file, which is left out"
                )
                report.add(NoteKind.SUBSTITUTION, culprit, text)
            try:
                self.add(fields)
            except HorusError as error:
                if "sdf" not in item.model_dump():
                    raise SceneError(f"{culprit}: {error}") from error
                report.add(NoteKind.WARNING, culprit, f"left out: {error}")

    def remove(self, name: str) -> None:
        """Takes a sensor out of the world, and its frame out of the tree.

        Raises:
            UnknownNameError: There is none of that name; the text proposes close names.
            SceneError: Another sensor is mounted on its frame.
        """
        leaving = self[name]
        frames = (leaving.frame, getattr(leaving, "optical_frame", leaving.frame))
        riders = [other.name for other in self.values() if other.config.mount in frames]
        if riders:
            raise SceneError(
                f"sensor '{name}' carries the sensor '{riders[0]}'; remove that one first"
            )
        leaving.detach()
        del self._sensors[name]
        self._plan()

    def after_step(self, world: MeasuredWorld) -> None:
        """Lets every sensor measure that is due; call it after every step."""
        if world.generation != self._generation:
            self.rebind()
        stamp_ns = world.stamp_ns
        if stamp_ns < self._next_ns:
            return
        for sensor in tuple(self._sensors.values()):  # a listener may add one
            if stamp_ns >= sensor.next_ns:
                sensor.update(stamp_ns)
        self._plan()

    def reset(self, seed: int | None = None) -> None:
        """Starts all sensors again; call it after the world's own restart.

        Args:
            seed: Seed of the world; the earlier one unless given.
        """
        self.rebind()
        for sensor in self._sensors.values():
            sensor.reset(seed)
        self._plan()

    def get_state(self) -> dict[str, Any]:
        """State of every sensor by name, as plain data."""
        return {name: self._sensors[name].get_state() for name in self}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Continues from what `get_state` gave.

        Raises:
            Sim3dError: The state belongs to other sensors.
        """
        if set(state) != set(self):
            here, there = ", ".join(sorted(self)) or "none", ", ".join(sorted(state)) or "none"
            raise Sim3dError(
                f"the state has the sensors {there}, but the world has {here}: add or remove "
                "sensors until they are the same"
            )
        for name, saved in state.items():
            self._sensors[name].set_state(saved)
        self._plan()

    def rebind(self) -> None:
        """Follows the world after something was added or removed.

        A sensor whose mount left the world leaves with it.
        """
        if self._world.generation == self._generation:
            return
        self._generation = self._world.generation
        for name, sensor in list(self._sensors.items()):
            try:
                sensor.rebind()
            except UnknownNameError:
                sensor.detach()
                del self._sensors[name]
        self._plan()

    def _plan(self) -> None:
        self._next_ns = min((s.next_ns for s in self._sensors.values()), default=_NEVER)
