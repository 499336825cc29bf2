"""What pages share, and what other apps bring."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from horus_sim.errors import UiError
from horus_sim.sim3d import World
from horus_sim.ui.session import Session
from horus_sim.ui.streaming import Client


class Engine:
    def __init__(self, log: list[str], name: str) -> None:
        self.log, self.name = log, name

    def close(self) -> None:
        self.log.append(self.name)


def test_what_an_app_shares_is_made_once_and_closed_with_the_session():
    closed: list[str] = []
    with Session(World.load("empty_world"), running=False) as session:
        first = session.share("a", lambda _: Engine(closed, "a"))
        session.share("b", lambda _: Engine(closed, "b"))
        session.share("plain", lambda of: (of, 1))
        assert session.share("a", lambda _: Engine(closed, "again")) is first
        assert closed == []
    assert closed == ["b", "a"]


def say(session: Session, message: dict[str, Any]) -> str:
    """Says something as a browser does; the last line of the log."""

    async def talk() -> None:
        client = Client(1, asyncio.get_running_loop())
        for callback in session.stream.on_message:
            callback(client, message)

    asyncio.run(talk())
    return session.log.since()[-1].text


def test_messages_of_other_apps_reach_their_handlers():
    heard: list[tuple[int, Any]] = []

    def refuse(client: Client, message: dict[str, Any]) -> None:
        raise UiError("'sim2d_drag' needs a number")

    with Session(World.load("empty_world"), running=False) as session:
        session.handlers["sim2d_key"] = lambda client, said: heard.append((client.number, said))
        session.handlers["sim2d_drag"] = refuse
        before = len(session.log.since())
        say(session, {"sim2d_key": "w", "held": True})
        assert heard == [(1, {"sim2d_key": "w", "held": True})]
        assert len(session.log.since()) == before
        assert say(session, {"sim2d_drag": "x"}) == "'sim2d_drag' needs a number"
        assert "means nothing here" in say(session, {"sim2d_kye": "w"})


def test_numbers_of_views_are_checked():
    still = [0, 0, 0, 1]
    with Session(World.load("empty_world"), running=False) as session:
        for number in (10**400, 1e300, float("nan"), float("inf"), True, "1"):
            text = "is no number from -1e\\+06 to 1e\\+06"
            assert re.search(text, say(session, {"drive": "a", "linear": number}))
            assert re.search(
                text, say(session, {"move": "a", "xyz": [0, 0, number], "quat": still})
            )
