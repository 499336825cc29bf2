"""Small robots with Gazebo's tags, as the descriptions of real ones have them."""

from __future__ import annotations

_WHEEL = """
<link name="{side}_wheel"><inertial><mass value="0.5"/>
  <inertia ixx="0.002" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="{side}_joint" type="continuous"><parent link="base_link"/>
  <child link="{side}_wheel"/><origin xyz="0 {y} 0"/><axis xyz="0 1 0"/></joint>"""

_ROVER = """
<robot name="rover">
<link name="base_link"><inertial><origin xyz="-0.05 0 0"/><mass value="4"/>
  <inertia ixx="0.05" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><box size="0.3 0.2 0.05"/></geometry></visual></link>
{wheels}
<link name="caster"><inertial><mass value="0.1"/>
  <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="caster_joint" type="fixed"><parent link="base_link"/><child link="caster"/>
  <origin xyz="-0.2 0 -0.05"/></joint>
<link name="mast"/>
<joint name="mast_joint" type="fixed"><parent link="base_link"/><child link="mast"/>
  <origin xyz="0.1 0 0.3"/></joint>
<gazebo reference="caster"><mu1>0</mu1><mu2>0</mu2></gazebo>
{tags}
</robot>"""


def rover(tags: str = "") -> str:
    """A robot with two driven wheels of radius 0.1 m, 0.4 m apart, and a mast ahead of the axle.

    Args:
        tags: What stands in the file beside.
    """
    wheels = _WHEEL.format(side="left", y=0.2) + _WHEEL.format(side="right", y=-0.2)
    return _ROVER.format(wheels=wheels, tags=tags)


CLASSIC_DRIVE = """
<gazebo><plugin name="drive" filename="libgazebo_ros_diff_drive.so">
  <ros><namespace>/demo</namespace><remapping>cmd_vel:=cmd</remapping></ros>
  <update_rate>25</update_rate><left_joint>left_joint</left_joint>
  <right_joint>right_joint</right_joint><wheel_separation>0.4</wheel_separation>
  <wheel_diameter>0.2</wheel_diameter><max_wheel_torque>20</max_wheel_torque>
  <max_wheel_acceleration>1.0</max_wheel_acceleration>
  <odometry_frame>odom</odometry_frame><robot_base_frame>base_link</robot_base_frame>
</plugin></gazebo>"""

OLD_DRIVE = """
<gazebo><plugin name="drive" filename="libgazebo_ros_diff_drive.so">
  <leftJoint>left_joint</leftJoint><rightJoint>right_joint</rightJoint>
  <wheelSeparation>0.4</wheelSeparation><wheelDiameter>0.2</wheelDiameter>
  <updateRate>25</updateRate><robotBaseFrame>base_link</robotBaseFrame></plugin></gazebo>"""

NEW_DRIVE = """
<gazebo><plugin filename="{file}" name="gz::sim::systems::DiffDrive">
  <left_joint>left_joint</left_joint><right_joint>right_joint</right_joint>
  <wheel_separation>0.4</wheel_separation><wheel_radius>0.1</wheel_radius>
  <odom_publish_frequency>25</odom_publish_frequency><topic>cmd_vel</topic>
  <max_linear_acceleration>1</max_linear_acceleration><frame_id>odom</frame_id>
  <child_frame_id>base_link</child_frame_id></plugin></gazebo>"""

_ROTOR = """
<link name="rotor_{n}"><pose>{x} {y} 0.05 0 0 0</pose><inertial><mass>0.016</mass><inertia>
  <ixx>4e-7</ixx><iyy>2.6e-5</iyy><izz>2.6e-5</izz></inertia></inertial></link>
<joint name="rotor_{n}_joint" type="revolute"><parent>base_link</parent><child>rotor_{n}</child>
  <axis><xyz>0 0 1</xyz><limit><lower>-1e16</lower><upper>1e16</upper></limit></axis></joint>
<plugin filename="gz-sim-multicopter-motor-model-system"
  name="gz::sim::systems::MulticopterMotorModel">
  <jointName>rotor_{n}_joint</jointName><linkName>rotor_{n}</linkName>
  <turningDirection>{turn}</turningDirection><maxRotVelocity>1000.0</maxRotVelocity>
  <motorConstant>9e-06</motorConstant><momentConstant>0.02</momentConstant>
  <motorNumber>{n}</motorNumber><motorType>velocity</motorType></plugin>"""


def multicopter(*, more: str = "") -> str:
    """A quadrotor of 2 kg, its rotors numbered as those of PX4: right ahead, left behind, ...

    Args:
        more: What stands in the model beside.
    """
    places = ((0.17, -0.17, "ccw"), (-0.17, 0.17, "ccw"), (0.17, 0.17, "cw"), (-0.17, -0.17, "cw"))
    rotors = "".join(
        _ROTOR.format(n=n, x=x, y=y, turn=turn) for n, (x, y, turn) in enumerate(places)
    )
    return f"""<sdf version="1.9"><model name="copter"><pose>0 0 0.1 0 0 0</pose>
<link name="base_link"><inertial><mass>2</mass><inertia><ixx>0.0217</ixx><iyy>0.0217</iyy>
  <izz>0.04</izz></inertia></inertial>
  <collision name="c"><geometry><box><size>0.3 0.3 0.1</size></box></geometry></collision>
  <sensor name="imu_sensor" type="imu"><update_rate>250</update_rate></sensor>
  <sensor name="navsat_sensor" type="navsat"><update_rate>30</update_rate></sensor>
  <sensor name="air_pressure" type="air_pressure"><update_rate>50</update_rate></sensor></link>
{rotors}{more}</model></sdf>"""
