"""Friction on the floor, beside a numerical integration of Coulomb friction over the outline."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from horus_sim.sim2d import Scenario, Simulator, WorldConfig
from horus_sim.sim2d.scenario.schema import RobotConfig

from ..makers import body, scenario

MU = 0.3
G = 9.81
Floats = npt.NDArray[np.float64]


def disk_cells(radius: float, count: int = 24) -> Floats:
    """Middles of cells of equal area of a disk [m], shape (cells, 2)."""
    r = radius * np.sqrt((np.arange(count) + 0.5) / count)
    angle = 2 * math.pi * (np.arange(2 * count) + 0.5) / (2 * count)
    return np.stack([np.outer(r, np.cos(angle)).ravel(), np.outer(r, np.sin(angle)).ravel()], 1)


def box_cells(length: float, width: float, count: int = 24) -> Floats:
    """Middles of cells of equal area of a box [m], shape (cells, 2)."""
    share = (np.arange(count) + 0.5) / count - 0.5
    x, y = np.meshgrid(length * share, width * share)
    return np.stack([x.ravel(), y.ravel()], 1)


def integrated(cells: Floats, gyration: float, start: Floats, dt: float = 5e-4) -> Floats:
    """Slides [m] and turns [rad] until rest, shape (cases, 2).

    Args:
        cells: Where the load rests [m], body frame, shape (cells, 2).
        gyration: Squared radius of gyration [m^2].
        start: vx, vy [m/s] and w [rad/s] of each case, shape (cases, 3).
        dt: Length of a step [s].
    """
    pose, v = np.zeros_like(start), start.copy()
    moves = np.ones(len(start), bool)
    while moves.any():
        c, s = np.cos(pose[:, 2:]), np.sin(pose[:, 2:])
        rx, ry = c * cells[:, 0] - s * cells[:, 1], s * cells[:, 0] + c * cells[:, 1]
        sx, sy = v[:, :1] - v[:, 2:] * ry, v[:, 1:2] + v[:, 2:] * rx
        speed = np.sqrt(sx**2 + sy**2) + 1e-9
        fx, fy = -sx / speed, -sy / speed
        push = np.stack([fx.mean(1), fy.mean(1), (rx * fy - ry * fx).mean(1) / gyration], 1)
        after = v + dt * MU * G * push
        moves &= (speed.mean(1) > MU * G * dt) & ((after * v * [1, 1, gyration]).sum(1) > 0)
        pose[moves] += 0.5 * dt * (v + after)[moves]
        v = np.where(moves[:, None], after, 0.0)
    return np.stack([np.hypot(pose[:, 0], pose[:, 1]), pose[:, 2]], 1)


def simulated(shape: dict[str, object], start: Floats, dt: float = 1 / 120) -> Floats:
    """What our bodies do, as `integrated`."""
    objects = [
        {"name": f"b{k}", "body": {"name": f"b{k}", "pose": [10.0 * k, 0, 0], "mass": 0.7,
         "material": {"friction": MU}, **shape}}
        for k in range(len(start))
    ]  # fmt: skip
    world = WorldConfig.model_validate({"shape_objects": objects, "timestep": dt})
    sim = Simulator(Scenario.make(world))
    for k, velocity in enumerate(start):
        sim.body(f"b{k}").set_velocity(*velocity)
    sim.run(2.5)
    found = []
    for k in range(len(start)):
        assert sim.body(f"b{k}").velocity == (0.0, 0.0, 0.0)
        x, y, theta = sim.body(f"b{k}").pose
        found.append((math.hypot(x - 10.0 * k, y), theta))
    return np.array(found)


def box(length: float, width: float) -> dict[str, object]:
    x, y = 0.5 * length, 0.5 * width
    return {"points": [[-x, -y], [x, -y], [x, y], [-x, y]]}


def test_a_disk_that_spins_slides_farther():
    start = np.array([(1.0, 0.0, w) for w in (0.0, 20.0, 39.0)])
    found = simulated({"radius": 0.1}, start)
    # Numbers of an independent integration.
    assert found[:, 0] == pytest.approx([0.170, 0.334, 0.592], rel=0.03)


def test_disks_slide_and_turn_as_the_integral_says():
    start = np.array([(v, 0.0, w) for v in (0.1, 0.3, 1.0, 2.0) for w in (1.0, 5.0, 15.0, 39.0)])
    expected = integrated(disk_cells(0.1), 0.5 * 0.1**2, start)
    # Small steps: here friction is compared, not the order of the integrator.
    found = simulated({"radius": 0.1}, start, dt=1 / 1200)
    assert found == pytest.approx(expected, rel=0.03, abs=2e-3)


@pytest.mark.parametrize("ratio", [1.0, 2.0, 4.0])
def test_boxes_slide_and_turn_as_the_integral_says(ratio):
    length, width = 0.2, 0.2 / ratio
    angles = (0.0, 0.7, math.pi / 2)
    start = np.array(
        [
            (v * math.cos(a), v * math.sin(a), w)
            for a in angles
            for v in (0.3, 1.0, 2.0)
            for w in (2.0, 10.0, 30.0)
        ]
    )
    expected = integrated(box_cells(length, width), (length**2 + width**2) / 12, start)
    found = simulated(box(length, width), start, dt=1 / 1200)
    assert found == pytest.approx(expected, rel=0.08, abs=4e-3)


def test_a_spin_stops_when_the_closed_form_says():
    # Torque 2/3 mu m g r on a disk, and mu m g times the mean distance from the middle on a square.
    mean_of_square = 0.2 * (math.sqrt(2.0) + math.asinh(1.0)) / 6.0
    for shape, arm, gyration in (
        ({"radius": 0.1}, 2 / 3 * 0.1, 0.5 * 0.1**2),
        (box(0.2, 0.2), mean_of_square, 0.2**2 / 6),
    ):
        sim = Simulator(Scenario.make(WorldConfig.model_validate({"shape_objects": [
            {"name": "b", "body": {"name": "b", "material": {"friction": MU}, **shape}}
        ]})))  # fmt: skip
        sim.body("b").set_velocity(0.0, 0.0, 30.0)
        slowing = MU * G * arm / gyration
        sim.run(0.25)
        assert sim.body("b").velocity == pytest.approx((0.0, 0.0, 30.0 - 0.25 * slowing), abs=1e-9)
        left = 30.0 / slowing - sim.time
        sim.run(left - 1 / 120)
        assert sim.body("b").velocity[2] > 0.0
        sim.run(3 / 120)
        assert sim.body("b").velocity == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_what_friction_can_hold_does_not_move(turn):
    shape = {"name": "b", "mass": 2.0, "pose": [0, 0, turn], "material": {"friction": MU}}
    sim = Simulator(Scenario.make(WorldConfig.model_validate({"shape_objects": [
        {"name": "b", "body": {**shape, **box(0.3, 0.1)}}
    ]})))  # fmt: skip
    limit = 2.0 * MU * G
    # Mean distance of a box of 3 to 1 from its middle, summed over its area.
    arm = np.hypot(*box_cells(0.3, 0.1, 400).T).mean()
    for force, torque in ((0.99, 0.0), (0.0, 0.99), (0.7, 0.4), (0.4, 0.8)):
        for _ in range(240):
            sim.body("b").apply_force(force * limit, 0.0, torque * limit * arm)
            sim.step()
        assert sim.body("b").pose == (0, 0, turn)
    for force, torque in ((1.01, 0.0), (0.0, 1.01)):
        for _ in range(60):
            sim.body("b").apply_force(0.0, force * limit, torque * limit * arm)
            sim.step()
        # A hundredth of the limit is left over for half a second.
        speed, spin = 0.01 * MU * G * 0.5, 0.01 * MU * G * arm / (0.1 / 12) * 0.5
        expected = (0.0, speed, 0.0) if force else (0.0, 0.0, spin)
        assert sim.body("b").velocity == pytest.approx(expected, rel=0.02, abs=1e-9)
        sim.run(1.0)
        sim.body("b").set_pose(0, 0, turn)


def test_parts_without_wheels_rub_on_the_floor_and_wheels_roll():
    def robot(**material):
        parts = [body(), body("sled", pose=[2, 0, 0], material={"friction": MU, **material})]
        return Simulator(scenario(bodies=parts, sensors=[]))

    sim = robot()
    sim.body("sled").set_velocity(0.0, 1.0, 0.0)
    sim.run(1.0)
    # The last half step is the integrator's.
    assert sim.body("sled").pose[1] == pytest.approx(0.5 / (MU * G) - 0.5 / 120, rel=1e-3)
    sim = robot(custom={"ground_friction": 0.0})
    sim.body("sled").set_velocity(0.0, 1.0, 0.0)
    sim.run(1.0)
    assert sim.body("sled").velocity == (0.0, 1.0, 0.0)
    # The floor does not brake a body on wheels; turning wheels of no force let it roll.
    wheels = [
        {"name": f"w{k}", "type": "motor", "body": "chassis", "mount_pose": [0, 0.1 * k, 0],
         "params": {"max_force": 0.0}}
        for k in (-1, 1)
    ]  # fmt: skip
    sim = Simulator(scenario(actuators=wheels, sensors=[]))
    sim.body("chassis").set_velocity(1.0, 0.0, 0.0)
    sim.run(1.0)
    assert sim.body("chassis").velocity[0] == pytest.approx(1.0, abs=1e-12)


def test_a_trailer_without_wheels_follows_behind():
    # What is towed drags on the floor, which straightens it; without friction it would swing.
    parts = [body(), {**body("trailer", pose=[-0.3, 0.0, 0.0]), "mass": 0.3,
                      "material": {"friction": 0.2}}]  # fmt: skip
    del parts[1]["inertia"]
    hitch = {"name": "hitch", "parent": "chassis", "child": "trailer", "type": "hinge",
             "anchor_parent": [-0.15, 0], "anchor_child": [0.15, 0]}  # fmt: skip
    robot = RobotConfig.model_validate(
        {"bodies": parts, "joints": [hitch], "actuators": scenario().robots[0].config.actuators}
    )
    sim = Simulator(Scenario.make(WorldConfig(), robot))
    sim.body("trailer").set_velocity(0.0, 0.0, 3.0)
    sim.robots["robot"].drive.drive(0.3, 0.0)
    sim.run(6.0)
    assert sim.body("chassis").pose[0] > 1.0
    assert sim.body("trailer").pose[2] - sim.body("chassis").pose[2] == pytest.approx(0, abs=0.05)
