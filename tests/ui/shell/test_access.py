"""Who may use the server: over HTTP and over the WebSocket."""

from __future__ import annotations

import asyncio
import http.client
import itertools
import queue
import runpy
import socket
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from horus_sim.errors import UiError
from horus_sim.ui.shell import opening
from horus_sim.ui.shell import server as server_module
from horus_sim.ui.shell.access import AccessControl, cookie_name, is_loopback, new_token
from horus_sim.ui.shell.server import Server, ServerConfig

if TYPE_CHECKING:
    from tests.ui.conftest import Site

ROOT = Path(__file__).resolve().parents[3]
TOKEN = "a-secret"  # noqa: S105
COOKIE = cookie_name(8080)
ELSEWHERE = {"host": "localhost:8080", "sec-fetch-site": "cross-site"}
WITH = {"cookie": f"{COOKIE}={TOKEN}"}
KEY = "dGhlIHNhbXBsZSBub25jZQ=="


def ask(
    kind: str, host: str, headers: dict[str, str], query: str = "", path: str = "/"
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
        "path": path,
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
        "query_string": query.encode(),
    }
    if kind == "http":
        scope["method"] = "GET"
    asyncio.run(AccessControl(app, host, TOKEN)(scope, receive, send))  # type: ignore[arg-type]
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
        ({"host": "127.0.0.1:8080", "sec-fetch-site": "same-origin"}, True),
        ({"host": "127.0.0.1:8080", "sec-fetch-site": "same-site"}, False),
        (ELSEWHERE | {"sec-fetch-dest": "iframe"}, False),
        (ELSEWHERE | {"sec-fetch-dest": "document"}, True),
        ({"host": "evil.example:8080", "origin": "http://evil.example:8080"}, False),
    ],
)
def test_pages_of_other_sites_are_refused(kind: str, headers: dict[str, str], *, allowed: bool):
    reached, sent = ask(kind, "127.0.0.1", headers | WITH)
    assert reached is allowed
    if not allowed and kind == "http":
        assert sent[0]["status"] == 403
    elif not allowed:
        assert sent[0]["type"] == "websocket.close"


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])  # noqa: S104
@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("cookie", "allowed"),
    [
        ("", False),
        (f"{COOKIE}=wrong", False),
        (f"{COOKIE}=", False),
        (f"{COOKIE}", False),
        (f"{cookie_name(8081)}={TOKEN}", False),
        (";;;=", False),
        (f"{COOKIE}=caf\xe9", False),
        (f"{COOKIE}={TOKEN}", True),
        (f'other=1; a{{b}}="; {COOKIE}=old;{COOKIE}={TOKEN}', True),
    ],
)
def test_nobody_is_answered_without_the_token(host: str, kind: str, cookie: str, *, allowed: bool):
    reached, sent = ask(kind, host, {"host": "127.0.0.1:8080", "cookie": cookie})
    assert reached is allowed
    if kind == "websocket":
        assert allowed or sent[0]["type"] == "websocket.close"
    elif not allowed:
        assert sent[0]["status"] == 403
        assert b"Open the address that the program printed" in sent[1]["body"]
        assert TOKEN.encode() not in sent[1]["body"]
    else:
        headers = dict(sent[0]["headers"])
        assert headers[b"referrer-policy"] == b"no-referrer"
        assert headers[b"content-security-policy"] == b"frame-ancestors 'self'"


@pytest.mark.parametrize(
    ("path", "query", "location"),
    [
        ("/", f"token={TOKEN}", "/"),
        ("/sim2d", f"scenario=maze&token={TOKEN}&cam=1,2", "/sim2d?scenario=maze&cam=1%2C2"),
        ("//evil.example/a b", f"token={TOKEN}", "/evil.example/a%20b"),
        ("/", f"token=old&token={TOKEN}", "/"),
    ],
)
def test_the_token_in_the_address_becomes_a_cookie(path: str, query: str, location: str):
    reached, sent = ask("http", "127.0.0.1", {"host": "127.0.0.1:8080"}, query, path)
    assert not reached
    assert sent[0]["status"] == 303
    headers = dict(sent[0]["headers"])
    assert headers[b"location"].decode() == location
    assert headers[b"set-cookie"].decode() == f"{COOKIE}={TOKEN}; HttpOnly; SameSite=Lax; Path=/"
    assert headers[b"cache-control"] == b"no-store"


@pytest.mark.parametrize("query", ["", "token=", "token=wrong", "Token=a-secret", "token=%ff%00"])
def test_a_wrong_token_in_the_address_is_refused(query: str):
    reached, sent = ask("http", "127.0.0.1", {"host": "127.0.0.1:8080"}, query)
    assert not reached
    assert sent[0]["status"] == 403
    assert b"set-cookie" not in dict(sent[0]["headers"])


def test_two_servers_behind_tunnels_have_two_cookies():
    host = {"host": "localhost:9000"}
    _, sent = ask("http", "127.0.0.1", host, f"token={TOKEN}")
    assert dict(sent[0]["headers"])[b"set-cookie"].startswith(b"horus_token_9000=")
    assert ask("http", "127.0.0.1", host | {"cookie": f"horus_token_9000={TOKEN}"})[0]
    assert not ask("http", "127.0.0.1", host | WITH)[0]


def test_a_program_may_open_the_stream_with_the_token():
    assert ask("websocket", "127.0.0.1", {"host": "localhost"}, f"token={TOKEN}")[0]


def test_a_foreign_page_is_refused_even_with_the_token():
    headers = {"host": "robot.local:8080", "origin": "http://evil.example"}
    reached, _ = ask("websocket", "0.0.0.0", headers, f"token={TOKEN}")  # noqa: S104
    assert not reached


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": "["},
        {"host": "[::1"},
        {"host": "127.0.0.1:99999"},
        {"host": "127.0.0.1:x"},
        {"host": "127.0.0.1:8080", "origin": "http://["},
        {"host": "127.0.0.1:8080", "Host": "evil.example"},
        {"host": "a:8080", "origin": "http://a:8080", "Origin": "http://evil.example"},
    ],
)
def test_headers_that_mean_nothing_are_a_bad_request(kind: str, headers: dict[str, str]):
    reached, sent = ask(kind, "127.0.0.1", headers | WITH)
    assert not reached
    if kind == "http":
        assert sent[0]["status"] == 400
        assert b"Host" in sent[1]["body"]
    else:
        assert sent[0]["type"] == "websocket.close"


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
    connection = http.client.HTTPConnection("127.0.0.1", site.server.port, timeout=60)
    yield connection
    connection.close()


PATHS = (
    "/",
    "/sim2d",
    "/design",
    "/arm",
    "/training",
    "/tf",
    "/horus/scene/world",
    "/horus/scene/training1",
    "/_nicegui_ws/socket.io/?EIO=4&transport=polling",
    "/favicon.ico",
    "/nowhere",
)
UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": KEY,
    "Sec-WebSocket-Version": "13",
}


def cookie_of(site: Site) -> dict[str, str]:
    return {"Cookie": f"{cookie_name(site.server.port)}={site.server.token}"}


def test_the_server_itself_answers_nobody_without_token(
    site: Site, connection: http.client.HTTPConnection
):
    routes = {route.path for route in nicegui_routes() if "{" not in route.path}
    for method, path in itertools.product(("GET", "POST"), {*PATHS, *routes}):
        connection.request(method, path)
        answer = connection.getresponse()
        assert (answer.status, b"printed" in answer.read()) == (403, True), f"{method} {path}"
        connection.request(
            method, path, headers={"Origin": "http://evil.example"} | cookie_of(site)
        )
        answer = connection.getresponse()
        assert (answer.status, b"other sites" in answer.read()) == (403, True), f"{method} {path}"
    connection.request("GET", "/tf", headers={"Accept": "text/html"})
    answer = connection.getresponse()
    assert (answer.getheader("Content-Type") or "").startswith("text/html")
    assert b"<h1>403</h1>" in answer.read()
    connection.request("GET", "/favicon.ico", headers=cookie_of(site))
    answer = connection.getresponse()
    assert answer.status == 200
    assert answer.getheader("Referrer-Policy") == "no-referrer"
    answer.read()


def nicegui_routes() -> list:
    from nicegui import app

    return [route for route in app.routes if hasattr(route, "path")]


@pytest.mark.parametrize(
    "path", ["/horus/stream", "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"]
)
@pytest.mark.parametrize(
    ("origin", "has_token", "status"),
    [("http://evil.example", True, 403), ("", False, 403), ("", True, 101)],
)
def test_sockets_need_the_token_and_an_own_page(
    site: Site, path: str, origin: str, status: int, *, has_token: bool
):
    connection = http.client.HTTPConnection("127.0.0.1", site.server.port, timeout=60)
    headers = UPGRADE | {"Origin": origin or f"http://127.0.0.1:{site.server.port}"}
    headers |= cookie_of(site) if has_token else {}
    connection.request("GET", path, headers=headers)
    assert connection.getresponse().status == status
    connection.close()


def test_a_port_that_is_taken_is_said_so(site: Site):
    with pytest.raises(UiError, match=r"cannot be used .*choose another --port, or 0"):
        Server(site.shared, ServerConfig(port=site.server.port))


def test_every_address_has_a_token(site: Site):
    from horus_sim.ui.shell.server import address_of, invitation_of

    assert site.server.address == f"http://127.0.0.1:{site.server.port}/?token={site.server.token}"
    assert site.server.link("/arm?arm=scara").endswith(f"/arm?arm=scara&token={site.server.token}")
    assert address_of("0.0.0.0", 80, "x") == "http://127.0.0.1:80/?token=x"  # noqa: S104
    assert address_of("::1", 80, "x", "/tf") == "http://[::1]:80/tf?token=x"
    assert invitation_of("127.0.0.1", 80, "x", "/") == "http://127.0.0.1:80/?token=x"
    assert invitation_of("0.0.0.0", 80, "x", "/tf") == (  # noqa: S104
        "http://127.0.0.1:80/tf?token=x or, from other machines, "
        f"http://{socket.gethostname()}:80/tf?token=x"
    )


def test_a_browser_is_opened_without_the_token_in_its_arguments(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    asked: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr(opening.webbrowser, "open", asked.put)
    monkeypatch.setattr(opening, "_AFTER_S", 0.0)
    monkeypatch.setattr(opening.tempfile, "tempdir", str(tmp_path))
    with opening.opened("http://127.0.0.1:80/tf?a=1&token=x"):
        given = asked.get(timeout=60)
        path = Path(urlsplit(given).path)
        assert given.startswith("file://")
        assert "token" not in given
        assert "url=http://127.0.0.1:80/tf?a=1&amp;token=x" in path.read_text()
        assert (path.stat().st_mode & 0o077, path.parent.stat().st_mode & 0o077) == (0, 0)
    assert not path.exists()


def test_odd_requests_get_clear_answers(site: Site):
    """A short run of scripts/fuzz/page_requests.py, here because there is a server."""
    script = runpy.run_path(str(ROOT / "scripts" / "fuzz" / "page_requests.py"))
    assert script["fuzz"](site.server, 60, 5) == []


def test_geometry_that_cannot_be_made_is_said_so(
    site: Site, connection: http.client.HTTPConnection, monkeypatch: pytest.MonkeyPatch
):
    failed: Future[bytes] = Future()
    failed.set_exception(UiError("nothing is shown yet; choose a task"))
    for make, limit_s, status, text in (
        (lambda: failed, 60.0, 409, b"no geometry: nothing is shown yet; choose a task"),
        (Future, 0.01, 503, b"the simulation did not answer in 0.01 s"),
    ):
        monkeypatch.setitem(site.shared.exports, "odd", make)
        monkeypatch.setattr(server_module, "_SCENE_S", limit_s)
        connection.request("GET", "/horus/scene/odd", headers=cookie_of(site))
        answer = connection.getresponse()
        assert answer.status == status
        assert text in answer.read()
