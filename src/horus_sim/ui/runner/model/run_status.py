"""How a run is doing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How a simulation is doing, as its process tells it; what panels show.

    Attributes:
        name: Name of the scenario.
        time: Simulated time [s].
        steps: Steps since the start.
        is_running: Whether time goes on.
        speed: Simulated seconds a second that are wanted.
        real_time_factor: Simulated seconds a second that are reached.
        step_ms: Wall time of a step [ms].
        seed: Seed of the random numbers.
        error: What holds it up: robot, text, traceback, file and line; None if nothing does.
        warnings: Texts, and how often each came.
        contacts: How many there are.
        bodies: How many there are.
        robots: Pose and velocity of each robot.
        motors: Command and speed of each motor.
        sensors: Values of each sensor.
        selected: About the selected body, or None.
        watched: Names of the signals that are plotted.
        log: File to which signals are written, or ''.
        logged: Rows that were written to it.
        topics: Arguments of `TopicsView`, or None before they are known.
    """

    name: str = ""
    time: float = 0.0
    steps: int = 0
    is_running: bool = False
    speed: float = 1.0
    real_time_factor: float = 0.0
    step_ms: float = 0.0
    seed: int = 0
    error: dict[str, Any] | None = None
    warnings: list[tuple[str, int]] = field(default_factory=list)
    contacts: int = 0
    bodies: int = 0
    robots: dict[str, list[float]] = field(default_factory=dict)
    motors: dict[str, list[float]] = field(default_factory=dict)
    sensors: dict[str, list[float]] = field(default_factory=dict)
    selected: dict[str, Any] | None = None
    watched: list[str] = field(default_factory=list)
    log: str = ""
    logged: int = 0
    topics: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Stuck:
    """A call that does not return.

    Attributes:
        seconds: For how long.
        file: File of the controller in which it is, or ''.
        line: Line there, or 0.
    """

    seconds: float
    file: str = ""
    line: int = 0
