"""What a simulator tells: warnings, contacts, snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from horus_sim.errors import SnapshotError
from horus_sim.files.sealed import seal, unseal

_MARK = b"HS2D"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class SimWarning:
    """Something that the simulator put right or noticed.

    Attributes:
        kind: Such as 'linear_speed' or 'slow_controller'.
        subject: Name of the body or robot.
        count: How often.
        text: For people.
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


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that a replay needs.

    Attributes:
        world: State of bodies, wheels, contacts, sensors and random numbers, with a version and a
            checksum.
        controllers: What each robot's controller remembers.
    """

    world: bytes
    controllers: Mapping[str, Any] = field(default_factory=dict)

    @property
    def world_content(self) -> bytes:
        """The state as the core reads it.

        Raises:
            SnapshotError: `world` was altered, or another version wrote it.
        """
        try:
            return bytes(unseal(self.world, _MARK, _VERSION))
        except (TypeError, ValueError) as error:
            raise SnapshotError(
                f"these bytes hold no state of a 2D world: {error}; take them from a snapshot"
            ) from error


def sealed_world(content: bytes) -> bytes:
    """`Snapshot.world` of a state as the core writes it."""
    return seal(content, _MARK, _VERSION)
