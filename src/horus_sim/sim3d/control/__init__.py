"""What moves a robot: joint, drive, gripper and rotor controllers, and the commands they take."""

from horus_sim.sim3d.control.ackermann import AckermannConfig
from horus_sim.sim3d.control.detection import detect_drive, detect_gripper
from horus_sim.sim3d.control.differential_drive import DifferentialDriveConfig
from horus_sim.sim3d.control.drive import Watchdog
from horus_sim.sim3d.control.gripper import GripperConfig
from horus_sim.sim3d.control.joints import JointControlConfig, JointGains
from horus_sim.sim3d.control.pid import PID, PIDConfig
from horus_sim.sim3d.control.quadrotor import QuadrotorConfig
from horus_sim.sim3d.control.result import Clamp, CommandResult
from horus_sim.sim3d.control.robot_control import RobotControl, RobotControlConfig
from horus_sim.sim3d.control.trajectory import JointTrajectory

__all__ = [
    "PID",
    "AckermannConfig",
    "Clamp",
    "CommandResult",
    "DifferentialDriveConfig",
    "GripperConfig",
    "JointControlConfig",
    "JointGains",
    "JointTrajectory",
    "PIDConfig",
    "QuadrotorConfig",
    "RobotControl",
    "RobotControlConfig",
    "Watchdog",
    "detect_drive",
    "detect_gripper",
]
