"""Digests of numbers by their bits, and those that they must have everywhere.

Where results are meant to change, `HORUS_NEW_DIGESTS=1 ./test.sh tests/determinism` writes down the
new ones, and `scripts/test-digests.sh` shows that all compilers and processors have them.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np

_FILE = Path(__file__).with_name("digests.json")


class Digest:
    """SHA-256 of everything that is added, in its order, whatever the machine's order of bytes."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, *values: object) -> None:
        for value in values:
            array = np.asarray(value)
            if array.dtype.kind == "f":
                # Processors make different NaN, and no operation tells them apart.
                array = np.where(np.isnan(array), np.nan, array).astype("<f8")
            elif array.dtype.kind in "iub":
                array = array.astype("<i8")
            else:
                array = np.frombuffer(str(value).encode(), np.uint8)
            self._hash.update(str(array.shape).encode() + array.tobytes())

    def hex(self) -> str:
        return self._hash.hexdigest()

    def check(self, name: str, platform: str | None = None) -> None:
        """Fails unless the digest is the one that is written down under this name.

        One that belongs to a platform is compared where that platform has one.
        """
        known = json.loads(_FILE.read_text(encoding="utf-8"))
        if platform is not None:
            name = f"{name}, {platform}"
        if os.environ.get("HORUS_NEW_DIGESTS") == "1":
            known[name] = self.hex()
            _FILE.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        if platform is None or name in known:
            assert self.hex() == known.get(name), f"'{name}' has other bits here"
