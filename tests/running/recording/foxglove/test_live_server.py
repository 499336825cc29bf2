"""The live view, seen by a client that speaks just enough of its protocol."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct

import pytest

from horus_sim.errors import RecordingError
from horus_sim.running import RunningWorld
from horus_sim.running.recording import FoxgloveServer
from horus_sim.sim3d import World

TEXT, BINARY = 1, 2


class Client:
    """A WebSocket with frames that are never split."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n".encode()
        )
        self._file = self._socket.makefile("rb")
        assert b"101" in self._file.readline()
        while self._file.readline() != b"\r\n":
            pass

    def receive(self):
        first, length = self._file.read(2)
        if length == 126:
            (length,) = struct.unpack(">H", self._file.read(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self._file.read(8))
        return first & 0x0F, self._file.read(length)

    def receive_json(self, op):
        while True:
            kind, data = self.receive()
            if kind == TEXT and (message := json.loads(data))["op"] == op:
                return message

    def send_json(self, message):
        data = json.dumps(message).encode()
        head = struct.pack(">BBH", 0x81, 0x80 | 126, len(data))
        self._socket.sendall(head + bytes(4) + data)

    def close(self):
        self._file.close()
        self._socket.close()


@pytest.fixture
def server():
    return FoxgloveServer(0)


def test_a_viewer_gets_channels_schemas_and_messages(server):
    world = World.load("warehouse")
    with RunningWorld(world) as running:
        running.add_outlet(server)
        assert server.url == f"ws://127.0.0.1:{server.port}"
        running.step(10)
        client = Client(server.port)
        try:
            assert client.receive_json("serverInfo")["name"] == "horus-sim"
            channels = {}
            while not {"/clock", "/tf"} <= channels.keys():
                found = client.receive_json("advertise")["channels"]
                channels |= {channel["topic"]: channel for channel in found}
            assert channels["/tf"]["schemaName"] == "foxglove.FrameTransforms"
            wanted = {"id": 1, "channelId": channels["/clock"]["id"]}
            client.send_json({"op": "subscribe", "subscriptions": [wanted]})
            while True:
                # The subscription takes a moment; the simulation goes on meanwhile.
                running.step(10)
                kind, data = client.receive()
                if kind == BINARY and data[0] == 1:
                    break
            assert "/tf_static" in channels
            number, stamp_ns = struct.unpack("<IQ", data[1:13])
            assert number == 1
            assert json.loads(data[13:])["stamp_ns"] == stamp_ns
            running.reset()
            assert client.receive_json("serverInfo")["sessionId"]
        finally:
            client.close()


def test_a_taken_port_is_named(server):
    with pytest.raises(RecordingError, match=r"does not start at 127.0.0.1:\d+ .* or 0 for a free"):
        FoxgloveServer(server.port)
    server.close()
