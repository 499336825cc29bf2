"""The web server: pages, the stream and the geometry, with access control before all of them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from horus_sim.errors import HorusError, UiError
from horus_sim.system import reserve_address
from horus_sim.ui.shell.access import TOKEN_KEY, AccessControl, is_loopback, new_token
from horus_sim.ui.shell.opening import opened

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.websockets import WebSocket

    from horus_sim.ui.shell.site import Site

_RECONNECT_S = 30.0
_START_S = 30.0
_SCENE_S = 60.0
_BACKLOG = 128
_CONFLICT = 409
_UNAVAILABLE = 503
# Where a server listens for everybody, and where this machine finds it.
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Where the pages are served.

    Attributes:
        host: Address to bind to.
        port: Port; 0 takes a free one.
        open_browser: Whether the page is opened.
        path: Page of which app is opened and printed.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    open_browser: bool = False
    path: str = "/"


class Server:
    """Serves the pages of a site; one in a process, since NiceGUI has one application.

    Args:
        site: What the pages share.
        config: Address and port where they are served.

    Attributes:
        site: What the pages share.
        port: Port that it listens on.
        token: The secret without which nothing is answered.
        address: What to open in a browser of this machine, with the token.
        invitation: What to tell the user: the address, and that for other machines.
    """

    def __init__(self, site: Site, config: ServerConfig | None = None) -> None:
        import uvicorn

        self.site = site
        self._config = config or ServerConfig()
        self._socket = _bind(self._config)
        try:
            application = make_application(site)
        except UiError:
            self._socket.close()
            raise
        self.port: int = self._socket.getsockname()[1]
        site.is_local = is_loopback(self._config.host)
        self.token = new_token()
        self.address = self.link(self._config.path)
        self.invitation = invitation_of(self._config.host, self.port, self.token, self._config.path)
        guarded = AccessControl(application, self._config.host, self.token)
        self._uvicorn = uvicorn.Server(
            uvicorn.Config(
                guarded,
                log_level="warning",
                ws_per_message_deflate=False,
                ws_max_size=1_048_576,
                timeout_graceful_shutdown=1,
            )
        )

    def link(self, path: str) -> str:
        """What opens a page in a browser of this machine, with the token.

        Args:
            path: Path of the page, such as '/sim2d?scenario=maze'.
        """
        return address_of(self._config.host, self.port, self.token, path)

    def run(self) -> None:
        """Serves until it is interrupted."""
        # NiceGUI asks every object of the process for its class; one of torch answers with this.
        warnings.filterwarnings("ignore", ".*torch.distributed.reduce_op", FutureWarning)
        logging.getLogger("nicegui").addFilter(_is_worth_telling)
        with opened(self.address) if self._config.open_browser else contextlib.nullcontext():
            self._uvicorn.run(sockets=[self._socket])

    @property
    def is_ending(self) -> bool:
        """Whether it was told to end, by a signal or by `stop`."""
        return self._uvicorn.should_exit

    def stop(self) -> None:
        """Lets `run` return; any thread may call this."""
        self._uvicorn.should_exit = True

    @contextlib.contextmanager
    def in_thread(self) -> Iterator[Server]:
        """Serves in a thread, for tests and notebooks."""
        thread = threading.Thread(target=self.run, name="pages", daemon=True)
        thread.start()
        end = time.monotonic() + _START_S
        while not self._uvicorn.started and time.monotonic() < end:
            time.sleep(0.05)
        if not self._uvicorn.started:
            raise UiError("the server did not start; see the messages above")
        try:
            yield self
        finally:
            self.stop()
            thread.join(_START_S)


def address_of(host: str, port: int, token: str, path: str = "/") -> str:
    """What to open in a browser of this machine."""
    name = _ANY.get(host, host)
    name = f"[{name}]" if ":" in name else name
    joint = "&" if "?" in path else "?"
    return f"http://{name}:{port}{path}{joint}{TOKEN_KEY}={token}"


def invitation_of(host: str, port: int, token: str, path: str) -> str:
    """What to tell the user: the address, and that for other machines if they may come."""
    here = address_of(host, port, token, path)
    if host not in _ANY:
        return here
    return f"{here} or, from other machines, {address_of(socket.gethostname(), port, token, path)}"


def make_application(site: Site) -> FastAPI:
    """The web application of a site.

    Raises:
        UiError: This process has served pages before.
    """
    from fastapi import FastAPI
    from nicegui import app, ui
    from starlette.responses import Response
    from starlette.routing import Route, WebSocketRoute

    from horus_sim.ui.shell.page import register_pages
    from horus_sim.ui.stream.constants import SCENE_PATH, STREAM_PATH

    if app.middleware_stack is not None:
        raise UiError(
            "this process has served pages before, and NiceGUI serves once; show another world by "
            "`simulation.replace(world)` while pages are served, or start another process"
        )
    application = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    async def stream(websocket: WebSocket) -> None:
        await site.stream.serve(websocket)

    async def scene(request: Request) -> Response:
        channel = request.path_params["channel"]
        make = site.exports.get(channel)
        if make is None:
            return Response(f"no view is called '{channel}'; open its page again", 404)
        try:
            data = await asyncio.wait_for(asyncio.wrap_future(make()), _SCENE_S)
        except HorusError as error:
            return Response(f"there is no geometry: {error}", _CONFLICT)
        except TimeoutError:
            text = f"the simulation did not answer in {_SCENE_S:g} s; see its log"
            return Response(text, _UNAVAILABLE)
        return Response(
            data, media_type="application/octet-stream", headers={"cache-control": "no-store"}
        )

    application.router.routes += [
        WebSocketRoute(STREAM_PATH, stream),
        Route(f"{SCENE_PATH}/{{channel}}", scene),
    ]
    register_pages(site)
    ui.run_with(
        application,
        title="Horus Sim",
        dark=None,
        reconnect_timeout=_RECONNECT_S,
        show_welcome_message=False,
    )
    return application


def _is_worth_telling(record: logging.LogRecord) -> bool:
    """Not that tasks were cancelled late, on a busy machine, when none of them is left."""
    is_late = record.msg.startswith("Could not cancel") if isinstance(record.msg, str) else False
    return not (is_late and isinstance(record.args, tuple) and not record.args[-1])


def _bind(config: ServerConfig) -> socket.socket:
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    reserve_address(bound)
    try:
        bound.bind((config.host, config.port))
        # Who opens the printed address before the server runs waits, and is not refused.
        bound.listen(_BACKLOG)
    except OSError as error:
        bound.close()
        raise UiError(
            f"{config.host}:{config.port} cannot be used ({error.strerror or error}); "
            "choose another --port, or 0 for a free one"
        ) from error
    return bound
