"""Newest messages to many browsers: latest wins, and whoever is slow gets fewer.

A message belongs to a channel; those of 'cloud:3' go to all who want 'cloud'. Each client has at
most two messages of a channel on their way; while it has not acknowledged one of them, newer ones
take each other's place. `publish` only puts a reference down, so that a simulation never waits for
a browser.
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Callable, Iterable, MutableMapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

MOST_IN_FLIGHT = 2
_LONGEST_TEXT = 65_536
_UNSUPPORTED = 1003
Message = bytes | str
OnMessage = Callable[["Client", dict[str, Any]], None]
OnLeave = Callable[["Client"], None]


def envelope(channel: str, frame: bytes) -> bytes:
    """A frame with the name of its channel, whose length is before it, padded to four bytes."""
    name = channel.encode()
    return struct.pack("<I", len(name)) + name + bytes(-len(name) % 4) + frame


class Client:
    """A browser that listens.

    Attributes:
        number: Unique while the program runs.
        wanted: Channels that it asked for.
    """

    def __init__(self, number: int, loop: asyncio.AbstractEventLoop) -> None:
        self.number = number
        self.wanted: frozenset[str] = frozenset()
        self._loop = loop
        self._event = asyncio.Event()
        self._pending: dict[str, Message] = {}
        self._in_flight: dict[str, int] = {}

    def offer(self, channel: str, message: Message) -> None:
        """Puts a message down for it, in place of an older one; any thread may call this."""
        if channel.partition(":")[0] not in self.wanted:
            return
        self._pending[channel] = message
        try:
            self._loop.call_soon_threadsafe(self._event.set)
        except RuntimeError:  # the loop has ended, and with it the client
            self._pending.clear()

    def acknowledge(self, channel: str) -> None:
        """It has shown a message of that channel."""
        count = self._in_flight.get(channel, 0)
        if count:
            self._in_flight[channel] = count - 1
            self._event.set()

    async def send_to(self, websocket: WebSocket) -> None:
        """Sends what it can take, for as long as it listens."""
        while True:
            await self._event.wait()
            self._event.clear()
            for channel in tuple(self._pending):
                if self._in_flight.get(channel, 0) >= MOST_IN_FLIGHT:
                    continue
                message = self._pending.pop(channel)
                self._in_flight[channel] = self._in_flight.get(channel, 0) + 1
                if isinstance(message, str):
                    await websocket.send_text(message)
                else:
                    await websocket.send_bytes(message)


class Stream:
    """Channels and those who listen to them.

    Attributes:
        on_message: Each is called with what a client says, in the server's loop.
        on_want: Each is called when a client listens to other channels, in the server's loop.
        on_leave: Each is called when a client is gone, in the server's loop.
    """

    def __init__(self) -> None:
        self.on_message: list[OnMessage] = []
        self.on_leave: list[OnLeave] = []
        self.on_want: list[OnLeave] = []
        self._clients: tuple[Client, ...] = ()
        self._last: dict[str, Message] = {}
        self._count = 0

    @property
    def clients(self) -> int:
        """How many listen."""
        return len(self._clients)

    def is_wanted(self, channel: str) -> bool:
        """Whether anybody listens to a channel: nobody need make messages for nobody."""
        return any(channel in client.wanted for client in self._clients)

    def publish(self, channel: str, message: Message) -> None:
        """Gives a message to all who listen to the channel, and at once to who comes later.

        Args:
            channel: Name of the channel.
            message: JSON text with the name as `channel`, or bytes that begin with `frames.header`.
        """
        if isinstance(message, bytes):
            message = envelope(channel, message)
        self._last[channel] = message
        for client in self._clients:
            client.offer(channel, message)

    def forget(self, channel: str) -> None:
        """Who comes later does not get the last message of that channel."""
        self._last.pop(channel, None)

    def want(self, client: Client, channels: Iterable[str]) -> None:
        """Sets what a client listens to."""
        before = client.wanted
        client.wanted = frozenset(channels)
        new = client.wanted - before
        for channel, message in tuple(self._last.items()):
            if channel.partition(":")[0] in new:
                client.offer(channel, message)
        for callback in self.on_want:
            callback(client)

    async def serve(self, websocket: WebSocket) -> None:
        """Talks with a browser until it leaves."""
        from starlette.websockets import WebSocketDisconnect

        await websocket.accept()
        self._count += 1
        client = Client(self._count, asyncio.get_running_loop())
        self._clients = (*self._clients, client)
        sender = asyncio.create_task(client.send_to(websocket))
        try:
            while await self._hear(client, await websocket.receive()):
                pass
            if websocket.client_state.name == "CONNECTED":
                await websocket.close(_UNSUPPORTED)
        except WebSocketDisconnect:
            pass
        finally:
            sender.cancel()
            self._clients = tuple(other for other in self._clients if other is not client)
            for callback in self.on_leave:
                callback(client)

    async def _hear(self, client: Client, event: MutableMapping[str, Any]) -> bool:
        """Takes one message of a client; False when it has left or speaks nonsense."""
        text = event.get("text")
        if event["type"] != "websocket.receive" or text is None or len(text) > _LONGEST_TEXT:
            return False
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            return False
        if not isinstance(message, dict):
            return False
        if isinstance(channel := message.get("ack"), str):
            client.acknowledge(channel)
            return True
        if isinstance(channels := message.get("want"), list):
            self.want(client, (str(channel) for channel in channels[:50]))
            return True
        for callback in self.on_message:
            callback(client, message)
        return True
