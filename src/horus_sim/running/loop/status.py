"""How a running simulation is doing."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

_WINDOW_S = 1.0


@dataclass(frozen=True, slots=True)
class Status:
    """A simulation at one moment.

    Attributes:
        scene: Name of the scene.
        time: Simulated time [s].
        steps: Steps since the start.
        is_running: Whether time goes on by itself.
        speed: Wanted simulated seconds a second.
        real_time_factor: Simulated seconds a second, over the last second.
        step_ms: Wall time of a physics step [ms], mean over the last second.
        frame_ms: Wall time of making a frame for the browsers [ms], mean over the last second.
        dropped_time: Time [s] that the machine could not make up for.
        figures: What the world counts, such as its bodies and contacts.
        drivers: Who drives which robot: 'page', the name of a connection, or '' for nobody.
        messages_hz: Messages a second on topics, over the last second.
    """

    scene: str
    time: float
    steps: int
    is_running: bool
    speed: float
    real_time_factor: float
    step_ms: float
    frame_ms: float
    dropped_time: float
    figures: dict[str, int]
    drivers: dict[str, str]
    messages_hz: float


class Meter:
    """Real-time factor and costs over the last second.

    Args:
        clock: Seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._samples: deque[tuple[float, float, int]] = deque()
        self._steps = _Mean()
        self._frames = _Mean()
        self.real_time_factor = 0.0
        self.messages_hz = 0.0
        self.step_ms = 0.0
        self.frame_ms = 0.0

    def stepped(self, count: int, took_s: float) -> None:
        """So many steps took so long."""
        self._steps.add(count, took_s)

    def framed(self, took_s: float) -> None:
        """A frame took so long."""
        self._frames.add(1, took_s)

    def update(self, simulated_s: float, messages: int = 0) -> None:
        """Notes how things stand now; call it a few times a second.

        Args:
            simulated_s: Simulated time [s].
            messages: How many were sent so far.
        """
        now = self._clock()
        if self._samples and simulated_s < self._samples[-1][1]:
            self._samples.clear()
        self._samples.append((now, simulated_s, messages))
        while len(self._samples) > 2 and now - self._samples[0][0] > _WINDOW_S:
            self._samples.popleft()
        passed = now - self._samples[0][0]
        if passed > 0.0:
            self.real_time_factor = (simulated_s - self._samples[0][1]) / passed
            self.messages_hz = (messages - self._samples[0][2]) / passed
        self.step_ms = self._steps.take(self.step_ms)
        self.frame_ms = self._frames.take(self.frame_ms)

    def restart(self) -> None:
        """Forgets the past, as after a pause."""
        self._samples.clear()
        self.real_time_factor = 0.0


class _Mean:
    """A mean [ms] of what came since it was last taken, smoothed."""

    def __init__(self) -> None:
        self._count = 0
        self._total_s = 0.0

    def add(self, count: int, took_s: float) -> None:
        self._count += count
        self._total_s += took_s

    def take(self, before_ms: float) -> float:
        if self._count == 0:
            return before_ms
        now_ms = 1000.0 * self._total_s / self._count
        self._count, self._total_s = 0, 0.0
        return now_ms if before_ms == 0.0 else 0.7 * before_ms + 0.3 * now_ms
