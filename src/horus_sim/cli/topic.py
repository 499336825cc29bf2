"""`horus-sim topic`: see what travels on the topics of a session, and send messages."""

from __future__ import annotations

import itertools
import json
import time
from typing import TYPE_CHECKING, Annotated

import typer

from horus_sim.cli.hub_options import ListenOptions, SessionOption, TopicOptions, until_interrupted
from horus_sim.cli.options import Commands
from horus_sim.cli.terminal import print_table, progress
from horus_sim.cli.topics import ends, measures
from horus_sim.cli.topics.ends import JsonOption, TopicArgument
from horus_sim.cli.topics.measures import TypeOption
from horus_sim.files.printable import printable

if TYPE_CHECKING:
    from horus_sim.hub import Hub, TopicInfo

app = Commands(name="topic")

_POLL_S = 0.05
_EMPTY_ANSWERS = 3
# A terminal that scrolls slower than a burst must not lose messages.
_ECHO_DEPTH = 10_000

app.command()(ends.info)
app.command("type")(ends.type_of)
for _measure in (measures.hz, measures.bw, measures.delay):
    app.command()(_measure)


def _listed(hub: Hub, wait: float) -> list[TopicInfo]:
    """The topics after a while; on a busy machine the first answer may be empty."""
    time.sleep(wait)
    for _ in range(_EMPTY_ANSWERS):
        topics = hub.topics()
        if topics:
            return topics
        time.sleep(wait)
    return []


@app.command("list")
def list_topics(
    *,
    as_json: JsonOption = False,
    topics: ListenOptions,
) -> None:
    """List the topics with their types and the number of publishers and subscriptions."""
    with topics.open() as hub, progress("looking for topics", topics.wait):
        found = _listed(hub, topics.wait)
    if as_json:
        records = [
            {
                "name": info.name,
                "types": list(info.kinds),
                "publishers": info.publishers,
                "subscriptions": info.subscriptions,
            }
            for info in found
        ]
        typer.echo(json.dumps(records, indent=2))
    elif found:
        rows = [
            (
                info.name,
                ", ".join(info.kinds or info.wanted) or "-",
                info.publishers,
                info.subscriptions,
            )
            for info in found
        ]
        print_table(("topic", "types", "publishers", "subscriptions"), rows)
    else:
        typer.echo(f"no topics in session '{hub.session}'; another one is chosen with --session")


@app.command()
def echo(
    topic: TopicArgument,
    *,
    count: Annotated[
        int | None, typer.Option("--count", min=1, help="Messages to print; endless by default.")
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", metavar="SECONDS", min=0.0, help="Longest wait for a message."),
    ] = None,
    latched: Annotated[
        bool,
        typer.Option(
            "--latched", help="Begin with the earlier messages that the publishers still keep."
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all of each message, as JSON.")
    ] = False,
    kind: TypeOption = None,
    topics: ListenOptions,
) -> None:
    """Print the messages of a topic, one a line, until Ctrl-C."""
    with until_interrupted(), topics.open() as hub:
        from horus_sim.cli.topic_search import are_latched, published_type
        from horus_sim.errors import HubError
        from horus_sim.hub import QoS
        from horus_sim.hub.json_form import to_text

        wanted = published_type(hub, topic, kind, topics.wait)
        # As ROS does it: what all publishers keep for late listeners is shown.
        latched = latched or are_latched(hub, topic)
        # Recovery of lost messages would also bring those from before this subscription.
        qos = QoS(depth=_ECHO_DEPTH, reliable=latched, latched=latched)
        with hub.subscribe(topic, wanted, qos) as messages:
            with progress(f"waiting for a message on '{messages.topic}'", timeout):
                message = messages.wait(timeout)
            for printed in itertools.count():
                if message is None:
                    hint = "" if latched else "; --latched shows what was sent before"
                    why = f" (refused: {messages.last_error})" if messages.last_error else ""
                    raise HubError(
                        f"no message on '{messages.topic}' within {timeout:g} s, "
                        f"{printed} printed{why}{hint}"
                    )
                typer.echo(to_text(message) if as_json else printable(message))
                if printed + 1 == count:
                    return
                message = messages.wait(timeout)


@app.command()
def pub(
    topic: TopicArgument,
    type_name: Annotated[
        str, typer.Argument(metavar="TYPE", help="Message type, such as CmdVel, dict, module:Class")
    ],
    fields: Annotated[
        str,
        typer.Argument(
            metavar="FIELDS",
            help="""JSON or YAML: '{"linear": 0.5}', or as in ROS: '{linear: {x: 0.5}}'.""",
        ),
    ] = "{}",
    *,
    rate: Annotated[
        float | None,
        typer.Option("--rate", metavar="HZ", min=0.001, help="Send so often, until Ctrl-C."),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(
            "--count", metavar="N", min=1, help="Send so many; once a second without --rate."
        ),
    ] = None,
    topics: ListenOptions,
) -> None:
    """Send a message on a topic: once, or with --rate until Ctrl-C.

    Waits for a subscription first, at most --wait seconds, so that the first message is not lost.
    """
    with until_interrupted(), topics.open() as hub:
        from horus_sim.cli.topic_search import await_subscription
        from horus_sim.cli.topics.fields import message_of
        from horus_sim.hub.message_types import find_type

        kind = find_type(type_name)
        message = message_of(kind, fields)
        if count is None and rate is None:
            count = 1
        with hub.publisher(topic, kind) as publisher:
            await_subscription(hub, publisher.topic, kind, topics.wait)
            period = 1.0 / (rate or 1.0)
            begin = time.monotonic()
            endless = count is None
            with (
                until_interrupted(),
                progress(
                    f"sending on '{publisher.topic}'", None if endless else (count - 1) * period
                ),
            ):
                for number in itertools.count(1):
                    publisher.send(message)
                    if number == count:
                        break
                    time.sleep(max(0.0, begin + number * period - time.monotonic()))
            plural = "" if publisher.sent == 1 else "s"
            missed = f"; receivers missed {publisher.missed}" if publisher.missed else ""
            typer.echo(f"sent {publisher.sent} message{plural} on '{publisher.topic}'{missed}")


@app.command()
def share(
    *,
    net: Annotated[
        str,
        typer.Option(
            "--net",
            metavar="HOST:PORT",
            help="Where other machines reach the session, such as 0.0.0.0:7447. There is no login.",
        ),
    ],
    session: SessionOption = None,
) -> None:
    """Let other machines join the session of this one, until Ctrl-C."""
    with TopicOptions(session).open(net=net) as hub, until_interrupted():
        typer.echo(
            f"session '{hub.session}' is open to the network on {net}; elsewhere:\n"
            f"  horus-sim topic list --session {hub.session} --url zenoh://<this host>:"
            f"{net.rpartition(':')[2]}"
        )
        while True:
            time.sleep(_POLL_S)
