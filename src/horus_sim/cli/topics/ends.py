"""`horus-sim topic info` and `topic type`: who is at a topic."""

from __future__ import annotations

from typing import Annotated

import typer

from horus_sim.cli.hub_options import ListenOptions
from horus_sim.cli.terminal import progress

TopicArgument = Annotated[str, typer.Argument(metavar="TOPIC", help="Name of the topic.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def info(topic: TopicArgument, *, as_json: JsonOption = False, topics: ListenOptions) -> None:
    """Show each publisher and subscription of a topic: its node, type and quality of service."""
    from horus_sim.cli.topic_search import no_such_topic
    from horus_sim.cli.topics.end_table import disagreement, ends_after, print_ends, print_json
    from horus_sim.errors import HubError
    from horus_sim.hub.topic import topic_name

    name = topic_name(topic)
    with topics.open() as hub, progress(f"looking for topic '{name}'", topics.wait):
        # Those who are there are known after a while, not at once.
        found = ends_after(hub, topics.wait, lambda _: False)
        ends = [end for end in found if end.is_of_topic and end.name == name]
        if not ends:
            raise HubError(no_such_topic(hub, name, topics.wait))
    if as_json:
        print_json(ends)
        return
    types = ", ".join(sorted({end.ros_type for end in ends}))
    typer.echo(f"/{name}: {types}")
    print_ends(ends, of_node=False)
    if text := disagreement(ends):
        typer.echo(f"warning: {text}", err=True)


def type_of(topic: TopicArgument, *, topics: ListenOptions) -> None:
    """Print the ROS type of a topic; a line for each where it has several."""
    from horus_sim.cli.topic_search import no_such_topic
    from horus_sim.cli.topics.end_table import ends_after
    from horus_sim.errors import HubError
    from horus_sim.hub.topic import topic_name

    name = topic_name(topic)

    with topics.open() as hub, progress(f"looking for topic '{name}'", topics.wait):
        found = ends_after(
            hub,
            topics.wait,
            lambda ends: any(end.is_of_topic and end.name == name for end in ends),
        )
        types = {end.ros_type for end in found if end.is_of_topic and end.name == name}
        if not types:
            raise HubError(no_such_topic(hub, name, topics.wait))
    for each in sorted(types):
        typer.echo(each)
