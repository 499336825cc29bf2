"""`horus-sim service`: the services of a session, those of ROS programs among them."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horus_sim.cli.hub_options import ListenOptions
from horus_sim.cli.options import Commands
from horus_sim.cli.terminal import print_table, progress
from horus_sim.cli.topics.ends import JsonOption

if TYPE_CHECKING:
    from horus_sim.hub import Hub

app = Commands(name="service")


@app.command("list")
def list_services(*, as_json: JsonOption = False, topics: ListenOptions) -> None:
    """List the services with their types and the number of servers and clients."""
    with topics.open() as hub, progress("looking for services", topics.wait):
        time.sleep(topics.wait)
        found = hub.services()
    if as_json:
        records = [
            {
                "name": info.name,
                "types": list(info.kinds),
                "servers": info.servers,
                "clients": info.clients,
            }
            for info in found
        ]
        typer.echo(json.dumps(records, indent=2))
    elif found:
        rows = [(info.name, ", ".join(info.kinds), info.servers, info.clients) for info in found]
        print_table(("service", "types", "servers", "clients"), rows)
    else:
        typer.echo(f"no services in session '{hub.session}'; another one is chosen with --session")


@app.command()
def call(
    service: Annotated[str, typer.Argument(metavar="SERVICE", help="Name of the service.")],
    fields: Annotated[
        str, typer.Argument(metavar="[JSON]", help="Fields of the request.", show_default=False)
    ] = "{}",
    *,
    kind: Annotated[
        str | None,
        typer.Option("--type", metavar="TYPE", help="Its type; found out by default."),
    ] = None,
    timeout: Annotated[
        float, typer.Option(metavar="S", help="Longest wait for the answer.")
    ] = 10.0,
    topics: ListenOptions,
) -> None:
    """Ask a service, and print its answer: `service call step_simulation '{"steps": 10}'`."""
    from horus_sim.hub.json_form import to_text

    request = _request(fields)
    with topics.open() as hub:
        chosen = kind or _type_of(hub, service.removeprefix("/"), topics.wait)
        with hub.client(service, chosen) as client:
            answer = client.call(request, timeout=timeout)
    typer.echo(json.dumps(json.loads(to_text(answer)), indent=2))


def _request(text: str) -> dict[str, Any]:
    from horus_sim.errors import MessageError

    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise MessageError(
            f"the fields of the request are not JSON: {error}; write an object in single quotes, "
            """such as '{"steps": 10}'"""
        ) from error
    if not isinstance(found, dict):
        raise MessageError(f"the request must be a JSON object of fields, got {text:.60}")
    return found


def _type_of(hub: Hub, name: str, wait: float) -> str:
    """The type of a service; waits for its server."""
    from horus_sim.errors import HubError
    from horus_sim.files.names import did_you_mean

    end = time.monotonic() + wait
    with progress(f"looking for service '{name}'", wait):
        while True:
            served = {info.name: info for info in hub.services() if info.servers}
            if name in served:
                break
            if time.monotonic() >= end:
                where = f"nobody serves '{name}' in session '{hub.session}' after {wait:g} s"
                hint = did_you_mean(name, sorted(served)) if served else "start the program first"
                raise HubError(f"{where}; {hint}")
            time.sleep(0.05)
    first, *others = served[name].kinds
    if others:
        raise HubError(
            f"service '{name}' has several types, {', '.join((first, *others))}; choose with --type"
        )
    return first
