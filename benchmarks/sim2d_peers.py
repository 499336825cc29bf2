"""The same worlds in pymunk and Box2D: bodies and contacts, without a model of wheels.

The robot is a box that is pushed; a wheel model in Python would cost the peers two to three times
as much again. Floor friction of the boxes is a damping.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from sim2d_worlds import DT, PILE_SIZE_M, ROBOT, Shape, boxes, pile

ITERATIONS = 10
Worlds = list[Callable[[], None]]


def _walls(size: float) -> list[tuple[float, float, float, float]]:
    """Center and half extents of four walls .05 thick about a square."""
    middle, half = 0.5 * size + 0.025, 0.5 * size + 0.05
    return [
        (middle, 0, 0.025, half),
        (-middle, 0, 0.025, half),
        (0, middle, half, 0.025),
        (0, -middle, half, 0.025),
    ]


def pymunk_world(case: str) -> Callable[[], None]:
    """A function that makes one step of a new pymunk world."""
    pymunk: Any = importlib.import_module("pymunk")
    space = pymunk.Space()
    space.iterations = ITERATIONS
    shapes, size, gravity, restitution = _contents(case)
    space.gravity = (0.0, gravity)
    space.damping = 1.0 if case == "b" else 0.1
    for x, y, hx, hy in _walls(size) if size else []:
        corners = [(x - hx, y - hy), (x + hx, y - hy), (x + hx, y + hy), (x - hx, y + hy)]
        wall = pymunk.Poly(space.static_body, corners)
        wall.friction, wall.elasticity = 0.9, 0.05
        space.add(wall)
    first: Any = None
    for shape in shapes:
        body = pymunk.Body(shape.mass, shape.inertia)
        body.position, body.angle = (shape.x, shape.y), shape.theta
        outline = (
            pymunk.Circle(body, shape.radius)
            if shape.radius > 0.0
            else pymunk.Poly.create_box(body, (shape.side, shape.side))
        )
        outline.friction, outline.elasticity = 0.5, restitution
        space.add(body, outline)
        first = first or body

    def step() -> None:
        if case != "b":
            first.apply_force_at_local_point((1.0, 0.2))
        space.step(DT)

    return step


def box2d_world(case: str) -> Callable[[], None]:
    """A function that makes one step of a new Box2D world."""
    b2: Any = importlib.import_module("Box2D")
    shapes, size, gravity, restitution = _contents(case)
    world = b2.b2World(gravity=(0.0, gravity), doSleep=False)
    for x, y, hx, hy in _walls(size) if size else []:
        wall = world.CreateStaticBody(position=(x, y))
        wall.CreatePolygonFixture(box=(hx, hy), friction=0.9, restitution=0.05)
    first: Any = None
    for shape in shapes:
        damping = 0.0 if case == "b" else 2.0
        body = world.CreateDynamicBody(
            position=(shape.x, shape.y),
            angle=shape.theta,
            linearDamping=damping,
            allowSleep=False,
        )
        values = {"friction": 0.5, "restitution": restitution}
        if shape.radius > 0.0:
            area = 3.14159 * shape.radius**2
            body.CreateCircleFixture(radius=shape.radius, density=shape.mass / area, **values)
        else:
            half = 0.5 * shape.side
            density = shape.mass / shape.side**2
            body.CreatePolygonFixture(box=(half, half), density=density, **values)
        first = first or body

    def step() -> None:
        if case != "b":
            first.ApplyForceToCenter(force=(1.0, 0.2), wake=True)
        world.Step(DT, ITERATIONS, 3)

    return step


def _contents(case: str) -> tuple[list[Shape], float, float, float]:
    """Shapes, size of the walls' square [m] or 0, gravity along y, and restitution."""
    if case == "a":
        return [ROBOT, *boxes()], 4.0, 0.0, 0.1
    if case == "b":
        return pile(), PILE_SIZE_M, -9.81, 0.0
    return [ROBOT], 0.0, 0.0, 0.0


PEERS: dict[str, Callable[[str], Callable[[], None]]] = {
    "pymunk": pymunk_world,
    "Box2D": box2d_world,
}
