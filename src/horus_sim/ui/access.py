"""Who may use the server: pages of its own only, and with a token where others can reach it."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

COOKIE = "horus_token"
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_REFUSED = 4403


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


class AccessControl:
    """Refuses foreign pages, and where there is a token whoever does not have it.

    A page of another site may not talk to the server, neither with requests nor with a WebSocket:
    the Origin that the browser states must be the server itself. On the loopback address the Host
    must be a name of this machine, so that no foreign name can be pointed at it.

    Args:
        app: What is protected.
        host: The address that the server is bound to.
        token: What must be in the cookie or once in the address; None where nobody else comes in.
    """

    def __init__(self, app: ASGIApp, host: str, token: str | None) -> None:
        self._app = app
        self._is_local = is_loopback(host)
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        reason = self._refusal(scope, headers)
        if reason is not None:
            await _refuse(scope, receive, send, reason)
            return
        given = self._token_in_query(scope)
        if given is not None and scope["type"] == "http":
            send = _with_cookie(send, given)
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> str | None:
        host = headers.get("host", "")
        name = urlsplit(f"//{host}").hostname or ""
        if self._is_local and name not in _LOCAL_NAMES and not is_loopback(name):
            return f"this server is local; '{name[:80]}' is not a name of it"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return "pages of other sites may not use this server"
        if self._token is None or self._token_in_query(scope) is not None:
            return None
        if _matches(_cookie(headers.get("cookie", "")), self._token):
            return None
        return "open the address that the program printed, with its token"

    def _token_in_query(self, scope: Scope) -> str | None:
        """The token, if the address has it and it is right."""
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        given = query.get("token", [""])[0]
        return given if self._token is not None and _matches(given, self._token) else None


def _matches(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())


def _cookie(text: str) -> str:
    try:
        cookie = SimpleCookie(text).get(COOKIE)
    except CookieError:
        return ""
    return cookie.value if cookie is not None else ""


def _with_cookie(send: Send, token: str) -> Send:
    async def wrapped(message: Any) -> None:  # noqa: ANN401 - an ASGI event
        if message["type"] == "http.response.start":
            value = f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/".encode()
            message = {**message, "headers": [*message["headers"], (b"set-cookie", value)]}
        await send(message)

    return wrapped


async def _refuse(scope: Scope, receive: Receive, send: Send, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        # Before it is accepted, this is an answer 403.
        await send({"type": "websocket.close", "code": _REFUSED, "reason": reason})
        return
    body = f"403: {reason}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
