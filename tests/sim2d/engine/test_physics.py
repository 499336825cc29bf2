"""The engine from Python: guards, joints, soak, and pymunk as an independent reference."""

from __future__ import annotations

import math
import resource

import numpy as np
import pytest

from horus_sim.errors import BodyStateError, Sim2dError
from horus_sim.sim2d import BatchSimulator, Scenario, Simulator, SolverConfig, WorldConfig
from horus_sim.sim2d.scenario.schema import RobotConfig

from ..makers import body, crowded, scenario


def passive(bodies, joints=(), gravity=(0, 0), solver=None, world=None):
    """A world of bodies without wheels and without friction on the floor."""
    robot = RobotConfig.model_validate({"bodies": bodies, "joints": list(joints)})
    values = {"gravity": list(gravity), **(world or {})}
    made = Scenario.make(WorldConfig.model_validate(values), robot)
    return Simulator(made, top_down=False, solver=solver)


def ball(name, x, y, mass=1.0, radius=0.05, **material):
    return {"name": name, "radius": radius, "pose": [x, y, 0], "mass": mass,
            "inertia": 0.5 * mass * radius**2,
            "material": {"friction": 0.0, **material}}  # fmt: skip


def test_pymunk_agrees_on_an_oblique_elastic_hit():
    pymunk = pytest.importorskip("pymunk")
    space = pymunk.Space()
    peers = []
    for x, y, vx, mass in ((-0.3, 0.0, 1.0, 1.0), (0.0, 0.0, 0.0, 2.5)):
        peer = pymunk.Body(mass, 0.5 * mass * 0.0025)
        peer.position, peer.velocity = (x, y), (vx, 0.0)
        shape = pymunk.Circle(peer, 0.05)
        shape.elasticity, shape.friction = 1.0, 0.0
        space.add(peer, shape)
        peers.append(peer)
    for _ in range(120):
        space.step(1 / 120)
    sim = passive([ball("a", -0.3, 0, restitution=1.0), ball("b", 0, 0, 2.5, restitution=1.0)])
    sim.body("a").set_velocity(1, 0, 0)
    sim.run(1.0)
    for name, peer in zip("ab", peers, strict=True):
        assert sim.body(name).velocity[:2] == pytest.approx(tuple(peer.velocity), abs=1e-9)


def test_nan_is_caught_and_named():
    sim = Simulator(crowded())
    sim._world.set_velocity(sim.body("box_0").index, math.nan, 0, 0)
    sim.run(0.1)
    (warning,) = sim.warnings
    assert (warning.kind, warning.subject) == ("not_finite", "box_0")
    assert "'box_0' had a state that is not finite" in warning.text
    assert np.isfinite(sim._world.states()).all()


def test_speed_caps_are_recorded():
    sim = Simulator(scenario())
    sim.body("chassis").set_velocity(100, 0, 100)
    sim.step()
    assert {w.kind for w in sim.warnings} >= {"linear_speed", "angular_speed"}
    assert math.hypot(*sim.body("chassis").velocity[:2]) <= 15.0


NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("method", "values", "text"),
    [
        (
            "set_pose",
            (NAN, 0, 0),
            "x in the pose of 'robot/box' is nan; give a number from -1000000",
        ),
        ("set_pose", (0, 1e300, 0), r"y in the pose of 'robot/box' is 1e\+300; .* to 1000000 m$"),
        ("set_pose", (0, 0, INF), r"theta in the pose of 'robot/box' is inf; .* to 1000000 rad$"),
        (
            "set_pose",
            (0, 0, "1"),
            r"theta in the pose of 'robot/box' is the str '1'; give a number",
        ),
        (
            "set_velocity",
            (INF, 0, 0),
            r"vx in the velocity of 'robot/box' is inf; .* to 1000000 m/s$",
        ),
        (
            "set_velocity",
            (0, 0, NAN),
            r"w in the velocity of 'robot/box' is nan; .* to 1000000 rad/s$",
        ),
        ("apply_force", (0, NAN), r"fy in the force on 'robot/box' is nan; .* to 1e\+15 N$"),
    ],
)
def test_states_that_no_body_can_have_are_refused(method, values, text):
    sim = passive([body("box")])
    before = sim.world_state()
    with pytest.raises(BodyStateError, match=text):
        getattr(sim.body("box"), method)(*values)
    assert sim.world_state() == before


def test_poses_of_batches_are_checked_too():
    batch = BatchSimulator("empty_plane", 2)
    with pytest.raises(BodyStateError, match="y in the pose of 'chassis' is nan; give a number"):
        batch.set_pose(0, "chassis", (0.0, NAN, 0.0))
    with pytest.raises(BodyStateError, match="of 'chassis' has 2 values; give x, y, theta"):
        batch.set_pose(0, "chassis", (0.0, 0.0))  # type: ignore[arg-type]


def test_steps_out_of_range_are_refused():
    with pytest.raises(Sim2dError, match=r"a step of '0.01' s is not possible"):
        Simulator(scenario()).step("0.01")  # type: ignore[arg-type]
    with pytest.raises(Sim2dError, match=r"a step of 1e-300 s is not .*choose one from 1e-06 to 0"):
        Simulator(scenario()).step(1e-300)
    with pytest.raises(Sim2dError, match=r"a step of 0.5 s is not possible"):
        Simulator(scenario()).step(0.5)
    with pytest.raises(Sim2dError, match=r"n must not be negative, got -1"):
        Simulator(scenario()).step(n=-1)


def test_many_steps_at_once_are_as_many_single_ones():
    one, many = Simulator(crowded()), Simulator(crowded())
    for _ in range(20):
        one.step()
    assert many.step(n=20)
    assert many.steps == 20
    assert one.world_state() == many.world_state()


def test_damping_is_per_second():
    for dt in (1 / 60, 1 / 240):
        sim = passive(
            [ball("a", 0, 0)], solver=SolverConfig(linear_damping=0.7), world={"timestep": dt}
        )
        sim.body("a").set_velocity(1, 0, 0)
        sim.run(1.0)
        assert sim.body("a").velocity[0] == pytest.approx(math.exp(-0.7), rel=1e-9)


def test_a_force_acts_for_one_step():
    sim = passive([ball("a", 0, 0, mass=2.0)])
    sim.body("a").apply_force(3.0, 0.0)
    sim.step()
    sim.step()
    assert sim.body("a").velocity[0] == pytest.approx(3.0 / 2.0 / 120)


def test_a_rigid_joint_keeps_the_angle_and_a_hinge_its_limit():
    bodies = [body("base", can_move=False), body("arm", pose=[0.3, 0, 0.4])]
    joint = {"name": "j", "parent": "base", "child": "arm", "type": "rigid",
             "anchor_parent": [0.1, 0],
             "anchor_child": [-0.2 * math.cos(0.4), 0.2 * math.sin(0.4)]}  # fmt: skip
    sim = passive(bodies, [joint], gravity=(0, -9.81))
    sim.run(2.0)
    assert sim.body("arm").pose == pytest.approx((0.3, 0, 0.4), abs=2e-3)
    hinge = {**joint, "type": "hinge", "lower_limit": -0.3, "upper_limit": 0.9}
    sim = passive(bodies, [hinge], gravity=(0, -9.81))
    sim.run(5.0)
    assert sim.body("arm").pose[2] == pytest.approx(-0.3, abs=1e-3)


def test_a_distance_joint_keeps_the_length_and_a_soft_one_is_a_spring():
    bodies = [body("base", can_move=False), ball("bob", 0, -0.5)]
    joint = {"name": "rope", "parent": "base", "child": "bob", "type": "distance"}
    sim = passive(bodies, [joint], gravity=(0, -9.81))
    sim.body("bob").set_velocity(1.0, 0, 0)
    for _ in range(240):
        sim.step()
        assert math.hypot(*sim.body("bob").pose[:2]) == pytest.approx(0.5, abs=1e-4)
    spring = {**joint, "stiffness": 100.0, "damping": 5.0}
    sim = passive(bodies, [spring], gravity=(0, -9.81))
    sim.run(10.0)
    assert sim.body("bob").pose[1] == pytest.approx(-0.5 - 9.81 / 100, abs=1e-6)


def test_a_thousand_bodies_stay_inside():
    objects = []
    for k in range(1000):
        x, y = -2.35 + 0.15 * (k % 32), -2.35 + 0.15 * (k // 32)
        shape = (
            body(f"b{k}", pose=[x, y, 0.1 * k % 6]) if k % 2 else ball(f"b{k}", x, y, friction=0.5)
        )
        if k % 2:
            shape["points"] = [[-0.05, -0.05], [0.05, -0.05], [0.05, 0.05], [-0.05, 0.05]]
            shape["inertia"] = 1 / 600
        objects.append({"name": f"b{k}", "body": shape})
    world = {
        "shape_objects": objects,
        "bounds": {"min_x": -2.5, "min_y": -2.5, "max_x": 2.5, "max_y": 2.5},
    }
    batch = BatchSimulator(
        Scenario.make(WorldConfig.model_validate(world)),
        1,
        1,
        solver=SolverConfig(ground_friction=0.0),
    )
    random = np.random.default_rng(0)
    for k in range(1000):
        batch._batch.set_velocity(0, k, *random.uniform(-2, 2, 3))
    for _ in range(10):
        batch.step(n=1000)
        poses = batch.poses[0, :1000]
        assert np.isfinite(poses).all()
        assert (abs(poses[:, :2]) < 2.5).all()


def test_resets_do_not_grow_memory():
    batch = BatchSimulator(crowded(), 100, 1)
    ids = np.arange(100)

    def resets(rounds):
        for _ in range(rounds):
            batch.step(np.ones((100, 2)))
            batch.reset(ids)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = resets(50)
    assert resets(500) - before < 2000


def test_a_contact_says_where_it_is():
    sim = passive(
        [
            {"name": "floor", "points": [[-2, -0.5], [2, -0.5], [2, 0.5], [-2, 0.5]],
             "pose": [0, -0.5, 0], "can_move": False},
            ball("ball", 0.7, 0.05),
            body("box", pose=[-0.4, 0.1, 0]),
        ],
        gravity=(0, -9.81),
    )  # fmt: skip
    sim.run(0.5)
    points = {contact.b: contact.point for contact in sim.contacts}
    assert points["robot/ball"] == pytest.approx((0.7, 0.0), abs=3e-3)
    assert points["robot/box"] == pytest.approx((-0.4, 0.0), abs=3e-3)
