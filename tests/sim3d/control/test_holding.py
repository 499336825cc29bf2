"""Which joints hold when nobody commands them."""

from __future__ import annotations

from pathlib import Path

import pytest

from horus_sim.robots import load_robot
from horus_sim.robots.description import (
    Inertial,
    Joint,
    JointDynamics,
    JointLimit,
    JointType,
    Link,
    RobotDescription,
)
from horus_sim.sim3d import World
from horus_sim.sim3d.control.joint_servos import Mode
from horus_sim.tf import Transform

LINK = Inertial(1.0, Transform((0.0, 0.0, -0.15)), (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))


def chain(kinds: str, spring: float = 0.0) -> RobotDescription:
    """Links one below the other: 'c' turns without end, 'r' has bounds; the first may be sprung."""
    links = [Link("link0", LINK)]
    joints = []
    for i, kind in enumerate(kinds):
        links.append(Link(f"link{i + 1}", LINK))
        joints.append(
            Joint(
                f"joint{i}",
                JointType.CONTINUOUS if kind == "c" else JointType.REVOLUTE,
                f"link{i}",
                f"link{i + 1}",
                Transform((0.0, 0.0, -0.3)),
                (0.0, 1.0, 0.0),
                limit=JointLimit(*((None, None) if kind == "c" else (-2.0, 2.0))),
                dynamics=JointDynamics(stiffness=spring if i == 0 else 0.0),
            )
        )
    return RobotDescription("chain", tuple(links), tuple(joints), "link0")


@pytest.mark.parametrize(
    ("kinds", "base", "held"),
    [
        ("c", "fixed", "f"),  # a pendulum
        ("cc", "fixed", "ff"),  # two of them
        ("cc", "floating", "ff"),  # a caster
        ("rc", "floating", "hf"),  # a steered wheel
        ("cr", "fixed", "hh"),  # a turning column with an arm
        ("crcr", "floating", "hhhh"),
        ("ccc", "fixed", "hhh"),  # an arm without bounds
        ("rrc", "fixed", "hhh"),  # its wrist
        ("rrc", "floating", "hhf"),  # a leg with a wheel
    ],
)
def test_wheels_and_pendulums_turn_freely_and_arms_hold(kinds: str, base: str, held: str):
    world = World.from_robot(chain(kinds), base=base)  # type: ignore[arg-type]
    mode = world.robots["chain"].control.servos.mode
    assert "".join("h" if each == Mode.POSITION else "f" for each in mode) == held


def test_a_sprung_joint_is_left_to_its_spring():
    world = World.from_robot(chain("rr", spring=50.0))
    assert world.robots["chain"].control.servos.mode.tolist() == [Mode.EFFORT, Mode.POSITION]


def test_an_arm_without_bounds_stays_where_it_is():
    world = World.from_robot(chain("cccc"))
    robot = world.robots["chain"]
    robot.set_joint_positions({f"joint{i}": 0.5 for i in range(4)})
    world.step(480)
    assert robot.joint_positions() == pytest.approx([0.5] * 4, abs=1e-3)


def test_the_wheels_of_a_robot_still_roll():
    world = World.from_robot(load_robot("turtlebot3_burger"), ground=True)
    world.robots["turtlebot3_burger"].command(linear=0.2)
    world.step(100)
    assert world.robots["turtlebot3_burger"].pose.translation[0] > 0.05


def _inertia(moment: float) -> str:
    moments = f'ixx="{moment}" iyy="{moment}" izz="{moment}"'
    return f'<inertia {moments} ixy="0" ixz="0" iyz="0"/></inertial>'


def test_fingers_much_lighter_than_their_robot_are_still(tmp_path: Path):
    """As those of Pepper: 2 mg on a robot of 20 kg, each of which follows the one grip."""
    speck = f'<inertial><origin xyz="0.01 0 0"/><mass value="2e-6"/>{_inertia(1.1e-9)}'
    fingers = "".join(
        f'<link name="f{k}">{speck}</link><joint name="j{k}" type="revolute">'
        f'<parent link="{f"f{k - 1}" if k % 3 else "base"}"/><child link="f{k}"/>'
        '<origin xyz="0.02 0 0"/><axis xyz="0 1 0"/><limit lower="0" upper="1" effort="1" '
        'velocity="5"/><mimic joint="grip" multiplier="0.87"/></joint>'
        for k in range(12)
    )
    path = tmp_path / "hand.urdf"
    path.write_text(
        f'<robot name="r"><link name="base"><inertial><mass value="20"/>{_inertia(1.0)}'
        '<collision><geometry><box size="0.4 0.4 0.4"/></geometry></collision></link>'
        f'<link name="palm">{speck}</link><joint name="grip" type="revolute">'
        '<parent link="base"/><child link="palm"/><axis xyz="0 1 0"/>'
        f'<limit lower="0" upper="1" effort="0.1" velocity="5"/></joint>{fingers}</robot>'
    )
    world = World.from_robot(load_robot(path), ground=True)
    world.step(240)
    fastest = 0.0
    for _ in range(100):
        world.step()
        fastest = max(fastest, float(abs(world.robots["r"].joint_velocities()).max()))
    assert fastest < 0.005  # rad/s; 1.0 with MuJoCo's own tolerance of 1e-8
