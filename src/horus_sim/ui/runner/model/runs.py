"""The runs of the 2D runner: one for each address, so that no page takes another one's away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.errors import UiError
from horus_sim.ui.kit.scenarios import Scenarios
from horus_sim.ui.runner.model.drafts import Drafts
from horus_sim.ui.runner.model.runner import Runner
from horus_sim.ui.shell.sessions import Sessions

if TYPE_CHECKING:
    from horus_sim.running.joining import Wishes
    from horus_sim.ui.runner.model.run_address import RunAddress
    from horus_sim.ui.shell.site import Site

MOST_RUNS = 6


class Runs(Sessions[Runner]):
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
    def newest(self) -> Runner | None:
        """The one that was last asked for."""
        return next(reversed(tuple(self.sessions.values())), None)

    def begin(self, address: RunAddress, wishes: Wishes) -> Runner:
        """Opens a run that is joined to topics or recordings, before a page asks for it.

        Args:
            address: What is simulated.
            wishes: What the run is joined to.

        Raises:
            UiError: It cannot be opened.
        """
        runner = self.open(address, wishes)
        runner.notes = runner.open(address.place, address.options).result()
        runner.play()
        return runner

    def open(self, address: RunAddress, wishes: Wishes | None = None) -> Runner:
        """The run of an address; a new one has nothing open yet.

        Where there are as many as may be, the one that was not looked at for longest makes room.

        Raises:
            UiError: There is no room, since there are pages or recordings with all of them.
        """
        stream, scenarios, drafts = self._site.stream, self.scenarios, self.drafts

        def make(channel: str) -> Runner:
            self._make_room()
            return Runner(stream, scenarios, drafts, channel, wishes, address)

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
