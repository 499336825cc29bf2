"""Robots drive and fly as the plugins in their files say."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from horus_sim.robots import load_robot
from horus_sim.robots.report import NoteKind
from horus_sim.sim3d import World
from horus_sim.sim3d.control import DifferentialDriveConfig, RobotControlConfig
from horus_sim.sim3d.control.ackermann import AckermannConfig
from horus_sim.sim3d.control.detection import detect_drive
from horus_sim.sim3d.control.quadrotor import QuadrotorConfig
from horus_sim.sim3d.control.robot_control import Drive
from horus_sim.tf import Transform

from ..gazebo_robots import CLASSIC_DRIVE, NEW_DRIVE, OLD_DRIVE, multicopter, rover

SYSTEMS = (
    "gz-sim-diff-drive-system",
    "libgz-sim8-diff-drive-system.so",
    "ignition-gazebo-diff-drive-system",
    "libignition-gazebo6-diff-drive-system.so",
)


def rover_world(tmp_path: Path, tags: str, *, height: float = 0.1) -> World:
    path = tmp_path / "rover.urdf"
    path.write_text(rover(tags))
    return World.from_robot(load_robot(path), pose=Transform((0, 0, height)), ground=True)


def drive_of(world: World, robot: str) -> Drive:
    drive = world.robots[robot].control.drive
    assert drive is not None
    return drive


@pytest.mark.parametrize(
    "tags", [CLASSIC_DRIVE, OLD_DRIVE, *(NEW_DRIVE.format(file=file) for file in SYSTEMS)]
)
def test_a_rover_drives_the_circle_of_its_wheels(tmp_path, tags):
    world = rover_world(tmp_path, tags)
    robot = world.robots["rover"]
    config = drive_of(world, "rover").config
    assert isinstance(config, DifferentialDriveConfig)
    assert (config.wheel_radius, config.wheel_separation) == (0.1, 0.4)
    rate = 240
    angles = []
    for step in range(5 * rate):
        robot.command(linear=0.5, angular=0.5)
        world.step()
        if step >= rate:  # it has its speed
            angles.append((*robot.pose.translation[:2], robot.pose.to_euler()[2]))
    x, y, yaw = np.array(angles).T
    duration = (len(yaw) - 1) * world.timestep
    assert np.ptp(np.unwrap(yaw)) / duration == pytest.approx(0.5, rel=0.02)
    # The wheels turn by (v -+ w s / 2) / r, whatever friction does.
    wheels = dict(zip(robot.joint_names, robot.joint_velocities(), strict=True))
    assert wheels["left_joint"] == pytest.approx((0.5 - 0.1) / 0.1, rel=0.02)
    assert wheels["right_joint"] == pytest.approx((0.5 + 0.1) / 0.1, rel=0.02)
    # The circle through all points of the path: |p|^2 = 2 p . c + (r^2 - |c|^2).
    fit = np.linalg.lstsq(np.column_stack((2 * x, 2 * y, np.ones_like(x))), x**2 + y**2)[0]
    assert math.sqrt(fit[2] + fit[0] ** 2 + fit[1] ** 2) == pytest.approx(1.0, rel=0.03)


def test_limits_of_the_file_hold(tmp_path):
    limits = "<max_linear_velocity>0.3</max_linear_velocity>"
    tags = NEW_DRIVE.format(file="gz-sim-diff-drive-system").replace("<topic>", limits + "<topic>")
    world = rover_world(tmp_path, tags)
    robot = world.robots["rover"]
    assert robot.command(linear=1.0).clamped[0].given == 0.3
    classic = detect_drive(rover_world(tmp_path, CLASSIC_DRIVE).robots["rover"].description)
    # The rim of each wheel speeds up by 1 m/s^2, on the spot in opposite directions.
    assert isinstance(classic, DifferentialDriveConfig)
    assert classic.max_linear_acceleration == 1.0
    assert classic.max_angular_acceleration == pytest.approx(2 * 1.0 / 0.4)


def test_skid_steering_names_each_wheel(tmp_path):
    tags = OLD_DRIVE.replace("diff_drive", "skid_steer_drive")
    tags = tags.replace("leftJoint>", "leftFrontJoint>").replace("rightJoint>", "rightRearJoint>")
    found = detect_drive(rover_world(tmp_path, tags).robots["rover"].description)
    assert isinstance(found, DifferentialDriveConfig)
    assert (found.left_joints, found.right_joints) == (("left_joint",), ("right_joint",))


def test_a_control_of_ones_own_wins(tmp_path):
    robot = rover_world(tmp_path, CLASSIC_DRIVE).robots["rover"]
    own = DifferentialDriveConfig(
        left_joints=("left_joint",),
        right_joints=("right_joint",),
        wheel_radius=0.2,
        wheel_separation=0.5,
    )
    assert robot.set_control(RobotControlConfig(drive=own)).config.drive is own


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (("left_joint</left", "left_jont</left"), "no joint 'left_jont'; did you mean 'left_joint"),
        (("left_joint</left", "mast_joint</left"), "joint 'mast_joint' is fixed and cannot be"),
        (("0.2</wheel_d", "wide</wheel_d"), r"<wheel_diameter> = 'wide': 'wide' is not a number"),
        (("<right_joint>right_joint</right_joint>", ""), "names no right wheel; add <right_joint>"),
    ],
)
def test_a_wrong_drive_is_left_out_and_said(tmp_path, change, text):
    world = rover_world(tmp_path, CLASSIC_DRIVE.replace(*change))
    notes = [note for note in world.report.of(NoteKind.WARNING) if "drive" in note.culprit]
    assert len(notes) == 1
    with pytest.raises(AssertionError, match=text):
        raise AssertionError(notes[0].text)
    # What its structure suggests is driven all the same.
    assert isinstance(drive_of(world, "rover").config, DifferentialDriveConfig)


def test_a_plugin_without_counterpart_is_named(tmp_path):
    file = "libgazebo_ros_create_docking_status.so"
    tags = f'<gazebo><plugin name="dock" filename="{file}"/></gazebo>'
    report = str(rover_world(tmp_path, tags).report)
    assert f"plugin 'dock' (line 26): has no counterpart here ({file}) and is not run" in report


CAR = """
<gazebo><plugin filename="gz-sim-ackermann-steering-system"
  name="gz::sim::systems::AckermannSteering">
  <left_joint>rear_left</left_joint><right_joint>rear_right</right_joint>
  <left_steering_joint>{left}</left_steering_joint>
  <right_steering_joint>{right}</right_steering_joint><kingpin_width>{pivots}</kingpin_width>
  <steering_limit>0.4</steering_limit><wheel_base>0.5</wheel_base>
  <wheel_separation>0.31</wheel_separation><wheel_radius>0.06</wheel_radius>
  <max_velocity>2</max_velocity></plugin></gazebo>"""


def test_a_car_steers_as_the_file_says(tmp_path):
    car = load_robot("racecar")
    built = detect_drive(car.description)
    assert isinstance(built, AckermannConfig)
    left, right = built.steering_joints
    tags = CAR.format(left=left, right=right, pivots=0.2)
    for name, joint in zip(("rear_left", "rear_right"), built.rear_joints, strict=True):
        tags = tags.replace(f">{name}<", f">{joint}<")
    assert car.description.source is not None
    path = tmp_path / "car.urdf"
    path.write_text(car.description.source.read_text().replace("</robot>", f"{tags}</robot>"))
    found = detect_drive(load_robot(path).description)
    assert isinstance(found, AckermannConfig)
    assert (found.wheelbase, found.pivot_separation, found.wheel_radius) == (0.5, 0.2, 0.06)
    assert (found.max_steering, found.max_speed, found.driven) == (0.4, 2.0, "rear")
    assert found.front_joints == built.front_joints


FLIGHT = """<plugin filename="gz-sim-multicopter-control-system"
 name="gz::sim::systems::MulticopterVelocityControl"><comLinkName>base_link</comLinkName>
 <maximumLinearVelocity>2 2 1.5</maximumLinearVelocity>
 <maximumAngularVelocity>3 3 0.8</maximumAngularVelocity></plugin>"""


def copter_world(tmp_path: Path, text: str) -> World:
    (tmp_path / "copter.sdf").write_text(text)
    path = tmp_path / "scene.yaml"
    path.write_text(
        "include: [{file: copter.sdf}]\nobjects: [{name: floor, shape: {kind: plane}}]\n"
    )
    return World.load(path)


def test_a_multicopter_flies_with_the_rotors_of_its_file(tmp_path):
    world = copter_world(tmp_path, multicopter(more=FLIGHT))
    robot = world.robots["copter"]
    config = drive_of(world, "copter").config
    assert isinstance(config, QuadrotorConfig)
    assert (config.thrust_constant, config.drag, config.max_rotor_speed) == (9e-6, 0.02, 1000.0)
    assert (config.max_linear, config.max_angular) == (1.5, 0.8)
    # The first turns clockwise and the next one, counter-clockwise seen from above, does not.
    assert config.rotor_joints[0] in ("rotor_2_joint", "rotor_3_joint")
    assert set(config.rotor_joints[::2]) == {"rotor_2_joint", "rotor_3_joint"}
    world.step(60)
    start = robot.pose.translation
    for _ in range(480):
        robot.command(linear=(0.5, 0.0, 1.0), angular=0.3)
        world.step()
    moved = np.subtract(robot.pose.translation, start)
    assert moved[2] == pytest.approx(2.0, abs=0.5)
    assert math.hypot(moved[0], moved[1]) == pytest.approx(1.0, abs=0.35)
    assert robot.velocity[0][2] == pytest.approx(1.0, abs=0.05)
    assert robot.velocity[1][2] == pytest.approx(0.3, abs=0.02)
    # It weighs 2 kg and its rotors: each has a quarter of it to carry, by k w^2.
    mass = float(world.model.body_subtreemass[robot.body_id("base_link")])
    hover = math.sqrt(mass * 9.8 / 4 / 9e-6)
    assert hover < config.max_rotor_speed


def test_rotors_that_do_not_alternate_are_no_quadrotor_of_the_file(tmp_path):
    text = multicopter().replace("ccw", "cw")
    config = drive_of(copter_world(tmp_path, text), "copter").config
    # Its structure says that it is one, of the usual size.
    assert isinstance(config, QuadrotorConfig)
    assert config.thrust_constant != 9e-6


def test_a_model_with_a_position_controller_is_held(tmp_path):
    text = """<sdf version="1.9"><model name="arm"><link name="base"/>
      <joint name="weld" type="fixed"><parent>world</parent><child>base</child></joint>
      <link name="rod"><pose>0 0 0.5 0 0 0</pose><inertial><mass>1</mass><pose>0.3 0 0 0 0 0</pose>
        <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>
      <joint name="hinge" type="revolute"><parent>base</parent><child>rod</child>
        <axis><xyz>0 1 0</xyz></axis></joint>{plugin}</model></sdf>"""
    plugin = """<plugin filename="{file}"
      name="gz::sim::systems::JointPositionController"><joint_name>hinge</joint_name>
      <p_gain>50</p_gain></plugin>"""
    for file, held in (("gz-sim-joint-position-controller-system", True), (None, False)):
        path = tmp_path / "arm.sdf"
        path.write_text(text.format(plugin=plugin.format(file=file) if file else ""))
        world = World.load(path)
        assert world.robots["arm"].has_control is held
        world.step(240)
        angle = abs(float(world.robots["arm"].joint_positions()[0]))
        assert (angle < 0.01) is held
