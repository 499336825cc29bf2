"""Where a ground robot believes itself to be, from how its wheels turned."""

from __future__ import annotations

import math

from horus_sim.hub.messages import Odometry
from horus_sim.tf import Transform


class WheelOdometry:
    """Dead reckoning in the plane, from arc to arc.

    Attributes:
        x: Position [m], odometry frame.
        y: Position [m], odometry frame.
        yaw: Heading [rad], not wrapped.
        linear: Forward speed [m/s] over the last step.
        angular: Yaw rate [rad/s] over the last step.
    """

    __slots__ = ("angular", "linear", "x", "y", "yaw")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Starts again at the origin."""
        self.x = self.y = self.yaw = self.linear = self.angular = 0.0

    def advance(self, distance: float, turn: float, dt: float) -> None:
        """One step along an arc.

        Args:
            distance: Length of the arc [m], negative backward.
            turn: Change of heading [rad].
            dt: Duration of the step [s].
        """
        half = 0.5 * turn
        # The chord of an arc; its series where the quotient loses digits.
        chord = distance * (math.sin(half) / half if abs(half) > 1e-4 else 1.0 - half * half / 6.0)
        self.x += chord * math.cos(self.yaw + half)
        self.y += chord * math.sin(self.yaw + half)
        self.yaw += turn
        self.linear = distance / dt
        self.angular = turn / dt

    @property
    def T_odom_base(self) -> Transform:
        """Pose of the base in the odometry frame."""
        return Transform.from_euler((self.x, self.y, 0.0), (0.0, 0.0, self.yaw))

    def message(self, stamp_ns: int, frame_id: str, child_frame_id: str) -> Odometry:
        """The odometry as a message.

        Args:
            stamp_ns: Simulated time [ns].
            frame_id: Name of the odometry frame.
            child_frame_id: Name of the robot's base.
        """
        linear, angular = (self.linear, 0.0, 0.0), (0.0, 0.0, self.angular)
        return Odometry(stamp_ns, frame_id, child_frame_id, self.T_odom_base, linear, angular)

    def get_state(self) -> tuple[float, ...]:
        """x, y, yaw, linear and angular."""
        return (self.x, self.y, self.yaw, self.linear, self.angular)

    def set_state(self, state: tuple[float, ...]) -> None:
        """Continues from what `get_state` gave."""
        self.x, self.y, self.yaw, self.linear, self.angular = state
