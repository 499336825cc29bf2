"""Where everything that has a name is in a native model."""

from __future__ import annotations

from dataclasses import dataclass, field

from horus_sim.errors import UnknownPartError
from horus_sim.sim2d.scenario.devices import MotorParams, SensorParams
from horus_sim.sim2d.scenario.schema import ActuatorConfig, BodyConfig, SensorConfig


@dataclass(frozen=True, slots=True)
class MotorSlot:
    """A motor: the place of its wheel in the model, its robot, its description, its values."""

    index: int
    robot: str
    config: ActuatorConfig
    params: MotorParams


@dataclass(frozen=True, slots=True)
class SensorSlot:
    """A sensor: its number, its robot, its description, its values, and where its readings are."""

    index: int
    robot: str
    config: SensorConfig
    params: SensorParams
    first: int
    width: int

    @property
    def value_width(self) -> int:
        """Number of readings in its value; reflectivities come after the distances."""
        return self.params.count if self.config.type == "distance" else self.width

    @property
    def is_number(self) -> bool:
        """Whether its value is a number."""
        return self.value_width == 1 and self.config.type != "line_array"

    @property
    def columns(self) -> int | slice:
        """Where its value is among all readings of a world; an index where it is a number."""
        return self.first if self.is_number else slice(self.first, self.first + self.value_width)

    @property
    def reflectivity_columns(self) -> slice:
        """Where the reflectivities of a distance sensor are among all readings of a world."""
        return slice(self.first + self.params.count, self.first + 2 * self.params.count)


@dataclass(slots=True)
class Layout:
    """Names of what is in a model.

    Attributes:
        bodies: Index of every body by name; those of robots are 'robot/body'.
        configs: Their descriptions, in the order of the indices.
        motors: Motors by 'robot/name'.
        sensors: Sensors by 'robot/name'.
        robots: Ids of the robots.
    """

    bodies: dict[str, int] = field(default_factory=dict)
    configs: list[BodyConfig] = field(default_factory=list)
    motors: dict[str, MotorSlot] = field(default_factory=dict)
    sensors: dict[str, SensorSlot] = field(default_factory=dict)
    robots: tuple[str, ...] = ()

    def short(self, name: str) -> str:
        """The name of a motor or sensor as users say it: without its robot if there is only one."""
        return name.split("/", 1)[1] if len(self.robots) == 1 else name

    def body(self, name: str) -> str:
        """The full name of a body; that inside its robot is enough where no other has it.

        Raises:
            UnknownPartError: No body has this name.
        """
        for full in (name, *(f"{robot}/{name}" for robot in self.robots)):
            if full in self.bodies:
                return full
        raise UnknownPartError("body", name, tuple(self.bodies))

    def sensor(self, name: str, kind: str | None = None) -> SensorSlot:
        """A sensor by its full or short name.

        Args:
            name: The name.
            kind: The kind that it must have.

        Raises:
            UnknownPartError: No sensor has this name.
        """
        slots = {
            full: slot for full, slot in self.sensors.items() if kind in (None, slot.config.type)
        }
        for full, slot in slots.items():
            if name in (full, self.short(full)):
                return slot
        what = "sensor" if kind is None else f"{kind} sensor"
        raise UnknownPartError(what, name, tuple(map(self.short, slots)))
