"""The button that takes files from a user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from horus_sim.ui.kit.controls import text_button
from horus_sim.ui.shell.uploads import LARGEST_FILE


def uploader(
    text: str,
    take: Callable[..., Any],
    complain: Callable[[str], object],
    *,
    name: str = "Files",
    suffixes: tuple[str, ...] = (),
    multiple: bool = True,
) -> ui.upload:
    """A button that opens the browser's dialog; views that take drops get what it returns.

    Args:
        text: The word on the button.
        take: Called with the event of each file.
        complain: Called with a text where a file is refused.
        name: Accessible name of the upload itself.
        suffixes: Ends of the names of files that are taken; empty for all.
        multiple: Whether several files may be chosen at once.
    """
    ends = f" that ends in {', '.join(suffixes)}" if suffixes else ""
    limit = f"choose a file of at most {LARGEST_FILE // 1_000_000} MB{ends}"
    upload = ui.upload(
        multiple=multiple,
        auto_upload=True,
        max_file_size=LARGEST_FILE,
        on_upload=take,
        on_rejected=lambda: complain(limit),
    )
    # A button looks better than the list of files that this would show.
    upload.props(f'accept="{",".join(suffixes)}" aria-label="{name}"').classes("hidden")
    text_button(
        text, lambda: upload.run_method("pickFiles"), "upload_file", look="outline"
    ).classes("full-width")
    return upload
