"""Which run an address gets; no process is started."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from horus_sim.errors import UiError
from horus_sim.ui.runner.model import runner as module
from horus_sim.ui.runner.model.run_address import Options, RunAddress
from horus_sim.ui.runner.model.run_status import RunStatus
from horus_sim.ui.runner.model.runs import Runs
from horus_sim.ui.shell.site import Site
from horus_sim.ui.stream.streaming import Client


class FakeLink:
    """A process that is never started."""

    def __init__(self, *_: object) -> None:
        self.asked: list[str] = []

    def start(self) -> None:
        pass

    def ask(self, do: str, *_: object) -> Future[Any]:
        self.asked.append(do)
        return Future()

    def end(self) -> None:
        pass


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    monkeypatch.setattr(module, "WorkerLink", FakeLink)
    return Runs(Site(folder=tmp_path), most=2)


def address(runs: Runs, name: str, **options: Any) -> RunAddress:
    return RunAddress(runs.scenarios.find(name), Options(**options))


def test_an_address_has_one_run_and_another_address_another(runs: Runs):
    maze = runs.open(address(runs, "maze"))
    assert runs.open(address(runs, "maze")) is maze
    seeded = runs.open(address(runs, "maze", seed=3))
    assert seeded is not maze
    assert seeded.channel != maze.channel
    assert runs.newest is seeded
    runs.open(address(runs, "maze"))
    assert runs.newest is maze


def test_the_run_that_was_not_looked_at_for_longest_makes_room(runs: Runs):
    maze, sumo = runs.open(address(runs, "maze")), runs.open(address(runs, "sumo"))
    runs.open(address(runs, "maze"))
    slalom = runs.open(address(runs, "slalom"))
    assert list(runs.sessions.values()) == [maze, slalom]
    assert (maze.is_closed, sumo.is_closed) == (False, True)


def test_runs_with_a_page_or_a_recording_stay_and_the_next_is_told(runs: Runs):
    maze, sumo = runs.open(address(runs, "maze")), runs.open(address(runs, "sumo"))
    is_open = True
    maze.join(lambda: is_open)
    sumo.status = RunStatus(log="sumo.csv")
    with pytest.raises(UiError, match=r"there are 2 runs already, .*stop one, then try again"):
        runs.open(address(runs, "slalom"))
    assert maze.pages == 1
    is_open = False
    assert maze.pages == 0
    runs.open(address(runs, "slalom"))
    assert (maze.is_closed, sumo.is_closed) == (True, False)


def test_a_link_leads_to_the_same_address(runs: Runs):
    assert address(runs, "maze").link == "/sim2d?scenario=maze"
    assert address(runs, "maze").title == "maze"
    odd = address(runs, "maze", seed=7, top_down=False, ignore_terrain=True)
    assert odd.link == "/sim2d?scenario=maze&seed=7&side=1&empty=1"
    assert odd.title == "maze (seed 7, from the side, no terrain)"


def test_only_the_run_that_somebody_new_looks_at_sends_a_frame(runs: Runs):
    maze, sumo = runs.open(address(runs, "maze")), runs.open(address(runs, "sumo"))
    client = Client(1, None)  # type: ignore[arg-type]
    runs._site.stream.want(client, [sumo.channel, f"{sumo.channel}_scene"])
    links: Any = (maze._link, sumo._link)
    assert [link.asked for link in links] == [[], ["again"]]
    runs.close()
    assert maze.is_closed
    assert not runs.sessions
