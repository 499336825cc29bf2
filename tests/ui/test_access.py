"""Who may use the server: over HTTP and over the WebSocket."""

from __future__ import annotations

import asyncio
import http.client
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from horus_sim.errors import UiError
from horus_sim.ui.access import COOKIE, AccessControl, is_loopback, new_token
from horus_sim.ui.server import Server, ServerConfig

if TYPE_CHECKING:
    from .conftest import Site

TOKEN = "a-secret"  # noqa: S105
KEY = "dGhlIHNhbXBsZSBub25jZQ=="


def ask(
    kind: str, host: str, headers: dict[str, str], query: str = "", token: str | None = None
) -> tuple[bool, list]:
    """Whether a request gets through, and the answers."""
    reached: list[bool] = []
    sent: list = []

    async def app(scope: dict, receive: object, send: object) -> None:
        reached.append(True)
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})  # type: ignore[operator]

    async def receive() -> dict:
        return {"type": "websocket.connect"}

    async def send(message: dict) -> None:
        sent.append(message)

    scope = {
        "type": kind,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "query_string": query.encode(),
    }
    asyncio.run(AccessControl(app, host, token)(scope, receive, send))  # type: ignore[arg-type]
    return bool(reached), sent


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({"host": "127.0.0.1:8080"}, True),
        ({"host": "localhost:8080", "origin": "http://localhost:8080"}, True),
        ({"host": "[::1]:8080", "origin": "http://[::1]:8080"}, True),
        ({"host": "127.0.0.1:8080", "origin": "http://evil.example"}, False),
        ({"host": "127.0.0.1:8080", "origin": "http://127.0.0.1:9090"}, False),
        ({"host": "127.0.0.1:8080", "origin": "null"}, False),
        ({"host": "evil.example:8080", "origin": "http://evil.example:8080"}, False),
        ({}, False),
    ],
)
def test_pages_of_other_sites_are_refused(kind: str, headers: dict[str, str], *, allowed: bool):
    reached, sent = ask(kind, "127.0.0.1", headers)
    assert reached is allowed
    if not allowed and kind == "http":
        assert sent[0]["status"] == 403
    elif not allowed:
        assert sent[0]["type"] == "websocket.close"


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("cookie", "query", "allowed"),
    [
        ("", "", False),
        ("", "token=wrong", False),
        (f"{COOKIE}=wrong", "", False),
        (f"{COOKIE}={TOKEN}", "", True),
        (f"other=1; {COOKIE}={TOKEN}", "", True),
        ("", f"token={TOKEN}", True),
        (";;;=", "", False),
    ],
)
def test_where_others_come_in_a_token_is_needed(
    kind: str, cookie: str, query: str, *, allowed: bool
):
    headers = {"host": "robot.local:8080", "cookie": cookie}
    reached, sent = ask(kind, "0.0.0.0", headers, query, TOKEN)  # noqa: S104
    assert reached is allowed
    if allowed and kind == "http" and query:
        cookies = dict(sent[0]["headers"])[b"set-cookie"].decode()
        assert cookies == f"{COOKIE}={TOKEN}; HttpOnly; SameSite=Strict; Path=/"


def test_a_foreign_page_is_refused_even_with_the_token():
    headers = {"host": "robot.local:8080", "origin": "http://evil.example"}
    reached, _ = ask("websocket", "0.0.0.0", headers, f"token={TOKEN}", TOKEN)  # noqa: S104
    assert not reached


def test_tokens_cannot_be_guessed():
    assert new_token() != new_token()
    assert len(new_token()) >= 32


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("0.0.0.0", False), ("pc", False)],  # noqa: S104
)
def test_loopback(host: str, *, local: bool):
    assert is_loopback(host) is local


@pytest.fixture
def connection(site: Site) -> Iterator[http.client.HTTPConnection]:
    parts = urlsplit(site.server.address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
    yield connection
    connection.close()


@pytest.mark.parametrize("path", ["/", "/tf", "/horus/scene", "/_nicegui_ws/socket.io/?EIO=4"])
def test_the_server_itself_refuses_foreign_pages(connection: http.client.HTTPConnection, path: str):
    connection.request("GET", path, headers={"Origin": "http://evil.example"})
    answer = connection.getresponse()
    assert answer.status == 403
    assert b"other sites" in answer.read()


@pytest.mark.parametrize(("origin", "status"), [("http://evil.example", 403), ("", 101)])
def test_the_stream_itself_refuses_foreign_pages(
    site: Site, connection: http.client.HTTPConnection, origin: str, status: int
):
    headers = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": KEY,
        "Sec-WebSocket-Version": "13",
        "Origin": origin or site.server.address.rstrip("/"),
    }
    connection.request("GET", "/horus/stream", headers=headers)
    assert connection.getresponse().status == status


def test_a_port_that_is_taken_is_said_so(site: Site):
    port = urlsplit(site.server.address).port or 0
    with pytest.raises(UiError, match=r"cannot be used .*choose another --port, or 0"):
        Server(site.session, ServerConfig(port=port))


def test_a_wide_address_has_a_token():
    from horus_sim.ui.server import address_of, invitation_of

    assert address_of("127.0.0.1", 80, None) == "http://127.0.0.1:80/"
    assert address_of("0.0.0.0", 80, "x") == "http://127.0.0.1:80/?token=x"  # noqa: S104
    assert address_of("::1", 80, None) == "http://[::1]:80/"
    assert address_of("::1", 80, "x", "/tf") == "http://[::1]:80/tf?token=x"

    assert invitation_of("127.0.0.1", 80, None, "/") == "http://127.0.0.1:80/"
    assert invitation_of("0.0.0.0", 80, "x", "/tf") == (  # noqa: S104
        "http://127.0.0.1:80/tf?token=x or, from other machines, "
        f"http://{socket.gethostname()}:80/tf?token=x"
    )
