"""The training page in a real browser: by accessible name, checked in the environments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .training_site import TrainingPage

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.ui.conftest import Site


@pytest.fixture
def training(site: Site, page: Page) -> TrainingPage:
    return TrainingPage(site, page)


def test_a_shipped_policy_drives_and_is_counted(training: TrainingPage):
    training.open("?task=NavigationOpen&envs=4&speed=10")
    training.page.wait_for_selector('[data-scene="NavigationOpen"]')
    status = training.wait_for(lambda status: status.summary.episodes >= 4)
    assert status.choice is not None
    assert status.choice.policy == "NavigationOpen"
    assert status.summary.successes == status.summary.counted, "the shipped policy arrives"
    training.page.get_by_label("Success rate", exact=True).get_by_text("100.0%").wait_for()
    training.page.get_by_label("Reward goal").get_by_text("+5.000").wait_for()
    training.press("Pause")
    paused = training.wait_for(lambda status: not status.is_running)
    training.page.wait_for_url("**paused=1*")
    training.press("Step")
    training.wait_for(lambda status: status.steps == paused.steps + 1)
    training.keep("training")

    # Another seed begins other episodes; nonsense begins none.
    number = training.thread.status.number
    for text, message in (("-1", "at least 0"), ("1.5", "not a whole number"), ("x", "not a nu")):
        training.fill("Seed", text)
        training.error_at("Seed", message)
    training.fill("Environments", "65")
    training.error_at("Environments", "at most 64")
    training.press("Start with these")
    training.fill("Seed", "7")
    training.press("Start with these")
    training.error_at("Environments", "at most 64")
    assert training.thread.status.number == number
    training.fill("Environments", "2")
    training.press("Start with these")
    status = training.wait_for(lambda status: status.number > number)
    assert status.choice is not None
    assert (status.choice.envs, status.choice.seed) == (2, 7)
    assert (status.steps, status.summary.episodes) == (0, 0)
    training.page.wait_for_url("**envs=2&seed=7&speed=10&paused=1*")

    # Without a shipped policy it says so; a task of the 2D simulator is seen from above.
    training.choose("Task", "Ant")
    training.says("About the policy", "No policy is shipped for Ant")
    training.choose("Task", "LineFollower2D")
    training.page.locator("svg[aria-label='2D view']").wait_for()
    training.page.wait_for_selector(".h2d-shape >> nth=1", state="attached")
    assert training.thread.status.is_planar
    assert "means nothing" not in training.site.logged()
