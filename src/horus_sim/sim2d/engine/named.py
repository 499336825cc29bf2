"""Parts of a world by name; an unknown name is answered with those that there are."""

from __future__ import annotations

from typing import ClassVar, Generic, NoReturn, TypeVar

from horus_sim.errors import UnknownPartError

T = TypeVar("T")


class Named(dict[str, T], Generic[T]):
    """A dictionary by name."""

    kind: ClassVar[str] = "part"

    def __missing__(self, name: str) -> NoReturn:
        raise UnknownPartError(self.kind, name, tuple(self))


class ByBody(Named[T]):
    """Something of each body."""

    kind = "body"


class ByMotor(Named[T]):
    """Something of each motor."""

    kind = "motor"


class BySensor(Named[T]):
    """Something of each sensor."""

    kind = "sensor"


class ByRobot(Named[T]):
    """Something of each robot."""

    kind = "robot"
