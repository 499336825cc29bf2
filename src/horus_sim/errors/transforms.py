"""Errors of coordinates and transforms.

The text of the transform errors is made when it is read, so that a caught error costs little in a
control loop.
"""

from __future__ import annotations

from typing import Any

from horus_sim.errors.base import HorusError, UnknownNameError
from horus_sim.errors.names import close_names
from horus_sim.time import NS_PER_S

_YEAR_NS = 365 * 24 * 3600 * NS_PER_S


def _argument(index: int) -> Any:  # noqa: ANN401 - the class says which type it has
    """An attribute that reads an argument: storing it too would make raising slower."""
    return property(lambda error: error.args[index])


class ConventionError(HorusError, ValueError):
    """A coordinate convention is contradictory, or a value does not fit a conversion."""


class UnknownConventionError(ConventionError, UnknownNameError):
    """A preset, a convention of a file or a unit of length was named that does not exist."""


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


class UnknownFrameError(TFError, UnknownNameError):
    """A frame that the tree does not know.

    Attributes:
        frame: The name that was asked for.
        known: All frames of the tree at that moment.
    """

    frame: str = _argument(0)

    @property
    def known(self) -> tuple[str, ...]:
        """All frames of the tree at that moment."""
        return self.args[1] if len(self.args) > 1 else ()

    def __str__(self) -> str:
        if not self.known:
            return f"'{self.frame}' is not in the tree, which is empty; add transforms first."
        close = close_names(self.frame, self.known)
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

    source: str = _argument(0)
    target: str = _argument(1)
    source_root: str = _argument(2)
    target_root: str = _argument(3)

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

    parent: str = _argument(0)
    child: str = _argument(1)
    requested_ns: int = _argument(2)
    oldest_ns: int = _argument(3)
    newest_ns: int = _argument(4)
    predicting: bool = _argument(5)

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


def seconds(duration_ns: int) -> str:
    """Nanoseconds as text in seconds, with as many digits as the value needs and at least three.

    Args:
        duration_ns: A stamp or a duration [ns].

    Returns:
        Text such as ``12.500 s`` or ``0.000000001 s``, exact for any integer.
    """
    sign = "-" if duration_ns < 0 else ""
    whole, fraction = divmod(abs(duration_ns), NS_PER_S)
    digits = f"{fraction:09d}".rstrip("0").ljust(3, "0")
    return f"{sign}{whole}.{digits} s"
