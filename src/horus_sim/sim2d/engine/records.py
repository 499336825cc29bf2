"""What a simulator tells: warnings and contacts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SimWarning:
    """Something that the simulator put right or noticed.

    Attributes:
        kind: Such as 'linear_speed' or 'slow_controller'.
        subject: Name of the body or robot.
        count: How often.
        text: Message for people to read.
    """

    kind: str
    subject: str
    count: int
    text: str


@dataclass(frozen=True, slots=True)
class Contact:
    """Two bodies that touch.

    Attributes:
        a: Name of the first body.
        b: Name of the second body.
        point: Where they touch [m], world frame; the middle of two points.
        normal: Unit vector from a to b, world frame.
        separation: Distance [m]; negative for an overlap.
        impulse: Normal impulse of the last step [N s].
    """

    a: str
    b: str
    point: tuple[float, float]
    normal: tuple[float, float]
    separation: float
    impulse: float
