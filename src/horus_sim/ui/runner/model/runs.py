"""The runs of the 2D runner: one for each address, so that no page takes another one's away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from horus_sim.errors import UiError
from horus_sim.ui.kit.scenarios import Place, Scenarios
from horus_sim.ui.runner.model.drafts import Drafts
from horus_sim.ui.runner.model.runner import Options, Runner
from horus_sim.ui.shell.sessions import Sessions

if TYPE_CHECKING:
    from horus_sim.running.joining import Wishes
    from horus_sim.ui.shell.site import Site

PATH = "/sim2d"
MOST_RUNS = 6


@dataclass(frozen=True, slots=True)
class Wish:
    """What an address asks for.

    Attributes:
        place: The scenario.
        options: How it is run.
    """

    place: Place
    options: Options = field(default_factory=Options)

    @property
    def query(self) -> dict[str, str]:
        """As it stands in the address; '' for what is as usual."""
        return {
            "scenario": self.place.name,
            "seed": "" if self.options.seed is None else str(self.options.seed),
            "side": "" if self.options.top_down else "1",
            "empty": "1" if self.options.ignore_terrain else "",
        }

    @property
    def link(self) -> str:
        """The address."""
        return f"{PATH}?{urlencode({key: value for key, value in self.query.items() if value})}"

    @property
    def title(self) -> str:
        """In a few words."""
        seed = self.options.seed
        words = [] if seed is None else [f"seed {seed}"]
        words += [] if self.options.top_down else ["from the side"]
        words += ["no terrain"] if self.options.ignore_terrain else []
        return self.place.folder.name + (f" ({', '.join(words)})" if words else "")


class Run:
    """A simulation and the pages that look at it.

    Args:
        runner: Simulates.
        address: What is simulated.

    Attributes:
        runner: Simulates.
        channel: Of the stream.
        address: What is simulated, or about to be.
    """

    def __init__(self, runner: Runner, address: Wish) -> None:
        self.runner = runner
        self.channel = runner.channel
        self.address = address
        self._pages: list[Callable[[], bool]] = []

    def join(self, is_here: Callable[[], bool]) -> None:
        """A page looks at it for as long as `is_here` says."""
        self._pages.append(is_here)

    @property
    def pages(self) -> int:
        """How many pages look at it."""
        self._pages = [is_here for is_here in self._pages if is_here()]
        return len(self._pages)

    @property
    def is_idle(self) -> bool:
        """Whether nobody would miss it: there is no page, and no file is being written."""
        return self.pages == 0 and not self.runner.status.get("log")

    def refresh(self) -> None:
        """Sends a frame, since somebody new looks."""
        self.runner.post("again")

    def close(self) -> None:
        """Ends the simulation."""
        self.runner.close()


class Runs(Sessions[Run]):
    """The runs of a session.

    Args:
        site: What all pages share.
        most: How many there are at a time; each is a process.

    Attributes:
        scenarios: What can be opened.
        drafts: Texts of controllers that are not saved yet.
    """

    name = "sim2d"

    def __init__(self, site: Site, most: int = MOST_RUNS) -> None:
        super().__init__(site)
        self.scenarios = Scenarios.of(site)
        self.drafts = Drafts()
        self._most = most

    @property
    def newest(self) -> Run | None:
        """The one that was last asked for."""
        return next(reversed(tuple(self.sessions.values())), None)

    def begin(self, wish: Wish, wishes: Wishes) -> Runner:
        """Opens a run that is joined to topics or recordings, before a page asks for it.

        Args:
            wish: What is simulated.
            wishes: What the run is joined to.

        Raises:
            UiError: It cannot be opened.
        """
        runner = self.open(wish, wishes).runner
        runner.notes = runner.open(wish.place, wish.options).result()
        runner.run(running=True)
        return runner

    def open(self, address: Wish, wishes: Wishes | None = None) -> Run:
        """The run of an address; a new one has nothing open yet.

        Where there are as many as may be, the one that was not looked at for longest makes room.

        Raises:
            UiError: There is no room, since there are pages or recordings with all of them.
        """
        stream, scenarios, drafts = self._site.stream, self.scenarios, self.drafts

        def make(channel: str) -> Run:
            self._make_room()
            return Run(Runner(stream, scenarios, drafts, channel, wishes), address)

        return self.claim(address, make)

    def _make_room(self) -> None:
        if len(self.sessions) < self._most:
            return
        idle = next((run for run in self.sessions.values() if run.is_idle), None)
        if idle is None:
            raise UiError(
                f"there are {len(self.sessions)} runs already, all with a page or a recording; "
                "close the page of one or stop one, then try again"
            )
        self.leave(idle)
