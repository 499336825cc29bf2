"""Sensors: what they say now, plots of their numbers, and pictures of cameras."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.ui.kit.controls import select, set_options
from horus_sim.ui.kit.fields import fixed
from horus_sim.ui.kit.panel import hint
from horus_sim.ui.stream.sensor_stream import Reading, is_picture, points_of, values_of
from horus_sim.ui.views.view2d.plot2d import Plot2d

if TYPE_CHECKING:
    from horus_sim.ui.world.model.world_model import WorldModel

_REFRESH_S = 0.25
_SAMPLES = 120
_MOST_LINES = 4


def build_sensors(model: WorldModel) -> None:
    """A read-out for each sensor, a plot of the chosen one, and pictures."""
    stream = model.session.sensors
    stream.is_watched = True
    empty = hint("This scene has no sensors.")
    column = ui.column().classes("full-width").style("gap:8px")
    labels: dict[str, ui.label] = {}
    plots: dict[str, Plot] = {}

    def rebuild(readings: dict[str, Reading]) -> None:
        column.clear()
        labels.clear()
        plots.clear()
        with column:
            for number, reading in enumerate(readings.values()):
                with ui.column().classes("horus-card"):
                    _show(number, reading)
        model.view.set_pictures(shown=any(is_picture(item.kind) for item in readings.values()))

    def _show(number: int, reading: Reading) -> None:
        with ui.row().classes("no-wrap full-width items-baseline gap-2"):
            ui.label(reading.name).classes("text-weight-medium ellipsis")
            ui.space()
            ui.label(reading.kind.replace("_", " ")).classes("horus-fact")
        if is_picture(reading.kind):
            ui.element("img").props(f'data-camera="{number}" alt="Picture of {reading.name}"')
        elif reading.kind not in ("lidar", "laser_scan"):
            plots[reading.name] = Plot(reading.name)
        label = ui.label().classes("horus-fact").style("white-space:pre-line")
        label.props(f'aria-label="Reading of {reading.name}"')
        labels[reading.name] = label

    def refresh() -> None:
        readings = stream.readings
        empty.set_visibility(not readings)
        if list(readings) != list(labels):
            rebuild(readings)
        for name, reading in readings.items():
            labels[name].text = summary(reading)
            if name in plots and reading.message is not None:
                plots[name].add(model.session.simulation.status.time, values_of(reading.message))

    model.page.every(_REFRESH_S, refresh)


def summary(reading: Reading) -> str:
    """A reading in few lines."""
    message = reading.message
    if message is None:
        return "no message yet"
    points = points_of(message)
    if points is not None:
        if len(points) == 0:
            return "nothing in reach"
        nearest = float((points**2).sum(axis=1).min() ** 0.5)
        return f"{len(points)} hits, nearest {nearest:.2f} m"
    lines = [
        f"{name} {', '.join(fixed(value) for value in values)}"
        for name, values in values_of(message).items()
    ]
    return "\n".join(lines[:6])


class Plot:
    """The last values of a field of a message, as lines; which field is chosen beside them."""

    def __init__(self, name: str) -> None:
        self._samples: deque[tuple[float, list[float]]] = deque(maxlen=_SAMPLES)
        # NiceGUI cannot call a method of C by itself.
        self._field = select("Plot", on_change=lambda: self._samples.clear())  # noqa: PLW0108
        self._field.props(f'aria-label="Plotted of {name}"')
        self._plot = Plot2d(label=f"Plot of {name}").style("height:110px")

    def add(self, time: float, values: dict[str, list[float]]) -> None:
        """Adds a sample, unless time stands still."""
        set_options(self._field, list(values), next(iter(values), None))
        if self._field.value is None or (self._samples and time == self._samples[-1][0]):
            return
        sample = values[self._field.value][:_MOST_LINES]
        if self._samples and (time < self._samples[-1][0] or len(sample) != len(self._lines())):
            self._samples.clear()
        self._samples.append((time, sample))
        names = list("xyzw" if len(sample) > 1 else [self._field.value])
        times = [time for time, _ in self._samples]
        self._plot.show(names[: len(sample)], times, self._lines())

    def _lines(self) -> list[tuple[float, ...]]:
        return list(zip(*(sample for _, sample in self._samples), strict=True))
