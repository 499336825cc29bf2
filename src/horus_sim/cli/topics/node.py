"""`horus-sim node`: the nodes of a session, programs of ROS among them."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated

import typer

from horus_sim.cli.hub_options import ListenOptions
from horus_sim.cli.options import Commands
from horus_sim.cli.terminal import progress
from horus_sim.cli.topics.ends import JsonOption
from horus_sim.files.printable import printable

if TYPE_CHECKING:
    from horus_sim.hub import Hub

app = Commands(name="node")


@app.command("list")
def list_nodes(*, as_json: JsonOption = False, topics: ListenOptions) -> None:
    """List the nodes: each connection of a program, and each node of ROS."""
    with topics.open() as hub, progress("looking for nodes", topics.wait):
        time.sleep(topics.wait)
        nodes = _others(hub)
    if as_json:
        typer.echo(json.dumps(nodes, indent=2))
    elif nodes:
        for node in nodes:
            typer.echo(printable(node))
    else:
        typer.echo(f"no nodes in session '{hub.session}'; another one is chosen with --session")


@app.command()
def info(
    node: Annotated[str, typer.Argument(metavar="NODE", help="Name of the node.")],
    *,
    as_json: JsonOption = False,
    topics: ListenOptions,
) -> None:
    """Show what a node publishes, reads, serves and asks, with types and quality of service."""
    from horus_sim.cli.topics.end_table import print_ends, print_json
    from horus_sim.errors import HubError
    from horus_sim.files.names import did_you_mean

    name = f"/{node.removeprefix('/')}"
    with topics.open() as hub, progress(f"looking for node '{name}'", topics.wait):
        time.sleep(topics.wait)
        nodes = _others(hub)
        ends = [end for end in hub.ends() if end.node == name]
    if name not in nodes:
        raise HubError(
            f"there is no node '{name}' in session '{hub.session}' after {topics.wait:g} s; "
            f"{did_you_mean(name, sorted(set(nodes))) if nodes else 'start the program first'}"
        )
    if as_json:
        print_json(ends)
        return
    typer.echo(printable(name))
    if ends:
        print_ends(ends, of_node=True)
    else:
        typer.echo("it has no topics and no services")
    if nodes.count(name) > 1:
        typer.echo(
            f"warning: {nodes.count(name)} nodes have this name; give each a name of its own",
            err=True,
        )


def _others(hub: Hub) -> list[str]:
    """The nodes without this command itself."""
    nodes = hub.nodes()
    nodes.remove(hub.node)
    return nodes
