"""Files that are never seen half written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PART = ".part"
"""Ending of a file that is being written."""


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Opens a file that takes the place of the old one when all is written.

    What reads the path sees the old file or the new one.
    """
    beside = path.with_name(path.name + PART)
    with beside.open("wb") as file:
        yield file
    beside.replace(path)
