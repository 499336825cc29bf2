"""What `horus-sim tf echo` prints: a transform now, at a stamp, or some time ago."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

import numpy as np
import typer

from horus_sim.cli.terminal import progress
from horus_sim.errors import seconds
from horus_sim.files.printable import printable
from horus_sim.hub import TFListener
from horus_sim.tf import (
    DisconnectedError,
    ExtrapolationError,
    TFBuffer,
    TFError,
    TransformTimeoutError,
    UnknownFrameError,
)
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.tf import Transform

_LAST_NS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Moment:
    """The time of a look-up; without a stamp and an age it is the newest.

    Attributes:
        stamp_ns: A stamp [ns], or None.
        ago_ns: How long before the newest stamp [ns].
    """

    stamp_ns: int | None = None
    ago_ns: int = 0


def moment_of(at: str | None, ago: str | None) -> Moment:
    """The time that the options ask for.

    Args:
        at: A stamp [s] as text, which keeps the nanoseconds that a float of today's date loses.
        ago: Seconds before the newest stamp.

    Raises:
        typer.BadParameter: One is not a number of seconds, or both are given.
    """
    if at is not None and ago is not None:
        raise typer.BadParameter("choose one of --at and --ago")
    if at is not None:
        return Moment(stamp_ns=_nanoseconds(at, "--at"))
    if ago is None:
        return Moment()
    ago_ns = _nanoseconds(ago, "--ago")
    if ago_ns < 0:
        raise typer.BadParameter(f"--ago must be seconds before the newest stamp, got {ago}")
    return Moment(ago_ns=ago_ns)


class Echo:
    """The transform between two frames of a session.

    Args:
        hub: The connection to listen on.
        source: Frame that coordinates come from.
        target: Frame that they go to.
        moment: The time of the look-up.
        timeout: Longest wait for the frames [s]; a history that reaches back takes longer.
    """

    def __init__(self, hub: Hub, source: str, target: str, moment: Moment, timeout: float) -> None:
        ago_s = moment.ago_ns / NS_PER_S
        self._tree = TFListener(hub, TFBuffer(buffer_duration=10.0 + ago_s)).tree
        self._source = source
        self._target = target
        self._moment = moment
        self._timeout = timeout + ago_s
        self._last_error: TFError | None = None

    def text(self) -> str:
        """Waits for the transform, and tells it in five lines.

        Raises:
            TransformTimeoutError: It was not known in time.
        """
        found = self._attempt()
        if found is None:
            link = f"'{self._source}' -> '{self._target}'"
            with progress(f"waiting for {link}", self._timeout):
                found = self._tree.changes.wait(self._attempt, self._timeout)
            if found is None:
                raise TransformTimeoutError(
                    f"no transform {link} within {self._timeout:g} s: {self._last_error}"
                ) from self._last_error
        return "\n".join(_describe(*found, self._source, self._target))

    def _attempt(self) -> tuple[Transform, int | None] | None:
        try:
            return self._look_up()
        except (UnknownFrameError, DisconnectedError, ExtrapolationError) as error:
            self._last_error = error
            return None

    def _look_up(self) -> tuple[Transform, int | None]:
        newest_ns = self._tree.latest_common_time(self._source, self._target)
        if newest_ns is None or self._moment == Moment():
            return self._tree.lookup_stamped(self._source, self._target)
        stamp_ns = self._moment.stamp_ns
        if stamp_ns is None:
            stamp_ns = newest_ns - self._moment.ago_ns
        return self._tree.lookup_transform(self._source, self._target, stamp_ns), stamp_ns


def _nanoseconds(text: str, option: str) -> int:
    try:
        stamp_ns = int((Decimal(text) * NS_PER_S).to_integral_value())
    except (InvalidOperation, OverflowError, ValueError):
        stamp_ns = None
    if stamp_ns is None or abs(stamp_ns) > _LAST_NS:
        raise typer.BadParameter(f"{option} must be seconds, such as 12.5, got {text!r:.40}")
    return stamp_ns


def _describe(T: Transform, stamp_ns: int | None, source: str, target: str) -> list[str]:
    rpy = T.to_euler()
    when = "static" if stamp_ns is None else f"at {seconds(stamp_ns)}"
    return [
        printable(f"'{source}' -> '{target}' {when}"),
        f"  translation xyz [m]    {_numbers(T.translation)}",
        f"  quaternion xyzw        {_numbers(T.rotation)}",
        f"  roll pitch yaw [rad]   {_numbers(rpy)}",
        f"  roll pitch yaw [deg]   {_numbers(np.degrees(rpy))}",
    ]


def _numbers(values: Iterable[float]) -> str:
    # Rounded first and plus 0.0, so that none reads -0.000000.
    return " ".join(f"{round(float(value), 6) + 0.0:.6f}" for value in values)
