"""Small pictures of scenarios, as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable

from horus_sim.sim2d.build import compose
from horus_sim.sim2d.devices import motor_params
from horus_sim.sim2d.schema import BodyConfig, Color, PlacedBody
from horus_sim.ui.designer.content import WORLD_BODIES, Content
from horus_sim.ui.designer.geometry import Point, point_out

_WIDTH, _HEIGHT = 320.0, 200.0
_MARGIN = 12.0
_LEAST_M = 0.4
_WALL = "#78828c"
Pose = tuple[float, float, float]


def thumbnail(content: Content) -> str:
    """A picture of the whole scenario, 320 x 200, on no background."""
    low, high = _extent(content)
    span = (max(high[0] - low[0], _LEAST_M), max(high[1] - low[1], _LEAST_M))
    scale = min((_WIDTH - 2 * _MARGIN) / span[0], (_HEIGHT - 2 * _MARGIN) / span[1])
    middle = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]))

    def at(x: float, y: float) -> str:
        px = _WIDTH / 2 + scale * (x - middle[0])
        return f"{px:.1f},{_HEIGHT / 2 - scale * (y - middle[1]):.1f}"

    def line(points: Iterable[Point], color: str, width: float) -> str:
        return (
            f'<polyline points="{" ".join(at(x, y) for x, y in points)}" fill="none" '
            f'stroke="{color}" stroke-width="{max(width * scale, 1.0):.1f}" '
            'stroke-linecap="round" stroke-linejoin="round"/>'
        )

    def shape(body: BodyConfig, pose: Pose) -> str:
        fill = _css(body.material.color)
        edge = 'stroke="#37424d" stroke-width="0.8"'
        if body.radius is not None:
            x, y = at(pose[0], pose[1]).split(",")
            return f'<circle cx="{x}" cy="{y}" r="{body.radius * scale:.1f}" fill="{fill}" {edge}/>'
        points = " ".join(at(*point_out(pose, point)) for point in body.points)
        return f'<polygon points="{points}" fill="{fill}" {edge}/>'

    parts = []
    world = content.world
    if world.bounds is not None:
        b = world.bounds
        corners = ((b.min_x, b.min_y), (b.max_x, b.min_y), (b.max_x, b.max_y), (b.min_x, b.max_y))
        parts.append(line((*corners, corners[0]), _WALL, 0.03))
    for stroke in world.drawings:
        color = _css(stroke.color) if stroke.kind == "mark" else _WALL
        parts.append(line(stroke.points, color, stroke.thickness))
    parts += [shape(item.body, item.body.pose) for item in _objects(content)]
    for k, robot in enumerate(content.robots):
        spawn = content.spawn(k)
        poses = {body.name: compose(spawn, body.pose) for body in robot.bodies}
        parts += [shape(body, poses[body.name]) for body in robot.bodies]
        for motor in robot.actuators:
            mount = compose(poses[motor.body], motor.mount_pose)
            radius = motor_params(motor.params).wheel_radius
            ends = (point_out(mount, (-radius, 0.0)), point_out(mount, (radius, 0.0)))
            parts.append(line(ends, "#22282e", 0.6 * radius))
    inside = "".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" '
        f'role="img" aria-hidden="true">{inside}</svg>'
    )


def _css(color: Color) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


def _objects(content: Content) -> list[PlacedBody]:
    return [item for key in WORLD_BODIES for item in getattr(content.world, key)]


def _extent(content: Content) -> tuple[Point, Point]:
    """Corners of what there is to see [m]."""
    world = content.world
    points = [point for stroke in world.drawings for point in stroke.points]
    if world.bounds is not None:
        b = world.bounds
        points += [(b.min_x, b.min_y), (b.max_x, b.max_y)]
    bodies = [(item.body, item.body.pose) for item in _objects(content)]
    for k, robot in enumerate(content.robots):
        bodies += [(body, compose(content.spawn(k), body.pose)) for body in robot.bodies]
    for body, (x, y, _) in bodies:
        reach = body.radius or max((math.hypot(*p) for p in body.points), default=0.0)
        points += [(x - reach, y - reach), (x + reach, y + reach)]
    if not points:
        return (-0.5, -0.5), (0.5, 0.5)
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    return (min(xs), min(ys)), (max(xs), max(ys))
