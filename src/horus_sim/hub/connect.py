"""One way to every transport."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horus_sim.errors import HubError
from horus_sim.hub.inproc import InprocHub
from horus_sim.hub.remapping import checked_remap, remap_of_environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from horus_sim.hub.transport import Hub

SESSION_VARIABLE = "HORUS_SESSION_ID"
NAME_VARIABLE = "HORUS_NODE_NAME"
_SESSION = re.compile(r"[A-Za-z0-9_.~-]{1,64}")
_ENDPOINT = re.compile(r"[A-Za-z0-9_.-]+:[0-9]{1,5}|\[[0-9a-fA-F:]+\]:[0-9]{1,5}")


def connect(
    url: str = "inproc://",
    session: str | None = None,
    name: str | None = None,
    net: str | None = None,
    *,
    remap: Mapping[str, str] | None = None,
) -> Hub:
    """A connection to the topics of a session.

    Args:
        url: ``inproc://`` for topics inside this process, ``zenoh://`` for those of all processes
            on this machine, ``zenoh://host:port`` for those of a zenoh router on the network.
        session: Name of the session; by default that of the environment variable
            ``HORUS_SESSION_ID``, else ``default``. Sessions do not see each other.
        name: Name of this connection, by which others know the sender of a message; by default
            that of the environment variable ``HORUS_NODE_NAME``, else that of the program with its
            process number.
        net: With ``zenoh://``: lets other machines join the session at ``host:port`` of this one,
            such as ``0.0.0.0:7447``. Whoever reaches the port can read and send everything.
        remap: Topics and services that this connection calls otherwise: its names -> those of the
            session. By default the rules of the environment variable ``HORUS_REMAP``, such as
            ``scan:=burger/scan cmd_vel:=burger/cmd_vel``.

    Raises:
        HubError: There is no such transport, or the session's name or a rule is not fit.
        MissingExtraError: zenoh is not installed.
        ConnectionFailedError: zenoh could not be opened.
    """
    session = session_name(session)
    if name is not None and not isinstance(name, str):
        raise HubError(f"the name of a connection must be text, got {name!r}")
    if name is None:
        program = Path(sys.argv[0] or "python").name
        name = os.environ.get(NAME_VARIABLE) or f"{program}-{os.getpid()}"
    names = remap_of_environment() if remap is None else checked_remap(remap)
    if net is not None and (url != "zenoh://" or not _is_endpoint(net)):
        raise HubError(
            f"net={net!r} does not fit; give it with 'zenoh://', as host:port of this machine, "
            "such as '0.0.0.0:7447'"
        )
    if url == "inproc://":
        return InprocHub(session, name, names)
    if isinstance(url, str) and url.startswith("zenoh://"):
        endpoint = url.removeprefix("zenoh://")
        if endpoint and not _is_endpoint(endpoint):
            raise HubError(
                f"{url!r} is not an address; use 'zenoh://' or 'zenoh://host:port', with a port "
                "from 1 to 65535"
            )
        from horus_sim.hub.zenoh.transport import ZenohHub

        return ZenohHub(session, name, endpoint or None, net, names)
    raise HubError(f"no transport for {url!r}; use 'inproc://', 'zenoh://' or 'zenoh://host:port'")


def session_name(given: str | None = None) -> str:
    """The name of a session: as given, or else that of the environment.

    Raises:
        HubError: The name is not fit.
    """
    name: Any = os.environ.get(SESSION_VARIABLE, "default") if given is None else given
    if not isinstance(name, str) or not _SESSION.fullmatch(name):
        raise HubError(
            f"{name!r:.80} is not a session name; use up to 64 letters, digits and _ . ~ - "
            f"(argument session, or variable {SESSION_VARIABLE})"
        )
    return name


def _is_endpoint(text: str) -> bool:
    fits = isinstance(text, str) and _ENDPOINT.fullmatch(text)
    return bool(fits) and 0 < int(text.rpartition(":")[2]) < 65536
