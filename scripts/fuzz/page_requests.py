"""Odd requests and odd messages to the server of the pages.

    python scripts/fuzz/page_requests.py [COUNT] [SEED]

A third of them lack the token. Requests have methods, paths, queries and headers that are made of
real ones and of nonsense; messages of the stream are made of those that views send. A finding is
an answer of 500 or more, none at all, an answer other than 400 or 403 without the token, or an
exception in the server's log.
"""

from __future__ import annotations

import json
import logging
import random
import socket
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote_from_bytes

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "BREW")
PATHS = (
    *("/", "/design", "/arm", "/training", "/tf", "/horus/scene/world", "/horus/scene/training1"),
    *("/favicon.ico", "/_nicegui_ws/socket.io/", "/_nicegui/auto/static/x.js", "/nowhere", "//"),
)
KEYS = (
    *(
        "scenario",
        "seed",
        "cam",
        "sel",
        "tab",
        "snap",
        "arm",
        "q",
        "target",
        "view",
        "show",
        "task",
    ),
    *("policy", "run", "envs", "env", "speed", "paused", "token", "EIO", "transport", "sid", ""),
)
VALUES = (
    *(b"", b"0", b"-1", b"1e999", b"nan", b"1,2,3", b"0,0,0,0,0,0", b"maze", b"../../etc", b"\0"),
    *(b"\xff\xfe", b"\xed\xa0\x80", "²٣".encode(), b"%", b"a" * 299, b"polling", b"4", b"ur5e"),
)
HEADERS = (
    *("Host", "Origin", "Cookie", "Accept", "Range", "If-None-Match", "Content-Length", "Upgrade"),
    *("Sec-WebSocket-Key", "X-Forwarded-For", "X-Forwarded-Prefix", "Sec-Fetch-Site", "Expect"),
)
HEADER_VALUES = (
    *("", "[", "[::1", "http://[", "null", "127.0.0.1:99999", "a\tb", ";;=;", "=", "bytes=9-1"),
    *("bytes=0-0,-1", "websocket", "é", "x" * 500, "-5", "text/html", "cross-site", "*/*;q=x"),
)
NUMBERS = (0, -1, 10**400, 1e308, True, None, "x", [], {}, [1, 2, 3], [0, 0, 0, 1], [10**400] * 3)
MESSAGE_KEYS = (
    *("drive", "linear", "angular", "vertical", "release", "move", "moved", "xyz", "quat"),
    *("want", "ack", "arm_target", "nonsense"),
)
_LIMIT_S = 60.0


class Complaints(logging.Handler):
    """Collects what the server logs as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps a line."""
        self.texts.append(self.format(record))


def request(draw: random.Random, port: int, cookie: str) -> bytes:
    """A request; `cookie` is '' for one without the token."""
    path = draw.choice(PATHS)
    if draw.random() < 0.3:
        path += quote_from_bytes(draw.choice(VALUES)) + draw.choice(("", "/", "/..", "/%00"))
    pairs = (
        f"{draw.choice(KEYS)}={quote_from_bytes(draw.choice(VALUES))}"
        for _ in range(draw.randrange(4))
    )
    query = draw.choice(("&", "&&", ";")).join(pairs)
    lines = [f"{draw.choice(METHODS)} {path}{'?' + query if query else ''} HTTP/1.1"]
    names = draw.sample(HEADERS, draw.randrange(3))
    if "Host" not in names:
        lines.append(f"Host: 127.0.0.1:{port}")
    lines += [f"{name}: {draw.choice(HEADER_VALUES)}" for name in names]
    lines += [cookie] if cookie else []
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1")


def status(port: int, data: bytes) -> int:
    """Status of the answer; 0 for none."""
    with socket.create_connection(("127.0.0.1", port), _LIMIT_S) as connection:
        connection.sendall(data)
        with connection.makefile("rb") as answer:
            words = answer.readline().split()
    return int(words[1]) if len(words) > 1 else 0


def message(draw: random.Random) -> str | bytes:
    """What a view might say, or not."""
    if draw.random() < 0.1:
        return draw.choice((b"\0\1", "", "[]", "nan", "{", "[" * 5000, '"', "{}", "1e999"))
    found = {draw.choice(MESSAGE_KEYS): draw.choice(NUMBERS) for _ in range(draw.randrange(1, 4))}
    return json.dumps(found | ({"drive": "robot"} if draw.random() < 0.2 else {}))


def talk(draw: random.Random, address: str) -> None:
    """Says some things to the stream, which may hang up."""
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    with connect(address, open_timeout=_LIMIT_S, compression=None) as connection:
        try:
            for _ in range(draw.randrange(1, 20)):
                connection.send(message(draw))
        except ConnectionClosed:
            return


def fuzz(server: object, count: int, seed: int) -> list[str]:
    """Asks a running server; returns the findings."""
    port, token = server.port, server.token  # type: ignore[attr-defined]
    stream = server.link("/horus/stream").replace("http", "ws", 1)  # type: ignore[attr-defined]
    complaints = Complaints()
    found: list[str] = []
    loggers = [logging.getLogger(name) for name in ("uvicorn.error", "nicegui", "asyncio")]
    for logger in loggers:
        logger.addHandler(complaints)
    try:
        for number in range(count):
            draw = random.Random(f"{seed}/{number}")  # noqa: S311 - no secrets
            if draw.random() < 0.1:
                talk(draw, stream)
                what, code, expected = "a talk over the stream", 200, True
            else:
                cookie = f"Cookie: horus_token_{port}={token}" if draw.random() < 0.66 else ""
                data = request(draw, port, cookie)
                what, code = repr(data), status(port, data)
                expected = 0 < code < 500 if cookie else code in (400, 403)
            if not expected or complaints.texts:
                found.append(f"{what}: {code} {' '.join(complaints.texts)}")
                complaints.texts.clear()
    finally:
        for logger in loggers:
            logger.removeHandler(complaints)
    return found


def main(count: int, seed: int) -> int:
    """Starts a server and asks it `count` times; returns the number of findings."""
    from horus_sim.ui.serving import open_site
    from horus_sim.ui.shell.server import Server, ServerConfig

    with (
        tempfile.TemporaryDirectory() as folder,
        open_site(Path(folder)) as site,
    ):
        server = Server(site, ServerConfig(port=0))
        with server.in_thread():
            found = fuzz(server, count, seed)
    for text in found:
        print(text)
    print(f"{count:,} requests, {len(found)} findings")
    return len(found)


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*arguments, *(2_000, 0)[len(arguments) :]) > 0)
