"""Signals of a run: written to CSV as it goes, and kept for plots."""

from __future__ import annotations

import csv
import json
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from horus_sim.errors import UiError
from horus_sim.sim2d.simulation.recorder import Recorder

if TYPE_CHECKING:
    from horus_sim.sim2d import Simulator

_WINDOW_S = 10.0
_SAMPLE_S = 1.0 / 40.0
_MOST_PLOTTED = 6


class Signals:
    """Poses, velocities, commands and readings of every step.

    Args:
        sim: What is recorded; call `add` after each step.

    Attributes:
        columns: Names of all signals.
        watched: Names of the signals that are plotted.
        path: The file to which they were last written, or None.
        logged: Rows that were written to it.
    """

    def __init__(self, sim: Simulator) -> None:
        self.follow(sim)
        self.columns = self._recorder.columns
        self.watched = self._usual()
        self._rows: deque[list[float]] = deque()
        self._file: TextIO | None = None
        self._last_s = -_WINDOW_S
        self.path: Path | None = None
        self.logged = 0

    def watch(self, names: Sequence[str]) -> None:
        """Chooses what is plotted.

        Raises:
            UiError: There is no such signal, or there are too many.
        """
        for name in names:
            if name not in self.columns:
                raise UiError(f"there is no signal '{name}'; choose one of the list")
        if len(names) > _MOST_PLOTTED:
            raise UiError(f"{len(names)} signals are too many for a plot; choose {_MOST_PLOTTED}")
        self.watched = list(names)

    def add(self) -> None:
        """Takes what is now."""
        is_sample = self._sim.time - self._last_s >= _SAMPLE_S
        if self._file is None and not is_sample:
            return
        self._recorder(self._sim)
        row = self._recorder.rows.pop()
        if self._file is not None:
            csv.writer(self._file).writerow(row)
            self.logged += 1
        if is_sample:
            self._last_s = row[0]
            self._rows.append(row)
            while self._rows[0][0] < row[0] - _WINDOW_S:
                self._rows.popleft()

    def rewind(self, time_s: float = -1.0) -> None:
        """Forgets what came later; everything unless a time is given."""
        while self._rows and self._rows[-1][0] > time_s:
            self._rows.pop()
        self._last_s = self._rows[-1][0] if self._rows else -_WINDOW_S

    def follow(self, sim: Simulator) -> None:
        """Goes on with another simulator of the same scenario."""
        self._sim, self._recorder = sim, Recorder(sim)

    def plot(self, channel: str) -> bytes:
        """The last seconds of what is plotted, as JSON for a channel of the stream."""
        places = [self.columns.index(name) for name in self.watched]
        return json.dumps(
            {
                "channel": channel,
                "window": _WINDOW_S,
                "names": self.watched,
                "time": [round(row[0], 4) for row in self._rows],
                "values": [[float(f"{row[k]:.5g}") for row in self._rows] for k in places],
            }
        ).encode()

    def start_log(self, path: Path) -> None:
        """Writes every step to a file from now on.

        Raises:
            UiError: It cannot be written.
        """
        self.stop_log()
        try:
            self._file = path.open("x", newline="", encoding="utf-8")
        except OSError as error:
            raise UiError(f"{path} cannot be written ({error.strerror}); choose another") from error
        csv.writer(self._file).writerow(self.columns)
        self.path, self.logged = path, 0

    def stop_log(self) -> None:
        """Ends the file."""
        if self._file is not None:
            self._file.close()
        self._file = None

    @property
    def is_logging(self) -> bool:
        """Whether steps are written to a file."""
        return self._file is not None

    def _usual(self) -> list[str]:
        """What the robots' files ask for, or the first robot's commands."""
        wanted: list[str] = []
        for spec in self._sim.scenario.robots:
            for measured in spec.config.measurements:
                full = f"{spec.id}/{measured.signal}"
                wanted += [c for c in self.columns if c == full or c.startswith(f"{full}/")]
        return (wanted or [c for c in self.columns if c.endswith("/command")])[:_MOST_PLOTTED]
