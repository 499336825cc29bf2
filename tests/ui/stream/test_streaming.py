"""Streams: the latest wins, at most two are on their way, and nobody waits."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from horus_sim.ui.stream.streaming import MOST_IN_FLIGHT, Client, Stream, envelope


class Socket:
    """The server's end of a WebSocket, with a test at the other."""

    def __init__(self) -> None:
        self.sent: list[bytes | str] = []
        self.said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.closed: int | None = None

        class State:
            name = "CONNECTED"

        self.client_state = State()

    async def accept(self) -> None:
        pass

    async def close(self, code: int) -> None:
        self.closed = code

    async def send_bytes(self, data: bytes) -> None:
        self.sent.append(data)

    async def send_text(self, data: str) -> None:
        self.sent.append(data)

    async def receive(self) -> dict[str, Any]:
        return await self.said.get()

    def say(self, message: object) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        self.said.put_nowait({"type": "websocket.receive", "text": text})

    def leave(self) -> None:
        self.client_state.name = "DISCONNECTED"
        self.said.put_nowait({"type": "websocket.disconnect", "code": 1001})


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0.001)


def play(story: Any) -> None:
    """Runs a story with a stream and one browser."""

    async def run() -> None:
        stream, socket = Stream(), Socket()
        task = asyncio.create_task(stream.serve(socket))  # type: ignore[arg-type]
        await settle()
        await story(stream, socket)
        socket.leave()
        await task
        assert stream.clients == 0

    asyncio.run(run())


def test_only_what_is_wanted_is_sent():
    async def story(stream: Stream, socket: Socket) -> None:
        stream.publish("poses", b"before")
        socket.say({"want": ["cloud"]})
        await settle()
        stream.publish("poses", b"1")
        stream.publish("cloud:3", b"2")
        await settle()
        assert socket.sent == [envelope("cloud:3", b"2")]
        assert stream.is_wanted("cloud")
        assert not stream.is_wanted("poses")

    play(story)


def test_who_comes_later_gets_the_last_message():
    async def story(stream: Stream, socket: Socket) -> None:
        stream.publish("poses", b"1")
        stream.publish("poses", b"2")
        socket.say({"want": ["poses"]})
        await settle()
        assert socket.sent == [envelope("poses", b"2")]

    play(story)


def test_frames_carry_the_name_of_their_channel_at_a_multiple_of_four_bytes():
    assert envelope("poses", b"data") == b"\5\0\0\0poses\0\0\0data"
    assert envelope("tilt", b"data") == b"\4\0\0\0tiltdata"


def test_a_slow_browser_gets_the_newest_and_few():
    async def story(stream: Stream, socket: Socket) -> None:
        socket.say({"want": ["poses", "tf"]})
        await settle()
        for i in range(10):
            stream.publish("poses", f"{i}")
            await settle()
        assert socket.sent == ["0", "1"]
        assert len(socket.sent) == MOST_IN_FLIGHT
        stream.publish("tf", b"another channel is not held up")
        await settle()
        assert len(socket.sent) == 3
        socket.say({"ack": "poses"})
        await settle()
        assert socket.sent[-1] == "9"

    play(story)


def test_acknowledging_too_often_gains_nothing():
    async def story(stream: Stream, socket: Socket) -> None:
        socket.say({"want": ["poses"]})
        for _ in range(5):
            socket.say({"ack": "poses"})
        await settle()
        for i in range(5):
            stream.publish("poses", f"{i}")
            await settle()
        assert len(socket.sent) == MOST_IN_FLIGHT

    play(story)


@pytest.mark.parametrize("text", ["nonsense", "[]", "3", '{"a":' * 9000, "x" * 70_000])
def test_nonsense_ends_the_connection(text: str):
    async def run() -> None:
        stream, socket = Stream(), Socket()
        left: list[Client] = []
        stream.on_leave.append(left.append)
        task = asyncio.create_task(stream.serve(socket))  # type: ignore[arg-type]
        await settle()
        socket.say(text)
        await task
        assert socket.closed == 1003
        assert len(left) == 1

    asyncio.run(run())


def test_other_messages_go_to_whoever_listens():
    async def story(stream: Stream, socket: Socket) -> None:
        heard: list[dict[str, Any]] = []
        stream.on_message.append(lambda _, message: heard.append(message))
        socket.say({"drive": "burger"})
        await settle()
        assert heard == [{"drive": "burger"}]

    play(story)
