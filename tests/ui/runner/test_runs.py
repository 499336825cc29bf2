"""Which run an address gets; no process is started."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from horus_sim.errors import UiError
from horus_sim.ui.runner.model import runs as module
from horus_sim.ui.runner.model.runner import Options
from horus_sim.ui.runner.model.runs import Runs, Wish
from horus_sim.ui.shell.site import Site
from horus_sim.ui.stream.streaming import Client, Stream


class FakeRunner:
    """Simulates nothing."""

    def __init__(
        self, stream: Stream, scenarios: object, drafts: object, channel: str, wishes: object
    ) -> None:
        self.channel = channel
        self.status: dict[str, Any] = {}
        self.asked: list[str] = []
        self.is_closed = False

    def post(self, do: str) -> None:
        self.asked.append(do)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    monkeypatch.setattr(module, "Runner", FakeRunner)
    return Runs(Site(folder=tmp_path), most=2)


def wish(runs: Runs, name: str, **options: Any) -> Wish:
    return Wish(runs.scenarios.find(name), Options(**options))


def test_an_address_has_one_run_and_another_address_another(runs: Runs):
    maze = runs.open(wish(runs, "maze"))
    assert runs.open(wish(runs, "maze")) is maze
    seeded = runs.open(wish(runs, "maze", seed=3))
    assert seeded is not maze
    assert seeded.channel != maze.channel
    assert runs.newest is seeded
    runs.open(wish(runs, "maze"))
    assert runs.newest is maze


def test_the_run_that_was_not_looked_at_for_longest_makes_room(runs: Runs):
    maze, sumo = runs.open(wish(runs, "maze")), runs.open(wish(runs, "sumo"))
    runs.open(wish(runs, "maze"))
    slalom = runs.open(wish(runs, "slalom"))
    assert list(runs.sessions.values()) == [maze, slalom]
    assert (maze.runner.is_closed, sumo.runner.is_closed) == (False, True)


def test_runs_with_a_page_or_a_recording_stay_and_the_next_is_told(runs: Runs):
    maze, sumo = runs.open(wish(runs, "maze")), runs.open(wish(runs, "sumo"))
    is_open = True
    maze.join(lambda: is_open)
    sumo.runner.status = {"log": "sumo.csv"}
    with pytest.raises(UiError, match=r"there are 2 runs already, .*stop one, then try again"):
        runs.open(wish(runs, "slalom"))
    assert maze.pages == 1
    is_open = False
    assert maze.pages == 0
    runs.open(wish(runs, "slalom"))
    assert (maze.runner.is_closed, sumo.runner.is_closed) == (True, False)


def test_a_link_leads_to_the_same_wish(runs: Runs):
    assert wish(runs, "maze").link == "/sim2d?scenario=maze"
    assert wish(runs, "maze").title == "maze"
    odd = wish(runs, "maze", seed=7, top_down=False, ignore_terrain=True)
    assert odd.link == "/sim2d?scenario=maze&seed=7&side=1&empty=1"
    assert odd.title == "maze (seed 7, from the side, no terrain)"


def test_only_the_run_that_somebody_new_looks_at_sends_a_frame(runs: Runs):
    maze, sumo = runs.open(wish(runs, "maze")), runs.open(wish(runs, "sumo"))
    client = Client(1, None)  # type: ignore[arg-type]
    runs._site.stream.want(client, [sumo.channel, f"{sumo.channel}_scene"])
    assert (maze.runner.asked, sumo.runner.asked) == ([], ["again"])  # type: ignore[attr-defined]
    runs.close()
    assert maze.runner.is_closed
    assert not runs.sessions
