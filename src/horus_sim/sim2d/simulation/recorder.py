"""What a run looked like: rows of signals, and a picture of the path."""

from __future__ import annotations

import csv
import importlib
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from horus_sim.errors import MissingExtraError, Sim2dError
from horus_sim.files.whole_file import whole_file, write_whole

if TYPE_CHECKING:
    from horus_sim.sim2d.simulation.simulator import Simulator

Points: TypeAlias = npt.NDArray[np.float64]
_PIXELS_PER_M = 200.0
_COLORS = ("#1f6fb4", "#d0492b", "#2f8f4e", "#8c5bb0")


class Recorder:
    """Collects poses, velocities, commands and readings of every step.

    Args:
        sim: The simulator to watch; call the recorder after each step.
    """

    def __init__(self, sim: Simulator) -> None:
        self._robots = sim.robots.values()
        self._places: list[int] = []
        names = ["time"]
        for robot in self._robots:
            first = next(iter(robot.bodies))
            self._places.append(len(names))
            names += [f"{robot.id}/{first}/{k}" for k in ("x", "y", "theta", "vx", "vy", "w")]
            names += [f"{robot.id}/{motor}/command" for motor in robot.motors]
        for name, slot in sim.layout.sensors.items():
            names += [f"{name}/{k}" for k in range(slot.width)] if slot.width > 1 else [name]
        self.columns = tuple(names)
        self.rows: list[list[float]] = []

    def __call__(self, sim: Simulator) -> None:
        """Adds a row."""
        row = [sim.time]
        for robot in self._robots:
            first = next(iter(robot.bodies.values()))
            row += [*first.pose, *first.velocity]
            row += [motor.command for motor in robot.motors.values()]
        row += sim.raw_readings().tolist()
        self.rows.append(row)

    def write(self, path: str | Path) -> None:
        """Writes all rows: .csv or .parquet.

        Raises:
            MissingExtraError: Parquet needs pyarrow.
            Sim2dError: Another ending, or the file cannot be written.
        """
        path = Path(path)
        if path.suffix == ".csv":
            text = io.StringIO(newline="")
            writer = csv.writer(text)
            writer.writerow(self.columns)
            writer.writerows(self.rows)
            write_whole(path, text.getvalue(), Sim2dError)
        elif path.suffix == ".parquet":
            try:
                pa = importlib.import_module("pyarrow")
                pq = importlib.import_module("pyarrow.parquet")
            except ImportError as error:
                raise MissingExtraError("pyarrow", "parquet") from error
            table = pa.table(dict(zip(self.columns, self.values().T, strict=True)))
            with whole_file(path, Sim2dError) as file:
                pq.write_table(table, file)
        else:
            raise Sim2dError(f"'{path}' ends in '{path.suffix}'; logs end in .csv or .parquet")

    def values(self) -> Points:
        """All rows, shape (steps, columns)."""
        return np.array(self.rows, dtype=np.float64).reshape(-1, len(self.columns))

    def paths(self) -> list[Points]:
        """The points [m] that each robot passed, shape (steps, 2)."""
        values = self.values()
        return [values[:, k : k + 2] for k in self._places]


class _Line(NamedTuple):
    """A line of a picture: points [m], and a width in pixels and one in metres, which add up."""

    points: Points
    color: str
    pixels: float
    metres: float = 0.0
    fill: str = "none"


def write_picture(recorder: Recorder, sim: Simulator, path: str | Path) -> None:
    """Draws the world as it is now and the robots' paths, as SVG or PNG.

    Raises:
        Sim2dError: The path ends in something else, or cannot be written.
    """
    path = Path(path)
    lines = _marks_and_bodies(sim)
    for k, points in enumerate(recorder.paths()):
        lines.append(_Line(points, _COLORS[k % len(_COLORS)], 2.0))
    points = np.concatenate([line.points for line in lines] or [np.zeros((1, 2))])
    low, high = points.min(axis=0) - 0.1, points.max(axis=0) + 0.1
    scale = min(_PIXELS_PER_M, 4000.0 / float((high - low).max()))
    width, height = np.ceil(scale * (high - low)).astype(int).tolist()
    drawn = [
        line._replace(
            points=(line.points - (low[0], high[1])) * (scale, -scale),
            pixels=line.pixels + scale * line.metres,
        )
        for line in lines
    ]
    if path.suffix == ".svg":
        write_whole(path, _svg(drawn, width, height), Sim2dError)
    elif path.suffix == ".png":
        with whole_file(path, Sim2dError) as file:
            _png(drawn, width, height, file)
    else:
        raise Sim2dError(f"'{path}' ends in '{path.suffix}'; pictures end in .svg or .png")


def _marks_and_bodies(sim: Simulator) -> list[_Line]:
    lines = [
        _Line(np.array(stroke.points), "#d8d8d8", 0.0, stroke.thickness)
        for stroke in sim.scenario.world.drawings
        if stroke.kind == "mark" and stroke.points
    ]
    turns = np.linspace(0.0, 2 * math.pi, 33)
    for body, config in zip(sim.bodies.values(), sim.layout.configs, strict=True):
        corners = [*config.points, *config.points[:1]]
        if config.radius is not None:
            corners = config.radius * np.column_stack((np.cos(turns), np.sin(turns)))
        points = np.array([body.pose.transform_point(corner) for corner in corners])
        fill = "#{:02x}{:02x}{:02x}".format(*config.material.color)
        lines.append(_Line(points, "#555555", 1.5, fill=fill))
    return lines


def _svg(drawn: list[_Line], width: int, height: int) -> str:
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}">'
        ),
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for line in drawn:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in line.points)
        lines.append(
            f'<polyline points="{points}" fill="{line.fill}" stroke="{line.color}" '
            f'stroke-width="{line.pixels:.1f}" stroke-linecap="round" stroke-linejoin="round"/>'
        )
    return "\n".join([*lines, "</svg>", ""])


def _png(drawn: list[_Line], width: int, height: int, file: BinaryIO) -> None:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (width, height), "white")
    canvas = ImageDraw.Draw(image)
    for line in drawn:
        points = [(x, y) for x, y in line.points.tolist()]
        if line.fill != "none":
            canvas.polygon(points, fill=line.fill)
        if len(points) > 1:
            canvas.line(points, fill=line.color, width=max(1, round(line.pixels)), joint="curve")
    image.save(file, "PNG")
