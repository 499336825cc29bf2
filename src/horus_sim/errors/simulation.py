"""Errors of topics, arms, robots and simulated worlds."""

from __future__ import annotations

from horus_sim.errors.base import HorusError, UnknownNameError
from horus_sim.errors.names import did_you_mean


class HubError(HorusError):
    """Root of the errors of topics, nodes and transports."""


class MessageError(HubError, ValueError):
    """A message that cannot be made, sent or read: a field, a type or a version does not fit."""


class ConnectionFailedError(HubError, ConnectionError):
    """A transport could not be opened."""


class SimulationRequestError(HubError):
    """A running simulation refused what it was asked for; the text says why."""


class ServiceError(HubError):
    """A service was asked and gave no answer: it failed, it ended, or nobody serves it."""


class ServiceTimeoutError(ServiceError, TimeoutError):
    """A service was asked, and no answer came in time."""


class NodeError(HubError):
    """A node is not fit, or its tick failed; the exception of the tick is its `__cause__`."""


class ArmError(HorusError, ValueError):
    """A question to an arm that it cannot answer: a wrong shape, name, mode or value."""


class ArmFileError(ArmError):
    """A file that describes an arm and cannot be used."""


class UnknownArmError(ArmFileError, UnknownNameError):
    """An arm was named that does not ship with the package."""


class Sim3dError(HorusError):
    """Root of the errors of the 3D simulator."""


class DescriptionError(Sim3dError, ValueError):
    """A robot or world description that cannot be used."""


class UnsupportedFormatError(DescriptionError):
    """A description in a format that cannot be read."""


class MissingResourceError(DescriptionError, LookupError):
    """A file that a description refers to is absent or lies outside the allowed folders.

    Attributes:
        uri: The reference as the description wrote it.
        tried: Every path that was looked at or refused, in order.
    """

    def __init__(self, message: str, uri: str, tried: tuple[str, ...]) -> None:
        super().__init__(message)
        self.uri = uri
        self.tried = tried


class SceneError(Sim3dError, ValueError):
    """A scene file or a change to a scene that does not fit."""


class RenderError(Sim3dError, RuntimeError):
    """A picture cannot be made on this machine; physics is not affected."""


class RecordingError(Sim3dError):
    """A recording that cannot be written, read or done again; the simulation is not affected."""


class CommandError(Sim3dError, ValueError):
    """A command that a robot does not understand."""


class UnknownJointError(CommandError, UnknownNameError):
    """A joint or link that a robot does not have."""


class PhysicsError(Sim3dError, ArithmeticError):
    """The simulation diverged.

    Attributes:
        body: Name of the body whose state is not finite or grew without bounds.
        time: Simulated time [s] of the last good state.
    """

    def __init__(self, message: str, body: str, time: float) -> None:
        super().__init__(message)
        self.body = body
        self.time = time


class Sim2dError(HorusError):
    """Root of the errors of the 2D simulator."""


class ScenarioError(Sim2dError, ValueError):
    """A scenario, world or robot file that cannot be used.

    Attributes:
        file: Path of the file, or None when the description did not come from one.
        key: Where in the file, such as ``bodies[0].mass``, or ''.
        line: Line of that key, from 1, or None.
        problem: What is wrong and what to do, without the place.
    """

    def __init__(self, file: str | None, key: str, line: int | None, problem: str) -> None:
        super().__init__(file, key, line, problem)
        self.file = file
        self.key = key
        self.line = line
        self.problem = problem

    def __str__(self) -> str:
        where = "" if self.file is None else f"{self.file}"
        if self.line is not None:
            where += f":{self.line}"
        return ": ".join(part for part in (where, self.key, self.problem) if part)


class UnknownPartError(Sim2dError, UnknownNameError):
    """A body, motor or sensor that the world does not have.

    Attributes:
        kind: What was asked for, such as 'motor'.
        name: The name that was asked for.
        known: The names that exist.
    """

    def __init__(self, kind: str, name: str, known: tuple[str, ...]) -> None:
        super().__init__(kind, name, known)
        self.kind = kind
        self.name = name
        self.known = known

    def __str__(self) -> str:
        hint = did_you_mean(str(self.name), self.known)
        return f"no {self.kind} is called '{self.name}'; {hint}"


class ControllerError(Sim2dError):
    """A controller could not be loaded, raised, or did not return.

    Attributes:
        robot: Id of its robot.
        traceback_text: The traceback of the exception, or ''.
    """

    def __init__(self, robot: str, problem: str, traceback_text: str = "") -> None:
        super().__init__(robot, problem, traceback_text)
        self.robot = robot
        self.problem = problem
        self.traceback_text = traceback_text

    def __str__(self) -> str:
        return f"controller of '{self.robot}': {self.problem}"


class BodyStateError(Sim2dError, ValueError):
    """A pose, a velocity or a force that no body can have."""


class SnapshotError(Sim2dError, ValueError):
    """A snapshot that does not belong to this world."""


class BatchError(Sim2dError, ValueError):
    """An argument of a batch of worlds that does not fit."""
