"""The same worlds in pymunk and in Box2D 2 and 3, with the same iterations and the same forces.

Neither has a floor that rubs or wheels. Both get them as their own examples of vehicles seen from
above do: each box rubs by a joint of limited force to the floor (pymunk: pivot and gear, Box2D:
friction joint), and the robot follows a speed command by such a joint to a body that is driven
(pymunk), or by a friction joint and a force (Box2D). Sleeping is off in the column that bears the
plain name, and on in "pymunk, sleeping": our bodies at rest are skipped too.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from functools import partial
from typing import Any

from sim2d_worlds import DT, PILE_SIZE_M, ROBOT, TRACK_M, Shape, boxes, pile

ITERATIONS = 10
SUBSTEPS = 4
DRIVE_FORCE_N = 4.0
RIM_SPEED_M_S = 1.2
Step = Callable[[float, float], None]


def _walls(size: float) -> list[tuple[float, float, float, float]]:
    """Center and half extents of four walls .05 thick about a square."""
    middle, half = 0.5 * size + 0.025, 0.5 * size + 0.05
    return [
        (middle, 0, 0.025, half),
        (-middle, 0, 0.025, half),
        (0, middle, half, 0.025),
        (0, -middle, half, 0.025),
    ]


def pymunk_world(case: str, *, sleeping: bool = False) -> Step:
    """A function that makes one step of a new pymunk world with a command of the two wheels."""
    pymunk: Any = importlib.import_module("pymunk")
    space = pymunk.Space()
    space.iterations = ITERATIONS
    if sleeping:
        space.sleep_time_threshold = 0.5
    shapes, size, gravity, restitution = _contents(case)
    space.gravity = (0.0, gravity)
    for x, y, hx, hy in _walls(size) if size else []:
        corners = [(x - hx, y - hy), (x + hx, y - hy), (x + hx, y + hy), (x - hx, y + hy)]
        wall = pymunk.Poly(space.static_body, corners)
        wall.friction, wall.elasticity = 0.9, 0.05
        space.add(wall)

    def rub(base: Any, body: Any, force: float, torque: float) -> None:  # noqa: ANN401
        for joint, most in (
            (pymunk.PivotJoint(base, body, (0, 0), (0, 0)), force),
            (pymunk.GearJoint(base, body, 0.0, 1.0), torque),
        ):
            joint.max_bias, joint.max_force = 0.0, most
            space.add(joint)

    robot: Any = None
    driver = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
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
        if shape is ROBOT:
            robot = body
            space.add(driver)
            rub(driver, robot, DRIVE_FORCE_N, DRIVE_FORCE_N * 0.5 * TRACK_M)
        elif case == "a":
            rub(space.static_body, body, shape.floor_force, shape.floor_torque)

    def step(left: float, right: float) -> None:
        if robot is not None:
            # The command of a wheel from -1 to 1 times 40 rad/s and a radius of 3 cm.
            speed = 0.5 * (left + right) * RIM_SPEED_M_S
            angle = robot.angle
            driver.velocity = (speed * math.cos(angle), speed * math.sin(angle))
            driver.angular_velocity = (right - left) * RIM_SPEED_M_S / TRACK_M
        space.step(DT)

    return step


def box2d_world(case: str) -> Step:
    """A function that makes one step of a new Box2D world with a command of the two wheels."""
    b2: Any = importlib.import_module("Box2D")
    shapes, size, gravity, restitution = _contents(case)
    world = b2.b2World(gravity=(0.0, gravity), doSleep=False)
    for x, y, hx, hy in _walls(size) if size else []:
        wall = world.CreateStaticBody(position=(x, y))
        wall.CreatePolygonFixture(box=(hx, hy), friction=0.9, restitution=0.05)
    floor = world.CreateStaticBody()
    robot: Any = None
    for shape in shapes:
        body = world.CreateDynamicBody(
            position=(shape.x, shape.y), angle=shape.theta, allowSleep=False
        )
        values = {"friction": 0.5, "restitution": restitution}
        if shape.radius > 0.0:
            area = 3.14159 * shape.radius**2
            body.CreateCircleFixture(radius=shape.radius, density=shape.mass / area, **values)
        else:
            half = 0.5 * shape.side
            density = shape.mass / shape.side**2
            body.CreatePolygonFixture(box=(half, half), density=density, **values)
        if case != "b":
            most = {"maxForce": shape.floor_force, "maxTorque": shape.floor_torque}
            world.CreateFrictionJoint(bodyA=floor, bodyB=body, **most)
        if shape is ROBOT:
            robot = body

    def step(left: float, right: float) -> None:
        if robot is not None:
            force = (left + right) * DRIVE_FORCE_N
            robot.ApplyForceToCenter(
                force=(force * math.cos(robot.angle), force * math.sin(robot.angle)), wake=True
            )
            robot.ApplyTorque((right - left) * DRIVE_FORCE_N * 0.5 * TRACK_M, wake=True)
        world.Step(DT, ITERATIONS, 3)

    return step


def box2d_3_world(case: str) -> Step:
    """As `box2d_world`, in version 3 of Box2D, with its usual four substeps."""
    b2: Any = importlib.import_module("pyb2d3")
    shapes, size, gravity, restitution = _contents(case)
    world = b2.World(gravity=(0.0, gravity))
    world.sleeping_enabled = False
    for x, y, hx, hy in _walls(size) if size else []:
        wall = world.create_static_body(position=(x, y))
        material = b2.surface_material(friction=0.9, restitution=0.05)
        wall.create_shape(b2.shape_def(material=material), b2.box(hx, hy))
    floor = world.create_static_body(position=(0.0, 0.0))
    material = b2.surface_material(friction=0.5, restitution=restitution)
    robot: Any = None
    for shape in shapes:
        body = world.create_dynamic_body(
            position=(shape.x, shape.y),
            rotation=b2.make_rot(shape.theta),
            enable_sleep=False,
        )
        if shape.radius > 0.0:
            density = shape.mass / (math.pi * shape.radius**2)
            outline = b2.circle(center=(0.0, 0.0), radius=shape.radius)
        else:
            density = shape.mass / shape.side**2
            outline = b2.box(0.5 * shape.side, 0.5 * shape.side)
        body.create_shape(b2.shape_def(density=density, material=material), outline)
        if case != "b":
            # Without correction a motor joint only brakes, as the friction joint of version 2.
            world.create_motor_joint(
                body_a=floor,
                body_b=body,
                max_force=shape.floor_force,
                max_torque=shape.floor_torque,
                correction_factor=0.0,
            )
        if shape is ROBOT:
            robot = body

    def step(left: float, right: float) -> None:
        if robot is not None:
            force, angle = (left + right) * DRIVE_FORCE_N, robot.angle
            robot.apply_force_to_center((force * math.cos(angle), force * math.sin(angle)))
            robot.apply_torque((right - left) * DRIVE_FORCE_N * 0.5 * TRACK_M)
        world.step(DT, SUBSTEPS)

    return step


def _contents(case: str) -> tuple[list[Shape], float, float, float]:
    """Shapes, size of the walls' square [m] or 0, gravity along y, and restitution."""
    if case == "a":
        return [ROBOT, *boxes()], 4.0, 0.0, 0.1
    if case == "b":
        return pile(), PILE_SIZE_M, -9.81, 0.0
    return [ROBOT], 0.0, 0.0, 0.0


PEERS: dict[str, Callable[[str], Step]] = {
    "pymunk": pymunk_world,
    "pymunk, sleeping": partial(pymunk_world, sleeping=True),
    "Box2D": box2d_world,
    "Box2D 3": box2d_3_world,
}
