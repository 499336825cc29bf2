"""Commands of nodes for 2D robots: velocities of the robot or of its wheels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from horus_sim._native import cosine_sine
from horus_sim.errors import CommandError
from horus_sim.hub.messages import CmdVel, JointCommand, JointTrajectory, Twist

if TYPE_CHECKING:
    from horus_sim.hub.simulation_client import RobotCommand
    from horus_sim.sim2d.engine.robot import Robot
    from horus_sim.sim2d.simulation.simulator import Simulator

PATIENCE_NS = 500_000_000
"""Simulated time [ns] after which a robot whose commander is silent stops."""


class Driving:
    """Drives robots for nodes; their controllers wait meanwhile.

    A robot whose commander is silent for half a second of simulated time stops, and its controller
    goes on.

    Args:
        sim: The simulator.
    """

    def __init__(self, sim: Simulator) -> None:
        self._sim = sim
        self._last_ns: dict[str, int] = {}

    def command(self, robot: Robot, command: RobotCommand) -> None:
        """Drives a robot.

        Raises:
            CommandError: It cannot do this.
        """
        for name, speed in wheel_speeds(robot, command).items():
            motor = robot.motors[name]
            motor.command = speed / motor.max_omega
        self._last_ns[robot.id] = self._sim.stamp_ns
        self._sim.held.add(robot.id)

    def before_step(self) -> None:
        """Stops robots whose commanders are silent, and lets their controllers go on."""
        now_ns = self._sim.stamp_ns
        for ident, last_ns in list(self._last_ns.items()):
            if now_ns - last_ns > PATIENCE_NS:
                for motor in self._sim.robots[ident].motors.values():
                    motor.command = 0.0
                del self._last_ns[ident]
                self._sim.held.discard(ident)

    def stop(self) -> None:
        """Nobody drives any more, as when a run begins."""
        self._last_ns.clear()
        self._sim.held.clear()


def wheel_speeds(robot: Robot, command: RobotCommand) -> dict[str, float]:
    """Speeds [rad/s] of the wheels that a command asks for, by motor.

    Raises:
        CommandError: The robot cannot do this.
    """
    if not robot.motors:
        raise CommandError(f"robot '{robot.id}' has no motors; it cannot be driven")
    match command:
        case CmdVel():
            return _moving_speeds(robot, command.linear, 0.0, command.angular)
        case Twist():
            ahead, left, _ = command.linear
            return _moving_speeds(robot, ahead, left, command.angular[2])
        case JointCommand():
            return _joint_speeds(robot, command)
        case JointTrajectory():
            raise CommandError(
                f"robot '{robot.id}' got a JointTrajectory; its wheels take the speeds of a "
                "JointCommand of mode 'velocity' [rad/s]"
            )


def _moving_speeds(robot: Robot, ahead: float, left: float, turn: float) -> dict[str, float]:
    """Speeds [rad/s] of the wheels for a velocity of the robot [m/s, rad/s], robot frame."""
    if not all(math.isfinite(value) for value in (ahead, left, turn)):
        raise CommandError(f"robot '{robot.id}' cannot be driven with numbers that are not finite")
    speeds = {}
    for name, motor in robot.motors.items():
        x, y, theta = motor.mount
        c, s = cosine_sine(theta)
        along = (ahead - turn * y) * c + (left + turn * x) * s
        speeds[name] = along / motor.radius
    # All are slowed down alike, so that the robot keeps to its curve.
    excess = max(abs(speed) / robot.motors[name].max_omega for name, speed in speeds.items())
    return {name: speed / max(1.0, excess) for name, speed in speeds.items()}


def _joint_speeds(robot: Robot, command: JointCommand) -> dict[str, float]:
    if command.mode != "velocity":
        raise CommandError(
            f"robot '{robot.id}' got a JointCommand of mode '{command.mode}'; wheels take "
            "'velocity' [rad/s]"
        )
    speeds = {}
    for name, value in zip(command.names, command.values.tolist(), strict=True):
        if not math.isfinite(value):
            raise CommandError(f"the speed of wheel '{name}' of '{robot.id}' is {value}")
        _ = robot.motors[name]  # an unknown one is told with close names
        speeds[name] = value
    return speeds
