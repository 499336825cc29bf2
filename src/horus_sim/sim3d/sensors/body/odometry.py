"""Odometry: where a robot believes itself to be, from its wheels or from a truth that drifts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from horus_sim.errors import SceneError
from horus_sim.files.config import Positive
from horus_sim.hub.messages import Odometry
from horus_sim.sim3d.scene.base import Name
from horus_sim.sim3d.sensors.body.ground_truth import true_motion
from horus_sim.sim3d.sensors.measured_world import DeadReckoning
from horus_sim.sim3d.sensors.noise import NoiseConfig, NoiseWithoutDropout
from horus_sim.sim3d.sensors.rotations import from_rotation_vector, rotate, to_rotation_vector
from horus_sim.sim3d.sensors.sensor import Sensor, SensorConfig
from horus_sim.tf import Transform
from horus_sim.time import NS_PER_S


class OdometryConfig(SensorConfig):
    """Dead reckoning.

    Attributes:
        source: 'wheels' for the odometry of the robot's drive, 'truth' for the true motion since
            the start, 'auto' for the wheels where the robot has any.
        odom_frame: Frame of the poses; 'odom' with the prefix of the robot unless given.
        linear_scale_noise: Relative error of distances, such as ``bias_std=0.02`` for a wheel
            radius that is two percent wrong, or ``bias_walk`` for one that changes.
        angular_scale_noise: Relative error of angles.
    """

    kind: Literal["odometry"] = "odometry"
    name: Name = "odometry"
    rate_hz: Positive = 50.0
    source: Literal["auto", "wheels", "truth"] = "auto"
    odom_frame: Name | None = None
    linear_scale_noise: NoiseWithoutDropout = NoiseConfig()
    angular_scale_noise: NoiseWithoutDropout = NoiseConfig()


class OdometrySensor(Sensor[OdometryConfig, Odometry], config=OdometryConfig):
    """Adds up motion since the start; errors add up with it and never heal.

    Attributes:
        odom_frame: Frame of the poses; not a frame of ``world.tf``.
    """

    NOISE: ClassVar = {"linear": "linear_scale_noise", "angular": "angular_scale_noise"}

    def _bind(self) -> None:
        mount = self.mount
        prefix = mount.frame.removesuffix(mount.link) if mount.link else ""
        self.odom_frame = self.config.odom_frame or f"{prefix}odom"
        is_mount = self.T_mount_sensor == Transform.identity()
        self._child = mount.frame if is_mount else self.frame
        if self.config.source == "wheels" and self._wheels() is None:
            raise SceneError(
                f"sensor '{self.name}' takes its odometry from wheels, but '{mount.frame}' belongs "
                "to no robot with a wheeled drive; use source 'truth'"
            )

    @property
    def source(self) -> Literal["wheels", "truth"]:
        """Where the motion comes from now."""
        return "truth" if self._wheels() is None else "wheels"

    def measure(self) -> Odometry:
        """Pose since the start, and velocities in the frame of the robot.

        The wheels are read before each step, and the message is stamped with that time.
        """
        wheels = self._wheels()
        if wheels is not None:
            step_ns = round((self.world.steps - 1) * self.world.timestep * NS_PER_S)
            return wheels.message(max(step_ns, 0), self.odom_frame, self._child)
        truth = true_motion(self)
        pose = self._T_world_start.inverse() @ truth.pose
        return replace(truth, frame_id=self.odom_frame, child_frame_id=self._child, pose=pose)

    def _wheels(self) -> DeadReckoning | None:
        robot = self.mount.robot
        return None if self.config.source == "truth" or robot is None else robot.wheel_odometry

    def _disturb(self, message: Odometry, dt: float) -> Odometry:
        if not any(channel.is_active for channel in self._channels.values()):
            return message
        by_distance = 1.0 + float(self._noisy("linear", 0.0, dt))
        by_angle = 1.0 + float(self._noisy("angular", 0.0, dt))
        moved = self._T_odom_ideal.inverse() @ message.pose
        self._T_odom_ideal = message.pose
        self._T_odom_base = self._T_odom_base @ scaled_motion(moved, by_distance, by_angle)
        return replace(
            message,
            pose=self._T_odom_base,
            linear=tuple(by_distance * value for value in message.linear),
            angular=tuple(by_angle * value for value in message.angular),
        )

    def _own_state(self) -> list[list[float]]:
        poses = (self._T_world_start, self._T_odom_ideal, self._T_odom_base)
        return [[*map(float, T.translation), *map(float, T.rotation)] for T in poses]

    def _set_own_state(self, state: Any) -> None:  # noqa: ANN401 - as `_own_state` gave it
        if state is None:
            self._T_world_start = self.T_world_sensor
            self._T_odom_ideal = self._T_odom_base = Transform.identity()
        else:
            poses = [Transform(values[:3], values[3:]) for values in state]
            self._T_world_start, self._T_odom_ideal, self._T_odom_base = poses


def scaled_motion(moved: Transform, by_distance: float, by_angle: float) -> Transform:
    """A short motion with other lengths and angles, along an arc of the same kind.

    Args:
        moved: T_before_after.
        by_distance: Factor of the distance.
        by_angle: Factor of the angle.
    """
    turn = to_rotation_vector(moved.rotation)
    # The chord of an arc points half of the turn ahead.
    extra = from_rotation_vector(0.5 * (by_angle - 1.0) * turn)
    offset: npt.NDArray[np.float64] = by_distance * rotate(extra, moved.translation)
    return Transform(offset, from_rotation_vector(by_angle * turn))
