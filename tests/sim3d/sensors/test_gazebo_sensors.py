"""Sensors that a URDF file gives as Gazebo's tags and plugins measure what stands around them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from horus_sim.robots.report import NoteKind
from horus_sim.sim3d import World
from horus_sim.sim3d.sensors.body.odometry import OdometrySensor
from horus_sim.sim3d.sensors.cameras.camera_base import CameraBase

from ..gazebo_robots import CLASSIC_DRIVE, rover

SCENE = """
robots: [{{name: rover, model: rover.urdf, pose: {{xyz: [0, 0, 0.1]}}{robot}}}]
objects:
  - {{name: floor, shape: {{kind: plane}}}}
  - {{name: wall, pose: {{xyz: [2.6, 0, 1]}}, shape: {{kind: box, size: [1, 8, 2]}}}}
{more}
"""
AHEAD = 2.1 - 0.1
"""From the mast to the wall, along x [m]."""


def world_of(tmp_path: Path, tags: str, more: str = "", robot: str = "") -> World:
    (tmp_path / "rover.urdf").write_text(rover(tags))
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE.format(more=more, robot=robot))
    return World.load(path)


def on(link: str, inside: str) -> str:
    return f'<gazebo reference="{link}">{inside}</gazebo>'


def rays(kind: str, plugin: str = "", part: str = "ray") -> str:
    return f"""<sensor name="front" type="{kind}"><update_rate>20</update_rate>{plugin}
      <{part}><scan><horizontal><samples>5</samples><resolution>1</resolution>
      <min_angle>-0.6</min_angle><max_angle>0.6</max_angle></horizontal></scan>
      <range><min>0.1</min><max>9</max></range></{part}></sensor>"""


ROS2 = """<plugin name="scan" filename="libgazebo_ros_ray_sensor.so"><ros>
  <remapping>~/out:=front/scan</remapping></ros><output_type>sensor_msgs/LaserScan</output_type>
  <frame_name>mast</frame_name></plugin>"""
ROS1 = """<plugin name="scan" filename="libgazebo_ros_laser.so"><topicName>/front/scan</topicName>
  <frameName>mast</frameName></plugin>"""


@pytest.mark.parametrize(
    "sensor",
    [
        rays("ray", ROS2),
        rays("ray", ROS1),
        rays("gpu_ray", ROS1.replace("ros_laser", "ros_gpu_laser")),
        rays("gpu_lidar", "<topic>front/scan</topic><gz_frame_id>mast</gz_frame_id>", "lidar"),
    ],
)
def test_a_scanner_measures_the_distance_of_a_wall(tmp_path, sensor):
    world = world_of(tmp_path, on("mast", sensor))
    scanner = world.sensors["rover/front"]
    assert scanner.topic == "rover/front/scan"
    assert scanner.config.rate_hz == 20
    message = scanner.measure()
    assert message.frame_id == "rover/mast"
    np.testing.assert_allclose(message.ranges, AHEAD / np.cos(np.linspace(-0.6, 0.6, 5)), rtol=1e-6)


def test_a_pose_is_that_in_the_link(tmp_path):
    turned = rays("ray").replace("<ray>", "<pose>0.5 0 0 0 0 0.6</pose><ray>")
    message = world_of(tmp_path, on("mast", turned)).sensors["rover/front"].measure()
    assert message.frame_id == "rover/front"
    assert message.ranges[0] == pytest.approx(AHEAD - 0.5, rel=1e-6)


def test_noise_of_a_plugin_is_that_of_the_sensor(tmp_path):
    plugin = ROS1.replace("</plugin>", "<gaussianNoise>0.02</gaussianNoise></plugin>")
    sensor = world_of(tmp_path, on("mast", rays("ray", plugin))).sensors["rover/front"]
    assert sensor.config.noise.std == 0.02


def test_the_nearest_ray_is_the_range(tmp_path):
    rings = (
        "</horizontal><vertical><samples>3</samples><min_angle>-0.1</min_angle>"
        "<max_angle>0.1</max_angle></vertical>"
    )
    tag = rays("ray", ROS1.replace("ros_laser", "ros_range")).replace("</horizontal>", rings)
    sensor = world_of(tmp_path, on("mast", tag)).sensors["rover/front"]
    assert sensor.config.kind == "range"
    assert sensor.config.fov_deg == pytest.approx(math.degrees(0.2))
    assert sensor.measure().range == pytest.approx(AHEAD, rel=1e-6)


HECTOR = """<gazebo><plugin name="imu_controller" filename="libhector_gazebo_ros_imu.so">
  <updateRate>50.0</updateRate><bodyName>mast</bodyName><topicName>imu/data</topicName>
  <accelDrift>0.1 0.2 0.3</accelDrift><accelDriftFrequency>0.125</accelDriftFrequency>
  <rateGaussianNoise>0.005 0.006 0.007</rateGaussianNoise></plugin></gazebo>"""
IMUS = {
    "system": on(
        "mast",
        "<sensor name='imu' type='imu'><update_rate>50</update_rate><topic>imu/data</topic>"
        "</sensor>",
    ),
    "plugin": on(
        "mast",
        "<sensor name='imu' type='imu'><update_rate>50</update_rate><plugin name='p' "
        "filename='libgazebo_ros_imu_sensor.so'><ros><remapping>~/out:=imu/data</remapping></ros>"
        "</plugin></sensor>",
    ),
    "model": HECTOR,
}


@pytest.mark.parametrize("spelling", IMUS)
def test_an_imu_at_rest_reads_gravity(tmp_path, spelling):
    world = world_of(tmp_path, IMUS[spelling])
    imu = world.sensors["rover/imu"]
    assert (imu.topic, imu.config.rate_hz, imu.frame) == ("rover/imu/data", 50, "rover/mast")
    world.step(240)
    message = imu.measure()
    np.testing.assert_allclose(message.linear_acceleration, (0, 0, 9.81), atol=2e-2)
    np.testing.assert_allclose(message.angular_velocity, 0.0, atol=1e-3)


def test_the_noise_of_a_model_plugin(tmp_path):
    config = world_of(tmp_path, HECTOR).sensors["rover/imu"].config
    assert config.gyroscope_noise.std == (0.005, 0.006, 0.007)
    # It settles at its drift, with the time of its frequency: 1 / 0.125 Hz = 8 s.
    assert config.accelerometer_noise.bias_time == pytest.approx(8.0)
    walk = np.array(config.accelerometer_noise.bias_walk)
    np.testing.assert_allclose(walk * math.sqrt(8.0 / 2.0), (0.1, 0.2, 0.3), rtol=1e-9)


CAMERA = """<camera{name}><horizontal_fov>1.2</horizontal_fov><image><width>64</width>
  <height>48</height></image><clip><near>0.2</near><far>7</far></clip>{more}</camera>"""


def camera(kind: str, plugin: str = "", more: str = "") -> str:
    inside = CAMERA.format(name="", more=more)
    return f'<sensor name="eye" type="{kind}"><update_rate>5</update_rate>{inside}{plugin}</sensor>'


@pytest.mark.parametrize(
    ("sensor", "kind", "topic"),
    [
        (
            camera("camera", '<plugin name="p" filename="libgazebo_ros_camera.so"/>'),
            "camera",
            "eye/image_raw",
        ),
        (
            camera(
                "camera",
                '<plugin name="p" filename="libgazebo_ros_camera.so"><cameraName>front</cameraName>'
                "<imageTopicName>image</imageTopicName></plugin>",
            ),
            "camera",
            "front/image",
        ),
        (
            camera("depth", '<plugin name="p" filename="libgazebo_ros_openni_kinect.so"/>'),
            "rgbd_camera",
            "eye/image_raw",
        ),
        (camera("depth_camera"), "depth_camera", "eye/image_raw"),
        (camera("rgbd_camera", "<topic>rgbd</topic>"), "rgbd_camera", "rgbd"),
    ],
)
def test_cameras_of_all_spellings(tmp_path, sensor, kind, topic):
    eye = world_of(tmp_path, on("mast", sensor)).sensors["rover/eye"]
    assert (eye.config.kind, eye.topic) == (kind, f"rover/{topic}")
    assert (eye.config.width, eye.config.height, eye.config.rate_hz) == (64, 48, 5)
    assert eye.config.intrinsics.K[0, 0] == pytest.approx(32 / math.tan(0.6))
    if kind != "camera":
        assert (eye.config.range_min, eye.config.range_max) == (0.2, 7)


def test_lens_and_optical_frame_of_the_file(tmp_path):
    more = (
        "<distortion><k1>-0.1</k1><p2>0.01</p2></distortion>"
        "<optical_frame_id>eye_optical_frame</optical_frame_id>"
    )
    eye = world_of(tmp_path, on("mast", camera("camera", more=more))).sensors["rover/eye"]
    assert eye.config.distortion == (-0.1, 0.0, 0.0, 0.01, 0.0)
    assert isinstance(eye, CameraBase)
    assert eye.optical_frame == "rover/eye_optical_frame"


def test_each_camera_of_several_is_one(tmp_path):
    pair = "".join(
        CAMERA.format(name=f' name="{side}"', more=f"<pose>0 {y} 0 0 0 0</pose>")
        for side, y in (("left", 0.06), ("right", -0.06))
    )
    world = world_of(
        tmp_path, on("mast", f'<sensor name="stereo" type="multicamera">{pair}</sensor>')
    )
    left, right = world.sensors["rover/stereo/left"], world.sensors["rover/stereo/right"]
    apart = left.T_world_sensor.inverse() @ right.T_world_sensor
    np.testing.assert_allclose(apart.translation, (0, -0.12, 0), atol=1e-12)


def test_bumper_force_and_truth(tmp_path):
    tags = (
        on(
            "caster",
            '<sensor name="bumper" type="contact"><update_rate>30</update_rate><contact>'
            "<collision>c</collision></contact><plugin name='b' filename='libgazebo_ros_bumper.so'>"
            "<bumperTopicName>hit</bumperTopicName></plugin></sensor>",
        )
        + on("mast_joint", '<sensor name="ft" type="force_torque"/>')
        + "<gazebo><plugin name='truth' filename='libgazebo_ros_p3d.so'><bodyName>mast</bodyName>"
        "<topicName>truth</topicName><updateRate>40</updateRate></plugin></gazebo>"
        "<gazebo><plugin name='gps' filename='libhector_gazebo_ros_gps.so'>"
        "<bodyName>mast</bodyName><topicName>fix</topicName></plugin></gazebo>"
    )
    world = world_of(tmp_path, tags)
    world.step(240)
    assert world.sensors["rover/bumper"].topic == "rover/hit"
    assert world.sensors["rover/bumper"].read().others == ("floor",)
    assert world.sensors["rover/ft"].config.joint == "mast_joint"
    truth = world.sensors["rover/ground_truth"].measure()
    np.testing.assert_allclose(truth.pose.translation, (0.1, 0, 0.4), atol=2e-2)
    assert world.sensors["rover/gps"].config.kind == "gps"


def test_odometry_counts_the_wheels(tmp_path):
    world = world_of(tmp_path, CLASSIC_DRIVE)
    odometry = world.sensors["rover/odometry"]
    assert (odometry.topic, odometry.config.rate_hz) == ("rover/odom", 25)
    for _ in range(240):
        world.robots["rover"].command(linear=0.4)
        world.step()
    assert isinstance(odometry, OdometrySensor)
    assert odometry.source == "wheels"
    wheels = dict(
        zip(
            world.robots["rover"].joint_names,
            world.robots["rover"].joint_positions(),
            strict=True,
        )
    )
    rolled = 0.1 * 0.5 * (wheels["left_joint"] + wheels["right_joint"])
    message = odometry.measure()
    assert message.child_frame_id == "rover/base_link"
    assert message.pose.translation[0] == pytest.approx(rolled, abs=0.01)


SYSTEMS = """<gazebo><plugin filename="gz-sim-joint-state-publisher-system"
  name="gz::sim::systems::JointStatePublisher"><joint_name>right_joint</joint_name></plugin></gazebo>
<gazebo><plugin filename="gz-sim-odometry-publisher-system"
  name="gz::sim::systems::OdometryPublisher"><odom_publish_frequency>20</odom_publish_frequency>
  <robot_base_frame>base_link</robot_base_frame></plugin></gazebo>
<gazebo><plugin filename="gz-sim-imu-system" name="gz::sim::systems::Imu"/></gazebo>"""


def test_publishers_are_sensors(tmp_path):
    world = world_of(tmp_path, SYSTEMS)
    assert world.sensors["rover/joint_states"].measure().names == ("right_joint",)
    assert world.sensors["rover/joint_states"].topic == "rover/joint_states"
    odometry = world.sensors["rover/odometry"]
    assert isinstance(odometry, OdometrySensor)
    assert (odometry.source, odometry.config.rate_hz) == ("truth", 20)
    text = "plugin 'gz::sim::systems::Imu'"
    (note,) = [note for note in world.report if note.culprit == text]
    assert note.text == "is not needed: it is part of every world here"


def test_a_sensor_of_the_scene_wins(tmp_path):
    tags = on("mast", rays("ray") + "<sensor name='imu' type='imu'/>")
    own = (
        "sensors:\n  - {kind: laser_scan, name: mine, mount: rover/mast, rays: 7}\n"
        "  - {kind: imu, name: imu, mount: rover/base_link}\n"
    )
    world = world_of(tmp_path, tags, own)
    assert set(world.sensors) == {"rover/mine", "rover/imu"}
    assert world.sensors["rover/imu"].config.mount == "rover/base_link"
    replaced = [note.culprit for note in world.report if "of the scene" in note.text]
    assert replaced == ["sensor 'rover/front'", "sensor 'rover/imu'"]


def test_a_robot_may_come_without_its_sensors(tmp_path):
    tags = on("mast", rays("ray"))
    assert not world_of(tmp_path, tags, robot=", sensors: false").sensors


def test_a_robot_brings_its_sensors_into_a_running_world(tmp_path):
    world = world_of(tmp_path, on("mast", rays("ray")))
    second = world.spawn(tmp_path / "rover.urdf", name="second")
    assert "second/front" in world.sensors
    world.remove(second.name)
    assert set(world.sensors) == {"rover/front"}


def test_names_of_links_stay_theirs(tmp_path):
    tags = on("mast", rays("ray").replace('"front"', '"mast"'))
    tags += on("base_link", rays("ray").replace('"front"', '"mast"'))
    world = world_of(tmp_path, tags)
    assert set(world.sensors) == {"rover/mast/mast", "rover/base_link/mast"}
    same = (
        rays("ray").replace('"front"', '"mast"').replace("<ray>", "<pose>1 0 0 0 0 0</pose><ray>")
    )
    sensor = world_of(tmp_path, on("base_link", same)).sensors["rover/mast"]
    assert sensor.frame == "rover/mast_sensor"


@pytest.mark.parametrize(
    ("tags", "culprit", "text"),
    [
        (
            on("mast", "<sensor type='ray'/>"),
            "sensor '' of 'mast'",
            "is left out: needs a name and a type",
        ),
        (
            on("mast", rays("ray").replace("<ray>", "<pose>1 2</pose><ray>")),
            "sensor 'front' of 'mast'",
            "is left out: <pose> = '1 2': needs 6 numbers",
        ),
        (
            on("mast", "<sensor name='g' type='gps'><update_rate>-1</update_rate></sensor>"),
            "sensor 'g' of 'mast'",
            "is left out: <update_rate> -1 must not be negative",
        ),
        (
            HECTOR.replace("mast<", "mats<"),
            "sensor 'imu'",
            "is left out: the robot has no link 'mats'; did you mean 'mast'?",
        ),
        (
            on("mast", rays("ray").replace("<max>9", "<max>0.05")),
            "sensor 'rover/front'",
            "left out: .*'range_min' must be less than 'range_max'",
        ),
    ],
)
def test_what_is_wrong_is_left_out_and_said(tmp_path, tags, culprit, text):
    world = world_of(tmp_path, tags)
    assert not world.sensors
    (note,) = world.report.of(NoteKind.WARNING)
    assert note.culprit == culprit
    with pytest.raises(AssertionError, match=text):
        raise AssertionError(note.text)


@pytest.mark.parametrize(("written", "meant"), [("1e-4", 1e-8), ("2e-8", 2e-8)])
def test_noise_of_a_magnetometer_may_be_in_gauss(tmp_path, written, meant):
    axis = f"<x><noise type='gaussian'><stddev>{written}</stddev></noise></x>"
    tags = f"<sensor name='m' type='magnetometer'><magnetometer>{axis}</magnetometer></sensor>"
    world = world_of(tmp_path, on("mast", tags))
    assert world.sensors["rover/m"].config.noise.std == pytest.approx((meant, 0.0, 0.0))


def test_ranges_are_not_rounded(tmp_path):
    """Gazebo takes no notice of the resolution of ranges; cliff sensors give a metre there."""
    coarse = rays("ray").replace("<max>9</max>", "<max>9</max><resolution>1</resolution>")
    world = world_of(tmp_path, on("mast", coarse))
    assert world.sensors["rover/front"].config.noise.resolution is None


def test_a_wide_angle_camera_takes_a_flat_picture(tmp_path):
    camera = (
        "<sensor name='eye' type='wideanglecamera'><camera><horizontal_fov>3.183</horizontal_fov>"
        "<image><width>32</width><height>24</height></image></camera></sensor>"
    )
    world = world_of(tmp_path, on("mast", camera))
    config = world.sensors["rover/eye"].config
    assert (config.kind, config.fov_deg, config.width) == ("camera", 120.0, 32)
    (note,) = [note for note in world.report if note.culprit == "sensor 'rover/eye'"]
    assert note.text == (
        "a flat picture, at most 120 degrees wide, without the lens of the file, which is left out"
    )


def test_a_sensor_without_counterpart_is_remarked(tmp_path):
    world = world_of(tmp_path, on("mast", "<sensor name='a' type='altimeter'/>"))
    (note,) = world.report.of(NoteKind.IGNORED)
    assert note.text == "the simulator has no sensor of SDF's type 'altimeter'"


def test_colours_of_links(tmp_path):
    tags = on("base_link", "<material>Gazebo/Orange</material>")
    world = world_of(tmp_path, tags)
    (visual,) = world.robots["rover"].description.links[0].visuals
    assert visual.material.rgba == (1.0, 0.51, 0.12, 1.0)
    tags = on("base_link", "<visual><material><diffuse>0.1 0.2 0.3 1</diffuse></material></visual>")
    world = world_of(tmp_path, tags)
    (visual,) = world.robots["rover"].description.links[0].visuals
    assert visual.material.rgba == (0.1, 0.2, 0.3, 1.0)


def test_endless_friction_is_that_of_the_ground(tmp_path):
    tags = on("left_wheel", "<mu1>100000</mu1><mu2>100000</mu2>")
    links = world_of(tmp_path, tags).robots["rover"].description.links
    (wheel,) = [link for link in links if link.name == "left_wheel"]
    assert wheel.collisions[0].surface.friction is None
