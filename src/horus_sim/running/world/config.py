"""How a running world is published and commanded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from horus_sim.files.config import Config, Finite

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.running.world.running_world import RunningWorld
    from horus_sim.running.world.stepped_world import SteppedWorld

Rate = Annotated[Finite, Field(gt=0)] | None


class RunningConfig(Config):
    """Rates and rules of a running world. Rates are in simulated time; None publishes nothing.

    Attributes:
        clock_hz: Rate of ``clock``.
        tf_hz: Rate of the moving frames; fixed ones are published once and when they change.
        odom_hz: Rate of ``{robot}/odom``.
        joint_states_hz: Rate of ``{robot}/joint_states``.
        digest_hz: Rate of the digests of the state in the log of commands.
        odometry: 'wheels' is what the robot's drive counts, or the truth where it counts nothing;
            'ground_truth' is always the truth.
        command_max_age: Commands that travelled longer [s] are discarded; None takes all. Inside
            one process nothing travels, and nothing is discarded.
        ros_names: Whether topics, frames and transforms are those that ROS expects of a robot: the
            names of a robot that is alone begin without its own (``scan``, ``base_link``), and
            ``odom`` stands above the robot, where its odometry sees it, as in REP 105. Otherwise
            all names begin with the robot's, and the tree below 'world' is the truth.
        robot_descriptions: Whether ``{robot}/robot_description`` is published.
        requests: Whether the topics ``sim/pause``, ``sim/reset`` and so on are served.
        services: Whether the services of simulation_interfaces are served, where the transport
            carries services.
    """

    clock_hz: Rate = 100.0
    tf_hz: Rate = 50.0
    odom_hz: Rate = 50.0
    joint_states_hz: Rate = 50.0
    digest_hz: Rate = 1.0
    odometry: Literal["wheels", "ground_truth"] = "wheels"
    command_max_age: Annotated[Finite, Field(gt=0)] | None = 0.5
    ros_names: bool = False
    robot_descriptions: bool = True
    requests: bool = True
    services: bool = True

    def build(self, world: SteppedWorld, hub: Hub | None = None) -> RunningWorld:
        """A world that runs by these rules, on topics if there is a connection."""
        from horus_sim.running.world.running_world import RunningWorld

        return RunningWorld(world, hub, self)
