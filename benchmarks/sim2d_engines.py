"""One scene in our engine, in pymunk 7 and in Box2D 3, each with the settings it comes with.

Ours makes up to ten passes, pymunk ten iterations, Box2D four substeps. Two settings are not the
engines' own, because they are made for other scales: pymunk's slop of 0.1 (pixels) becomes 2 mm, as
ours is, and Box2D bounces from 1 cm/s on as ours does, not from 1 m/s. What lies still is put to
sleep by Box2D only where it is asked to; pymunk never does so unless told.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from itertools import repeat
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sim2d_scenes import Part, Scene

from horus_sim.sim2d import BatchSimulator, RobotConfig, Scenario, SolverConfig, WorldConfig

DT = 1.0 / 120.0
ITERATIONS = 10
SUBSTEPS = 4
SLOP_M = 0.002
BOUNCE_ABOVE_M_S = 0.01

Floats = npt.NDArray[np.float64]


class Engine(Protocol):
    """A scene in an engine."""

    def step(self, n: int = 1) -> None:
        """Makes n steps of 1/120 s."""
        ...

    def states(self) -> Floats:
        """x, y, theta, vx, vy, w of the parts [m, rad, s], shape (parts, 6)."""
        ...


class Ours:
    """Our engine: one world of a batch, so that many steps are one call."""

    def __init__(self, scene: Scene) -> None:
        solver = SolverConfig()
        if scene.top_speed > solver.max_linear_speed:
            farthest = max(1.1 * scene.top_speed * DT, solver.max_step_translation)
            solver = SolverConfig(max_linear_speed=scene.top_speed, max_step_translation=farthest)
        self._batch = BatchSimulator(our_scenario(scene), 1, 1, top_down=False, solver=solver)
        places = self._batch.layout.bodies
        by_part = {int(name.rpartition("part_")[2]): place for name, place in places.items()}
        self._order = [by_part[k] for k in range(len(scene.parts))]
        for place, part in zip(self._order, scene.parts, strict=True):
            if not part.is_fixed:
                self._batch._batch.set_velocity(0, place, part.vx, part.vy, part.w)

    def step(self, n: int = 1) -> None:
        """Makes n steps of 1/120 s."""
        self._batch.step(n=n)

    def states(self) -> Floats:
        """x, y, theta, vx, vy, w of the parts [m, rad, s], shape (parts, 6)."""
        both = np.concatenate([self._batch.poses[0], self._batch.velocities[0]], axis=1)
        return both[self._order]


def our_scenario(scene: Scene) -> Scenario:
    """A scenario with the parts that hang together as robots, and the others as objects."""
    groups = list(range(len(scene.parts)))

    def root(k: int) -> int:
        while groups[k] != k:
            groups[k] = k = groups[groups[k]]
        return k

    for pin in scene.pins:
        groups[root(pin.b)] = root(pin.a)
    robots: dict[int, dict[str, list[dict[str, Any]]]] = {}
    for number, pin in enumerate(scene.pins):
        robot = robots.setdefault(root(pin.a), {"bodies": [], "joints": []})
        robot["joints"].append(
            {
                "name": f"pin_{number}",
                "type": "hinge",
                "parent": f"part_{pin.a}",
                "child": f"part_{pin.b}",
                "anchor_parent": scene.parts[pin.a].local(pin.x, pin.y),
                "anchor_child": scene.parts[pin.b].local(pin.x, pin.y),
            }
        )
    objects = []
    for k, part in enumerate(scene.parts):
        body = _our_body(f"part_{k}", part, scene)
        if root(k) in robots:
            robots[root(k)]["bodies"].append(body)
        else:
            objects.append({"name": f"part_{k}", "body": body})
    world = {"timestep": DT, "gravity": scene.gravity, "shape_objects": objects}
    made = [RobotConfig.model_validate(robot) for robot in robots.values()]
    return Scenario.make(WorldConfig.model_validate(world), *made)


def _our_body(name: str, part: Part, scene: Scene) -> dict[str, Any]:
    outline = {"radius": part.radius} if part.radius > 0.0 else {"points": part.corners}
    return {
        "name": name,
        "pose": (part.x, part.y, part.theta),
        "mass": part.mass,
        "inertia": part.inertia,
        "can_move": not part.is_fixed,
        "material": {"friction": scene.friction, "restitution": scene.restitution},
        **outline,
    }


class Pymunk:
    """Chipmunk through pymunk."""

    def __init__(self, scene: Scene) -> None:
        pymunk: Any = importlib.import_module("pymunk")
        self.space = pymunk.Space()
        self.space.iterations = ITERATIONS
        self.space.collision_slop = SLOP_M
        self.space.gravity = scene.gravity
        self._bodies: list[Any] = []
        for part in scene.parts:
            if part.is_fixed:
                body = pymunk.Body(body_type=pymunk.Body.STATIC)
            else:
                body = pymunk.Body(part.mass, part.inertia)
                body.velocity, body.angular_velocity = (part.vx, part.vy), part.w
            body.position, body.angle = (part.x, part.y), part.theta
            outline = (
                pymunk.Circle(body, part.radius)
                if part.radius > 0.0
                else pymunk.Poly(body, part.corners)
            )
            # A pair has the product.
            outline.friction = math.sqrt(scene.friction)
            outline.elasticity = math.sqrt(scene.restitution)
            self.space.add(body, outline)
            self._bodies.append(body)
        for pin in scene.pins:
            joint = pymunk.PivotJoint(self._bodies[pin.a], self._bodies[pin.b], (pin.x, pin.y))
            joint.collide_bodies = False
            self.space.add(joint)

    def step(self, n: int = 1) -> None:
        """Makes n steps of 1/120 s."""
        step = self.space.step
        for _ in repeat(None, n):
            step(DT)

    def states(self) -> Floats:
        """x, y, theta, vx, vy, w of the parts [m, rad, s], shape (parts, 6)."""
        return np.array(
            [(*b.position, b.angle, *b.velocity, b.angular_velocity) for b in self._bodies]
        )


class Box2d3:
    """Box2D 3 through pyb2d3; with `sleeps`, its default, it puts to sleep what lies still."""

    def __init__(self, scene: Scene, *, sleeps: bool = False) -> None:
        b2: Any = importlib.import_module("pyb2d3")
        self.world = b2.World(gravity=scene.gravity, restitution_threshold=BOUNCE_ABOVE_M_S)
        self.world.sleeping_enabled = sleeps
        material = b2.surface_material(friction=scene.friction, restitution=scene.restitution)
        self._bodies: list[Any] = []
        for part in scene.parts:
            # make_rot is off by up to half a milliradian.
            rotation = b2.Rot()
            rotation.c, rotation.s = math.cos(part.theta), math.sin(part.theta)
            pose = {"position": (part.x, part.y), "rotation": rotation}
            if part.is_fixed:
                body = self.world.create_static_body(**pose)
            else:
                body = self.world.create_dynamic_body(
                    linear_velocity=(part.vx, part.vy), angular_velocity=part.w, **pose
                )
            outline = (
                b2.circle(center=(0.0, 0.0), radius=part.radius)
                if part.radius > 0.0
                else b2.box(0.5 * part.width, 0.5 * part.height)
            )
            body.create_shape(
                b2.shape_def(density=part.mass / part.area, material=material), outline
            )
            self._bodies.append(body)
        for pin in scene.pins:
            self.world.create_revolute_joint(
                body_a=self._bodies[pin.a],
                body_b=self._bodies[pin.b],
                local_anchor_a=scene.parts[pin.a].local(pin.x, pin.y),
                local_anchor_b=scene.parts[pin.b].local(pin.x, pin.y),
            )

    def step(self, n: int = 1) -> None:
        """Makes n steps of 1/120 s."""
        step = self.world.step
        for _ in repeat(None, n):
            step(DT, SUBSTEPS)

    def states(self) -> Floats:
        """x, y, theta, vx, vy, w of the parts [m, rad, s], shape (parts, 6)."""
        rows = []
        for body in self._bodies:
            at, v = body.position, body.linear_velocity
            rows.append((at.x, at.y, body.angle, v.x, v.y, body.angular_velocity))
        return np.array(rows)


Engines = dict[str, Callable[[Scene], Engine]]
ENGINES: Engines = {"ours": Ours, "pymunk": Pymunk, "Box2D 3": Box2d3}


def installed_engines() -> Engines:
    """The engines that can be imported; says which cannot."""
    found = {}
    for name, make in ENGINES.items():
        try:
            make(Scene((Part(0.0, 0.0, radius=1.0),)))
        except ImportError:
            print(f"{name} is not installed; to compare: pip install 'horus-sim[bench]'")
            continue
        found[name] = make
    return found
