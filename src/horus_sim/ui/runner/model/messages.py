"""Messages between the server and the process that simulates: JSON, and bytes beside it.

Each is two lengths (little-endian, 32 bit), the JSON text and the bytes, through a pipe.
"""

from __future__ import annotations

import contextlib
import json
import struct
import threading
from typing import IO, Any

_LENGTHS = struct.Struct("<II")
Message = dict[str, Any]


class Sender:
    """Writes messages; any thread may send.

    Args:
        file: Where they go.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._lock = threading.Lock()

    def send(self, message: Message, data: bytes = b"") -> None:
        """Sends a message.

        Raises:
            OSError: Nobody reads any more.
        """
        text = json.dumps(message).encode()
        with self._lock:
            self._file.write(_LENGTHS.pack(len(text), len(data)) + text + data)
            self._file.flush()

    def close(self) -> None:
        """Ends the pipe; what was not written yet is lost."""
        with self._lock, contextlib.suppress(OSError):
            self._file.close()


def receive(file: IO[bytes]) -> tuple[Message, bytes] | None:
    """The next message, or None when there will be none."""
    head = file.read(_LENGTHS.size)
    if len(head) < _LENGTHS.size:
        return None
    text_size, data_size = _LENGTHS.unpack(head)
    text, data = file.read(text_size), file.read(data_size)
    if len(text) < text_size or len(data) < data_size:
        return None
    return json.loads(text), data
