"""Requests to the services of a running world, served in the same thread."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from horus_sim.hub import connect
from horus_sim.running.services.server import service_name


@pytest.fixture
def hub():
    with connect(session=f"test-{uuid.uuid4().hex[:12]}") as hub:
        yield hub


@pytest.fixture
def send(hub):
    """Sends a request; the future has the response."""
    clients: dict[str, Any] = {}

    def send(kind: str, **fields: Any):
        if kind not in clients:
            name = f"simulation_interfaces/srv/{kind}"
            clients[kind] = hub.client(service_name(kind), name)
        return clients[kind].call_async(**fields)

    return send


@pytest.fixture
def asker(send):
    """Makes a function that sends a request to a running world and gives the response."""

    def asker(running):
        def ask(kind: str, **fields: Any):
            future = send(kind, **fields)
            running.poll()
            return future.result(0)

        return ask

    return asker


@pytest.fixture
def ask(running, asker):
    """Sends a request to the world of the module, lets it be served, and gives the response."""
    return asker(running)
