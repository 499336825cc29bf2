"""Who may use the server: whoever has its token, and only through pages of its own."""

from __future__ import annotations

import hmac
import html
import ipaddress
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_KEY = "token"  # noqa: S105 - the name of it
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_HTTP_PORT = 80
_BAD_REQUEST = 400
_FORBIDDEN = 403
_SEE_OTHER = 303
_REFUSED = 4403
# A page must not tell others where it is, nor be shown inside a page of another site.
_GUARDS = (
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"frame-ancestors 'self'"),
    (b"x-content-type-options", b"nosniff"),
)
_UNKNOWN = (
    "This server belongs to whoever started it. Open the address that the program printed in its "
    "terminal: it ends with a token, which changes with every start."
)
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Horus Sim: {status}</title>
<meta name="viewport" content="width=device-width"><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 36em; margin: 15vh auto; padding: 0 1em; }}
:root {{ color-scheme: light dark; }}
</style></head><body><h1>{status}</h1><p role="alert">{text}</p></body></html>
"""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered.

    Attributes:
        status: Status of the HTTP response.
        text: What is wrong, and what to do.
    """

    status: int
    text: str


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine can reach that address."""
    if host in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """A secret that cannot be guessed."""
    return secrets.token_urlsafe(24)


def cookie_name(port: int) -> str:
    """Cookie of a port, since browsers send cookies to all ports of a host.

    Args:
        port: Port as the browser sees it, which is another one behind a tunnel.
    """
    return f"horus_token_{port}"


class AccessControl:
    """Answers only those who have the token, and no pages of other sites.

    The address that the user opens has the token. It is answered with a cookie and the same address
    without it, so that the token stays neither in the address bar nor in copied links.

    A page of another site may not talk to the server, neither with requests nor with a WebSocket:
    the Origin that the browser states must be the server itself. Nor may it show parts of it, such
    as a page in a frame; only a link may lead to the server. On the loopback address the Host
    must be a name of this machine, so that no foreign name can be pointed at it.

    Args:
        app: What is protected.
        host: The address that the server is bound to.
        token: What must be in the cookie, or once in the address.
    """

    def __init__(self, app: ASGIApp, host: str, token: str) -> None:
        self._app = app
        self._is_local = is_loopback(host)
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        text = scope.get("query_string", b"").decode("latin-1")
        query = parse_qsl(text, keep_blank_values=True)
        given = [value for key, value in query if key == TOKEN_KEY]
        refusal = _foreign(scope, is_local=self._is_local)
        if refusal is None and not any(map(self._fits, [*given, *self._cookies(scope)])):
            refusal = Refusal(_FORBIDDEN, _UNKNOWN)
        app = self._app
        if refusal is not None:
            app = _refused(scope, refusal)
        elif given and scope.get("method") in ("GET", "HEAD"):
            app = self._entry(scope, query)
        await app(scope, receive, _guarded(send))

    def _fits(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _cookies(self, scope: Scope) -> list[str]:
        """Values of our cookie."""
        # By hand: SimpleCookie drops all cookies where one of another program is odd.
        parts = ";".join(_given(scope, b"cookie")).split(";")
        pairs = (part.strip().partition("=") for part in parts)
        wanted = cookie_name(_port(scope))
        return [value for name, _, value in pairs if name == wanted]

    def _entry(self, scope: Scope, query: list[tuple[str, str]]) -> ASGIApp:
        """Where to go with the cookie."""
        from starlette.responses import Response

        # One slash: an address with two leads to another host.
        path = "/" + quote(scope.get("path", "/").lstrip("/"))
        kept = urlencode([(key, value) for key, value in query if key != TOKEN_KEY])
        # Lax: a file or a terminal in a browser, where the link was, is another site for Strict.
        cookie = f"{cookie_name(_port(scope))}={self._token}; HttpOnly; SameSite=Lax; Path=/"
        location = path + (f"?{kept}" if kept else "")
        headers = {"location": location, "set-cookie": cookie, "cache-control": "no-store"}
        return Response(None, _SEE_OTHER, headers)


def _given(scope: Scope, name: bytes) -> list[str]:
    """All values of a header."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _port(scope: Scope) -> int:
    """Port of the address that the browser opened."""
    return urlsplit(f"//{_given(scope, b'host')[0]}").port or _HTTP_PORT


def _foreign(scope: Scope, *, is_local: bool) -> Refusal | None:
    """Why Host and Origin do not fit, or None."""
    hosts, origins = _given(scope, b"host"), _given(scope, b"origin")
    if len(hosts) != 1 or len(origins) > 1:
        return Refusal(_BAD_REQUEST, "A request needs one Host header, and at most one Origin.")
    host = hosts[0]
    try:
        _port(scope)
        name = urlsplit(f"//{host}").hostname or ""
        origin = urlsplit(origins[0]).netloc if origins else host
    except ValueError:
        what = " and ".join(f"'{text[:80]}'" for text in (host, *origins))
        return Refusal(_BAD_REQUEST, f"The Host or Origin header is not an address: {what}.")
    if is_local and not is_loopback(name):
        return Refusal(
            _FORBIDDEN,
            f"This server is local, and '{name[:80]}' is not a name of this machine; use "
            "127.0.0.1 or localhost, as in the address that the program printed.",
        )
    if origin.lower() != host.lower() or _is_embedded(scope):
        return Refusal(_FORBIDDEN, "Pages of other sites may not use this server.")
    return None


def _is_embedded(scope: Scope) -> bool:
    """Whether a page of another site, or port, wants a part of it; a browser states no Origin."""
    has_site = set(_given(scope, b"sec-fetch-site")) & {"cross-site", "same-site"}
    return bool(has_site) and _given(scope, b"sec-fetch-dest") != ["document"]


def _guarded(send: Send) -> Send:
    """Adds the headers that every response has."""

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *_GUARDS]}
        await send(message)

    return wrapped


def _refused(scope: Scope, refusal: Refusal) -> ASGIApp:
    from starlette.responses import HTMLResponse, PlainTextResponse
    from starlette.websockets import WebSocketClose

    status, text = refusal.status, refusal.text
    if scope["type"] == "websocket":
        # Before it is accepted, this is an answer 403.
        return WebSocketClose(_REFUSED, text[:120])
    if any("text/html" in value for value in _given(scope, b"accept")):
        return HTMLResponse(_PAGE.format(status=status, text=html.escape(text)), status)
    return PlainTextResponse(f"{status}: {text}\n", status)
