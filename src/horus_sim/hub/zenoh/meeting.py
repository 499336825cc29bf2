"""How the processes of a machine find each other.

Each process listens on a port of its own and knows that of the router, which is where ROS programs
look for theirs. Whoever finds that port free opens a small router there, through which the others
learn of each other; from then on they talk directly. When the process with the router dies,
another one takes its place, and new processes find the others again. Where ``rmw_zenohd`` runs, it
is joined.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from contextlib import suppress
from typing import Any

from horus_sim.errors import HubError

PORT_VARIABLE = "HORUS_ROUTER_PORT"
_ROUTER_PORT = 7447
_LOOK_EVERY_S = 0.25
SETTINGS: dict[str, Any] = {
    "scouting/multicast/enabled": False,
    "scouting/gossip/enabled": True,
    "connect/timeout_ms": 0,
    "connect/exit_on_failure": False,
    "connect/retry": {
        "period_init_ms": 100,
        "period_max_ms": 500,
        "period_increase_factor": 2,
    },
    "timestamping/enabled": True,
    # A link drops what it cannot take: a megabyte on its way carries it over a busy moment.
    "transport/link/tx/queue/size/data": 16,
}
# Between processes of one machine only who stands still takes nothing for so long, and once it is
# known to, nobody waits for it again. Over a network who is slow would cost it with every message.
LOCAL_PATIENCE_US = 50_000
# For one message of many megabytes.
LARGE_PATIENCE_US = 200_000
_LOCAL_SETTINGS = {
    "transport/link/tx/queue/congestion_control/drop": {
        "wait_before_drop": LOCAL_PATIENCE_US,
        "max_wait_before_drop_fragments": LARGE_PATIENCE_US,
    },
}


def router_port() -> int:
    """The port of the router on this machine.

    Raises:
        HubError: The environment variable that moves it does not hold a port.
    """
    text = os.environ.get(PORT_VARIABLE, "") or str(_ROUTER_PORT)
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise HubError(f"{PORT_VARIABLE} must be a port from 1 to 65535, got {text!r:.40}")
    return int(text)


def config(
    zenoh: Any,  # noqa: ANN401 - the module
    mode: str,
    listen: list[str],
    connect: list[str],
    namespace: str = "",
) -> Any:  # noqa: ANN401 - zenoh's own
    """A configuration of zenoh without multicast, that goes on looking for those it lost."""
    places = {"mode": mode, "listen/endpoints": listen, "connect/endpoints": connect}
    if namespace:
        places["namespace"] = namespace
    result = zenoh.Config()
    local = _LOCAL_SETTINGS if mode == "peer" else {}
    for key, value in (SETTINGS | local | places).items():
        result.insert_json5(key, json.dumps(value))
    return result


def open_to_network(zenoh: Any, port: int, net: str) -> Any:  # noqa: ANN401 - zenoh sessions
    """A router through which other machines reach this one.

    It is apart from the one of this machine, which may move to another process at any time.

    Args:
        zenoh: The module.
        port: The router's port on this machine.
        net: ``host:port`` to listen on.
    """
    return zenoh.open(config(zenoh, "router", [f"tcp/{net}"], [f"tcp/127.0.0.1:{port}"]))


class RouterKeeper:
    """Opens the router of this machine when nobody has it, and again when that process is gone."""

    def __init__(self, zenoh: Any, port: int) -> None:  # noqa: ANN401
        self._zenoh = zenoh
        self._port = port
        self._router: Any = None
        self._stop = threading.Event()
        self._look()
        self._thread = threading.Thread(target=self._keep, name="horus-router", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Closes the router, if it is here."""
        self._stop.set()
        self._thread.join()
        if self._router is not None:
            self._router.close()

    def _keep(self) -> None:
        while self._router is None and not self._stop.wait(_LOOK_EVERY_S):
            self._look()

    def _look(self) -> None:
        with socket.socket() as probe:
            probe.settimeout(0.2)
            if probe.connect_ex(("127.0.0.1", self._port)) == 0:
                return
        endpoint = f"tcp/127.0.0.1:{self._port}"
        # Another process may be faster.
        with suppress(self._zenoh.ZError):
            self._router = self._zenoh.open(config(self._zenoh, "router", [endpoint], []))
