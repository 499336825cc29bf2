"""What pages share, and what other apps bring."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from horus_sim.errors import UiError
from horus_sim.sim3d import World
from horus_sim.ui.shell.site import Site
from horus_sim.ui.stream.streaming import Client
from horus_sim.ui.world.model.session import WorldSessions


class Engine:
    def __init__(self, log: list[str]) -> None:
        self.log = log

    def close(self) -> None:
        self.log.append(type(self).__name__)


class Pump(Engine):
    pass


def test_what_an_app_shares_is_made_once_and_closed_with_the_site():
    closed: list[str] = []
    with Site() as site:
        first = site.share(Engine, lambda _: Engine(closed))
        site.share(Pump, lambda _: Pump(closed))
        site.share(tuple, lambda of: (of, 1))
        assert site.share(Engine, lambda _: Pump(closed)) is first
        assert closed == []
    assert closed == ["Pump", "Engine"]


def test_the_world_of_a_site_is_made_when_somebody_looks():
    with Site() as site:
        worlds = WorldSessions.of(site)
        assert not worlds.sessions
        assert site.tree().frames() == []
        session = worlds.present
        assert session.simulation.status.scene == "empty_world"
        assert worlds.present is session
        assert site.tree() is session.tf


def say(site: Site, message: dict[str, Any]) -> str:
    """Says something as a browser does; the last line of the log."""

    async def talk() -> None:
        client = Client(1, asyncio.get_running_loop())
        for callback in site.stream.on_message:
            callback(client, message)

    asyncio.run(talk())
    return "".join(event.text for event in site.log.since()[-1:])


def test_messages_of_other_apps_reach_their_handlers():
    heard: list[tuple[int, Any]] = []

    def refuse(client: Client, message: dict[str, Any]) -> None:
        raise UiError("'sim2d_drag' needs a number")

    with Site() as site:
        site.handlers["sim2d_key"] = lambda client, said: heard.append((client.number, said))
        site.handlers["sim2d_drag"] = refuse
        before = len(site.log.since())
        say(site, {"sim2d_key": "w", "held": True})
        assert heard == [(1, {"sim2d_key": "w", "held": True})]
        assert len(site.log.since()) == before
        assert say(site, {"sim2d_drag": "x"}) == "'sim2d_drag' needs a number"
        assert "means nothing here" in say(site, {"sim2d_kye": "w"})


def test_numbers_of_views_are_checked():
    still = [0, 0, 0, 1]
    with Site() as site:
        WorldSessions.of(site).open(World.load("empty_world"), running=False)
        for number in (10**400, 1e300, float("nan"), float("inf"), True, "1"):
            text = "is not a number from -1e\\+06 to 1e\\+06"
            assert re.search(text, say(site, {"drive": "a", "linear": number}))
            assert re.search(text, say(site, {"move": "a", "xyz": [0, 0, number], "quat": still}))
