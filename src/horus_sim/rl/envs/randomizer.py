"""All randomizations of a task together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim._native import RlModelDraws
from horus_sim.errors import TaskError, UnknownTaskError
from horus_sim.files.names import propose
from horus_sim.rl.engines.interface import Ids, Rows, checked_like
from horus_sim.rl.envs.task_check import check_values, owner
from horus_sim.rl.randomization.base import Randomization
from horus_sim.rl.randomization.kinds import RandomizationConfig
from horus_sim.rl.randomization.physics import ModelRandomization
from horus_sim.rl.randomization.planar_visual import PlanarVisual
from horus_sim.rl.randomization.visual import Colour, VisualRandomization
from horus_sim.rl.tasks.task import Task
from horus_sim.rl.terms.term import Observation

Function = Callable[[Rows], npt.NDArray[Any]]


def _built(name: str, settings: RandomizationConfig, task: Task[Any]) -> Randomization:
    if task.sim.dimensions == 2 and not settings.any_engine:
        raise TaskError(
            f"randomization '{name}': '{settings.kind}' is for 3D tasks, and {owner(task)} runs on "
            "the 2D simulator; leave it out, or choose one of observations or pictures"
        )
    return settings.build(name, task)


class Randomizer:
    """Draws for new episodes and remembers what was drawn.

    Attributes:
        items: All of them.
        visuals: Those that act on pictures.
    """

    def __init__(self, task: Task[Any]) -> None:
        self._task = task
        built = [_built(name, given, task) for name, given in task.config.randomization.items()]
        # Those of the model come first: compiled code draws them and fills the first columns.
        self.items = sorted(built, key=lambda item: not isinstance(item, ModelRandomization))
        ends = np.cumsum([item.size for item in self.items], dtype=np.int64).tolist()
        self._columns = [
            (item, slice(end - item.size, end)) for item, end in zip(self.items, ends, strict=True)
        ]
        self._model_draws = RlModelDraws()
        for item in self.items:
            if isinstance(item, ModelRandomization):
                item.enter(self._model_draws)
        self._others = [
            entry for entry in self._columns if not isinstance(entry[0], ModelRandomization)
        ]
        visuals = [item for item in built if isinstance(item, VisualRandomization | PlanarVisual)]
        # Colours come last: what they shift may be that of a texture.
        self.visuals = tuple(sorted(visuals, key=lambda item: isinstance(item, Colour)))
        self._drawn = task.array(ends[-1] if ends else 0)
        self._info: dict[str, npt.NDArray[Any]] = {}
        self._changes_constants = any(item.changes_constants for item in built)
        self._acting = [
            item for item in self.items if type(item).before_step is not Randomization.before_step
        ]
        every = np.ones(task.sim.num_envs, np.bool_)
        every.flags.writeable = False
        self._masks = {f"_{item.name}": every for item in self.items}
        self._outer = {"_randomization": every} if self.items else {}

    def begin(self, ids: Ids) -> None:
        """Draws for new episodes of these environments."""
        if not self.items:
            return
        task = self._task
        # A new array: what an earlier info holds stays as it was.
        drawn = self._drawn.copy()
        if len(self._others) < len(self.items):
            levels = task.curriculum.levels(ids)
            self._model_draws.begin(ids, task.random.seeds, task.random.episodes, levels, drawn)
        for item, columns in self._others:
            drawn[ids, columns] = item.begin(ids)
        self._show(drawn)
        if self._changes_constants:
            task.sim.set_const(ids)

    def _show(self, drawn: npt.NDArray[np.float64]) -> None:
        self._drawn = drawn
        self._info = {item.name: drawn[:, columns] for item, columns in self._columns}

    @property
    def drawn(self) -> npt.NDArray[np.float64]:
        """What was drawn for the running episodes, shape (num_envs, numbers)."""
        return self._drawn

    @drawn.setter
    def drawn(self, drawn: npt.NDArray[np.float64]) -> None:
        self._show(checked_like(self._drawn, drawn).copy())

    def before_step(self) -> None:
        """Lets those act that act during episodes."""
        for item in self._acting:
            item.before_step()

    def info(self) -> dict[str, Any]:
        """What was drawn for the running episodes."""
        if not self.items:
            return {}
        return {**self._outer, "randomization": {**self._masks, **self._info}}

    def corrupted(self, terms: tuple[Observation, ...]) -> list[Function]:
        """Functions of the observations, with what sensors make of them.

        Raises:
            TaskError: A randomization is of an observation that the task does not have.
        """
        names = tuple(term.name for term in terms)
        for item in self.items:
            if item.observation is not None and item.observation not in names:
                text = propose(item.observation, names, owner(self._task), "observation")
                raise UnknownTaskError(f"randomization '{item.name}': {text}")
        return [self._through_sensors(term) for term in terms]

    def _through_sensors(self, term: Observation) -> Function:
        sensors = [item.corrupt for item in self.items if item.observation == term.name]
        if not sensors:
            return term.function

        task = self._task
        low, high = np.array([term.low]), np.array([term.high])

        def read(rows: Rows) -> npt.NDArray[Any]:
            values = term.function(rows)
            shape = (len(task.random.ids[rows]), term.size)
            check_values(task, "observation", term.name, values, shape)
            for corrupt in sensors:
                values = corrupt(rows, values)
            # Several times faster on few rows than np.clip.
            return np.minimum(np.maximum(values, low), high)

        return read
