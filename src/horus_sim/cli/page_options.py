"""The options of commands that open a page, and their refusal in runs that have none."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

import typer

HostOption = Annotated[
    str, typer.Option("--host", help="Address of the page; 0.0.0.0 for other machines too.")
]
PortOption = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="Port of the page; 0 for a free one.")
]
OpenOption = Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")]

_OF_THE_PAGE = {"visual", "host", "port", "open_page"}


def refuse_page_options(context: typer.Context, without_page: Collection[str]) -> None:
    """Refuses options of the page beside one that keeps it away, instead of ignoring them.

    Args:
        context: That of the command.
        without_page: Parameters of the command that make it run without a page.

    Raises:
        typer.BadParameter: Both kinds of options were given.
    """
    # By name: Typer brings a Click of its own.
    given = [
        parameter
        for parameter in context.command.params
        if getattr(context.get_parameter_source(parameter.name or ""), "name", "") == "COMMANDLINE"
    ]
    page = [parameter.opts[0] for parameter in given if parameter.name in _OF_THE_PAGE]
    without = [parameter.opts[0] for parameter in given if parameter.name in without_page]
    if page and without:
        raise typer.BadParameter(
            f"{page[0]} is about the page, and {without[0]} runs without one; leave one of them out"
        )
