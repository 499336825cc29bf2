"""`horus-sim topic hz`, `bw` and `delay`: measure the messages of a topic."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horus_sim.cli.hub_options import ListenOptions, until_interrupted
from horus_sim.cli.terminal import progress
from horus_sim.cli.topics.ends import TopicArgument

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from horus_sim.cli.topics.figures import Sample
    from horus_sim.hub import Hub, Subscription

    Line = Callable[[Sequence[Sample]], str | None]

_POLL_S = 0.05
_LIVE_WINDOW = 100
# Thirty years: no clock on a wall is so wrong.
_NO_WALL_TIME_NS = 10**18

TypeOption = Annotated[
    str | None,
    typer.Option(
        "--type",
        metavar="TYPE",
        help="Message type, or module:Class; found out by default.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class MeasureOptions(ListenOptions):
    """The session, and how long is measured."""

    window: Annotated[
        int | None,
        typer.Option("--window", metavar="N", min=2, help="Measure N messages, then end."),
    ] = None
    duration: Annotated[
        float | None,
        typer.Option("--duration", metavar="SECONDS", min=0.0, help="Measure so long, then end."),
    ] = None


def hz(topic: TopicArgument, *, kind: TypeOption = None, topics: MeasureOptions) -> None:
    """Measure how often messages arrive on a topic, and how regularly.

    Without --window and --duration, a line is printed every second over the last 100 messages,
    until Ctrl-C; 0 Hz when they stop coming.
    """
    with until_interrupted(), topics.open() as hub:
        from horus_sim.cli.topic_search import published_type
        from horus_sim.cli.topics.figures import rate_line

        wanted = published_type(hub, topic, kind, topics.wait)
        _measure(hub, topic, wanted, lambda _: 0, rate_line, topics)


def bw(topic: TopicArgument, *, kind: TypeOption = None, topics: MeasureOptions) -> None:
    """Measure how many bytes of messages arrive on a topic, as they are on the wire.

    Without --window and --duration, a line is printed every second over the last 100 messages,
    until Ctrl-C.
    """
    with until_interrupted(), topics.open() as hub:
        from horus_sim.cli.topics.figures import bandwidth_line
        from horus_sim.hub.ros.binding import binding_of

        wanted = _fields_type(hub, topic, kind, topics.wait)
        encode = binding_of(wanted).encode
        _measure(hub, topic, wanted, lambda message: len(encode(message)), bandwidth_line, topics)


def delay(
    topic: TopicArgument,
    *,
    sim_time: Annotated[
        bool,
        typer.Option(
            "--sim-time", help="Stamps are compared with the topic 'clock', not the wall."
        ),
    ] = False,
    kind: TypeOption = None,
    topics: MeasureOptions,
) -> None:
    """Measure how old messages are when they arrive, by the stamp in their header.

    Without --window and --duration, a line is printed every second over the last 100 messages,
    until Ctrl-C. The messages of a simulation have its time: add --sim-time.
    """
    with until_interrupted(), topics.open() as hub:
        from horus_sim.cli.topics.figures import delay_line
        from horus_sim.errors import HubError
        from horus_sim.hub import QoS
        from horus_sim.hub.messages import Clock
        from horus_sim.hub.ros.binding import binding_of
        from horus_sim.hub.ros.definition import definition_of

        wanted = _fields_type(hub, topic, kind, topics.wait)
        name = binding_of(wanted).name
        if not any(field.kind == "std_msgs/msg/Header" for field in definition_of(name).fields[:1]):
            raise HubError(
                f"messages of the type {name} have no header with a stamp, so that their age "
                "cannot be told; `topic hz` tells how often they come"
            )
        now_ns: list[int] = []

        def hear_clock(clock: Clock) -> None:
            now_ns[:] = [clock.stamp_ns]

        has_told = threading.Event()

        def age_ns(message: dict[str, Any]) -> int | None:
            stamp = message["header"]["stamp"]
            stamp_ns = stamp["sec"] * 1_000_000_000 + stamp["nanosec"]
            if not sim_time:
                age = time.time_ns() - stamp_ns
                if age > _NO_WALL_TIME_NS and not has_told.is_set():
                    has_told.set()
                    typer.echo(
                        f"warning: the stamps of '{topic}' are not wall time; if they are those of "
                        "a simulation, add --sim-time",
                        err=True,
                    )
                return age
            return now_ns[0] - stamp_ns if now_ns else None

        if sim_time:
            hub.subscribe("clock", Clock, QoS(depth=1, reliable=False), hear_clock)
        _measure(hub, topic, wanted, age_ns, delay_line, topics)


def _fields_type(hub: Hub, topic: str, chosen: str | None, wait: float) -> type:
    """The ROS type of a topic as dicts of all its fields, which lose nothing."""
    from horus_sim.cli.topic_search import published_type
    from horus_sim.hub.ros.binding import ros_message, ros_type

    return ros_message(ros_type(published_type(hub, topic, chosen, wait)))


def _measure(
    hub: Hub,
    topic: str,
    kind: type,
    value: Callable[[Any], int | None],
    line: Line,
    options: MeasureOptions,
) -> None:
    """Measures messages and prints what is found.

    Args:
        hub: The connection.
        topic: Name of the topic.
        kind: Type of its messages.
        value: What is measured of a message; None where that cannot be told.
        line: The text about messages.
        options: How long.
    """
    from horus_sim.cli.topics.figures import Sample
    from horus_sim.errors import HubError
    from horus_sim.hub import QoS

    window, duration = options.window, options.duration
    samples: deque[Sample] = deque(maxlen=window or (None if duration else _LIVE_WINDOW))

    def note(message: object) -> None:
        arrival_ns = time.perf_counter_ns()
        if len(samples) != window and (measured := value(message)) is not None:
            samples.append(Sample(arrival_ns, measured))

    # Messages that are sent again after a loss would count at the wrong time.
    with hub.subscribe(topic, kind, QoS(reliable=False), note) as messages:
        if window is None and duration is None:
            _show(messages, samples, line)
        end = None if duration is None else time.monotonic() + duration
        try:
            with progress(f"measuring '{messages.topic}'", duration):
                while len(samples) != window and (end is None or time.monotonic() < end):
                    time.sleep(_POLL_S)
            if line(tuple(samples)) is None:
                raise HubError(_told(messages, samples, line))
        finally:
            # Also on Ctrl-C, which ends the measurement early.
            if line(tuple(samples)) is not None:
                typer.echo(_told(messages, samples, line))


def _show(messages: Subscription[Any], samples: deque[Sample], line: Line) -> None:
    """Prints a line every second, until Ctrl-C."""
    from horus_sim.hub.topic_rate import silence_s

    begin_ns = time.perf_counter_ns()
    while True:
        time.sleep(1.0)
        arrivals = [sample.arrival_ns for sample in tuple(samples)]
        silent_s = silence_s(arrivals, begin_ns, time.perf_counter_ns())
        if silent_s is not None:
            typer.echo(f"0.000 Hz: no message on '{messages.topic}' for {silent_s:.0f} s")
            # The pause is not one between messages.
            if arrivals:
                begin_ns = arrivals[-1]
                samples.clear()
        elif line(tuple(samples)) is not None:
            typer.echo(_told(messages, samples, line))


def _told(messages: Subscription[Any], samples: deque[Sample], line: Line) -> str:
    known = tuple(samples)
    text = line(known)
    if text is not None:
        return f"{text}{f', {messages.missed} missed' if messages.missed else ''}"
    if not known:
        return f"0.000 Hz: no message on '{messages.topic}' arrived"
    return f"no rate: two messages on '{messages.topic}' are needed, one after the other"
