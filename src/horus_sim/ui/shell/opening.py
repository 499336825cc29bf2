"""Opening a page in the user's browser without showing its token to other users."""

from __future__ import annotations

import contextlib
import html
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path

_AFTER_S = 0.5
_SNAPS = Path("/snap/bin")


@contextlib.contextmanager
def opened(address: str) -> Iterator[None]:
    """Opens an address soon; what that took is removed in the end.

    Everybody on a machine sees the arguments of a browser's process. It is therefore given a file
    that only the user can read, and which leads to the address.
    """
    with tempfile.TemporaryDirectory(prefix="horus-sim-", dir=_folder()) as folder:
        timer = threading.Timer(_AFTER_S, webbrowser.open, (doorway(Path(folder), address),))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def doorway(folder: Path, address: str) -> str:
    """Writes the file.

    Args:
        folder: Folder that only the user can read.
        address: Address that the file leads to.

    Returns:
        Its own address.
    """
    path = folder / "open.html"
    target = html.escape(address)
    path.touch(mode=0o600)
    path.write_text(
        '<!DOCTYPE html><meta charset="utf-8"><title>Horus Sim</title>'
        f'<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" '
        f'content="0; url={target}"><a href="{target}">Horus Sim</a>\n',
        encoding="utf-8",
    )
    return path.as_uri()


def _folder() -> Path | None:
    """Where a browser can read it; None for the folder of temporary files."""
    downloads = Path.home() / "Downloads"
    # A browser that is a snap sees neither temporary nor hidden files.
    return downloads if _SNAPS.is_dir() and downloads.is_dir() else None
