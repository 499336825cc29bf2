"""What the panels of the training page share: what is shown, and who hears of changes."""

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
from horus_sim.ui.training.model.rollout import LARGEST_SEED, MOST_ENVS, Choice
from horus_sim.ui.training.model.runs import Curves, RunWatch

if TYPE_CHECKING:
    from horus_sim.ui.shell.address import Address
    from horus_sim.ui.shell.page import Page
    from horus_sim.ui.training.model.policies import FoundPolicy, PolicyLibrary
    from horus_sim.ui.training.model.rollout_thread import RolloutStatus, RolloutThread
    from horus_sim.ui.views.view3d.view3d import CameraMode

FIRST_TASK = "Navigation"
FIRST_ENVS = 9
_MOST_DIGITS = 30
NEWEST, BEST = "last_policy.npz", "policy.npz"


class TrainingModel:
    """One page.

    Args:
        page: The page.
        thread: Runs the environments that it looks at.
        library: Policies to choose from.

    Attributes:
        page: The page.
        thread: Runs the environments that it looks at.
        library: Policies to choose from.
        choice: What is shown.
        found: The policy that acts.
        run: Name of the training that is watched, or ''.
        curves: Curves of that training.
        follows_run: Whether the newest policy of that training is shown when there is one.
        selected: Number of the environment that is looked at, from 1; 0 for none.
        camera: How it is looked at.
        on_show: Each is called when something else is shown.
        on_select: Each is called when another environment is selected.
        on_curves: Each is called when the curves have changed, or another run is watched.
    """

    def __init__(self, page: Page, thread: RolloutThread, library: PolicyLibrary) -> None:
        address = page.address
        self.page, self.thread, self.library = page, thread, library
        self.choice = Choice(FIRST_TASK, library.default(FIRST_TASK), FIRST_ENVS)
        self.found: FoundPolicy | None = None
        self.run = address.get("run")
        self._watch: RunWatch | None = None
        self.curves: Curves | None = None
        self.follows_run = bool(self.run) and not address.get("policy")
        self.selected = 0
        camera = address.get("cam")
        self.camera: CameraMode = camera if camera in ("follow", "top") else "orbit"
        self.on_show: list[Callable[[], Awaitable[None] | None]] = []
        self.on_select: list[Callable[[], object]] = []
        self.on_curves: list[Callable[[], object]] = []
        self._loading = asyncio.Lock()

    @property
    def status(self) -> RolloutStatus:
        """How what is shown is doing."""
        return self.thread.status

    async def show(self, **changes: Any) -> None:  # noqa: ANN401 - fields of Choice
        """Shows something else; on an error what there is goes on.

        Raises:
            HorusError: It cannot be shown.
        """
        async with self._loading:
            choice = replace(self.choice, **changes)
            task_bases(choice.task)
            if "task" in changes and "policy" not in changes:
                options = await asyncio.to_thread(self.library.options, choice.task)
                if choice.policy not in options or choice.policy == RANDOM:
                    choice = replace(choice, policy=self.library.default(choice.task))
            found = await asyncio.to_thread(self.library.find, choice.policy)
            await asyncio.wrap_future(self.thread.load(choice, found))
            self.choice, self.found = choice, found
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
        watch = RunWatch(self.library.resolve(name)) if name else None
        curves = await asyncio.to_thread(watch.read) if watch is not None else None
        self.run, self._watch, self.curves = name, watch, curves
        self.write_address()
        self._tell_curves()

    async def look_after(self) -> None:
        """Reads what trainings have written in the meantime.

        Raises:
            HorusError: It cannot be read, or shown.
        """
        watch = self._watch
        if watch is not None:
            try:
                curves = await asyncio.to_thread(watch.read)
            except TrainingError:
                # What was read stays; the same would be said each second.
                self._watch = None
                raise
            if watch is self._watch and curves is not self.curves:
                self.curves = curves
                self._tell_curves()
        if self.follows_run and (newest := self.newest()) and newest != self.choice.policy:
            try:
                await self.show_newest()
            except HorusError:
                self.follows_run = False
                self._tell_curves()
                raise
        elif changed_ns := await asyncio.to_thread(self._changed_ns):
            if self.found is not None:
                self.found = replace(self.found, changed_ns=changed_ns)
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
        found = self.found
        if found is None or found.path is None:
            return 0
        try:
            written_ns = found.path.stat().st_mtime_ns
        except OSError:
            return 0
        return 0 if written_ns == found.changed_ns else written_ns

    def _tell_curves(self) -> None:
        for callback in self.on_curves:
            callback()

    def write_address(self) -> None:
        """Puts the state into the address."""
        choice, status = self.choice, self.status
        self.page.address.replace(
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


def read_choice(address: Address, library: PolicyLibrary) -> Choice:
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
        raise UiError("'set' in the address is not JSON of settings; leave it out")
    return Choice(
        task,
        address.get("policy") or library.default(task),
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
