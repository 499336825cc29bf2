"""A file whose failure ends the recording, not the simulation."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import BinaryIO


class GuardedFile:
    """A file to which writing fails at most once.

    After a failure, such as a full disk, it keeps the error and takes no more: who writes goes on
    undisturbed and looks at `error`.

    Args:
        file: Open for writing.

    Attributes:
        error: What went wrong, or None.
        size: Bytes that were written.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._position = 0
        self.error: OSError | None = None
        self.size = 0

    def write(self, data: bytes | bytearray) -> int:
        """Writes, or notes the failure."""
        self._guard(self._file.write, data)
        self._position += len(data)
        if self.error is None:
            self.size = max(self.size, self._position)
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Moves; the position counts on after a failure, too."""
        self._position = offset + (0, self._position, self.size)[whence]
        # What waits to be written is written first, which may fail.
        self._guard(self._file.seek, self._position)
        return self._position

    def tell(self) -> int:
        """Where the next byte goes."""
        return self._position

    def seekable(self) -> bool:
        """It is."""
        return True

    def writable(self) -> bool:
        """It is."""
        return True

    def readable(self) -> bool:
        """It is not."""
        return False

    def flush(self) -> None:
        """Brings what was written onto the disk's queue, or notes the failure."""
        self._guard(self._file.flush)

    def close(self) -> None:
        """Ends the file."""
        self.flush()
        self._guard(self._file.close)
        # After a failure, what Python still holds cannot be written; that is known already.
        with contextlib.suppress(OSError):
            self._file.close()

    def _guard(self, action: Callable[..., object], *arguments: object) -> None:
        """Does something with the file, unless an earlier failure ended it."""
        if self.error is None:
            try:
                action(*arguments)
            except OSError as error:
                self.error = error
