"""What is known about the services of a session."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServiceInfo:
    """One service of a session.

    Attributes:
        name: The service.
        kinds: Full names of the types that its ends have; more than one is a mistake.
        servers: Number of programs that answer.
        clients: Number of clients.
    """

    name: str
    kinds: tuple[str, ...]
    servers: int
    clients: int
