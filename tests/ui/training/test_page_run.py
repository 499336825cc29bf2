"""A training that is watched in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .training_site import TrainingPage, still_policy, write_run

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.ui.conftest import Site

NEEDS_WEBGL = False


@pytest.fixture
def training(site: Site, page: Page) -> TrainingPage:
    return TrainingPage(site, page)


def test_a_run_is_watched_and_its_newest_policy_shown(training: TrainingPage):
    run = write_run(training.folder / "runs" / "mine", "LineFollower2D", rows=3)
    training.open("?task=Navigation2D&envs=1000&run=runs/yours")
    training.says("Address message", "environments: '1000' is too large: at most 64")
    training.says("Address message", "holds no training")
    training.fill("Another folder", "nowhere")
    training.press("Watch this folder")
    training.error_at("Another folder", "holds no training")
    training.choose("Training run", "mine")
    training.page.get_by_label("Return of the run").get_by_text("training 2.00").wait_for()
    training.says("Steps", "3,000")

    # It writes a policy, which is shown at once, and another row.
    still_policy("LineFollower2D").save(run.last_policy)
    write_run(run.path, "LineFollower2D", rows=5)
    status = training.wait_for(
        lambda status: bool(status.choice) and status.choice.policy.endswith("last_policy.npz")
    )
    assert status.choice is not None
    assert status.choice.task == "LineFollower2D"
    training.page.get_by_label("Return of the run").get_by_text("training 4.00").wait_for()
    training.keep("training_run")
    training.page.wait_for_url("**run=runs%2Fmine*")

    # A link opens it again.
    address = training.page.url
    training.page.goto("about:blank")
    training.page.goto(address)
    training.page.get_by_label("Return of the run").get_by_text("training 4.00").wait_for()
    training.wait_for(lambda status: bool(status.choice) and status.choice.envs == 9)

    # On a phone nothing of the header is out of sight, and what cannot be read is said once.
    training.page.set_viewport_size({"width": 390, "height": 844})
    for name in ("Settings", "Panels"):
        left, _, width, _ = training.box(f"header button[aria-label='{name}']")
        assert 0 <= left <= 390 - width
    run.progress.write_text("steps,mean_return\nmany,1\n")
    training.wait_for(lambda _: "cannot be read" in training.site.logged())
    training.page.get_by_label("Return of the run").get_by_text("training 4.00").wait_for()
