"""How messages of a topic are kept and delivered."""

from __future__ import annotations

from dataclasses import dataclass

from horus_sim.errors import HubError

_LONGEST_AGE_S = 1e9


@dataclass(frozen=True, slots=True)
class QoS:
    """Quality of service of a publisher or a subscription.

    Attributes:
        depth: Messages that a subscription keeps; beyond, the oldest is dropped and counted.
        reliable: Whether a lost message is sent again, out of the last `depth` ones. What is lost
            for good is counted as missed.
        latched: Whether a late subscriber gets the last `depth` messages of each publisher.
        max_age: Age [s] from which a message is not delivered any more; None for no limit.
    """

    depth: int = 10
    reliable: bool = True
    latched: bool = False
    max_age: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.depth, int) or self.depth < 1:
            raise HubError(f"QoS.depth must be a whole number of at least 1, got {self.depth!r}")
        if self.max_age is not None and not (
            isinstance(self.max_age, (int, float)) and 0 < self.max_age <= _LONGEST_AGE_S
        ):
            raise HubError(f"QoS.max_age must be positive seconds or None, got {self.max_age!r}")
