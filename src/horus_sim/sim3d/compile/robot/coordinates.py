"""What the builder made of a robot: its bodies, its coordinates and their drives."""

from __future__ import annotations

from dataclasses import dataclass

from horus_sim.robots.description import Mimic
from horus_sim.robots.robot import Base as Base
from horus_sim.sim3d.compile.robot.drives import Drive


@dataclass(frozen=True, slots=True)
class Coordinate:
    """One number that says how far a joint has moved.

    Attributes:
        name: Name of the joint; joints with several axes have one coordinate each, such as
            'table/x'.
        joint: The joint in the description.
        mujoco_name: Joint, and actuator if it has a drive, in the MuJoCo model.
        is_angle: Whether it is in radians; else in metres.
        lower: Smallest value, or None.
        upper: Largest value, or None.
        velocity: Largest speed, or None.
        effort: Largest torque or force, or None.
        initial: Where it starts.
        mimic: The coordinate that this one follows, or None.
        drive: What moves it, or None.
    """

    name: str
    joint: str
    mujoco_name: str
    is_angle: bool
    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None
    initial: float = 0.0
    mimic: Mimic | None = None
    drive: Drive | None = None


@dataclass(frozen=True, slots=True)
class BuiltRobot:
    """A robot in a MuJoCo spec.

    Attributes:
        name: Name of the robot in its scene.
        base: Whether the root is held by the world or free.
        root_body: Body of the root link.
        bodies: Body of each link.
        coordinates: Its coordinates in the order of the joints in the description.
        spherical: MuJoCo joint of each ball and floating joint inside the tree.
    """

    name: str
    base: Base
    root_body: str
    bodies: dict[str, str]
    coordinates: tuple[Coordinate, ...]
    spherical: dict[str, str]

    @property
    def free_joint(self) -> str:
        """Name of the joint that lets a floating base move."""
        return free_joint_name(self.root_body)

    def follow(self, values: dict[str, float], given: set[str]) -> None:
        """Sets the coordinates that follow others, except those that were given.

        Args:
            values: Every coordinate, changed in place.
            given: Coordinates that keep their value.
        """
        mimics = {each.name: each.mimic for each in self.coordinates if each.name not in given}
        followers = {name: mimic for name, mimic in mimics.items() if mimic is not None}
        # A follower may follow another one: the chain is no longer than their number.
        for _ in followers:
            for name, mimic in followers.items():
                values[name] = mimic.multiplier * values[mimic.joint] + mimic.offset


def free_joint_name(root_body: str) -> str:
    """Name of the free joint of a body."""
    return f"{root_body}#free"
