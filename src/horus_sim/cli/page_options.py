"""The options of commands that open a page, and their refusal in runs that have none."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

import typer

from horus_sim.files.printable import printable

if TYPE_CHECKING:
    from horus_sim.ui.shell.server import Server
    from horus_sim.ui.shell.site import Site


@dataclass(frozen=True, slots=True)
class PageOptions:
    """Where a page is served."""

    host: Annotated[
        str, typer.Option("--host", help="Address of the page; 0.0.0.0 for other machines too.")
    ] = "127.0.0.1"
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port of the page; 0 for a free one.")
    ] = 8080
    open_page: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = True

    def server(self, site: Site, path: str = "/", query: Mapping[str, str] | None = None) -> Server:
        """The server of a site.

        Args:
            site: What its pages share.
            path: The page that is opened.
            query: State of that page; empty values are left out.
        """
        from horus_sim.ui.shell.server import Server, ServerConfig

        given = {key: value for key, value in (query or {}).items() if value}
        address = f"{path}?{urlencode(given)}" if given else path
        return Server(site, ServerConfig(self.host, self.port, self.open_page, address))


def serve(server: Server, name: str) -> None:
    """Says where a page is, and serves it until Ctrl-C."""
    typer.echo(f"{printable(name)}: {server.invitation} (Ctrl-C ends)")
    server.run()


def refuse_page_options(context: typer.Context, without_page: Collection[str]) -> None:
    """Refuses options of the page beside one that keeps it away, instead of ignoring them.

    Args:
        context: Context of the command.
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
    of_page = {"visual", *PageOptions.__dataclass_fields__}
    page = [parameter.opts[0] for parameter in given if parameter.name in of_page]
    without = [parameter.opts[0] for parameter in given if parameter.name in without_page]
    if page and without:
        raise typer.BadParameter(
            f"{page[0]} is about the page, and {without[0]} runs without one; leave one of them out"
        )
