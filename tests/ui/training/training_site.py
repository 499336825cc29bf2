"""The training page and folders of trainings, for tests."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tests.ui.conftest import LONGEST_S, Visit

from horus_sim.rl import make_vector
from horus_sim.rl.training import Policy, train_config
from horus_sim.rl.training.run_folder import RunFolder, append_row
from horus_sim.ui.training.model.rollout_thread import (
    RolloutStatus,
    RolloutThread,
    RolloutThreads,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.ui.conftest import Site


class TrainingPage(Visit):
    """The page, and the thread behind it."""

    def __init__(self, site: Site, page: Page) -> None:
        super().__init__(page)
        self.site = site

    def open(self, query: str = "") -> TrainingPage:
        self.page.goto(self.site.server.link(f"/training{query}"))
        self.wait_for(lambda status: status.choice is not None)
        self.wait_for_connection()
        return self

    @property
    def thread(self) -> RolloutThread:
        return list(RolloutThreads.of(self.site.shared).sessions.values())[-1]

    @property
    def folder(self) -> Path:
        return self.site.shared.folder

    def wait_for(self, condition: Callable[[RolloutStatus], bool]) -> RolloutStatus:
        end = time.monotonic() + LONGEST_S
        while not (threads := RolloutThreads.of(self.site.shared).sessions) or not condition(
            list(threads.values())[-1].status
        ):
            assert time.monotonic() < end, f"it did not happen; the log:\n{self.site.logged()}"
            time.sleep(0.02)
        return self.thread.status

    def says(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).get_by_text(text).wait_for()


def write_run(path: Path, task: str, rows: int) -> RunFolder:
    """Rows as a training writes them: a thousand steps and a return of one more with each."""
    run = RunFolder(path)
    if not run.config.exists():
        run.create(train_config(task))
    run.progress.unlink(missing_ok=True)
    for row in range(rows):
        values = {"steps": 1000 * (row + 1), "seconds": 2.0 * row, "mean_return": float(row)}
        append_row(run.progress, {**values, "success_rate": row / 10})
    return run


def still_policy(task: str) -> Policy:
    """One that always does the same, whatever it sees."""
    envs = make_vector(task)
    observed, acted = envs.observation_space.shape, envs.action_space.shape
    assert observed is not None
    assert acted is not None
    columns, actions = observed[1], acted[1]
    envs.close()
    layer = np.zeros((columns, actions), np.float32), np.zeros(actions, np.float32)
    bound = np.ones(actions, np.float32)
    zeros, ones = np.zeros(columns), np.ones(columns)
    return Policy(task, {}, (layer,), "tanh", False, -bound, bound, zeros, ones)
