"""Every exception of the package, in one tree under `HorusError`.

Errors carry their data in attributes and name the culprit, the cause and the remedy in their text.
The text of the transform errors is made when it is read, so that a caught error costs little in a
control loop.
"""

from __future__ import annotations

import difflib

_NS = 1_000_000_000
_YEAR_NS = 365 * 24 * 3600 * _NS


class HorusError(Exception):
    """Root of all errors that this package raises on purpose."""


class MissingExtraError(HorusError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(package, extra)
        self.package = package
        self.extra = extra

    def __str__(self) -> str:
        from horus_sim.installation import install_command

        return f"{self.package} is not installed; run: {install_command(self.extra)}"


class NativeVersionError(HorusError, ImportError):
    """The compiled extension is absent or does not belong to this version of the Python sources."""


class ConventionError(HorusError, ValueError):
    """A coordinate convention is contradictory or unknown, or a value does not fit a conversion."""


class TFError(HorusError):
    """Root of the transform errors."""


class InvalidTransformError(TFError, ValueError):
    """A transform, name, stamp or array that the tree cannot hold."""


class ReadOnlyError(TFError):
    """A snapshot was asked to change."""


class CycleError(TFError, ValueError):
    """A link would make a frame its own ancestor.

    Attributes:
        parent: Parent frame of the refused link, or the older one with which the child would have
            stayed until then.
        child: Child frame of the refused link.
        path: Frames from `parent` up to `child` over the links that exist.
    """

    def __init__(self, parent: str, child: str, path: tuple[str, ...] = ()) -> None:
        super().__init__(parent, child, path)
        self.parent = parent
        self.child = child
        self.path = path

    def __str__(self) -> str:
        shown = self.path if len(self.path) <= 10 else (*self.path[:5], "...", *self.path[-4:])
        way = " -> ".join("..." if frame == "..." else f"'{frame}'" for frame in shown)
        below = self.path[-2] if len(self.path) > 1 else self.parent
        return (
            f"'{self.child}' cannot hang from '{self.parent}', which hangs from '{self.child}' "
            f"({way}); swap parent and child, or call remove_frame('{below}') to break the chain "
            "first."
        )


class UnknownFrameError(TFError, LookupError):
    """A frame that the tree does not know.

    Attributes:
        frame: The name that was asked for.
        known: All frames of the tree at that moment.
    """

    # The text is made lazily from args: raising must stay cheap.
    @property
    def frame(self) -> str:
        """The name that was asked for."""
        return self.args[0]

    @property
    def known(self) -> tuple[str, ...]:
        """All frames of the tree at that moment."""
        return self.args[1] if len(self.args) > 1 else ()

    def __str__(self) -> str:
        if not self.known:
            return f"'{self.frame}' is not in the tree, which is empty; add transforms first."
        close = difflib.get_close_matches(self.frame, self.known, n=3, cutoff=0.6)
        count = f"{len(self.known)} frame{'s' if len(self.known) > 1 else ''} known"
        if close:
            names = " or ".join(f"'{name}'" for name in close)
            return f"'{self.frame}' is not in the tree; did you mean {names}? {count}."
        listed = ", ".join(f"'{name}'" for name in sorted(self.known)[:8])
        more = ", ..." if len(self.known) > 8 else ""
        return f"'{self.frame}' is not in the tree; {count}: {listed}{more}"


class DisconnectedError(TFError, LookupError):
    """Two frames that no chain of links joins.

    Attributes:
        source: The source frame.
        target: The target frame.
        source_root: The frame where the chain above `source` ends.
        target_root: The frame where the chain above `target` ends.
    """

    @property
    def source(self) -> str:
        """The source frame."""
        return self.args[0]

    @property
    def target(self) -> str:
        """The target frame."""
        return self.args[1]

    @property
    def source_root(self) -> str:
        """The frame where the chain above `source` ends."""
        return self.args[2]

    @property
    def target_root(self) -> str:
        """The frame where the chain above `target` ends."""
        return self.args[3]

    def __str__(self) -> str:
        return (
            f"'{self.source}' and '{self.target}' are in two trees: '{self.source}' ends at root "
            f"'{self.source_root}', '{self.target}' at root '{self.target_root}'; add a transform "
            f"between the trees, such as '{self.target_root}' -> '{self.source_root}'."
        )


class ExtrapolationError(TFError, LookupError):
    """A time outside the history of a link on the chain.

    Attributes:
        parent: Parent frame of the link that has no data for that time.
        child: Child frame of that link.
        requested_ns: The time asked for [ns].
        oldest_ns: Stamp of the link's oldest sample [ns].
        newest_ns: Stamp of the link's newest sample [ns].
        direction: 'past' or 'future'.
        gap_ns: Distance from the request to the nearest sample [ns], positive.
        predicting: True when a prediction was asked for but the link has fewer than two samples to
            predict from.
    """

    @property
    def parent(self) -> str:
        """Parent frame of the link that has no data for that time."""
        return self.args[0]

    @property
    def child(self) -> str:
        """Child frame of that link."""
        return self.args[1]

    @property
    def requested_ns(self) -> int:
        """The time asked for [ns]."""
        return self.args[2]

    @property
    def oldest_ns(self) -> int:
        """Stamp of the link's oldest sample [ns]."""
        return self.args[3]

    @property
    def newest_ns(self) -> int:
        """Stamp of the link's newest sample [ns]."""
        return self.args[4]

    @property
    def predicting(self) -> bool:
        """Whether a prediction was asked for that the link's samples do not allow."""
        return self.args[5]

    @property
    def direction(self) -> str:
        """'past' or 'future'."""
        return "past" if self.requested_ns < self.oldest_ns else "future"

    @property
    def gap_ns(self) -> int:
        """Distance from the request to the nearest sample [ns], positive."""
        if self.direction == "past":
            return self.oldest_ns - self.requested_ns
        return self.requested_ns - self.newest_ns

    def __str__(self) -> str:
        past = self.direction == "past"
        edge_ns = self.oldest_ns if past else self.newest_ns
        where = (
            f"'{self.parent}' -> '{self.child}' at {seconds(self.requested_ns)} is "
            f"{seconds(self.gap_ns)} {'before its oldest' if past else 'after its newest'} sample "
            f"({seconds(edge_ns)})"
        )
        if self.gap_ns > _YEAR_NS:
            return (
                f"{where}; they are {self.gap_ns / _YEAR_NS:.1f} years apart, so request and data "
                "come from two clocks (simulated and wall time?): stamp both from the same one."
            )
        if past:
            return (
                f"{where}; ask for a later time, allow tolerance_ns, or build the tree with a "
                "longer buffer_duration."
            )
        if self.predicting:
            return (
                f"{where}; predict=True needs two samples of one parent and there is one: "
                "wait for another."
            )
        return f"{where}; ask for time=None, wait_for_transform, predict=True or a tolerance_ns."


class TransformTimeoutError(TFError, TimeoutError):
    """A transform did not become available in time; the last look-up error is its `__cause__`."""


class HubError(HorusError):
    """Root of the errors of topics, nodes and transports."""


class MessageError(HubError, ValueError):
    """A message that cannot be made, sent or read: a field, a type or a version does not fit."""


class ConnectionFailedError(HubError, ConnectionError):
    """A transport could not be opened."""


class SimulationRequestError(HubError):
    """A running simulation refused what it was asked for; the text says why."""


class NodeError(HubError):
    """A node is not fit, or its tick failed; the exception of the tick is its `__cause__`."""


class AssetError(HorusError, LookupError):
    """A shipped file was asked for that does not exist."""


class ArmError(HorusError, ValueError):
    """A question to an arm that it cannot answer: a wrong shape, name, mode or value."""


class ArmFileError(ArmError):
    """A file that describes an arm and cannot be used."""


class Sim3dError(HorusError):
    """Root of the errors of the 3D simulator."""


class DescriptionError(Sim3dError, ValueError):
    """A robot or world description that cannot be used."""


class MissingResourceError(DescriptionError, LookupError):
    """A file that a description refers to is absent or lies outside the allowed folders.

    Attributes:
        uri: As the description wrote it.
        tried: Every path that was looked at or refused, in order.
    """

    def __init__(self, message: str, uri: str, tried: tuple[str, ...]) -> None:
        super().__init__(message)
        self.uri = uri
        self.tried = tried


class SceneError(Sim3dError, ValueError):
    """A scene file or a change to a scene that does not fit."""


class UnknownNameError(SceneError, KeyError):
    """A robot or object that the world does not have."""

    # KeyError would show the text in quotes.
    __str__ = Exception.__str__


class RenderError(Sim3dError, RuntimeError):
    """A picture cannot be made on this machine; physics is not affected."""


class RecordingError(Sim3dError):
    """A recording that cannot be written, read or done again; the simulation is not affected."""


class CommandError(Sim3dError, ValueError):
    """A command that a robot does not understand."""


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


class UnknownPartError(Sim2dError, KeyError):
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
        close = difflib.get_close_matches(str(self.name), self.known, n=3, cutoff=0.5)
        if close:
            names = " or ".join(f"'{name}'" for name in close)
            return f"no {self.kind} is called '{self.name}'; did you mean {names}?"
        listed = ", ".join(f"'{name}'" for name in self.known[:8]) or "none"
        return f"no {self.kind} is called '{self.name}'; there are: {listed}"


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


class UiError(HorusError, ValueError):
    """Something that a page was asked for does not fit."""


class EditError(UiError):
    """An edit of a scenario that does not fit; nothing was changed.

    Attributes:
        place: Keys and indices of what is wrong, such as ``('world', 'bounds', 'max_x')``.
        problem: What is wrong, and what would be right.
    """

    def __init__(self, place: tuple[str | int, ...], problem: str) -> None:
        super().__init__(place, problem)
        self.place = place
        self.problem = problem

    def __str__(self) -> str:
        return self.problem


class SimulationStoppedError(UiError):
    """A simulation was asked for something after its end."""

    def __str__(self) -> str:
        return "the simulation has ended; start the program again"


class RLError(HorusError):
    """Root of the errors of reinforcement learning."""


class TaskError(RLError, ValueError):
    """A task, or a setting of it, that cannot be built."""


class ActionError(RLError, ValueError):
    """Actions that an environment cannot take.

    Attributes:
        environments: Ids of the environments whose action is at fault, or () when it is the array.
    """

    def __init__(self, problem: str, environments: tuple[int, ...] = ()) -> None:
        super().__init__(problem, environments)
        self.problem = problem
        self.environments = environments

    def __str__(self) -> str:
        return self.problem


class ResetError(RLError, RuntimeError):
    """An environment was stepped before its reset or used when closed, or a reset does not fit."""


class ForkError(RLError, RuntimeError):
    """Environments were used in a process that was forked from the one that made them."""


class PolicyError(RLError, ValueError):
    """A policy that cannot be read, or does not fit what it is used for."""


class TrainingError(RLError):
    """A training that cannot begin or go on."""


def seconds(duration_ns: int) -> str:
    """Nanoseconds as text in seconds, with as many digits as the value needs and at least three.

    Args:
        duration_ns: A stamp or a duration [ns].

    Returns:
        Text such as ``12.500 s`` or ``0.000000001 s``, exact for any integer.
    """
    sign = "-" if duration_ns < 0 else ""
    whole, fraction = divmod(abs(duration_ns), _NS)
    digits = f"{fraction:09d}".rstrip("0").ljust(3, "0")
    return f"{sign}{whole}.{digits} s"
