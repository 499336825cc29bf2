"""What the parts of the training page share: what is shown, where it is said, who looks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from horus_sim.errors import HorusError, TrainingError, UiError
from horus_sim.rl.task_files.definitions import task_bases
from horus_sim.rl.training.evaluation import UNSEEN_SEED
from horus_sim.ui.training.model.policies import RANDOM
from horus_sim.ui.training.model.runs import Curves, RunWatch
from horus_sim.ui.training.model.show import LARGEST_SEED, MOST_ENVS, Choice

if TYPE_CHECKING:
    from horus_sim.ui.shell.address import Address
    from horus_sim.ui.shell.page import Page
    from horus_sim.ui.training.model.desk import TrainingDesk
    from horus_sim.ui.training.model.policies import Chosen, PolicyShelf
    from horus_sim.ui.training.model.thread import ShowStatus
    from horus_sim.ui.views.view3d.view3d import CameraMode

FIRST_TASK = "Navigation"
FIRST_ENVS = 9
_MOST_DIGITS = 30
NEWEST, BEST = "last_policy.npz", "policy.npz"


class Stand:
    """One page.

    Args:
        page: The page.
        desk: What it looks at.
        shelf: Policies to choose from.
        address: Where its state is.

    Attributes:
        choice: What is shown.
        chosen: The policy that acts.
        watch: The training that is watched, or None.
        curves: Of that training.
        follows_run: Whether the newest policy of that training is shown when there is one.
        selected: Number of the environment that is looked at, from 1; 0 for none.
        camera: How it is looked at.
        on_show: Each is called when something else is shown.
        on_select: Each is called when another environment is selected.
        on_curves: Each is called when the curves have changed, or another run is watched.
    """

    def __init__(
        self, page: Page, desk: TrainingDesk, shelf: PolicyShelf, address: Address
    ) -> None:
        self.page, self.desk, self.shelf, self.address = page, desk, shelf, address
        self.choice = Choice(FIRST_TASK, shelf.default(FIRST_TASK), FIRST_ENVS)
        self.chosen: Chosen | None = None
        self.run = ""
        self.watch: RunWatch | None = None
        self.curves: Curves | None = None
        self.follows_run = False
        self.selected = 0
        self.camera: CameraMode = "orbit"
        self.on_show: list[Callable[[], Awaitable[None] | None]] = []
        self.on_select: list[Callable[[], object]] = []
        self.on_curves: list[Callable[[], object]] = []
        self._loading = asyncio.Lock()

    @property
    def status(self) -> ShowStatus:
        """How the show is doing."""
        return self.desk.status

    async def show(self, **changes: Any) -> None:  # noqa: ANN401 - fields of Choice
        """Shows something else; on an error what there is goes on.

        Raises:
            HorusError: It cannot be shown.
        """
        async with self._loading:
            choice = replace(self.choice, **changes)
            task_bases(choice.task)
            if "task" in changes and "policy" not in changes:
                options = await asyncio.to_thread(self.shelf.options, choice.task)
                if choice.policy not in options or choice.policy == RANDOM:
                    choice = replace(choice, policy=self.shelf.default(choice.task))
            chosen = await asyncio.to_thread(self.shelf.find, choice.policy)
            await asyncio.wrap_future(self.desk.thread.load(choice, chosen))
            self.choice, self.chosen = choice, chosen
            if self.selected > choice.envs:
                self.select(0)
        self.write_address()
        for callback in self.on_show:
            if (answer := callback()) is not None:
                await answer

    def select(self, number: int) -> None:
        """Looks at an environment; 0 for none."""
        if number != self.selected:
            self.selected = number
            self.write_address()
            for callback in self.on_select:
                callback()

    async def watch_run(self, name: str) -> None:
        """Shows the curves of a training; '' for none.

        Raises:
            HorusError: The folder holds no training.
        """
        watch = RunWatch(self.shelf.resolve(name)) if name else None
        curves = await asyncio.to_thread(watch.read) if watch is not None else None
        self.run, self.watch, self.curves = name, watch, curves
        self.write_address()
        for callback in self.on_curves:
            callback()

    async def look_after(self) -> None:
        """Reads what trainings have written in the meantime.

        Raises:
            HorusError: It cannot be read, or shown.
        """
        watch = self.watch
        if watch is not None:
            try:
                curves = await asyncio.to_thread(watch.read)
            except TrainingError:
                # What was read stays; the same would be said each second.
                self.watch = None
                raise
            if watch is self.watch and curves is not self.curves:
                self.curves = curves
                for callback in self.on_curves:
                    callback()
        if self.follows_run and (newest := self.newest()) and newest != self.choice.policy:
            try:
                await self.show_newest()
            except HorusError:
                self.follows_run = False
                for callback in self.on_curves:
                    callback()
                raise
        elif changed_ns := await asyncio.to_thread(self._changed_ns):
            if self.chosen is not None:
                self.chosen = replace(self.chosen, changed_ns=changed_ns)
            await self.show()
            self.page.log.add(f"'{self.choice.policy}' was written anew; it is shown")

    def newest(self) -> str:
        """Name of the newest policy of the run that is watched; '' where there is none yet."""
        if self.curves is None:
            return ""
        file = next((name for name in (NEWEST, BEST) if name in self.curves.policies), "")
        return f"{self.run}/{file}" if file else ""

    async def show_newest(self) -> None:
        """Shows the newest policy of the run, on its task.

        Raises:
            HorusError: It cannot be shown.
        """
        if self.curves is not None and (newest := self.newest()):
            await self.show(task=self.curves.task, policy=newest)

    def _changed_ns(self) -> int:
        """When the file of the policy was written anew; 0 if it was not."""
        chosen = self.chosen
        if chosen is None or chosen.path is None:
            return 0
        try:
            written_ns = chosen.path.stat().st_mtime_ns
        except OSError:
            return 0
        return 0 if written_ns == chosen.changed_ns else written_ns

    def write_address(self) -> None:
        """Puts the state into the address."""
        choice, status = self.choice, self.status
        self.address.replace(
            {
                "task": choice.task,
                "policy": "" if self.follows_run else choice.policy,
                "envs": "" if choice.envs == FIRST_ENVS else str(choice.envs),
                "seed": "" if choice.seed == UNSEEN_SEED else str(choice.seed),
                "set": json.dumps(choice.settings) if choice.settings else "",
                "speed": "" if status.speed == 1.0 else f"{status.speed:g}",
                "paused": "" if status.is_running else "1",
                "env": str(self.selected or ""),
                "cam": "" if self.camera == "orbit" else self.camera,
                "run": self.run,
            }
        )


def read_choice(address: Address, shelf: PolicyShelf) -> Choice:
    """What an address wants to be shown.

    Raises:
        HorusError: It means nothing.
    """
    task = address.get("task", FIRST_TASK)
    task_bases(task)
    try:
        settings = json.loads(address.get("set", "{}"))
    except ValueError:
        settings = None
    if not isinstance(settings, dict):
        raise UiError("'set' in the address is no JSON of settings; leave it out")
    return Choice(
        task,
        address.get("policy") or shelf.default(task),
        whole_number(address.get("envs", str(FIRST_ENVS)), "environments", 1, MOST_ENVS),
        whole_number(address.get("seed", str(UNSEEN_SEED)), "the seed", 0, LARGEST_SEED),
        settings,
    )


def whole_number(text: str, name: str, low: int, high: int) -> int:
    """A whole number from a text.

    Raises:
        UiError: It is none, or out of range.
    """
    if (problem := wrong_whole(text, low, high)) is not None:
        raise UiError(f"{name}: '{text[:40]}' is {problem}")
    return int(text)


def wrong_whole(text: str | None, low: int, high: int) -> str | None:
    """What is wrong with a text that is to be a whole number, or None."""
    text = str(text or "").strip()
    if not text.isascii() or not text.removeprefix("-").isdecimal():
        try:
            float(text)
        except ValueError:
            return "not a number"
        return "not a whole number"
    # So many digits are out of range, and Python would refuse to read more of them.
    number = int(text[:_MOST_DIGITS])
    if number < low:
        return f"too small: at least {low}"
    if number > high:
        return f"too large: at most {high}"
    return None
