"""Trials of 2D engines against closed forms: each takes an engine and returns what came out."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ellipk
from sim2d_engines import DT, Engine, Floats
from sim2d_overlap import deepest_overlap
from sim2d_scenes import LINK_M, Part, Pin, Scene, chain, fast_circles, gas, heap, peg

G = 9.81
PHASES = 24
BOUNCE_M_S = 3.0
BOUNCE_E = 0.5
MU = 0.5
SLIDE_TAN = 0.6
HOLD_TAN = 0.45
SWING_RAD = 1.0

Make = Callable[[Scene], Engine]


def _floor(width: float = 10.0) -> Part:
    return Part(0.0, -0.5, width=width, height=1.0, is_fixed=True)


def _steps(seconds: float) -> int:
    return round(seconds / DT)


def energy(scene: Scene, states: Floats) -> float:
    """Kinetic and potential energy [J]."""
    total = 0.0
    for part, (x, y, _, vx, vy, w) in zip(scene.parts, states.tolist(), strict=True):
        if not part.is_fixed:
            total += 0.5 * part.mass * (vx * vx + vy * vy) + 0.5 * part.inertia * w * w
            total -= part.mass * (scene.gravity[0] * x + scene.gravity[1] * y)
    return total


def free_fall(make: Make) -> list[float]:
    """Height after one second from rest [m]."""
    world = make(Scene((Part(0.0, 0.0, radius=0.05),)))
    world.step(_steps(1.0))
    return [world.states()[0, 1]]


def elastic_collision(make: Make) -> list[float]:
    """Speed of a circle of 1 kg after it hit one of 3 kg at 1 m/s, and momentum after that."""
    parts = (Part(-0.3, 0.0, radius=0.05, vx=1.0), Part(0.0, 0.0, radius=0.05, mass=3.0))
    world = make(Scene(parts, gravity=(0.0, 0.0), friction=0.0, restitution=1.0))
    world.step(_steps(1.0))
    states = world.states()
    return [states[0, 3], states[0, 3] + 3.0 * states[1, 3]]


def cradle(make: Make) -> list[float]:
    """Speeds of the last ball and, the largest, of the four others, after one hit the row."""
    row = [Part(0.1 * k, 0.0, radius=0.05) for k in range(4)]
    parts = (Part(-0.3, 0.0, radius=0.05, vx=1.0), *row)
    world = make(Scene(parts, gravity=(0.0, 0.0), friction=0.0, restitution=1.0))
    world.step(_steps(1.0))
    speeds = world.states()[:, 3]
    return [speeds[-1], float(np.abs(speeds[:-1]).max())]


def gas_energy(make: Make) -> list[float]:
    """Energy of 100 elastic circles after 30 s, over that at the start."""
    scene = gas(100)
    world = make(scene)
    before = energy(scene, world.states())
    world.step(_steps(30.0))
    return [energy(scene, world.states()) / before]


def bounce(make: Make) -> list[float]:
    """Height of the first bounce [m] and the gap where it turned [m], the worst of 16 drops."""
    heights, gaps = [], []
    for k in range(16):
        gap = 0.3 + BOUNCE_M_S * DT * k / 16
        speed = math.sqrt(BOUNCE_M_S**2 - 2.0 * G * gap)
        ball = Part(0.0, 0.05 + gap, radius=0.05, vy=-speed)
        world = make(Scene((ball, _floor()), restitution=BOUNCE_E))
        path = []
        for _ in range(_steps(0.5)):
            world.step()
            path.append(world.states()[0, 1] - 0.05)
        rising = np.diff(path) > 0.0
        lowest = int(np.argmax(rising))
        falls_again = lowest + int(np.argmin(rising[lowest:]))
        gaps.append(_turning(path[lowest - 2 : lowest + 3]))
        heights.append(path[falls_again])
    height = BOUNCE_E**2 * BOUNCE_M_S**2 / (2.0 * G)
    return [max(heights, key=lambda value: abs(value - height)), max(gaps, key=abs)]


def _turning(path: list[float]) -> float:
    """Where the lines of falling and rising meet [m], of five heights with the lowest third."""
    fall, rise = path[1] - path[0], path[4] - path[3]
    at = (path[3] - path[1] - rise - fall) / (fall - rise)
    return path[1] + fall * (min(max(at, -1.0), 1.0) + 1.0)


def _slope(make: Make, tangent: float, seconds: float) -> float:
    """How far a box has moved down a slope [m]."""
    angle = math.atan(tangent)
    nx, ny = -math.sin(angle), math.cos(angle)
    floor = Part(-0.5 * nx, -0.5 * ny, angle, width=10.0, height=1.0, is_fixed=True)
    box = Part(0.05 * nx, 0.05 * ny, angle, width=0.1, height=0.1)
    world = make(Scene((box, floor), friction=MU))
    world.step(_steps(seconds))
    x, y = world.states()[0, :2]
    return (box.x - x) * ny - (box.y - y) * nx


def slope(make: Make) -> list[float]:
    """How far a box slides in 1 s [m] where it must, and in 10 s where friction holds it."""
    return [_slope(make, SLIDE_TAN, 1.0), _slope(make, HOLD_TAN, 10.0)]


def slide_m() -> float:
    """How far the box slides in 1 s [m]."""
    angle = math.atan(SLIDE_TAN)
    return 0.5 * G * (math.sin(angle) - MU * math.cos(angle))


def stack(make: Make) -> list[float]:
    """Ten boxes after 10 s: deepest overlap and sideways shift of the top [m]."""
    boxes = [Part(0.0, 0.05 + 0.1 * k, width=0.1, height=0.1) for k in range(10)]
    scene = Scene((*boxes, _floor()))
    world = make(scene)
    world.step(_steps(10.0))
    states = world.states()
    return [deepest_overlap(scene, states), abs(states[9, 0])]


def mass_ratio(make: Make) -> list[float]:
    """A box of 100 kg on one of 1 kg after 10 s: deepest overlap and fastest speed [m, m/s]."""
    boxes = [Part(0.0, 0.05 + 0.1 * k, width=0.1, height=0.1, mass=100.0**k) for k in range(2)]
    scene = Scene((*boxes, _floor()))
    world = make(scene)
    world.step(_steps(10.0))
    states = world.states()
    return [deepest_overlap(scene, states), float(np.hypot(*states[:, 3:5].T).max())]


def _pendulum() -> Scene:
    bob = Part(math.sin(SWING_RAD), -math.cos(SWING_RAD), SWING_RAD, radius=0.05)
    return Scene((bob, peg()), (Pin(1, 0, 0.0, 0.0),))


def period_s() -> float:
    """Period of the pendulum [s]."""
    bob = _pendulum().parts[0]
    length = 1.0 + bob.inertia / bob.mass
    return 4.0 * math.sqrt(length / G) * float(ellipk(math.sin(0.5 * SWING_RAD) ** 2))


def pendulum(make: Make) -> list[float]:
    """Period of the first 20 s [s], and energy of the last four swings of 60 s over the first."""
    scene = _pendulum()
    world = make(scene)
    lowest = -scene.parts[0].mass * G
    height = energy(scene, world.states()) - lowest
    angles, energies = [], []
    for _ in range(_steps(60.0)):
        world.step()
        states = world.states()
        angles.append(math.atan2(states[0, 0], -states[0, 1]))
        energies.append((energy(scene, states) - lowest) / height)
    swing = np.array(angles[: _steps(20.0)])
    rising = np.flatnonzero((swing[:-1] < 0.0) & (swing[1:] >= 0.0))
    times = DT * (rising + swing[rising] / (swing[rising] - swing[rising + 1]))
    period = float(np.diff(times).mean())
    return [period, float(np.mean(energies[-round(4 * period / DT) :]))]


def _kept_energy(make: Make, scene: Scene, lowest: float, seconds: float) -> float:
    """Mean energy of the last second over that at the start; `lowest` is the least possible [J]."""
    world = make(scene)
    height = energy(scene, world.states()) - lowest
    world.step(_steps(seconds - 1.0))
    energies = []
    for _ in range(_steps(1.0)):
        world.step()
        energies.append(energy(scene, world.states()))
    return (float(np.mean(energies)) - lowest) / height


def swinging(make: Make) -> list[float]:
    """Energy after 20 s of a double pendulum, after 30 s of a chain of ten, over that before."""
    rods = [Part(0.25 + 0.5 * k, 0.0, width=0.5, height=0.02) for k in range(2)]
    double = Scene((*rods, peg()), (Pin(2, 0, 0.0, 0.0), Pin(0, 1, 0.5, 0.0)))
    parts, pins = chain(0.0, 10, SWING_RAD)
    hanging = sum(-G * part.mass * LINK_M * (k + 0.5) for k, part in enumerate(parts[1:]))
    return [
        _kept_energy(make, double, -G * (0.25 + 0.75), 20.0),
        _kept_energy(make, Scene(tuple(parts), tuple(pins)), hanging, 30.0),
    ]


def stretch(make: Make) -> list[float]:
    """How much longer a chain of 20 links is with a hundred times a link's mass at its end [m]."""
    parts, pins = chain(0.0, 20, 0.0)
    end = LINK_M * 20
    weight = Part(0.0, -end, radius=0.05, mass=100.0 * parts[1].mass)
    pins.append(Pin(20, 21, 0.0, -end))
    world = make(Scene((*parts, weight), tuple(pins)))
    world.step(_steps(9.0))
    lengths = []
    for _ in range(_steps(1.0)):
        world.step()
        lengths.append(float(np.hypot(*world.states()[-1, :2])))
    return [float(np.mean(lengths)) - end]


def _rods_that_pass(make: Make, speed: float) -> int:
    passed = 0
    for k in range(PHASES):
        start = -0.8 - speed * DT * k / PHASES
        rod = Part(0.0, 0.0, start, width=1.0, height=0.02, w=speed)
        pivot = Part(0.0, 0.0, radius=0.005, is_fixed=True)
        target = Part(0.45, 0.0, radius=0.005, is_fixed=True)
        scene = Scene((rod, pivot, target), (Pin(1, 0, 0.0, 0.0),), gravity=(0.0, 0.0))
        world = make(scene)
        farthest = start
        # Long enough to get there and half a radian beyond.
        for _ in range(_steps((0.5 - start) / speed) + 1):
            world.step()
            farthest = max(farthest, world.states()[0, 2])
        passed += farthest > 0.1
    return passed


def rods(make: Make) -> list[float]:
    """How many of 24 rods of 1 m that spin at 10, and at 40 rad/s, get past a peg of 1 cm."""
    return [_rods_that_pass(make, 10.0), _rods_that_pass(make, 40.0)]


def _bullets_that_pass(make: Make, speed: float) -> int:
    passed = 0
    for k in range(PHASES):
        ball = Part(-1.0 - speed * DT * k / PHASES, 0.0, radius=0.05, vx=speed)
        wall = Part(0.0, 0.0, width=0.05, height=2.0, is_fixed=True)
        world = make(Scene((ball, wall), gravity=(0.0, 0.0), top_speed=speed))
        world.step(_steps(3.0 / speed) + 2)
        passed += world.states()[0, 0] > 0.0
    return passed


def bullets(make: Make) -> list[float]:
    """How many of 24 circles of 10 cm at 15, and at 100 m/s, get through a wall of 5 cm."""
    return [_bullets_that_pass(make, 15.0), _bullets_that_pass(make, 100.0)]


def fast_circles_lost(make: Make) -> list[float]:
    """How many of 100 circles of 2 cm at 5 m/s have left a box with walls of 5 cm after 10 s."""
    scene = fast_circles(100, wall=0.05)
    world = make(scene)
    world.step(_steps(10.0))
    return [scene.lost(world.states())]


def _lying_heap(make: Make, bodies: int) -> list[float]:
    scene = heap(bodies)
    world = make(scene)
    world.step(_steps(9.0))
    fastest = 0.0
    for _ in range(10):
        world.step(_steps(0.1))
        fastest = max(fastest, float(np.hypot(*world.states()[:, 3:5].T).max()))
    return [deepest_overlap(scene, world.states()), fastest]


def lying_heaps(make: Make) -> list[float]:
    """Heaps of 100 and 1,000 after 10 s: deepest overlap [m], fastest of the last second [m/s]."""
    return [*_lying_heap(make, 100), *_lying_heap(make, 1_000)]
