"""Worlds: time, states, what is added and removed, transforms, errors."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from horus_sim.errors import CommandError, PhysicsError, SceneError, Sim3dError, UnknownNameError
from horus_sim.robots.description import (
    Box,
    Collision,
    Cylinder,
    Inertial,
    Joint,
    JointDynamics,
    JointLimit,
    JointType,
    Link,
    Mimic,
    RobotDescription,
    Sphere,
)
from horus_sim.sim3d import ObjectConfig, PhysicsConfig, RobotConfig, Scene, World, WorldSnapshot
from horus_sim.tf import TFBuffer, Transform


def inertial(mass: float, z: float = 0.0) -> Inertial:
    moment = 0.01 * mass
    return Inertial(mass, Transform((0, 0, z)), (moment, moment, moment, 0, 0, 0))


def arm(name: str = "arm") -> RobotDescription:
    """Two links on a post, and a finger that follows the second joint."""
    return RobotDescription(
        name,
        (
            Link("post", inertial(2.0), (), (Collision(Box((0.1, 0.1, 0.4))),)),
            Link("upper", inertial(1.0, 0.2), (), (Collision(Cylinder(0.03, 0.3)),)),
            Link("lower", inertial(0.5, 0.2), (), (Collision(Cylinder(0.02, 0.3)),)),
            Link("finger", inertial(0.1), (), (Collision(Sphere(0.02)),)),
            Link("tip"),
        ),
        (
            Joint(
                "shoulder",
                JointType.REVOLUTE,
                "post",
                "upper",
                Transform((0, 0, 0.4)),
                (0, 1, 0),
                limit=JointLimit(-2.0, 2.0, 50.0, 3.0),
            ),
            Joint(
                "elbow",
                JointType.REVOLUTE,
                "upper",
                "lower",
                Transform((0, 0, 0.4)),
                (0, 1, 0),
                limit=JointLimit(-2.5, 2.5, 50.0, 3.0),
            ),
            Joint(
                "grip",
                JointType.PRISMATIC,
                "lower",
                "finger",
                Transform((0, 0, 0.4)),
                (1, 0, 0),
                mimic=Mimic("elbow", 0.01, 0.002),
            ),
            Joint("mount", JointType.FIXED, "lower", "tip", Transform((0, 0, 0.5))),
        ),
        "post",
    )


def ball(name: str, z: float = 1.0, **options: Any) -> ObjectConfig:
    return ObjectConfig.model_validate(
        {
            "name": name,
            "shape": {"kind": "sphere", "radius": 0.1},
            "dynamic": True,
            "pose": {"xyz": [0.0, 0.0, z]},
            **options,
        }
    )


def scene(*objects: ObjectConfig, **options: Any) -> Scene:
    ground = ObjectConfig.model_validate({"name": "ground", "shape": {"kind": "plane"}})
    return Scene(objects=(ground, *objects), **options)


def digest(world: World) -> str:
    return hashlib.sha256(world.snapshot().to_bytes()).hexdigest()


# --- time ---


def test_time_is_an_exact_multiple_of_the_step():
    world = World.load(scene())
    world.step(7 * 240)
    assert world.time == 7.0
    assert world.stamp_ns == 7_000_000_000
    assert world.steps == 1680
    assert world.data.time == 7.0


def test_reset_returns_to_the_start_bit_by_bit():
    world = World.load(scene(ball("ball")), seed=3)
    first = digest(world)
    draws = world.rng.random(4)
    world.step(100)
    assert digest(world) != first
    world.reset()
    assert world.time == 0.0
    assert digest(world) == first
    np.testing.assert_array_equal(world.rng.random(4), draws)
    world.reset(seed=4)
    assert not np.array_equal(world.rng.random(4), draws)


# --- states ---


def test_a_saved_state_replays_bit_by_bit(tmp_path: Path):
    world = World.load(scene(ball("a"), ball("b", 1.25)))
    arm_robot = world.spawn(arm(), pose=Transform((1.0, 0.0, 0.2)))
    world.step(150)
    state = world.snapshot()
    world.step(200)
    end = digest(world)
    world.apply_snapshot(state)
    assert world.steps == 150
    world.step(200)
    assert digest(world) == end
    world.apply_snapshot(WorldSnapshot.from_bytes(state.to_bytes()))
    world.step(200)
    assert digest(world) == end
    state.save(tmp_path / "state")
    world.apply_snapshot(WorldSnapshot.load(tmp_path / "state"))
    world.step(200)
    assert digest(world) == end
    assert world.robots["arm"] is arm_robot


def test_a_state_goes_to_another_world_of_the_same_parts():
    one, two = (World.load(scene(ball("a"))) for _ in range(2))
    one.step(300)
    two.apply_snapshot(one.snapshot())
    assert digest(one) == digest(two)
    assert two.tf.lookup_transform("a", "world") == one.tf.lookup_transform("a", "world")


def test_commands_are_part_of_the_state_of_any_world():
    one, two = World.load("warehouse", seed=3), World.load("warehouse", seed=9)
    one.robots["burger"].command(linear=0.2, angular=0.5)
    one.step(60)
    two.apply_snapshot(one.snapshot())
    for world in (one, two):
        world.step(30)
        world.robots["burger"].command(linear=-0.1, angular=0.5)
        world.step(30)
    assert digest(one) == digest(two)
    assert one.robots["burger"].velocity[1][2] > 0.1


def test_contacts_are_known_right_after_loading():
    world = World.load(scene(ball("a", 0.0999)))
    world.step(20)
    state = world.snapshot()
    world.step(20)
    world.apply_snapshot(state)
    assert [contact.bodies for contact in world.contacts] == [("ground", "a")]


def test_a_state_of_other_parts_is_refused():
    one, two = World.load(scene(ball("a"))), World.load(scene(ball("b")))
    with pytest.raises(Sim3dError, match=r"belongs to a world with ground, a; this one has .*b"):
        two.apply_snapshot(one.snapshot())


def test_bytes_that_are_no_state_are_refused():
    world = World.load(scene())
    good = world.snapshot().to_bytes()
    for data, cause in (
        (b"", "do not begin as one"),
        (b"\x80", "do not begin as one"),
        (b"nonsense" * 9, "do not begin as one"),
        (good[:4] + b"\x02\x00" + good[6:], "of version 2, and this release reads version 3"),
        (good[:-1], r"have \d+ bytes of content instead of"),
        (good[:-1] + bytes([good[-1] ^ 1]), "altered: the checksum does not fit"),
    ):
        with pytest.raises(Sim3dError, match=f"hold no state of a world: they .*{cause}.*; give"):
            WorldSnapshot.from_bytes(data)


def test_files_that_hold_no_state_are_refused(tmp_path: Path):
    file = tmp_path / "state"
    with pytest.raises(Sim3dError, match=r"state' cannot be read: No such file.*; check the path"):
        WorldSnapshot.load(file)
    file.write_bytes(b"nonsense" * 9)
    text = "the bytes of '.*state' hold no state of a world: they do not begin.*; save the snapshot"
    with pytest.raises(Sim3dError, match=text):
        WorldSnapshot.load(file)


def test_every_altered_byte_of_a_state_is_refused():
    data = World.load(scene()).snapshot().to_bytes()
    for position in range(len(data)):
        for change in (0x01, 0x80, 0xFF):
            altered = bytearray(data)
            altered[position] ^= change
            with pytest.raises(Sim3dError, match="hold no state of a world"):
                WorldSnapshot.from_bytes(bytes(altered))


def test_a_controller_is_part_of_the_state():
    class Counter:
        def __init__(self) -> None:
            self.count = 0

        def update(self, world: World, dt: float) -> None:
            self.count += 1
            assert dt == world.timestep

        def get_state(self) -> int:
            return self.count

        def set_state(self, state: int) -> None:
            self.count = state

        def reset(self) -> None:
            self.count = 0

    world = World.load(scene())
    counter = Counter()
    world.controllers.append(counter)
    world.step(5)
    state = world.snapshot()
    world.step(3)
    assert counter.count == 8
    world.apply_snapshot(state)
    assert counter.count == 5
    world.reset()
    assert counter.count == 0


PROGRAM = """
import hashlib, sys
from horus_sim.sim3d import Scene, World
objects = [{"name": "ground", "shape": {"kind": "plane"}}]
shapes = [{"kind": "box", "size": [0.2, 0.2, 0.2]}, {"kind": "sphere", "radius": 0.1},
          {"kind": "cylinder", "radius": 0.1, "length": 0.2}]
for i in range(6):
    pose = {"xyz": [0.05 * i, 0.03 * i, 0.3 + 0.25 * i], "rpy_deg": [10 * i, 20, 5]}
    objects.append({"name": f"thing{i}", "shape": shapes[i % 3], "dynamic": True, "pose": pose})
world = World.load(Scene.model_validate({"objects": objects}), seed=7)
for _ in range(10):
    world.step(1000)
    thing = world.objects["thing0"]
    thing.set_velocity(linear=tuple(world.rng.normal(size=3)))
print(hashlib.sha256(world.snapshot().to_bytes()).hexdigest(), world.steps)
"""


def test_two_processes_agree_on_every_bit_after_ten_thousand_steps():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].split()[1] == "10000"


# --- adding, removing, moving ---


def qpos_of(world: World, name: str) -> np.ndarray:
    joint = world.model.joint(f"{name}#free")
    return np.concatenate(
        (
            world.data.qpos[joint.qposadr[0] : joint.qposadr[0] + 7],
            world.data.qvel[joint.dofadr[0] : joint.dofadr[0] + 6],
            world.data.qacc_warmstart[joint.dofadr[0] : joint.dofadr[0] + 6],
        )
    )


def test_spawning_and_removing_keep_the_state_of_everything_else():
    world = World.load(scene(ball("a"), ball("b", 1.21)))
    world.spawn(arm(), pose=Transform((1.0, 0.0, 0.2)))
    robot = world.robots["arm"]
    world.step(120)
    before = {name: qpos_of(world, name) for name in "ab"}
    joints, velocities = robot.joint_positions(), robot.joint_velocities()
    generation = world.generation
    world.spawn(ball("c", 3.0))
    world.remove("a")
    assert world.generation == generation + 2
    assert set(world.objects) == {"ground", "b", "c"}
    np.testing.assert_array_equal(qpos_of(world, "b"), before["b"])
    np.testing.assert_array_equal(robot.joint_positions(), joints)
    np.testing.assert_array_equal(robot.joint_velocities(), velocities)
    assert world.steps == 120
    assert not world.tf.has_frame("a")
    assert world.tf.lookup_transform("c", "world").translation[2] == 3.0
    world.step(10)


def test_a_robot_can_be_spawned_by_configuration_under_another_name():
    world = World.load(scene())
    config = RobotConfig(model="turtlebot3_burger", name="x")
    robot = world.spawn(config, name="y", pose=Transform((1.0, 2.0, 0.01)))
    assert robot.name == "y"
    assert world.tf.has_frame("y/base_link")
    assert world.tf.lookup_transform("y/base_footprint", "world").translation[1] == 2.0
    other = world.spawn("turtlebot3_burger", name="z", pose=Transform((3.0, 0.0, 0.01)))
    assert {robot.name, other.name} == set(world.robots)
    world.step(5)


def test_what_is_spawned_far_away_changes_nothing():
    one, two = (World.load(scene(ball("a"))) for _ in range(2))
    for world in (one, two):
        world.step(60)
    two.spawn(ball("far", 50.0))
    for world in (one, two):
        world.step(60)
    np.testing.assert_allclose(qpos_of(one, "a"), qpos_of(two, "a"), atol=1e-12)


def test_moving_places_at_rest():
    world = World.load(scene(ball("a", 5.0)))
    world.step(50)
    T = Transform.from_euler((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
    world.move("a", T)
    assert world.objects["a"].pose.is_close(T)
    assert not np.any(world.objects["a"].velocity)
    assert world.tf.lookup_transform("a", "world").is_close(T)


def test_a_held_robot_and_a_static_object_can_be_moved():
    world = World.load(scene())
    world.spawn(arm(), pose=Transform((0.0, 0.0, 0.2)))
    world.step(10)
    T = Transform.from_euler((2.0, 0.0, 0.2), (0.0, 0.0, 1.0))
    world.move("arm", T)
    world.move("ground", Transform((0.0, 0.0, -1.0)))
    assert world.robots["arm"].pose.is_close(T)
    assert world.tf.lookup_transform("arm/post", "world").is_close(T)
    assert world.tf.lookup_transform("ground", "world").translation[2] == -1.0
    tip = world.tf.lookup_transform("arm/tip", "world")
    assert tip.is_close(world.robots["arm"].link_pose("tip"), 1e-9, 1e-9)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda world: world.spawn(ball("a")), "has a 'a' already; give another name"),
        (lambda world: world.remove("aa"), "no robot or object 'aa'; did you mean 'a'"),
        (lambda world: world.move("b", Transform()), "no robot or object 'b'; known: a, ground"),
        (lambda world: world.objects["grond"], "no object 'grond'; did you mean 'ground'"),
        (lambda world: world.robots["arm"], "no robot 'arm'; it has no robot"),
        (lambda world: world.objects["ground"].set_velocity(), "it is held by the world"),
    ],
)
def test_wrong_names_are_explained(action: Any, message: str):
    world = World.load(scene(ball("a")))
    with pytest.raises((SceneError, UnknownNameError), match=message):
        action(world)


def test_an_unknown_robot_is_also_a_key_error():
    world = World.load(scene())
    with pytest.raises(KeyError):
        world.robots["arm"]
    with pytest.raises(UnknownNameError):
        world.robots["arm"]


# --- robots ---


def test_joints_can_be_set_and_followers_follow():
    world = World.from_robot(arm())
    robot = world.robots["arm"]
    assert robot.joint_names == ("shoulder", "elbow", "grip")
    robot.set_joint_positions({"elbow": 1.0})
    np.testing.assert_allclose(robot.joint_positions(), (0.0, 1.0, 0.012))
    T_world_tip = world.tf.lookup_transform("tip", "world")
    expected = Transform((0, 0, 0.8)) @ Transform.from_euler((0, 0, 0), (0, 1.0, 0))
    assert T_world_tip.is_close(expected @ Transform((0, 0, 0.5)), 1e-12, 1e-12)
    robot.set_joint_positions({"grip": 0.5})
    assert robot.joint_positions()[2] == 0.5


def test_a_held_arm_keeps_its_pose_and_a_free_one_falls():
    held, free = World.from_robot(arm()), World.from_robot(arm(), hold=False)
    for world in (held, free):
        world.robots["arm"].set_joint_positions({"shoulder": 0.8, "elbow": 0.4})
        world.step(480)
    np.testing.assert_allclose(held.robots["arm"].joint_positions()[:2], (0.8, 0.4), atol=0.02)
    assert abs(free.robots["arm"].joint_positions()[0] - 0.8) > 0.3


def test_a_follower_follows_in_motion():
    world = World.from_robot(arm(), hold=False)
    robot = world.robots["arm"]
    robot.set_joint_positions({"shoulder": 0.8, "elbow": 0.4})
    world.step(200)
    _, elbow, grip = robot.joint_positions()
    assert abs(elbow - 0.4) > 0.1
    assert grip == pytest.approx(0.01 * elbow + 0.002, abs=2e-4)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda robot: robot.set_joint_positions({"sholder": 0}), "did you mean 'shoulder'"),
        (lambda robot: robot.set_joint_positions({"elbow": np.nan}), "cannot be at nan"),
        (lambda robot: robot.set_joint_velocities({"x": 0}), "known: elbow, grip, shoulder"),
        (lambda robot: robot.set_joint_velocities({"elbow": np.inf}), "not finite"),
        (lambda robot: robot.link_pose("lowr"), "did you mean 'lower'"),
        (lambda robot: robot.frame("hand"), "has no link 'hand'"),
        (lambda robot: robot.set_joint_positions({"elbow": Transform()}), "no ball joint 'elbow'"),
    ],
)
def test_wrong_joints_and_links_are_explained(action: Any, message: str):
    with pytest.raises(CommandError, match=message):
        action(World.from_robot(arm()).robots["arm"])


def test_link_velocities_are_those_of_rigid_bodies():
    world = World.from_robot(arm())
    robot = world.robots["arm"]
    robot.set_joint_velocities({"shoulder": 0.5})
    linear, angular = robot.link_velocity("tip")
    np.testing.assert_allclose(angular, (0.0, 0.5, 0.0), atol=1e-12)
    np.testing.assert_allclose(linear, (0.5 * 0.9, 0.0, 0.0), atol=1e-12)


# --- transforms ---


def test_transforms_are_those_of_the_engine_in_every_step():
    world = World.load(scene(ball("a")))
    world.spawn(arm(), pose=Transform((1.0, 0.0, 0.2)))
    world.robots["arm"].release()
    world.robots["arm"].set_joint_positions({"shoulder": 1.0})
    tree = world.tf
    for _ in range(20):
        world.step(3)
        reference = mujoco.MjData(world.model)
        reference.qpos[:] = world.data.qpos
        reference.mocap_pos[:] = world.data.mocap_pos
        reference.mocap_quat[:] = world.data.mocap_quat
        mujoco.mj_kinematics(world.model, reference)
        for frame in ("a", "arm/upper", "arm/lower", "arm/finger", "arm/tip"):
            T = tree.lookup_transform(frame, "world", world.stamp_ns)
            body = reference.body(frame)
            np.testing.assert_allclose(T.translation, body.xpos, atol=1e-12)
            np.testing.assert_allclose(T.to_matrix()[:3, :3], body.xmat.reshape(3, 3), atol=1e-12)


def test_the_tree_remembers_the_last_seconds():
    world = World.load(scene(ball("a", 50.0)))
    world.step(480)
    fallen = [
        50.0 - world.tf.lookup_transform("a", "world", stamp).translation[2]
        for stamp in (0, 1_000_000_000, 2_000_000_000)
    ]
    assert fallen == pytest.approx([0.0, 4.905, 19.62], rel=0.01)


def test_all_frames_hang_from_the_world_and_fixed_ones_are_static():
    world = World.load(scene(ball("a")))
    world.spawn(arm())
    world.step(2)
    frames = {frame.name: frame for frame in world.tf.frames()}
    assert set(frames) == {
        "world", "ground", "a", "arm/post", "arm/upper", "arm/lower", "arm/finger", "arm/tip"
    }  # fmt: skip
    assert {name for name, frame in frames.items() if frame.is_static} >= {"ground", "arm/tip"}
    assert not frames["arm/upper"].is_static
    assert frames["arm/tip"].parent == "arm/lower"
    assert world.tf.validate().roots == ("world",)


def test_a_waiting_reader_is_woken_by_a_step():
    world = World.load(scene(ball("a")))
    buffer = TFBuffer(world.tf)
    found: list[Transform] = []

    def wait() -> None:
        found.append(buffer.wait_for_transform("a", "world", world.stamp_ns + 1000, timeout=60.0))

    reader = threading.Thread(target=wait)
    reader.start()
    while not world.tf.is_watched:
        time.sleep(0.001)
    world.step()
    reader.join()
    assert len(found) == 1
    assert not world.tf.is_watched


def test_a_root_called_world_is_the_world():
    description = RobotDescription(
        "fixed",
        (Link("world"), Link("arm", inertial(1.0))),
        (Joint("hinge", JointType.CONTINUOUS, "world", "arm", Transform((0, 0, 1.0))),),
        "world",
    )
    world = World.from_robot(description)
    assert set(world.tf.get_all_frames()) == {"world", "arm"}
    assert world.tf.lookup_transform("arm", "world").translation[2] == 1.0


def test_two_things_with_the_same_frame_are_refused_and_nothing_changes():
    world = World.from_robot(arm())
    world.step(5)
    before = digest(world)
    with pytest.raises(SceneError, match="two frames are called 'post'"):
        world.spawn(ball("post"))
    assert digest(world) == before
    world.step(5)


# --- divergence ---


def test_a_divergence_names_the_body_and_keeps_the_last_good_state(
    tmp_path: Path, monkeypatch: Any
):
    monkeypatch.chdir(tmp_path)
    world = World.load(scene(ball("good", 5.0), ball("bad", 9.0)))
    world.step(24)

    class Attack:
        def update(self, world: World, dt: float) -> None:
            if world.steps == 30:
                body = world.model.body("bad").id
                world.data.xfrc_applied[body, 0] = 1e30

    world.controllers.append(Attack())
    with pytest.raises(PhysicsError, match=r"motion of 'bad' diverged after 0\.125 s") as caught:
        world.step(24)
    assert caught.value.body == "bad"
    assert caught.value.time == world.time == 0.125
    assert np.isfinite(world.data.qpos).all()
    state = world.snapshot()
    world.apply_snapshot(state)
    world.controllers.clear()
    world.data.xfrc_applied[:] = 0.0
    world.step(24)
    assert list(tmp_path.iterdir()) == []


def test_not_a_number_in_the_state_is_a_divergence():
    world = World.load(scene(ball("a", 5.0)))
    world.data.qvel[2] = np.nan
    with pytest.raises(PhysicsError, match="'a' diverged after 0 s"):
        world.step()


def test_a_too_stiff_joint_diverges_with_an_error_not_with_nonsense():
    description = RobotDescription(
        "spring",
        (Link("base"), Link("light", Inertial(1e-3, Transform(), (1e-6, 1e-6, 1e-6, 0, 0, 0)))),
        (
            Joint(
                "stiff",
                JointType.PRISMATIC,
                "base",
                "light",
                dynamics=JointDynamics(armature=0.0, stiffness=1e9, spring_reference=1.0),
            ),
        ),
        "base",
    )
    physics = PhysicsConfig(timestep=0.01, integrator="implicitfast")
    world = World.from_robot(description, hold=False, physics=physics)
    with pytest.raises(PhysicsError, match="'spring/light' diverged"):
        world.step(1000)


def test_state_bytes_are_deterministic():
    world = World.load(scene(ball("a")))
    data = world.snapshot().to_bytes()
    assert WorldSnapshot.from_bytes(data).to_bytes() == data


def test_equal_snapshots_are_equal():
    world = World.load("tabletop")
    first = world.snapshot()
    assert first == world.snapshot()
    world.step()
    assert first != world.snapshot()
    assert first != 1
